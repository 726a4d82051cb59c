// SPDX-License-Identifier: MIT
//
// Inputs, outputs and causes of a process, from one pass over its members.
#include "iotree/tree/causes.h"

// ---------------------------------------------------------------------------------------------
// Inputs. input_of_binding is never cleared: an index in it counts only if the input there is of
// that binding.

typedef struct {
    iot *a;
    uint32_t process;
    process_io *io;
    bool find; // inputs are being found; else they are known
    ARRAY_OF(iot_input) inputs; // those found
    size_t *first; // of process_causes
    ARRAY_OF(uint32_t) links;
} reading;

static uint32_t mapped_input(const reading *x, uint32_t binding)
{
    uint32_t i = x->a->io.input_of_binding[binding];
    const iot_input *inputs = x->find ? x->inputs.at : x->io->inputs;
    size_t n = x->find ? x->inputs.n : x->io->ninputs;
    return i < n && inputs[i].binding == binding ? i : IOT_NONE;
}

static void map_inputs(iot *a, const process_io *io)
{
    for (uint32_t i = 0; i < io->ninputs; i++) {
        if (io->inputs[i].binding != IOT_NONE)
            a->io.input_of_binding[io->inputs[i].binding] = i;
    }
}

static void add_link(reading *x, uint32_t link)
{
    ARRAY_PUSH(x->links, link);
}

static uint32_t add_input(reading *x, iot_input in)
{
    ARRAY_PUSH(x->inputs, in);
    return (uint32_t)x->inputs.n - 1;
}

static uint32_t first_read(reading *x, uint32_t binding, uint32_t maker, uint32_t reader)
{
    const trace *t = x->a->t;
    int64_t time = trace_time(t, reader), available = trace_time(t, maker);
    int64_t wait = available - reduction_created(t, reader);
    x->a->io.input_of_binding[binding] = (uint32_t)x->inputs.n;
    return add_input(x, (iot_input){
                            .binding = binding,
                            .reader = reader,
                            .from = process_of(x->a, maker),
                            .time = time,
                            .available = available,
                            .wait = wait > 0 ? wait : 0,
                            .lag = time - trace_cost(t, reader) - available,
                        });
}

static void follow_reads(reading *x, uint32_t reader, uint32_t n, const uint32_t *variables)
{
    const iot *a = x->a;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t binding = trace_cell_binding(a->t, variables[i]);
        if (binding == TRACE_NONE)
            continue;
        uint32_t maker = trace_binding_maker(a->t, binding);
        if (process_of(a, maker) == x->process) {
            if (maker < reader) // what it bound itself is no cause
                add_link(x, a->members.rank[maker]);
            continue;
        }
        uint32_t input = mapped_input(x, binding);
        if (input == IOT_NONE)
            input = first_read(x, binding, maker, reader);
        add_link(x, LINK_INPUT | input);
    }
}

// Argument positions of the first reduction that its clause looks at and that hold no variable.
static void follow_arguments(reading *x, uint32_t reader)
{
    const trace *t = x->a->t;
    uint32_t goal = trace_reduction_goal(t, reader), n = 0;
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, reader));
    int64_t created = reduction_created(t, reader), time = trace_time(t, reader);
    for (uint32_t i = 0; i < c->nlooks; i++) {
        if (is_variable(t, trace_goal_arg(t, goal, c->looks[i])))
            continue;
        if (x->find)
            add_input(x, (iot_input){
                             .binding = IOT_NONE,
                             .argument = c->looks[i] + 1,
                             .reader = reader,
                             .from = IOT_NONE,
                             .time = time,
                             .available = created,
                             .lag = time - trace_cost(t, reader) - created,
                         });
        add_link(x, LINK_INPUT | n++);
    }
}

// With its variable, whose age orders the inputs of one time, and its place before sorting.
typedef struct {
    iot_input input;
    uint32_t variable; // 0 for argument positions
    uint32_t place;
} keyed_input;

static int by_time(const void *x, const void *y)
{
    const keyed_input *a = x, *b = y;
    if (a->input.time != b->input.time)
        return a->input.time < b->input.time ? -1 : 1;
    bool arg_a = a->input.binding == IOT_NONE, arg_b = b->input.binding == IOT_NONE;
    if (arg_a != arg_b)
        return arg_a ? -1 : 1;
    uint32_t key_a = arg_a ? a->input.argument : a->variable;
    uint32_t key_b = arg_b ? b->input.argument : b->variable;
    return key_a < key_b ? -1 : key_a > key_b;
}

// They are found in order of time, so only those of one time are sorted.
static void sort_inputs(const trace *t, process_io *io, process_causes *g, size_t nlinks)
{
    keyed_input *keyed = base_allocate(io->ninputs, sizeof *keyed);
    uint32_t *now = base_allocate(io->ninputs, sizeof *now);
    for (uint32_t i = 0; i < io->ninputs; i++) {
        keyed[i] = (keyed_input){.input = io->inputs[i], .place = i};
        if (io->inputs[i].binding != IOT_NONE)
            keyed[i].variable = trace_binding_variable(t, io->inputs[i].binding);
    }
    for (uint32_t i = 0, j; i < io->ninputs; i = j) {
        for (j = i + 1; j < io->ninputs && keyed[j].input.time == keyed[i].input.time;)
            j++;
        if (j > i + 1)
            qsort(keyed + i, j - i, sizeof *keyed, by_time);
    }
    for (uint32_t i = 0; i < io->ninputs; i++) {
        io->inputs[i] = keyed[i].input;
        now[keyed[i].place] = i;
    }
    for (size_t i = 0; i < nlinks; i++) {
        if (g->links[i] & LINK_INPUT)
            g->links[i] = LINK_INPUT | now[g->links[i] & ~LINK_INPUT];
    }
    free(keyed);
    free(now);
}

static void read_members(reading *x)
{
    iot *a = x->a;
    const uint32_t *members, *variables;
    uint32_t n = iot_members(a, x->process, &members);
    for (uint32_t i = 0; i < n; i++) {
        x->first[i] = x->links.n;
        if (x->find && (i & 0xffff) == 0xffff)
            tell_progress(a, 0.6 * (double)(a->preparing.done + i / 2) / a->n); // outputs follow
        uint32_t parent = trace_goal_parent(a->t, trace_reduction_goal(a->t, members[i]));
        if (process_of(a, parent) == x->process)
            add_link(x, a->members.rank[parent]);
        if (i == 0)
            follow_arguments(x, members[i]);
        uint32_t nread = trace_reads(a->t, members[i], &variables);
        follow_reads(x, members[i], nread, variables);
        nread = trace_followed(a->t, members[i], &variables);
        follow_reads(x, members[i], nread, variables);
    }
    x->first[n] = x->links.n;
}

static void free_causes(process_causes *g)
{
    if (g) {
        free(g->first);
        free(g->links);
        free(g);
    }
}

// Makes the causes of the process and, if they are to be found, its inputs.
static void read_process(iot *a, uint32_t process, process_io *io, bool find)
{
    const uint32_t *members;
    process_causes *g = base_allocate(1, sizeof *g);
    free_causes(a->io.causes);
    a->io.causes = g;
    g->process = process;
    g->n = iot_members(a, process, &members);
    g->first = base_allocate((size_t)g->n + 1, sizeof *g->first);
    reading x = {.a = a, .process = process, .io = io, .find = find, .first = g->first};
    if (!find)
        map_inputs(a, io);
    read_members(&x);
    g->links = x.links.at;
    if (!find)
        return;
    io->inputs = x.inputs.at;
    io->ninputs = (uint32_t)x.inputs.n;
    sort_inputs(a->t, io, g, x.links.n);
}

// ---------------------------------------------------------------------------------------------
// Outputs, and the last-arriving input of each

static bool later(const process_io *io, uint32_t x, uint32_t y)
{
    if (x == IOT_NONE || y == IOT_NONE)
        return x != IOT_NONE;
    const iot_input *a = &io->inputs[x], *b = &io->inputs[y];
    if (a->available != b->available)
        return a->available > b->available;
    if (a->time != b->time)
        return a->time > b->time;
    return x > y;
}

static void find_last(const process_causes *g, const process_io *io, uint32_t *last)
{
    for (uint32_t i = 0; i < g->n; i++) {
        last[i] = IOT_NONE;
        for (size_t j = g->first[i]; j < g->first[i + 1]; j++) {
            uint32_t link = g->links[j];
            uint32_t candidate = link & LINK_INPUT ? link & ~LINK_INPUT : last[link];
            if (candidate != last[i] && later(io, candidate, last[i]))
                last[i] = candidate;
        }
    }
}

static void find_outputs(iot *a, uint32_t process, process_io *io)
{
    const uint32_t *members;
    uint32_t n = iot_members(a, process, &members);
    uint32_t *last = base_allocate(n, sizeof *last);
    ARRAY_OF(iot_output) outputs = {0};
    ARRAY_OF(uint32_t) makers = {0};
    find_last(a->io.causes, io, last);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t end = trace_first_binding(a->t, members[i] + 1);
        for (uint32_t b = trace_first_binding(a->t, members[i]); b < end; b++) {
            if (!iot_is_output(a, b, members[i]))
                continue;
            ARRAY_PUSH(makers, i);
            ARRAY_PUSH(outputs, (iot_output){
                                    .binding = b,
                                    .time = trace_time(a->t, members[i]),
                                    .needed = IOT_NONE,
                                    .last_input = last[i],
                                });
        }
    }
    io->outputs = outputs.at;
    io->noutputs = (uint32_t)outputs.n;
    io->makers = makers.at;
    free(last);
}

// ---------------------------------------------------------------------------------------------

const process_io *iot_ensure_io(iot *a, uint32_t process)
{
    if (!a->io.of_process)
        __atomic_store_n(&a->io.of_process, base_allocate(a->nprocesses, sizeof(process_io *)),
                         __ATOMIC_RELEASE);
    if (a->io.of_process[process])
        return a->io.of_process[process];
    iot_ensure_members(a);
    iot_ensure_visibility(a);
    if (!a->io.input_of_binding)
        a->io.input_of_binding =
            base_allocate(trace_nbindings(a->t), sizeof *a->io.input_of_binding);
    process_io *io = base_allocate(1, sizeof *io);
    read_process(a, process, io, true);
    find_outputs(a, process, io);
    iot_count_needed(a, a->io.causes, io);
    __atomic_store_n(&a->io.of_process[process], io, __ATOMIC_RELEASE);
    return io;
}

const process_causes *iot_ensure_causes(iot *a, uint32_t process)
{
    const process_io *io = iot_ensure_io(a, process);
    if (!a->io.causes || a->io.causes->process != process)
        read_process(a, process, (process_io *)io, false);
    return a->io.causes;
}

void iot_destroy_io(iot *a)
{
    for (uint32_t i = 0; a->io.of_process && i < a->nprocesses; i++) {
        process_io *io = a->io.of_process[i];
        if (io) {
            free(io->inputs);
            free(io->outputs);
            free(io->makers);
            free(io);
        }
    }
    free(a->io.of_process);
    free(a->io.input_of_binding);
    free_causes(a->io.causes);
}

// Asked for very often, and what was found once never changes: then without the lock.
static const process_io *get_io(const iot *analysis, uint32_t process)
{
    iot *a = (iot *)analysis;
    process_io **all = __atomic_load_n(&a->io.of_process, __ATOMIC_ACQUIRE);
    const process_io *io = all ? __atomic_load_n(&all[process], __ATOMIC_ACQUIRE) : NULL;
    if (io)
        return io;
    pthread_mutex_lock(&a->lock);
    io = iot_ensure_io(a, process);
    pthread_mutex_unlock(&a->lock);
    return io;
}

uint32_t iot_inputs(const iot *analysis, uint32_t process, const iot_input **ret_inputs)
{
    const process_io *io = get_io(analysis, process);
    *ret_inputs = io->inputs;
    return io->ninputs;
}

uint32_t iot_outputs(const iot *analysis, uint32_t process, const iot_output **ret_outputs)
{
    const process_io *io = get_io(analysis, process);
    *ret_outputs = io->outputs;
    return io->noutputs;
}
