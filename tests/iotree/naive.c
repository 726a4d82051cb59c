// SPDX-License-Identifier: MIT
//
// Runs made at random, analysed a second time the plain way: every set is an array of bytes, every
// closure is repeated until nothing changes. The two must agree in everything.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "story.h"

#define MOST 400 // reductions of a random run

static uint64_t seed;

static uint32_t roll(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return n ? (uint32_t)(seed >> 33) % n : 0;
}

// ---------------------------------------------------------------------------------------------
// A random run: every step some of the open goals reduce. What a goal reads and binds is reachable
// from its arguments.

#define MOST_PASSED 12 // by one binding
#define NPREDICATES 6
#define NARGS       4

typedef struct {
    uint32_t args[NARGS];
    int64_t created;
    bool open;
} open_goal;

typedef struct {
    story *s;
    uint32_t predicates[NPREDICATES];
    uint32_t clauses[NPREDICATES]; // dynamic
    uint32_t begin;
    // How much a goal reads, how often it makes goals of its own predicate and hands arguments on.
    uint32_t curious, loyal, faithful;
    open_goal goals[4 * MOST];
    uint32_t goal_predicate[4 * MOST];
    uint32_t ngoals, ncells, nreductions;
    bool variable[16 * MOST], bound[16 * MOST];
    trace_value value[16 * MOST]; // of a variable
    trace_value parts[16 * MOST][2];
    int64_t bound_at[16 * MOST];
    uint32_t made_by[16 * MOST]; // reduction that bound it
    uint32_t passing; // bindings pass something on once in so often
} machine;

static uint32_t reachable(const machine *m, const uint32_t *args, uint32_t *out)
{
    static uint8_t seen[16 * MOST];
    uint32_t n = 0, done = 0;
    memset(seen, 0, m->ncells);
    for (uint32_t i = 0; i < NARGS; i++) {
        if (!seen[args[i]]) {
            seen[args[i]] = 1;
            out[n++] = args[i];
        }
    }
    for (; done < n; done++) {
        uint32_t c = out[done];
        trace_value next[2] = {m->parts[c][0], m->parts[c][1]};
        if (m->variable[c])
            next[0] = m->bound[c] ? m->value[c] : integer(0), next[1] = integer(0);
        for (uint32_t i = 0; i < 2; i++) {
            if (next[i].kind == TV_CELL && !seen[next[i].id]) {
                seen[next[i].id] = 1;
                out[n++] = next[i].id;
            }
        }
    }
    return n;
}

static trace_value some_value(const uint32_t *known, uint32_t n)
{
    return n && roll(4) ? cell(known[roll(n)]) : integer(roll(10));
}

// Following a variable's bindings from b leads to v?
static bool leads_to(const machine *m, trace_value b, uint32_t v)
{
    while (b.kind == TV_CELL) {
        if (b.id == v)
            return true;
        if (!m->variable[b.id] || !m->bound[b.id])
            return false;
        b = m->value[b.id];
    }
    return false;
}

// Does the term hold v anywhere? Then binding v to it would close a circle.
static bool holds(const machine *m, trace_value b, uint32_t v)
{
    static uint32_t inside[16 * MOST];
    if (b.kind != TV_CELL)
        return false;
    uint32_t args[NARGS] = {b.id, b.id, b.id, b.id}, n = reachable(m, args, inside);
    for (uint32_t i = 0; i < n; i++) {
        if (inside[i] == v)
            return true;
    }
    return leads_to(m, b, v);
}

// One reduction while it is made up. known: the cells reachable for it, the new ones last.
typedef struct {
    machine *m;
    uint32_t goal;
    int64_t time;
    uint32_t known[16 * MOST], nknown;
    uint32_t reads[12], followed[4], passed[3 * MOST_PASSED], passed_ends[3];
    trace_cell cells[4];
    trace_value args[4][2], goal_args[3][NARGS];
    trace_binding bindings[3];
    trace_goal goals[3];
    trace_reduction r;
} sketch;

static uint32_t some_known(const sketch *x)
{
    return x->known[roll(x->nknown)];
}

// A variable among the known cells, if a few tries find one that is bound or open as wished.
static uint32_t some_variable(const sketch *x, bool bound)
{
    uint32_t v = some_known(x);
    for (int i = 0; i < 8 && !(x->m->variable[v] && x->m->bound[v] == bound); i++)
        v = some_known(x);
    return v;
}

static void make_reads(sketch *x)
{
    const machine *m = x->m;
    for (uint32_t i = 0, tries = roll(m->curious); i < tries; i++) {
        uint32_t v = some_variable(x, true);
        if (m->variable[v] && m->bound[v] && m->bound_at[v] < x->time)
            x->reads[x->r.nreads++] = v;
    }
    for (uint32_t i = 0, tries = roll(3); i < tries; i++) {
        uint32_t v = some_known(x);
        if (m->variable[v] && m->bound[v])
            x->followed[x->r.nfollowed++] = v;
    }
}

static void make_cells(sketch *x)
{
    machine *m = x->m;
    x->r.ncells = 1 + roll(4);
    for (uint32_t i = 0; i < x->r.ncells; i++) {
        uint32_t c = m->ncells++;
        m->variable[c] = i == 0 || roll(2); // what is made later may hold what is made before
        x->cells[i].kind = m->variable[c] ? TC_VARIABLE : TC_CONS;
        x->cells[i].name = TRACE_NONE;
        if (!m->variable[c]) {
            for (int j = 0; j < 2; j++)
                m->parts[c][j] = x->args[i][j] = some_value(x->known, x->nknown);
            x->cells[i].n = x->cells[i].nargs = 2;
            x->cells[i].args = x->args[i];
        }
        x->known[x->nknown++] = c;
    }
}

static void make_bindings(sketch *x)
{
    machine *m = x->m;
    for (uint32_t i = 0, tries = roll(10); i < tries && x->r.nbindings < 3; i++) {
        uint32_t v = some_variable(x, false);
        trace_value b = roll(3) ? cell(m->ncells - 1) : some_value(x->known, x->nknown);
        if (!m->variable[v] || m->bound[v] || holds(m, b, v))
            continue;
        m->bound[v] = true;
        m->bound_at[v] = x->time;
        m->made_by[v] = m->nreductions;
        m->value[v] = b;
        x->passed_ends[x->r.nbindings] = x->r.npassed;
        x->bindings[x->r.nbindings++] = (trace_binding){.variable = v, .value = b};
    }
}

// What the bindings pass on was bound before the reduction; seldom it is much.
static void make_passed(sketch *x)
{
    const machine *m = x->m;
    for (uint32_t i = 0; i < x->r.nbindings; i++) {
        for (uint32_t n = roll(m->passing) ? 0 : roll(roll(3) ? 3 : MOST_PASSED); n > 0; n--) {
            uint32_t v = some_variable(x, true);
            if (m->variable[v] && m->bound[v] && m->made_by[v] < m->nreductions)
                x->passed[x->r.npassed++] = v;
        }
        x->passed_ends[i] = x->r.npassed;
    }
}

static void make_goals(sketch *x)
{
    machine *m = x->m;
    x->r.ngoals = m->ngoals > 3 * MOST ? 0 : roll(4);
    for (uint32_t i = 0; i < x->r.ngoals; i++) {
        uint32_t g = m->ngoals++;
        uint32_t p = roll(m->loyal) ? m->goal_predicate[x->goal] : roll(NPREDICATES);
        m->goals[g] = (open_goal){.created = x->time, .open = true};
        m->goal_predicate[g] = p;
        for (int j = 0; j < NARGS; j++) {
            uint32_t near = roll(3) ? 6 : x->nknown; // new cells stand last
            uint32_t c = x->known[x->nknown - 1 - roll(x->nknown < near ? x->nknown : near)];
            if (j < 2 && roll(m->faithful))
                c = m->goals[x->goal].args[j];
            m->goals[g].args[j] = c;
            x->goal_args[i][j] = cell(c);
        }
        x->goals[i] =
            (trace_goal){.predicate = m->predicates[p], .nargs = NARGS, .args = x->goal_args[i]};
    }
}

static void random_reduction(machine *m, uint32_t goal, int64_t time)
{
    sketch x = {.m = m, .goal = goal, .time = time};
    x.nknown = reachable(m, m->goals[goal].args, x.known);
    make_reads(&x);
    make_cells(&x);
    make_bindings(&x);
    make_passed(&x);
    make_goals(&x);
    x.r.goal = goal;
    x.r.clause = m->clauses[m->goal_predicate[goal]];
    x.r.time = time;
    x.r.reads = x.reads;
    x.r.followed = x.followed;
    x.r.cells = x.cells;
    x.r.bindings = x.bindings;
    x.r.passed = x.passed;
    x.r.passed_ends = x.passed_ends;
    x.r.goals = x.goals;
    reduce_raw(m->s, &x.r);
    m->nreductions++;
}

static void begin_run(machine *m)
{
    uint32_t main_predicate = predicate(m->s, "start", 0, false);
    m->begin = dynamic_clause(m->s, main_predicate);
    for (uint32_t i = 0; i < NPREDICATES; i++) {
        char name[] = {'p', (char)('0' + i), 0};
        m->predicates[i] = predicate(m->s, name, NARGS, false);
        m->clauses[i] = dynamic_clause(m->s, m->predicates[i]);
    }
    trace_cell made[2] = {{.kind = TC_VARIABLE, .name = TRACE_NONE},
                          {.kind = TC_VARIABLE, .name = TRACE_NONE}};
    trace_value args[NARGS] = {cell(0), cell(1), cell(0), cell(1)};
    trace_goal goals[3];
    m->ncells = 2;
    m->variable[0] = m->variable[1] = true;
    m->ngoals = 1 + roll(3);
    for (uint32_t i = 0; i < m->ngoals; i++) {
        m->goals[i] = (open_goal){.args = {0, 1, 0, 1}, .open = true};
        m->goal_predicate[i] = roll(NPREDICATES);
        goals[i] = (trace_goal){
            .predicate = m->predicates[m->goal_predicate[i]], .nargs = NARGS, .args = args};
    }
    trace_reduction r = {
        .clause = m->begin, .ncells = 2, .cells = made, .ngoals = m->ngoals, .goals = goals};
    if (roll(2)) {
        static trace_binding b;
        b = (trace_binding){.variable = 1, .value = integer(7)};
        m->bound[1] = true;
        m->value[1] = b.value;
        r.bindings = &b;
        r.nbindings = 1;
    }
    reduce_raw(m->s, &r);
    m->nreductions = 1;
}

static trace *random_run(void)
{
    machine *m = calloc(1, sizeof *m);
    m->s = story_begin();
    m->curious = 2 + roll(11);
    m->loyal = 1 + roll(8);
    m->passing = 1 + roll(5);
    m->faithful = 1 + roll(6);
    begin_run(m);
    uint32_t most = 5 + roll(MOST - 5), idle = 0;
    uint32_t eager = 1 + roll(4);
    if (roll(4))
        most = MOST - 1;
    for (int64_t time = 1; m->nreductions < most && idle < 20; time++) {
        uint32_t before = m->nreductions;
        for (uint32_t g = 0; g < m->ngoals && m->nreductions < most; g++) {
            if (!m->goals[g].open || m->goals[g].created >= time || roll(eager))
                continue;
            m->goals[g].open = false;
            random_reduction(m, g, time);
        }
        idle = m->nreductions == before ? idle + 1 : 0;
    }
    trace *t = story_end(m->s);
    free(m);
    return t;
}

// ---------------------------------------------------------------------------------------------
// Processes, plainly

typedef struct {
    const trace *t;
    const iot *a;
    int entry[NPREDICATES + 1]; // module that the predicate is an entry of, or -1
    uint32_t process[4 * MOST]; // by goal: the first goal of its process; main's first is main_goal
    int module[4 * MOST];
    bool starts[4 * MOST];
} plain;

#define MAIN_PROCESS (UINT32_MAX - 1)

static void plain_processes(plain *p)
{
    const trace *t = p->t;
    for (uint32_t g = 0; g < trace_ngoals(t); g++) {
        uint32_t parent = trace_goal_parent(t, g);
        uint32_t above = parent ? trace_reduction_goal(t, parent) : TRACE_NONE;
        int entry = p->entry[trace_goal_predicate(t, g)];
        p->starts[g] = entry >= 0 && (above == TRACE_NONE || p->module[above] != entry);
        p->module[g] = p->starts[g] ? entry : above == TRACE_NONE ? 0 : p->module[above];
        p->process[g] = p->starts[g] ? g : above == TRACE_NONE ? MAIN_PROCESS : p->process[above];
    }
}

static uint32_t process_of_reduction(const plain *p, uint32_t r)
{
    return r ? p->process[trace_reduction_goal(p->t, r)] : TRACE_NONE;
}

static bool mark_term(const trace *t, trace_value v, uint8_t *visible)
{
    bool changed = false;
    if (v.kind != TV_CELL)
        return false;
    if (!visible[v.id])
        changed = true;
    visible[v.id] = 1;
    if (trace_cell_get_kind(t, v.id) == TC_VARIABLE) {
        uint32_t b = trace_cell_binding(t, v.id);
        return changed | (b != TRACE_NONE && mark_term(t, trace_binding_value(t, b), visible));
    }
    for (uint32_t i = 0; i < trace_cell_arity(t, v.id); i++)
        changed |= mark_term(t, trace_cell_arg(t, v.id, i), visible);
    return changed;
}

// Which bindings are outputs of the process.
static void plain_outputs(const plain *p, uint32_t process, uint8_t *output)
{
    const trace *t = p->t;
    uint8_t *visible = calloc(trace_ncells(t) + 1, 1);
    memset(output, 0, trace_nbindings(t));
    for (uint32_t c = 0; c < trace_ncells(t); c++)
        visible[c] = process_of_reduction(p, trace_cell_maker(t, c)) != process &&
                     trace_cell_get_kind(t, c) == TC_VARIABLE;
    for (uint32_t g = 0; g < trace_ngoals(t); g++) {
        for (uint32_t i = 0; p->starts[g] && g != process && i < NARGS; i++)
            mark_term(t, trace_goal_arg(t, g, i), visible);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < trace_nbindings(t); b++) {
            uint32_t maker = trace_binding_maker(t, b);
            if (process_of_reduction(p, maker) != process || !visible[trace_binding_variable(t, b)])
                continue;
            changed |= !output[b];
            output[b] = 1;
            changed |= mark_term(t, trace_binding_value(t, b), visible);
        }
    }
    free(visible);
}

// ---------------------------------------------------------------------------------------------
// The tree, plainly

// An input is a binding or, behind all bindings, an argument of the first goal. The goals are those of
// built-ins, which look at all of theirs.
static uint32_t most_inputs(const trace *t)
{
    return trace_nbindings(t) + NARGS;
}

static uint32_t number_of(const trace *t, const iot_input *in)
{
    return in->binding != IOT_NONE ? in->binding : trace_nbindings(t) + in->argument - 1;
}

static bool is_argument(const trace *t, uint32_t goal, uint32_t i)
{
    trace_value v = trace_goal_arg(t, goal, i);
    return v.kind != TV_CELL || trace_cell_get_kind(t, v.id) != TC_VARIABLE;
}

// Marks what a reduction reads, again and again what that passed on.
static void mark_reads(const trace *t, uint32_t r, uint8_t *read)
{
    const uint32_t *variables;
    memset(read, 0, trace_nbindings(t));
    for (int kind = 0; kind < 2; kind++) {
        uint32_t n = kind ? trace_followed(t, r, &variables) : trace_reads(t, r, &variables);
        for (uint32_t i = 0; i < n; i++)
            read[trace_cell_binding(t, variables[i])] = 1;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < trace_nbindings(t); b++) {
            uint32_t n = read[b] ? trace_passed(t, b, &variables) : 0;
            for (uint32_t i = 0; i < n; i++) {
                uint8_t *passed = &read[trace_cell_binding(t, variables[i])];
                changed |= !*passed;
                *passed = 1;
            }
        }
    }
}

typedef struct {
    int parent; // -1: the root
    uint32_t reduction;
    uint8_t *req, *list; // by input
    uint32_t size;
} plain_node;

typedef struct {
    plain_node nodes[MOST];
    int n;
    int node_of_output[16 * MOST]; // by binding
    uint8_t *req[MOST];            // by reduction
    uint8_t *past[MOST];           // by reduction: nodes of its causal past and itself
} plain_tree;

static uint32_t count(const uint8_t *set, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += set[i];
    return sum;
}

static void join_past(plain_tree *x, uint32_t r, uint32_t before, uint32_t ninputs)
{
    for (uint32_t i = 0; i < ninputs; i++)
        x->req[r][i] |= x->req[before][i];
    for (uint32_t i = 0; i < MOST; i++)
        x->past[r][i] |= x->past[before][i];
}

static void plain_reads(const plain *p, plain_tree *x, uint32_t r, uint32_t process)
{
    const trace *t = p->t;
    uint8_t *read = calloc(trace_nbindings(t) + 1, 1);
    mark_reads(t, r, read);
    for (uint32_t b = 0; b < trace_nbindings(t); b++) {
        uint32_t maker = trace_binding_maker(t, b);
        if (read[b] && process_of_reduction(p, maker) != process)
            x->req[r][b] = 1;
        else if (read[b] && maker != r)
            join_past(x, r, maker, most_inputs(t));
    }
    free(read);
}

static void plain_arguments(const plain *p, plain_tree *x, uint32_t r, uint32_t first)
{
    uint32_t goal = trace_reduction_goal(p->t, r);
    for (uint32_t i = 0; goal == first && i < NARGS; i++)
        if (is_argument(p->t, goal, i))
            x->req[r][trace_nbindings(p->t) + i] = 1;
}

static int plain_best(const plain *p, const plain_tree *x, uint32_t r)
{
    int best = -1;
    for (int i = 0; i < x->n; i++) {
        if (!x->past[r][i])
            continue;
        const plain_node *n = &x->nodes[i];
        if (best >= 0) {
            const plain_node *o = &x->nodes[best];
            int64_t tn = trace_time(p->t, n->reduction), to = trace_time(p->t, o->reduction);
            if (n->size < o->size || (n->size == o->size && tn < to) ||
                (n->size == o->size && tn == to && n->reduction > o->reduction))
                continue;
        }
        best = i;
    }
    return best;
}

static int plain_place(const plain *p, plain_tree *x, uint32_t r, int best)
{
    uint32_t n = most_inputs(p->t);
    uint8_t *list = calloc(n + 1, 1);
    for (uint32_t i = 0; i < n; i++)
        list[i] = x->req[r][i] && !(best >= 0 && x->nodes[best].req[i]);
    if (best >= 0 && !count(list, n)) {
        free(list);
        return best;
    }
    for (int i = 0; i < x->n; i++) {
        if (x->nodes[i].parent == best && !memcmp(x->nodes[i].list, list, n)) {
            free(list);
            return i;
        }
    }
    x->nodes[x->n] = (plain_node){.parent = best,
                                  .reduction = r,
                                  .req = x->req[r],
                                  .list = list,
                                  .size = count(x->req[r], n)};
    return x->n++;
}

static void plain_build(const plain *p, plain_tree *x, uint32_t process, uint32_t first,
                        const uint8_t *output)
{
    const trace *t = p->t;
    memset(x, 0, sizeof *x);
    memset(x->node_of_output, 0xff, sizeof x->node_of_output);
    for (uint32_t r = 1; r < trace_nreductions(t); r++) {
        if (process_of_reduction(p, r) != process)
            continue;
        x->req[r] = calloc(most_inputs(t), 1);
        x->past[r] = calloc(MOST, 1);
        uint32_t parent = trace_goal_parent(t, trace_reduction_goal(t, r));
        if (process_of_reduction(p, parent) == process)
            join_past(x, r, parent, most_inputs(t));
        plain_reads(p, x, r, process);
        plain_arguments(p, x, r, first);
        int node = -1;
        for (uint32_t b = trace_first_binding(t, r); b < trace_first_binding(t, r + 1); b++) {
            if (!output[b])
                continue;
            if (node < 0) {
                node = plain_place(p, x, r, plain_best(p, x, r));
                x->past[r][node] = 1;
            }
            x->node_of_output[b] = node;
        }
    }
}

static void plain_free(plain_tree *x)
{
    for (int i = 0; i < x->n; i++)
        free(x->nodes[i].list);
    for (uint32_t i = 0; i < MOST; i++) {
        free(x->req[i]);
        free(x->past[i]);
    }
}

// ---------------------------------------------------------------------------------------------
// Comparing

static bool plain_join(const plain *p, const plain_tree *x, int node)
{
    for (uint32_t b = 0; b < most_inputs(p->t); b++) {
        for (int i = 0; x->nodes[node].list[b] && i < x->n; i++) {
            if (i != node && x->nodes[i].list[b])
                return true;
        }
    }
    return false;
}

static bool is_listed(const iot_input *in, uint32_t n, uint32_t number, const trace *t, uint32_t r,
                      int64_t available)
{
    uint32_t j = 0;
    while (j < n && number_of(t, &in[j]) != number)
        j++;
    return j < n && in[j].time == trace_time(t, r) && in[j].reader == r &&
           in[j].available == available;
}

static void compare_inputs(const plain *p, const iot_input *in, uint32_t n, uint32_t process,
                           uint32_t first)
{
    const trace *t = p->t;
    uint32_t found = 0, nbindings = trace_nbindings(t);
    uint8_t *seen = calloc(nbindings + 1, 1), *read = calloc(nbindings + 1, 1);
    for (uint32_t r = 1; r < trace_nreductions(t); r++) {
        if (process_of_reduction(p, r) != process)
            continue;
        mark_reads(t, r, read);
        for (uint32_t b = 0; b < nbindings; b++) {
            uint32_t maker = trace_binding_maker(t, b);
            if (!read[b] || seen[b] || process_of_reduction(p, maker) == process)
                continue;
            seen[b] = 1;
            found++;
            CHECK(is_listed(in, n, b, t, r, trace_time(t, maker)));
        }
    }
    uint32_t reduction = trace_goal_reduction(t, first);
    for (uint32_t i = 0; reduction != TRACE_NONE && i < NARGS; i++) {
        if (!is_argument(t, first, i))
            continue;
        found++;
        CHECK(is_listed(in, n, nbindings + i, t, reduction,
                        trace_time(t, trace_goal_parent(t, first))));
    }
    CHECK_IS(n, found);
    free(seen);
    free(read);
}

static void compare_last(const plain *p, const plain_tree *x, const iot_input *in,
                         const iot_output *out, uint32_t nout, uint32_t nin)
{
    for (uint32_t i = 0; i < nout; i++) {
        const uint8_t *req = x->req[trace_binding_maker(p->t, out[i].binding)];
        uint32_t last = IOT_NONE;
        for (uint32_t j = 0; j < nin; j++) {
            if (req[number_of(p->t, &in[j])] &&
                (last == IOT_NONE || in[j].available > in[last].available ||
                 (in[j].available == in[last].available && in[j].time >= in[last].time)))
                last = j;
        }
        CHECK_IS(out[i].last_input, last);
        CHECK_IS(out[i].needed, count(req, most_inputs(p->t)));
    }
}

static void compare_node(const plain *p, const plain_tree *x, const iot_tree *tree, uint32_t i,
                         int *match, const iot_input *in, const iot_output *out)
{
    const iot_node *node = iot_tree_node(tree, i);
    uint32_t first = out[iot_tree_outputs(tree)[node->first_output]].binding;
    int k = x->node_of_output[first];
    const plain_node *q = &x->nodes[k];
    match[k] = (int)i;
    CHECK_IS(q->reduction, node->reduction);
    CHECK_IS(q->parent < 0 ? -1 : match[q->parent],
             node->parent == IOT_NONE ? -1 : (int)node->parent);
    CHECK_IS(node->join, plain_join(p, x, k));
    CHECK_IS(node->ninputs, count(q->list, most_inputs(p->t)));
    for (uint32_t j = 0; j < node->ninputs; j++) {
        uint32_t input = iot_tree_inputs(tree)[node->first_input + j];
        CHECK(q->list[number_of(p->t, &in[input])]);
        CHECK(!j || iot_tree_inputs(tree)[node->first_input + j - 1] < input);
    }
    uint32_t n = 0;
    for (uint32_t b = 0; b < trace_nbindings(p->t); b++)
        n += x->node_of_output[b] == k;
    CHECK_IS(node->noutputs, n);
    for (uint32_t j = 0; j < node->noutputs; j++)
        CHECK(x->node_of_output[out[iot_tree_outputs(tree)[node->first_output + j]].binding] == k);
}

static void compare_tree(const plain *p, uint32_t number)
{
    static plain_tree x;
    const trace *t = p->t;
    const iot_input *in;
    const iot_output *out;
    const iot_process *process = iot_get_process(p->a, number);
    uint32_t id = p->process[process->goal], nout = iot_outputs(p->a, number, &out), n = 0;
    uint32_t nin = iot_inputs(p->a, number, &in);
    uint8_t *output = calloc(trace_nbindings(t) + 1, 1);
    plain_outputs(p, id, output);
    compare_inputs(p, in, nin, id, process->goal);
    for (uint32_t i = 0; i < nout; i++)
        CHECK(output[out[i].binding]);
    CHECK_IS(nout, count(output, trace_nbindings(t)));
    plain_build(p, &x, id, process->goal, output);
    compare_last(p, &x, in, out, nout, nin);
    bool complete;
    iot_tree *tree = iot_tree_build(p->a, number, 0, INT64_MAX, UINT64_MAX, &complete);
    int match[MOST];
    CHECK(complete);
    CHECK_IS(iot_tree_nnodes(tree), x.n);
    for (uint32_t i = 0; i < iot_tree_nnodes(tree); i++)
        compare_node(p, &x, tree, i, match, in, out);
    uint8_t *used = calloc(most_inputs(t), 1);
    for (int i = 0; i < x.n; i++) {
        for (uint32_t b = 0; b < most_inputs(t); b++)
            used[b] |= x.nodes[i].req[b];
    }
    const uint32_t *unused;
    n = iot_tree_unused(tree, &unused);
    CHECK_IS(n, nin - count(used, most_inputs(t)));
    for (uint32_t i = 0; i < n; i++)
        CHECK(!used[number_of(t, &in[unused[i]])]);
    free(used);
    iot_tree_destroy(tree);
    plain_free(&x);
    free(output);
}

// P and W of every module, step by step.
static void compare_profiles(const plain *p)
{
    const trace *t = p->t;
    int64_t span = iot_span(p->a);
    uint32_t rows = iot_nmodules(p->a);
    iot_bucket *got = calloc((size_t)span + 2, sizeof *got);
    for (uint32_t row = 0; row <= rows; row++) {
        for (int q = 0; q < 2; q++) {
            int64_t width = 1 + roll(7), from = (int64_t)roll(9) - 4;
            uint32_t n = (uint32_t)(span / width + 1);
            iot_profile(p->a, q ? IOT_WAITING : IOT_REDUCTIONS, row == rows ? IOT_NONE : row, from,
                        width, n, got);
            for (uint32_t i = 0; i < n; i++) {
                uint64_t sum = 0, peak = 0;
                for (int64_t at = from + i * width; at < from + (i + 1) * width; at++) {
                    uint64_t here = 0;
                    for (uint32_t g = 0; g < trace_ngoals(t); g++) {
                        int64_t made = trace_time(t, trace_goal_parent(t, g));
                        uint32_t r = trace_goal_reduction(t, g);
                        int64_t end = r == TRACE_NONE ? span + 1 : trace_time(t, r);
                        if (row != rows && p->module[g] != (int)row)
                            continue;
                        here += q ? made < at && at < end : r != TRACE_NONE && at == end;
                    }
                    sum += here;
                    peak = here > peak ? here : peak;
                }
                CHECK(got[i].sum == sum && got[i].peak == peak);
            }
        }
    }
    free(got);
}

static void compare_run(const trace *t)
{
    plain p = {.t = t};
    char text[200] = "";
    int modules = 0;
    uint32_t rare = 2 + roll(8);
    for (uint32_t i = 0; i < NPREDICATES + 1; i++)
        p.entry[i] = -1;
    // The predicate `start` has index 0; pN has N + 1.
    for (uint32_t i = 0; i < NPREDICATES; i++) {
        if (roll(rare))
            continue;
        bool more = modules && !roll(3);
        modules += !more;
        p.entry[i + 1] = modules;
        char entry[32];
        if (more)
            snprintf(entry, sizeof entry, ",p%u/4", i);
        else
            snprintf(entry, sizeof entry, " m%d=p%u/4", modules, i);
        strcat(text, entry);
    }
    iot *a = analyse(t, text);
    p.a = a;
    plain_processes(&p);
    for (uint32_t i = 0; i < iot_nprocesses(a); i++) {
        const iot_process *process = iot_get_process(a, i);
        CHECK_IS(process->module, p.module[process->goal]);
        CHECK(!i || iot_get_process(a, i - 1)->goal < process->goal);
        compare_tree(&p, i);
    }
    compare_profiles(&p);
    check_unchanged(a);
    iot_destroy(a);
}

void test_random(uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds; i++) {
        int before = nfailed;
        seed = i;
        trace *t = random_run();
        compare_run(t);
        trace_close(t);
        if (nfailed > before) {
            printf("random run %u fails\n", i);
            return;
        }
    }
}
