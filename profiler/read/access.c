// SPDX-License-Identifier: MIT
//
// The answers to the public questions about an opened trace.
#include "base/search.h"
#include "base/text.h"
#include "profiler/read/opened.h"
#include "profiler/read/terms.h"
#include "profiler/trace_reader.h"

const char *trace_string(const trace *t, uint32_t string, size_t *ret_length)
{
    const string_entry *s = &t->strings.at[string];
    if (ret_length)
        *ret_length = s->length;
    return s->text;
}

// Whichever thread asks first keeps its text.
const char *trace_name(const trace *t, uint32_t string)
{
    string_entry *s = &t->strings.at[string];
    char *kept = __atomic_load_n(&s->printable, __ATOMIC_ACQUIRE);
    if (kept)
        return kept;
    char *made = base_printable(s->text), *none = NULL;
    if (!made)
        return s->text;
    if (__atomic_compare_exchange_n(&s->printable, &none, made, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return made;
    free(made);
    return none;
}

const char *trace_program(const trace *t)
{
    return t->program ? t->program : t->run.program;
}

trace_clock trace_get_clock(const trace *t)
{
    return t->run.clock;
}

uint32_t trace_nplaces(const trace *t)
{
    return t->nplaces;
}

int64_t trace_elapsed(const trace *t)
{
    return t->elapsed;
}

uint32_t trace_raced(const trace *t)
{
    return t->end.raced;
}

const char *trace_part(const trace *t)
{
    return t->run.part;
}

const trace_cut *trace_get_cut(const trace *t)
{
    return t->end.cut ? &t->end.whole : NULL;
}

trace_ending trace_get_ending(const trace *t)
{
    return t->end.ending;
}

int trace_exit_status(const trace *t)
{
    return t->end.status;
}

const char *trace_message(const trace *t)
{
    return t->end.message;
}

uint32_t trace_failed_goal(const trace *t)
{
    return t->end.failed_goal;
}

uint64_t trace_file_size(const trace *t)
{
    return t->file_size;
}

uint32_t trace_version(const trace *t)
{
    return t->format;
}

bool trace_is_older_definition(const trace *t)
{
    return t->format < FILE_PASSES && t->run.clock != TRACE_MEASURED && t->goals_reduced.n > 0;
}

const trace_totals *trace_get_totals(const trace *t)
{
    return t->totals;
}

const trace_profile *trace_get_profile(const trace *t)
{
    return t->profile;
}

const trace_regions *trace_get_regions(const trace *t)
{
    return t->regions;
}

uint32_t trace_get_dropped(const trace *t, const trace_dropped **ret)
{
    *ret = t->dropped;
    return t->ndropped;
}

trace_collector trace_get_collector(const trace *t)
{
    return t->collector;
}

uint32_t trace_get_workers(const trace *t, const trace_worker **ret)
{
    *ret = t->workers;
    return t->nworkers;
}

uint32_t trace_get_ready(const trace *t, const trace_ready **ret)
{
    *ret = t->ready;
    return t->nready;
}

const trace_samples *trace_get_samples(const trace *t)
{
    return t->samples;
}

trace_machine trace_get_machine(const trace *t)
{
    return t->machine;
}

uint32_t trace_nsources(const trace *t)
{
    return (uint32_t)t->sources.n;
}

uint32_t trace_nmodules(const trace *t)
{
    return (uint32_t)t->modules.n;
}

uint32_t trace_npredicates(const trace *t)
{
    return (uint32_t)t->predicates.n;
}

uint32_t trace_nclauses(const trace *t)
{
    return (uint32_t)t->clauses.n;
}

const trace_source *trace_get_source(const trace *t, uint32_t source)
{
    return &t->sources.at[source];
}

const char *trace_module_name(const trace *t, uint32_t module)
{
    return trace_name(t, t->modules.at[module].name);
}

const trace_module *trace_get_module(const trace *t, uint32_t module)
{
    return &t->modules.at[module];
}

const trace_predicate *trace_get_predicate(const trace *t, uint32_t predicate)
{
    return &t->predicates.at[predicate];
}

const trace_clause *trace_get_clause(const trace *t, uint32_t clause)
{
    return &t->clauses.at[clause].clause;
}

// ---------------------------------------------------------------------------------------------
// Reductions

uint32_t trace_nreductions(const trace *t)
{
    return (uint32_t)t->goals_reduced.n;
}

int64_t trace_time(const trace *t, uint32_t reduction)
{
    return (int64_t)sequence_get(&t->times, reduction);
}

int64_t trace_cost(const trace *t, uint32_t reduction)
{
    if (t->run.clock != TRACE_MEASURED)
        return 1;
    return clause_of(t, reduction)->clause.waits ? 0
                                                 : t->ends.at[reduction] - t->starts.at[reduction];
}

const char *trace_place_name(const trace *t, uint32_t place)
{
    return place < t->place_names.n ? t->strings.at[t->place_names.at[place]].text : NULL;
}

uint32_t trace_place(const trace *t, uint32_t reduction)
{
    return t->run.clock != TRACE_VIRTUAL ? t->places.at[reduction] : TRACE_NONE;
}

int64_t trace_start(const trace *t, uint32_t reduction)
{
    return t->run.clock != TRACE_VIRTUAL ? t->starts.at[reduction] : 0;
}

int64_t trace_end(const trace *t, uint32_t reduction)
{
    return t->run.clock != TRACE_VIRTUAL ? t->ends.at[reduction] : 0;
}

uint32_t trace_reduction_goal(const trace *t, uint32_t reduction)
{
    return t->goals_reduced.at[reduction];
}

uint32_t trace_reduction_clause(const trace *t, uint32_t reduction)
{
    return clause_number(t, reduction);
}

uint32_t trace_reads(const trace *t, uint32_t reduction, const uint32_t **ret_variables)
{
    uint64_t first = sequence_get(&t->first_read, reduction);
    *ret_variables = t->reads.at + first;
    return (uint32_t)(sequence_get(&t->first_read, reduction + 1u) - first);
}

uint32_t trace_followed(const trace *t, uint32_t reduction, const uint32_t **ret_variables)
{
    uint64_t first = sequence_get(&t->first_followed, reduction);
    *ret_variables = t->followed.at + first;
    return (uint32_t)(sequence_get(&t->first_followed, reduction + 1u) - first);
}

uint32_t trace_first_binding(const trace *t, uint32_t reduction)
{
    return (uint32_t)sequence_get(&t->first_binding, reduction);
}

uint32_t trace_first_cell(const trace *t, uint32_t reduction)
{
    return (uint32_t)sequence_get(&t->first_cell, reduction);
}

uint32_t trace_first_goal(const trace *t, uint32_t reduction)
{
    return (uint32_t)sequence_get(&t->first_goal, reduction);
}

bool trace_got_structures(const trace *t, uint32_t reduction)
{
    return t->got_structures.at[reduction / 64] >> reduction % 64 & 1;
}

trace_value trace_hole(const trace *t, uint32_t reduction, uint32_t hole)
{
    return trace_terms_hole(t, reduction, hole);
}

trace_value trace_node_value(const trace *t, uint32_t reduction, uint32_t node)
{
    const trace_node *n = &clause_of(t, reduction)->clause.nodes[node];
    if (n->kind == TN_CONST)
        return n->value;
    if (n->kind == TN_HOLE)
        return trace_terms_hole(t, reduction, n->index);
    return (trace_value){.kind = TV_CELL, .id = trace_first_cell(t, reduction) + n->index};
}

// ---------------------------------------------------------------------------------------------
// Goals

uint32_t trace_ngoals(const trace *t)
{
    return (uint32_t)t->goals.n;
}

uint32_t trace_goal_parent(const trace *t, uint32_t goal)
{
    return (uint32_t)sequence_get(&t->goal_parents, goal);
}

uint32_t trace_goal_reduction(const trace *t, uint32_t goal)
{
    uint32_t state = t->goals.at[goal];
    return state & GOAL_OPEN ? TRACE_NONE : state;
}

uint32_t trace_goal_predicate(const trace *t, uint32_t goal)
{
    uint32_t state = t->goals.at[goal];
    return state & GOAL_OPEN ? state & ~GOAL_OPEN : clause_of(t, state)->clause.predicate;
}

uint32_t trace_goal_item(const trace *t, uint32_t goal)
{
    uint32_t parent = trace_goal_parent(t, goal);
    const clause_entry *c = clause_of(t, parent);
    if (c->clause.dynamic)
        return TRACE_NONE;
    return c->goal_items[goal - trace_first_goal(t, parent)];
}

static bool is_made_by_builtin(const trace *t, uint32_t goal, uint32_t *ret_parent)
{
    *ret_parent = trace_goal_parent(t, goal);
    return *ret_parent != 0 && clause_of(t, *ret_parent)->clause.dynamic;
}

// From the list, which has all reductions before this one.
static uint32_t origin_by_list(const trace *t, uint32_t goal)
{
    uint32_t parent;
    size_t place;
    if (!is_made_by_builtin(t, goal, &parent))
        return goal;
    FIRST_NOT(place, t->origins.n, i, t->origins.at[i].reduction < parent);
    return t->origins.at[place].origin;
}

// False without memory.
static bool list_origins(trace *t)
{
    uint32_t n = trace_nreductions(t);
    for (uint32_t r = 1; r < n; r++) {
        if (!clause_of(t, r)->clause.dynamic || trace_first_goal(t, r) == trace_first_goal(t, r + 1))
            continue;
        if (!ARRAY_RESERVE(t->origins, 1)) {
            t->origins.n = 0;
            return false;
        }
        uint32_t origin = origin_by_list(t, t->goals_reduced.at[r]);
        t->origins.at[t->origins.n++] = (origin_entry){r, origin};
    }
    return true;
}

uint32_t trace_goal_origin(const trace *t, uint32_t goal)
{
    uint32_t parent;
    trace *m = (trace *)(uintptr_t)t; // the list is no part of what a trace tells
    if (!is_made_by_builtin(t, goal, &parent))
        return goal;
    pthread_mutex_lock(&m->lock);
    m->has_origins = m->has_origins || list_origins(m);
    bool known = m->has_origins;
    pthread_mutex_unlock(&m->lock);
    if (known)
        return origin_by_list(t, goal);
    while (is_made_by_builtin(t, goal, &parent))
        goal = t->goals_reduced.at[parent];
    return goal;
}

trace_value trace_goal_arg(const trace *t, uint32_t goal, uint32_t argument)
{
    uint32_t parent = trace_goal_parent(t, goal);
    uint32_t place = goal - trace_first_goal(t, parent);
    const clause_entry *c = clause_of(t, parent);
    if (c->clause.dynamic)
        return trace_terms_goal_arg(t, parent, place, argument);
    const trace_item *item = &c->clause.items[c->goal_items[place]];
    return trace_node_value(t, parent, c->clause.children[item->first + argument]);
}

void trace_goal_args(const trace *t, uint32_t goal, trace_value *ret)
{
    uint32_t parent = trace_goal_parent(t, goal);
    uint32_t place = goal - trace_first_goal(t, parent);
    uint32_t arity = t->predicates.at[trace_goal_predicate(t, goal)].arity;
    const clause_entry *c = clause_of(t, parent);
    if (c->clause.dynamic) {
        trace_terms_goal_args(t, parent, place, arity, ret);
        return;
    }
    const trace_item *item = &c->clause.items[c->goal_items[place]];
    const uint32_t *nodes = c->clause.children + item->first;
    bool holes = false;
    for (uint32_t i = 0; i < arity; i++) {
        holes |= c->clause.nodes[nodes[i]].kind == TN_HOLE;
        if (c->clause.nodes[nodes[i]].kind != TN_HOLE)
            ret[i] = trace_node_value(t, parent, nodes[i]);
    }
    if (holes)
        trace_terms_holes(t, parent, nodes, arity, ret);
}

uint32_t trace_waits(const trace *t, uint32_t goal, const uint32_t **ret_variables)
{
    size_t place;
    FIRST_NOT(place, t->waiting.n, i, t->waiting.at[i].goal < goal);
    *ret_variables = NULL;
    if (place == t->waiting.n || t->waiting.at[place].goal != goal)
        return 0;
    *ret_variables = t->waiting_variables.at + t->waiting.at[place].first;
    return t->waiting.at[place].n;
}

// ---------------------------------------------------------------------------------------------
// Bindings

uint32_t trace_nbindings(const trace *t)
{
    return (uint32_t)t->binding_variables.n;
}

uint32_t trace_binding_variable(const trace *t, uint32_t binding)
{
    return t->binding_variables.at[binding];
}

uint32_t trace_binding_maker(const trace *t, uint32_t binding)
{
    return (uint32_t)sequence_get(&t->binding_makers, binding);
}

bool trace_bound_before(const trace *t, uint32_t binding, uint32_t reduction)
{
    return binding < trace_first_binding(t, reduction);
}

uint32_t trace_binding_item(const trace *t, uint32_t binding)
{
    return (uint32_t)(binding_packed(t, binding) >> PACKED_ITEM);
}

trace_value trace_binding_value(const trace *t, uint32_t binding)
{
    return unpack_value(binding_packed(t, binding), t->binding_longs.at);
}

uint32_t trace_passed(const trace *t, uint32_t binding, const uint32_t **ret_variables)
{
    *ret_variables = NULL;
    if (t->passing_words.n == 0)
        return 0;
    const passing_word *w = &t->passing_words.at[binding / 64];
    uint64_t bit = UINT64_C(1) << binding % 64;
    if (!(w->bits & bit))
        return 0;
    size_t i = w->before + (size_t)__builtin_popcountll(w->bits & (bit - 1));
    uint32_t first = i > 0 ? t->passing.at[i - 1].end : 0;
    *ret_variables = t->passed.at + first;
    return t->passing.at[i].end - first;
}

// ---------------------------------------------------------------------------------------------
// Cells

uint32_t trace_ncells(const trace *t)
{
    return (uint32_t)t->cells.n;
}

uint32_t trace_cell_maker(const trace *t, uint32_t cell)
{
    return (uint32_t)sequence_get(&t->cell_makers, cell);
}

// A cell seen from its maker.
typedef struct {
    uint32_t maker, place; // place among the cells of the maker
    const clause_entry *clause;
} cell_origin;

static cell_origin origin_of(const trace *t, uint32_t cell)
{
    cell_origin o = {.maker = trace_cell_maker(t, cell)};
    o.place = cell - trace_first_cell(t, o.maker);
    o.clause = clause_of(t, o.maker);
    return o;
}

trace_cell_kind trace_cell_get_kind(const trace *t, uint32_t cell)
{
    switch (t->cells.at[cell]) {
    case CELL_VECTOR:
        return TC_VECTOR;
    case CELL_CONS:
        return TC_CONS;
    case CELL_STRUCT:
        return TC_STRUCT;
    default:
        return TC_VARIABLE;
    }
}

uint32_t trace_cell_binding(const trace *t, uint32_t variable)
{
    uint32_t mark = t->cells.at[variable];
    return mark < CELL_MARKS ? mark : TRACE_NONE;
}

uint32_t trace_cell_name(const trace *t, uint32_t cell)
{
    cell_origin o = origin_of(t, cell);
    const trace_clause *c = &o.clause->clause;
    if (c->dynamic)
        return trace_terms_cell(t, o.maker, o.place).name;
    if (o.place < c->nfresh)
        return c->names[o.place];
    const trace_node *node = struct_node(o.clause, o.place);
    return node->kind == TN_STRUCT ? node->value.id : TRACE_NONE;
}

uint32_t trace_cell_arity(const trace *t, uint32_t cell)
{
    uint32_t mark = t->cells.at[cell];
    if (mark == CELL_VECTOR)
        return trace_vector_length(t, cell);
    if (mark == CELL_CONS)
        return 2;
    if (mark != CELL_STRUCT)
        return 0;
    cell_origin o = origin_of(t, cell);
    return o.clause->clause.dynamic ? trace_terms_cell(t, o.maker, o.place).n
                                    : struct_node(o.clause, o.place)->n;
}

// ---------------------------------------------------------------------------------------------
// Versions of a vector
//
// A vector that was updated is walked back, version by version, to the one it was all made from.
// The changes on the way are remembered for the version asked for last, so that all elements of one
// version, or of one version after the other, are found in a single walk.

// True if a cell is an update; then the change and the vector that it changes.
static bool is_update(const trace *t, uint32_t cell, uint32_t *ret_index, trace_value *ret_value,
                      uint32_t *ret_older)
{
    if (t->cells.at[cell] != CELL_VECTOR)
        return false;
    cell_origin o = origin_of(t, cell);
    if (!o.clause->clause.dynamic || trace_terms_cell(t, o.maker, o.place).kind != TC_VECTOR_UPDATE)
        return false;
    *ret_older = trace_terms_cell_arg(t, o.maker, o.place, 0).id;
    *ret_index = (uint32_t)trace_terms_cell_arg(t, o.maker, o.place, 1).i;
    *ret_value = trace_terms_cell_arg(t, o.maker, o.place, 2);
    return true;
}

static void forget_version(vector_version *v)
{
    v->cell = TRACE_NONE;
    v->changes.n = 0;
}

// Puts the collected changes, newest first, on top of the remembered ones.
static void apply_changes(vector_version *v, bool afresh)
{
    if (afresh)
        memset(v->changed.at, 0, v->changed.n * sizeof *v->changed.at);
    while (v->changes.n > 0) {
        vector_change *c = &v->changes.at[--v->changes.n];
        if (c->index < v->changed.n)
            v->changed.at[c->index] = (vector_element){true, c->value};
    }
}

// Makes v that of cell; false without memory.
static bool remember_version(const trace *t, vector_version *v, uint32_t cell)
{
    uint32_t at = cell, older, known = v->cell, length = trace_cell_arity(t, cell);
    vector_change c;
    v->changes.n = 0;
    while (at != known && is_update(t, at, &c.index, &c.value, &older)) {
        if (!ARRAY_RESERVE(v->changes, 1))
            return false;
        v->changes.at[v->changes.n++] = c;
        at = older;
    }
    bool afresh = at != known;
    if (afresh) {
        v->changed.n = 0;
        if (!ARRAY_RESERVE(v->changed, length))
            return false;
        v->changed.n = length;
        v->base = at;
    }
    apply_changes(v, afresh);
    v->cell = cell;
    return true;
}

// True and the element if it was changed since the vector *ret_base was made.
static bool changed_element(const trace *t, uint32_t cell, uint32_t argument,
                            trace_value *ret_value, uint32_t *ret_base)
{
    vector_version *v = &((trace *)(uintptr_t)t)->version; // no part of what a trace tells
    bool found = false;
    pthread_mutex_lock(&v->lock);
    if (v->cell != cell && !remember_version(t, v, cell))
        forget_version(v);
    if (v->cell == cell) {
        found = argument < v->changed.n && v->changed.at[argument].set;
        if (found)
            *ret_value = v->changed.at[argument].value;
        *ret_base = v->base;
    }
    pthread_mutex_unlock(&v->lock);
    return found;
}

trace_value trace_cell_arg(const trace *t, uint32_t cell, uint32_t argument)
{
    trace_value value;
    uint32_t index, older;
    while (is_update(t, cell, &index, &value, &older)) {
        if (index == argument || changed_element(t, cell, argument, &value, &older))
            return value;
        cell = older;
    }
    cell_origin o = origin_of(t, cell);
    const trace_clause *c = &o.clause->clause;
    if (!c->dynamic) {
        const trace_node *node = struct_node(o.clause, o.place);
        return trace_node_value(t, o.maker, c->children[node->first + argument]);
    }
    if (t->cells.at[cell] != CELL_VECTOR)
        return trace_terms_cell_arg(t, o.maker, o.place, argument);
    trace_cell made = trace_terms_cell(t, o.maker, o.place);
    uint32_t place = made.nargs < made.n ? 0 : argument; // one value, repeated
    return trace_terms_cell_arg(t, o.maker, o.place, place);
}

bool trace_cell_pair(const trace *t, uint32_t cell, uint32_t *ret_name, trace_value *ret_arg)
{
    if (t->cells.at[cell] != CELL_STRUCT)
        return false;
    cell_origin o = origin_of(t, cell);
    const trace_clause *c = &o.clause->clause;
    if (c->dynamic)
        return trace_terms_pair(t, o.maker, o.place, ret_name, ret_arg);
    const trace_node *node = struct_node(o.clause, o.place);
    if (node->n != 1)
        return false;
    *ret_name = node->value.id;
    *ret_arg = trace_node_value(t, o.maker, c->children[node->first]);
    return true;
}
