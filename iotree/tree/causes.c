// SPDX-License-Identifier: MIT
//
// One pass over the members of a process finds its inputs and the causes of each member.
#include "iotree/tree/arguments.h"
#include "iotree/tree/causes.h"
#include "iotree/graph/passed.h"

#define MOST_INPUTS (1u << 24)

// input_of_binding is never cleared: an index in it counts only if the input there is of that
// binding. Likewise bundle_of_binding.
typedef struct {
    iot *a;
    uint32_t process;
    process_io *io;
    bool find; // inputs are being found; else they are known
    uint32_t reader; // the member that is being read
    ARRAY_OF(iot_input) inputs;     // those found
    uint32_t *input_of_argument;    // by position, + 1
    argument_search arguments;
    // Nodes so far, and the links of the next one
    ARRAY_OF(size_t) first;
    ARRAY_OF(uint32_t) links, ranks, own;
    uint32_t *nodes; // by rank; NULL: there are no bundles
    ARRAY_OF(uint32_t) bundles; // their bindings
    ARRAY_OF(uint32_t) bundle_nodes;
    ARRAY_OF(uint32_t) walk, waiting; // bindings
} reading;

// ---------------------------------------------------------------------------------------------
// Inputs

static uint32_t mapped_input(const reading *x, uint32_t binding)
{
    uint32_t i = x->a->io.input_of_binding[binding];
    const iot_input *inputs = x->find ? x->inputs.at : x->io->inputs;
    size_t n = x->find ? x->inputs.n : x->io->ninputs;
    return i < n && inputs[i].binding == binding ? i : IOT_NONE;
}

static void map_inputs(reading *x)
{
    for (uint32_t i = 0; i < x->io->ninputs; i++) {
        const iot_input *in = &x->io->inputs[i];
        if (in->binding != IOT_NONE)
            x->a->io.input_of_binding[in->binding] = i;
        else
            x->input_of_argument[in->argument - 1] = i + 1;
    }
}

static void add_link(reading *x, uint32_t link)
{
    ARRAY_PUSH(x->own, link);
}

static uint32_t add_input(reading *x, iot_input in)
{
    x->a->io.ninputs++;
    ARRAY_PUSH(x->inputs, in);
    return (uint32_t)x->inputs.n - 1;
}

static uint32_t first_read(reading *x, uint32_t binding, uint32_t maker)
{
    const trace *t = x->a->t;
    int64_t time = trace_time(t, x->reader), available = trace_time(t, maker);
    int64_t wait = available - reduction_created(t, x->reader);
    x->a->io.input_of_binding[binding] = (uint32_t)x->inputs.n;
    return add_input(x, (iot_input){
                            .binding = binding,
                            .reader = x->reader,
                            .from = process_of(x->a, maker),
                            .time = time,
                            .available = available,
                            .wait = wait > 0 ? wait : 0,
                            .lag = time - trace_cost(t, x->reader) - available,
                        });
}

// An argument of the first goal that the reader looks at and that holds no variable.
static void read_argument(reading *x, uint32_t origin)
{
    const trace *t = x->a->t;
    if (x->input_of_argument[origin] == 0) {
        uint32_t goal = x->a->processes[x->process].goal;
        int64_t created = trace_time(t, trace_goal_parent(t, goal));
        int64_t time = trace_time(t, x->reader);
        x->input_of_argument[origin] = 1 + add_input(x, (iot_input){
                                                            .binding = IOT_NONE,
                                                            .argument = origin + 1,
                                                            .reader = x->reader,
                                                            .from = IOT_NONE,
                                                            .time = time,
                                                            .available = created,
                                                            .lag = time - trace_cost(t, x->reader) -
                                                                   created,
                                                        });
    }
    add_link(x, LINK_INPUT | (x->input_of_argument[origin] - 1));
}

// In a file of the older definition only the first member looks at arguments.
static void read_arguments(reading *x, uint32_t rank)
{
    const trace *t = x->a->t;
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, x->reader));
    if (!trace_is_older_definition(t)) {
        iot_arguments_looked(&x->arguments, rank, x->reader);
        for (size_t i = 0; i < x->arguments.looked.n; i++)
            read_argument(x, x->arguments.looked.at[i]);
        return;
    }
    for (uint32_t i = 0; rank == 0 && i < c->nlooks; i++)
        if (!is_variable(t, trace_goal_arg(t, trace_reduction_goal(t, x->reader), c->looks[i])))
            read_argument(x, c->looks[i]);
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

// ---------------------------------------------------------------------------------------------
// Bindings

// What is read of this binding itself. The maker `own` is no cause: of what it bound itself, or of
// what its bundle stands for.
static void read_binding(reading *x, uint32_t binding, uint32_t own)
{
    const iot *a = x->a;
    uint32_t maker = trace_binding_maker(a->t, binding);
    if (process_of(a, maker) == x->process) {
        uint32_t rank = a->members.rank[maker];
        if (maker != own)
            add_link(x, x->nodes ? x->nodes[rank] : rank);
        return;
    }
    uint32_t input = mapped_input(x, binding);
    add_link(x, LINK_INPUT | (input == IOT_NONE ? first_read(x, binding, maker) : input));
}

static uint32_t bundle_node(const reading *x, uint32_t binding)
{
    uint32_t i = x->a->io.bundle_of_binding[binding];
    return i < x->bundles.n && x->bundles.at[i] == binding ? x->bundle_nodes.at[i] : IOT_NONE;
}

static void push_passed(reading *x, uint32_t binding)
{
    const uint32_t *variables;
    uint32_t n = trace_passed(x->a->t, binding, &variables);
    while (n-- > 0)
        ARRAY_PUSH(x->walk, trace_cell_binding(x->a->t, variables[n]));
}

// Each of n processes that read what one before them passed on has the inputs of all before it, which is
// quadratic: beyond this many inputs what was passed on is no longer read.
static bool is_too_much(const iot *a)
{
    return a->io.ninputs > MOST_INPUTS + 2 * (uint64_t)trace_nbindings(a->t);
}

// Reads all on x->walk, and what it passed on down to heavy bindings, for which their bundles stand.
// False: a bundle is missing; then what misses is on x->waiting.
static bool read_walk(reading *x, uint32_t own)
{
    iot *a = x->a;
    size_t missing = x->waiting.n;
    a->io.now++;
    while (x->walk.n > 0) {
        uint32_t binding = x->walk.at[--x->walk.n], node;
        if (a->io.met_at[binding] == a->io.now)
            continue;
        a->io.met_at[binding] = a->io.now;
        read_binding(x, binding, own);
        if (is_too_much(a))
            a->passed.cut = true;
        else if (!is_heavy(a, binding))
            push_passed(x, binding);
        else if ((node = bundle_node(x, binding)) == IOT_NONE)
            ARRAY_PUSH(x->waiting, binding);
        else
            add_link(x, node);
    }
    return x->waiting.n == missing;
}

// The links that were gathered are those of a node: a member, or a bundle (rank IOT_NONE).
static uint32_t end_node(reading *x, size_t from, uint32_t rank)
{
    ARRAY_PUSH(x->first, x->links.n);
    for (size_t i = from; i < x->own.n; i++)
        ARRAY_PUSH(x->links, x->own.at[i]);
    x->own.n = from;
    if (x->nodes)
        ARRAY_PUSH(x->ranks, rank);
    return (uint32_t)x->first.n - 1;
}

static void make_bundles(reading *x)
{
    size_t from = x->own.n;
    while (x->waiting.n > 0) {
        uint32_t binding = x->waiting.at[x->waiting.n - 1];
        if (bundle_node(x, binding) == IOT_NONE) {
            push_passed(x, binding);
            if (!read_walk(x, trace_binding_maker(x->a->t, binding))) {
                x->own.n = from;
                continue;
            }
            x->a->io.bundle_of_binding[binding] = (uint32_t)x->bundles.n;
            ARRAY_PUSH(x->bundles, binding);
            ARRAY_PUSH(x->bundle_nodes, end_node(x, from, IOT_NONE));
        }
        x->waiting.n--;
    }
}

static void follow_reads(reading *x, uint32_t n, const uint32_t *variables)
{
    const iot *a = x->a;
    size_t from = x->own.n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t binding = trace_cell_binding(a->t, variables[i]);
        if (binding == TRACE_NONE)
            continue;
        if (a->passed.any)
            ARRAY_PUSH(x->walk, binding);
        else
            read_binding(x, binding, x->reader);
    }
    if (x->walk.n == 0 || read_walk(x, x->reader))
        return;
    x->own.n = from; // again, with the bundles
    make_bundles(x);
    for (uint32_t i = 0; i < n; i++)
        ARRAY_PUSH(x->walk, trace_cell_binding(a->t, variables[i]));
    read_walk(x, x->reader);
}

// ---------------------------------------------------------------------------------------------

static void read_member(reading *x, uint32_t rank, uint32_t member)
{
    iot *a = x->a;
    const uint32_t *variables;
    x->reader = member;
    uint32_t parent = trace_goal_parent(a->t, trace_reduction_goal(a->t, member));
    if (process_of(a, parent) == x->process) {
        uint32_t before = a->members.rank[parent];
        add_link(x, x->nodes ? x->nodes[before] : before);
    }
    read_arguments(x, rank);
    uint32_t n = trace_reads(a->t, member, &variables);
    follow_reads(x, n, variables);
    n = trace_followed(a->t, member, &variables);
    follow_reads(x, n, variables);
    uint32_t node = end_node(x, 0, rank);
    if (x->nodes)
        x->nodes[rank] = node;
}

static void read_members(reading *x)
{
    iot *a = x->a;
    const uint32_t *members;
    uint32_t n = iot_members(a, x->process, &members);
    for (uint32_t i = 0; i < n; i++) {
        if (x->find && (i & 0xffff) == 0xffff)
            tell_progress(a, 0.6 * (double)(a->preparing.done + i / 2) / a->n); // outputs follow
        read_member(x, i, members[i]);
    }
    ARRAY_PUSH(x->first, x->links.n);
}

static void begin(reading *x)
{
    iot *a = x->a;
    uint32_t goal = a->processes[x->process].goal, n = trace_nbindings(a->t);
    uint32_t arity = trace_get_predicate(a->t, trace_goal_predicate(a->t, goal))->arity;
    iot_ensure_passed(a);
    if (!a->io.input_of_binding)
        a->io.input_of_binding = base_allocate(n, sizeof *a->io.input_of_binding);
    if (a->passed.any && (!a->io.met_at || a->io.now > UINT32_MAX / 2)) {
        free(a->io.met_at);
        a->io.met_at = base_allocate(n, sizeof *a->io.met_at);
        a->io.now = 0;
    }
    if (a->passed.heavy && !a->io.bundle_of_binding)
        a->io.bundle_of_binding = base_allocate(n, sizeof *a->io.bundle_of_binding);
    if (a->passed.heavy)
        x->nodes = base_allocate(a->processes[x->process].members, sizeof *x->nodes);
    x->input_of_argument = base_allocate(arity, sizeof *x->input_of_argument);
    iot_arguments_begin(&x->arguments, a, x->process);
}

void iot_free_causes(process_causes *g)
{
    if (g) {
        free(g->first);
        free(g->links);
        free(g->ranks);
        free(g->nodes);
        free(g);
    }
}

void iot_read_process(iot *a, uint32_t process, process_io *io, bool find)
{
    process_causes *g = base_allocate(1, sizeof *g);
    reading x = {.a = a, .process = process, .io = io, .find = find};
    iot_free_causes(a->io.causes);
    a->io.causes = g;
    begin(&x);
    if (!find)
        map_inputs(&x);
    read_members(&x);
    *g = (process_causes){.process = process,
                          .n = (uint32_t)x.first.n - 1,
                          .first = x.first.at,
                          .links = x.links.at,
                          .ranks = x.ranks.at,
                          .nodes = x.nodes};
    if (find) {
        io->inputs = x.inputs.at;
        io->ninputs = (uint32_t)x.inputs.n;
        sort_inputs(a->t, io, g, x.links.n);
    }
    iot_arguments_free(&x.arguments);
    free(x.input_of_argument);
    free(x.own.at);
    free(x.bundles.at);
    free(x.bundle_nodes.at);
    free(x.walk.at);
    free(x.waiting.at);
}
