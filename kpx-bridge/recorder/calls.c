// SPDX-License-Identifier: MIT
//
// The events of an MPI call: its beginning, its messages and requests, its end.
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "kpx-bridge/recorder/functions.h"
#include "kpx-bridge/recorder/mpi.h"

__thread const void *kpx_call_site;
__thread const char *kpx_call_frame;
__thread int kpx_call_depth;

MPI_Request kpx_no_request;

static bool polls; // are written down when they find nothing
static uint64_t smallest_limit = UINT64_MAX; // bytes; larger messages may wait for their receives

__attribute__((constructor)) static void read_wishes(void)
{
    polls = !kpx_is_without("polls");
}

// ---- The library ----------------------------------------------------------------------------

// Stands for a routine that the library does not have. The program's error handler decides, as for
// all errors of the library.
static int is_missing(void)
{
    kpx_complain("the MPI library lacks a routine that the program calls");
    PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_UNSUPPORTED_OPERATION);
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

static void *functions[ROUTINES];

// A search takes the loader's lock. A library that is being loaded holds this lock, and may wait meanwhile
// for a thread that calls MPI. So the search comes before the program loads libraries.
__attribute__((constructor)) static void find_all(void)
{
#define ROUTINE(name, ...) functions[ROUTINE_##name] = dlsym(RTLD_NEXT, "PMPI_" #name);
#include "kpx-bridge/log/mpi_routines.def"
}

// The program may load the library of MPI for itself, and constructors of others call it before this one's.
void *kpx_real(int routine, const char *name)
{
    void *function = __atomic_load_n(&functions[routine], __ATOMIC_RELAXED);
    if (__builtin_expect(!function, 0)) {
        function = dlsym(RTLD_NEXT, name);
        if (!function)
            function = (void *)is_missing;
        __atomic_store_n(&functions[routine], function, __ATOMIC_RELAXED);
    }
    return function;
}

// ---- Places in the program ------------------------------------------------------------------

// The library with this address, NULL: none. Takes no lock.
static const struct link_map *library_of(const void *address)
{
    struct dl_find_object found;
    return _dl_find_object((void *)(uintptr_t)address, &found) == 0 ? found.dlfo_link_map : NULL;
}

static bool is_of_mpi(const void *address)
{
    const struct link_map *library = library_of(address);
    const char *path = library ? library->l_name : "", *slash = strrchr(path, '/');
    return strncmp(slash ? slash + 1 : path, "libmpi", 6) == 0 || strstr(path, "libkpx-") != NULL;
}

typedef struct {
    const void *site;
    const char *stack; // just above the word that holds the site as a return address
} walk;

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *data)
{
    const void *address = (const void *)_Unwind_GetIP(context);
    if (is_of_mpi(address))
        return _URC_NO_REASON;
    *(walk *)data = (walk){address, (const char *)_Unwind_GetCFA(context)};
    return _URC_END_OF_STACK;
}

// Addresses are remembered, so that most calls need no walk up the stack. A call in Fortran comes
// through functions of the library. How far up the program's return address stands is remembered,
// too; what stands there counts if a walk has found it before.
enum { SITES = 64, PATHS = 64 };
static __thread const void *outside[SITES];
static __thread struct {
    const void *within;
    size_t distance; // from the wrapper's frame; 0: unknown
} paths[PATHS];

static const void **slot_of_site(const void *site)
{
    return &outside[((uintptr_t)site >> 2) % SITES];
}

static const void *site_up_the_stack(void)
{
    size_t at = ((uintptr_t)kpx_call_site >> 2) % PATHS;
    const void *site;
    if (paths[at].within == kpx_call_site && paths[at].distance && kpx_call_frame) {
        memcpy(&site, kpx_call_frame + paths[at].distance, sizeof site);
        if (site && *slot_of_site(site) == site)
            return site;
    }
    walk found = {kpx_call_site, NULL};
    _Unwind_Backtrace(look, &found);
    paths[at].within = kpx_call_site;
    paths[at].distance = 0;
    if (kpx_call_frame && found.stack && found.stack - sizeof site > kpx_call_frame) {
        memcpy(&site, found.stack - sizeof site, sizeof site);
        if (site == found.site)
            paths[at].distance = (size_t)(found.stack - sizeof site - kpx_call_frame);
    }
    *slot_of_site(found.site) = found.site;
    return found.site;
}

// The program's call site.
static uint64_t program_site(void)
{
    if (*slot_of_site(kpx_call_site) == kpx_call_site)
        return (uint64_t)(uintptr_t)kpx_call_site;
    bool inner = paths[((uintptr_t)kpx_call_site >> 2) % PATHS].within == kpx_call_site;
    if (!inner && !is_of_mpi(kpx_call_site)) {
        *slot_of_site(kpx_call_site) = kpx_call_site;
        return (uint64_t)(uintptr_t)kpx_call_site;
    }
    return (uint64_t)(uintptr_t)site_up_the_stack();
}

static const char *const names[] = {
#define ROUTINE(name, ...) #name,
#include "kpx-bridge/log/mpi_routines.def"
};

// Whether the library's own functions for Fortran ask: MPI_ALLTOALLW asks for the size, for
// example.
static bool is_asked_by_fortran(const void *address, int routine)
{
    const struct link_map *library = library_of(address);
    if (!library || !(strstr(library->l_name, "libmpi_mpifh") || strstr(library->l_name, "libmpi_usempi")))
        return false;
    const char *function = kpx_function_in(library, address);
    return function && !strcasestr(function, names[routine]);
}

static bool is_by_fortran(int routine)
{
    enum { ASKING = 64 };
    static __thread struct {
        const void *at;
        bool by_fortran;
    } asking[ASKING];
    size_t slot = ((uintptr_t)kpx_call_site >> 2) % ASKING;
    if (asking[slot].at != kpx_call_site) {
        asking[slot].at = kpx_call_site;
        asking[slot].by_fortran = is_asked_by_fortran(kpx_call_site, routine);
    }
    return asking[slot].by_fortran;
}

void kpx_no_memory(void)
{
    static bool told;
    if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
        kpx_complain("there was no memory to record all calls of MPI");
}

// ---- Calls ----------------------------------------------------------------------------------

static bool is_active(void)
{
    return __atomic_load_n(&kpx_active, __ATOMIC_RELAXED);
}

kpx_call kpx_begin(int routine)
{
    kpx_call call = {.routine = (uint16_t)routine, .outer = kpx_call_depth++ == 0};
    call.written = call.outer && is_active();
    if (call.written)
        kpx_put_always(KPX_MPI_BEGIN, call.routine, 0, 0, program_site());
    return call;
}

static uint64_t pair(int peer, int tag)
{
    return (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag;
}

kpx_call kpx_begin_receive(int routine, int from, int tag)
{
    if (from == MPI_PROC_NULL)
        return kpx_begin(routine);
    kpx_call call = {.routine = (uint16_t)routine, .outer = kpx_call_depth++ == 0};
    call.written = call.outer && is_active();
    uint64_t awaited = pair(from == MPI_ANY_SOURCE ? -1 : from, tag == MPI_ANY_TAG ? -1 : tag);
    if (call.written)
        kpx_put_always(KPX_MPI_BEGIN, call.routine, 1, awaited, program_site());
    return call;
}

kpx_call kpx_begin_poll(int routine)
{
    kpx_call call = {.routine = (uint16_t)routine, .outer = kpx_call_depth++ == 0};
    if (call.outer)
        call.time = kpx_now();
    return call;
}

// The last recorded call of this thread, if further ones may be added to it.
static __thread struct {
    kpx_event *end;
    uint64_t site;
    uint16_t routine;
} repeated;

#define SPINNING 1000u // nanoseconds between two polls that count as one

// A spinning program repeats one call. Repetitions are counted in the event of the first one.
static bool is_repeated(const kpx_call *call, uint64_t now, uint64_t longest_pause)
{
    kpx_event *end = repeated.end;
    if (!end || end + 1 != kpx_log.next || end->kind != KPX_MPI_END ||
        repeated.routine != call->routine || repeated.site != program_site() ||
        call->time - end->time > longest_pause)
        return false;
    end->b += now - call->time;
    end->time = now;
    __atomic_store_n(&end->a, end->a + KPX_REPEATED, __ATOMIC_RELAXED);
    return true;
}

static void write_repeatable(const kpx_call *call, uint64_t longest_pause)
{
    uint64_t now = kpx_now();
    if (is_repeated(call, now, longest_pause))
        return;
    kpx_put_at(call->time, KPX_MPI_BEGIN, call->routine, 0, 0, program_site());
    kpx_put_at(now, KPX_MPI_END, call->routine, 0, 0, now - call->time);
    repeated.end = kpx_log.next ? kpx_log.next - 1 : NULL;
    repeated.routine = call->routine;
    repeated.site = program_site();
}

void kpx_found(kpx_call *call, bool found)
{
    call->written = call->outer && is_active() && found;
    if (call->written)
        kpx_put_at(call->time, KPX_MPI_BEGIN, call->routine, 0, 0, program_site());
    else if (call->outer && is_active() && polls)
        write_repeatable(call, SPINNING);
}

kpx_call kpx_begin_asking(int routine)
{
    if (polls && !(kpx_call_depth == 0 && is_by_fortran(routine)))
        return kpx_begin_poll(routine);
    kpx_call_depth++;
    return (kpx_call){.routine = (uint16_t)routine};
}

int kpx_end_asking(kpx_call call, int result)
{
    if (call.outer && is_active())
        write_repeatable(&call, UINT64_MAX);
    kpx_call_depth--;
    return result;
}

bool kpx_is_refused(int result)
{
    if (result == MPI_SUCCESS)
        return false;
    int class = MPI_ERR_OTHER;
    REAL(Error_class)(result, &class);
    static const int refusals[] = {MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE,     MPI_ERR_TAG,
                                   MPI_ERR_COMM,   MPI_ERR_RANK,  MPI_ERR_REQUEST,  MPI_ERR_ROOT,
                                   MPI_ERR_GROUP,  MPI_ERR_OP,    MPI_ERR_TOPOLOGY, MPI_ERR_DIMS,
                                   MPI_ERR_ARG,    MPI_ERR_WIN,   MPI_ERR_FILE,     MPI_ERR_INFO};
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (class == refusals[i])
            return true;
    return false;
}

int kpx_end(kpx_call call, int result)
{
    kpx_call_depth--;
    if (call.written)
        kpx_put_always(KPX_MPI_END, call.routine, (uint32_t)result, kpx_is_refused(result), 0);
    return result;
}

// ---- Messages -------------------------------------------------------------------------------

uint64_t kpx_bytes(int count, MPI_Datatype type)
{
    int size = 0;
    if (count <= 0 || type == MPI_DATATYPE_NULL)
        return 0;
    REAL(Type_size)(type, &size);
    if (size != MPI_UNDEFINED)
        return (uint64_t)count * (uint64_t)(size > 0 ? size : 0);
    MPI_Count large = 0;
    PMPI_Type_size_x(type, &large);
    return (uint64_t)count * (uint64_t)(large > 0 ? large : 0);
}

bool kpx_sends(kpx_call call, uint32_t communicator, int peer, int tag, uint64_t bytes,
               kpx_mode mode)
{
    if (!call.outer || peer == MPI_PROC_NULL)
        return false;
    uint16_t flags = mode == KPX_SYNCHRONOUS                            ? 1
                     : mode == KPX_STANDARD && bytes > smallest_limit ? 2
                                                                        : 0;
    kpx_put_always(KPX_MPI_SEND, flags, communicator, pair(peer, tag), bytes);
    return flags != 0;
}

static uint64_t bytes_received(const MPI_Status *status)
{
    int bytes = 0;
    REAL(Get_count)(status, MPI_BYTE, &bytes);
    if (bytes != MPI_UNDEFINED)
        return (uint64_t)(bytes > 0 ? bytes : 0);
    MPI_Count large = 0;
    PMPI_Get_elements_x(status, MPI_BYTE, &large);
    return (uint64_t)(large > 0 ? large : 0);
}

void kpx_received(kpx_call call, MPI_Comm comm, const MPI_Status *status, int result)
{
    if (call.outer && !kpx_is_refused(result) && status->MPI_SOURCE != MPI_PROC_NULL)
        kpx_put_always(KPX_MPI_RECV, 0, kpx_communicator(comm),
                       pair(status->MPI_SOURCE, status->MPI_TAG), bytes_received(status));
}

void kpx_posts(kpx_call call, uint32_t communicator, int peer, int tag, uint64_t request)
{
    if (call.outer && peer != MPI_PROC_NULL)
        kpx_put_always(KPX_MPI_POSTED, 0, communicator, request, pair(peer, tag));
}

void kpx_completed(kpx_call call, uint64_t request, const MPI_Status *status)
{
    int cancelled = 0;
    if (!call.outer || request == 0)
        return;
    REAL(Test_cancelled)(status, &cancelled);
    kpx_put_always(KPX_MPI_COMPLETED, cancelled != 0, 0, request,
                   pair(status->MPI_SOURCE, status->MPI_TAG));
}

void kpx_completes_with(kpx_call call, uint64_t request)
{
    if (call.outer && request != 0)
        kpx_put_always(KPX_MPI_REQUEST, 0, 0, request, 0);
}

// ---- What a send waits for --------------------------------------------------------------------

// Parameters of Open MPI. The standard's MPI_T has them, too, but initialising MPI_T would change
// the thread level that the program has asked for.
static int (*find_parameter)(const char *project, const char *framework, const char *component,
                             const char *name);
static int (*read_parameter)(int number, const void *ret_storage, void *unused, void *unused_too);

// The limit of a transport that is in use, or 0.
static uint64_t limit_of(const char *transport)
{
    size_t *storage = NULL;
    int number = find_parameter("opal", "btl", transport, "eager_limit");
    return number >= 0 && read_parameter(number, &storage, NULL, NULL) == 0 && storage ? *storage : 0;
}

static bool is_used(const char *layer)
{
    return find_parameter("ompi", "pml", layer, "priority") >= 0;
}

static void note_limit(const char *key, uint64_t limit)
{
    char text[32];
    if (limit == 0)
        return;
    snprintf(text, sizeof text, "%llu", (unsigned long long)limit);
    kpx_note(key, text);
    smallest_limit = limit < smallest_limit ? limit : smallest_limit;
}

// Open MPI's usual layer (ob1) sends a message above its transport's limit only after the receive
// was posted. The limits of other layers and libraries are unknown.
void kpx_note_limits(void)
{
    static const char *const others[] = {"tcp", "openib", "ofi", "ugni", "usnic", "uct", "portals4"};
    *(void **)&find_parameter = dlsym(RTLD_DEFAULT, "mca_base_var_find");
    *(void **)&read_parameter = dlsym(RTLD_DEFAULT, "mca_base_var_get_value");
    if (!find_parameter || !read_parameter || !is_used("ob1") || is_used("ucx") || is_used("cm"))
        return;
    uint64_t near = limit_of("vader"), far = 0;
    near = near ? near : limit_of("sm");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        uint64_t limit = limit_of(others[i]);
        far = limit > far ? limit : far;
    }
    note_limit("eager_near", near ? near : far);
    note_limit("eager_far", far);
}
