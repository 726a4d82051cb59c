// SPDX-License-Identifier: MIT
//
// Inputs and outputs of processes.
//
// A variable is visible outside the process that made it if it occurs in an argument of a goal that
// starts another process, or in the term of a binding that is itself an output. One walk over the
// whole run finds all of them: it starts at those arguments and at the bindings made by another
// process than the variable's, and goes through structures and through the bindings of what it
// finds. For every other process than its own a variable is visible by definition, so one bit per
// variable answers for all.
#include "iotree/model.h"

// ---------------------------------------------------------------------------------------------
// Visibility

typedef struct {
    iot *a;
    uint32_t *cells; // marked, their contents not yet
    size_t n, capacity;
} walk;

static void mark(walk *w, trace_value v)
{
    if (v.kind != TV_CELL || bit_get(w->a->visible, v.id))
        return;
    bit_set(w->a->visible, v.id);
    ROOM(w->cells, w->n, w->capacity);
    w->cells[w->n++] = v.id;
}

static void run_walk(walk *w)
{
    const trace *t = w->a->t;
    while (w->n) {
        uint32_t cell = w->cells[--w->n];
        if (trace_cell_get_kind(t, cell) == TC_VARIABLE) {
            uint32_t binding = trace_cell_binding(t, cell);
            if (binding != TRACE_NONE)
                mark(w, trace_binding_value(t, binding));
            continue;
        }
        uint32_t n = trace_cell_arity(t, cell);
        for (uint32_t i = 0; i < n; i++)
            mark(w, trace_cell_arg(t, cell, i));
    }
}

// Made by another process than the variable: an output whatever is visible.
static bool crosses(const iot *a, uint32_t binding)
{
    uint32_t maker = trace_binding_maker(a->t, binding);
    uint32_t creator = trace_cell_maker(a->t, trace_binding_variable(a->t, binding));
    return maker != 0 && a->process_of[maker] != a->process_of[creator];
}

void ensure_visible(iot *a)
{
    if (a->visible)
        return;
    const trace *t = a->t;
    a->visible = iot_alloc((size_t)trace_ncells(t) / 8 + 1, 1);
    walk w = {.a = a};
    for (uint32_t g = 0; g < trace_ngoals(t); g++) {
        if (!iot_starts_process(a, g))
            continue;
        uint32_t arity = trace_get_predicate(t, trace_goal_predicate(t, g))->arity;
        for (uint32_t i = 0; i < arity; i++)
            mark(&w, trace_goal_arg(t, g, i));
        run_walk(&w);
    }
    for (uint32_t b = 0; b < trace_nbindings(t); b++) {
        if (crosses(a, b)) {
            mark(&w, trace_binding_value(t, b));
            run_walk(&w);
        }
    }
    free(w.cells);
}

bool is_output(const iot *a, uint32_t binding)
{
    return trace_binding_maker(a->t, binding) != 0 &&
           (bit_get(a->visible, trace_binding_variable(a->t, binding)) || crosses(a, binding));
}

// ---------------------------------------------------------------------------------------------
// Inputs

// The first read of every binding from outside. input_of_binding is never cleared: an index in it
// counts only if the input there is of that binding.
uint32_t mapped_input(const iot *a, const process_io *io, uint32_t binding)
{
    uint32_t i = a->input_of_binding[binding];
    return i < io->ninputs && io->inputs[i].binding == binding ? i : IOT_NONE;
}

static void add_read(iot *a, process_io *io, uint32_t *capacity, uint32_t process,
                     uint32_t variable, uint32_t reader)
{
    const trace *t = a->t;
    uint32_t binding = trace_cell_binding(t, variable);
    if (binding == TRACE_NONE)
        return;
    uint32_t maker = trace_binding_maker(t, binding), from = a->process_of[maker];
    if (from == process || mapped_input(a, io, binding) != IOT_NONE)
        return;
    ROOM(io->inputs, io->ninputs, *capacity);
    int64_t time = trace_time(t, reader), available = trace_time(t, maker);
    int64_t wait = available - reduction_created(t, reader);
    a->input_of_binding[binding] = io->ninputs;
    io->inputs[io->ninputs++] = (iot_input){
        .binding = binding,
        .reader = reader,
        .from = from,
        .time = time,
        .available = available,
        .wait = wait > 0 ? wait : 0,
        .lag = time - 1 - available,
    };
}

// Argument positions of the first reduction that its clause looks at and that hold no variable.
static void add_arguments(iot *a, process_io *io, uint32_t *capacity, uint32_t reader)
{
    const trace *t = a->t;
    uint32_t goal = trace_reduction_goal(t, reader);
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, reader));
    int64_t created = reduction_created(t, reader), time = trace_time(t, reader);
    for (uint32_t i = 0; i < c->nlooks; i++) {
        if (is_variable(t, trace_goal_arg(t, goal, c->looks[i])))
            continue;
        ROOM(io->inputs, io->ninputs, *capacity);
        io->inputs[io->ninputs++] = (iot_input){
            .binding = IOT_NONE,
            .argument = c->looks[i] + 1,
            .reader = reader,
            .from = IOT_NONE,
            .time = time,
            .available = created,
            .lag = time - 1 - created,
        };
    }
}

// With its variable, whose age orders the inputs of one time.
typedef struct {
    iot_input input;
    uint32_t variable; // 0 for argument positions
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

static void sort_inputs(const trace *t, process_io *io)
{
    keyed_input *keyed = iot_alloc(io->ninputs, sizeof *keyed);
    for (uint32_t i = 0; i < io->ninputs; i++) {
        keyed[i].input = io->inputs[i];
        if (io->inputs[i].binding != IOT_NONE)
            keyed[i].variable = trace_binding_variable(t, io->inputs[i].binding);
    }
    qsort(keyed, io->ninputs, sizeof *keyed, by_time);
    for (uint32_t i = 0; i < io->ninputs; i++)
        io->inputs[i] = keyed[i].input;
    free(keyed);
}

static void find_inputs(iot *a, uint32_t process, process_io *io)
{
    const uint32_t *members, *variables;
    uint32_t n = iot_members(a, process, &members), capacity = 0;
    if (n)
        add_arguments(a, io, &capacity, members[0]);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t nreads = trace_reads(a->t, members[i], &variables);
        for (uint32_t j = 0; j < nreads; j++)
            add_read(a, io, &capacity, process, variables[j], members[i]);
        uint32_t nfollowed = trace_followed(a->t, members[i], &variables);
        for (uint32_t j = 0; j < nfollowed; j++)
            add_read(a, io, &capacity, process, variables[j], members[i]);
    }
    sort_inputs(a->t, io);
}

void map_inputs(iot *a, uint32_t process)
{
    const process_io *io = a->io[process];
    for (uint32_t i = 0; i < io->ninputs; i++) {
        if (io->inputs[i].binding != IOT_NONE)
            a->input_of_binding[io->inputs[i].binding] = i;
    }
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

static void take_later(const process_io *io, uint32_t *last, uint32_t candidate)
{
    if (later(io, candidate, *last))
        *last = candidate;
}

// The latest input that the reduction needs by this read: the binding if it comes from outside,
// else what its maker needed.
static uint32_t last_by_read(const iot *a, const process_io *io, uint32_t process,
                             uint32_t variable, uint32_t reader, const uint32_t *last)
{
    uint32_t binding = trace_cell_binding(a->t, variable);
    if (binding == TRACE_NONE)
        return IOT_NONE;
    uint32_t maker = trace_binding_maker(a->t, binding);
    if (a->process_of[maker] != process)
        return mapped_input(a, io, binding);
    return maker < reader ? last[a->rank[maker]] : IOT_NONE;
}

static void find_last(const iot *a, uint32_t process, const process_io *io, uint32_t *last)
{
    const uint32_t *members, *variables;
    uint32_t n = iot_members(a, process, &members);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t r = members[i];
        uint32_t parent = trace_goal_parent(a->t, trace_reduction_goal(a->t, r));
        last[i] = a->process_of[parent] == process ? last[a->rank[parent]] : IOT_NONE;
        uint32_t nreads = trace_reads(a->t, r, &variables);
        for (uint32_t j = 0; j < nreads; j++)
            take_later(io, &last[i], last_by_read(a, io, process, variables[j], r, last));
        uint32_t nfollowed = trace_followed(a->t, r, &variables);
        for (uint32_t j = 0; j < nfollowed; j++)
            take_later(io, &last[i], last_by_read(a, io, process, variables[j], r, last));
        for (uint32_t k = 0; i == 0 && k < io->ninputs && io->inputs[k].time == trace_time(a->t, r);
             k++) {
            if (io->inputs[k].binding == IOT_NONE)
                take_later(io, &last[i], k);
        }
    }
}

static void find_outputs(iot *a, uint32_t process, process_io *io)
{
    const uint32_t *members;
    uint32_t n = iot_members(a, process, &members), capacity = 0;
    uint32_t *last = iot_alloc(n, sizeof *last);
    find_last(a, process, io, last);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t end = trace_first_binding(a->t, members[i] + 1);
        for (uint32_t b = trace_first_binding(a->t, members[i]); b < end; b++) {
            if (!is_output(a, b))
                continue;
            ROOM(io->outputs, io->noutputs, capacity);
            io->outputs[io->noutputs++] = (iot_output){
                .binding = b,
                .time = trace_time(a->t, members[i]),
                .needed = IOT_NONE,
                .last_input = last[i],
            };
        }
    }
    free(last);
}

const process_io *ensure_io(iot *a, uint32_t process)
{
    if (!a->io)
        a->io = iot_alloc(a->nprocesses, sizeof(process_io *));
    if (a->io[process])
        return a->io[process];
    ensure_visible(a);
    if (!a->input_of_binding)
        a->input_of_binding = iot_alloc(trace_nbindings(a->t), sizeof *a->input_of_binding);
    process_io *io = iot_alloc(1, sizeof *io);
    find_inputs(a, process, io);
    a->io[process] = io;
    map_inputs(a, process);
    find_outputs(a, process, io);
    count_needed(a, process, io);
    return io;
}

uint32_t iot_inputs(const iot *analysis, uint32_t process, const iot_input **ret_inputs)
{
    iot *a = (iot *)analysis;
    pthread_mutex_lock(&a->lock);
    const process_io *io = ensure_io(a, process);
    pthread_mutex_unlock(&a->lock);
    *ret_inputs = io->inputs;
    return io->ninputs;
}

uint32_t iot_outputs(const iot *analysis, uint32_t process, const iot_output **ret_outputs)
{
    iot *a = (iot *)analysis;
    pthread_mutex_lock(&a->lock);
    const process_io *io = ensure_io(a, process);
    pthread_mutex_unlock(&a->lock);
    *ret_outputs = io->outputs;
    return io->noutputs;
}
