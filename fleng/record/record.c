// SPDX-License-Identifier: MIT
//
// Tables of a trace, and the reductions of an ideal run, which arrive in the order of the file.
#include "fleng/record/default_partition.h"
#include "fleng/record/recorder.h"
#include "profiler/summary.h"
#include "vm/look.h"
#include "vm/memory.h"
#include "vm/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- Values ---------------------------------------------------------------------------------

uint32_t fl_trace_atom(fl_recorder *r, uint32_t atom)
{
    while (r->atoms.n <= atom)
        FL_PUSH(r->atoms, 0);
    if (r->atoms.at[atom] == 0)
        r->atoms.at[atom] = 1 + tw_string(r->writer, vm_atom_text(atom), vm_atom_length(atom));
    return r->atoms.at[atom] - 1;
}

trace_value fl_trace_box(fl_recorder *r, vm_word w)
{
    vm_box *box = vm_as_box(w);
    switch (box->kind) {
    case BOX_BIG: {
        char *digits = vm_integer_digits(w, 10);
        return (trace_value){.kind = TV_BIG, .id = tw_string(r->writer, digits, strlen(digits))};
    }
    case BOX_FLOAT:
        return (trace_value){.kind = TV_FLOAT, .d = ((vm_float *)box)->value};
    case BOX_STRING: {
        vm_string *s = (vm_string *)box;
        if (r->nbuffers > 0) // there may be other traces of the run
            return (trace_value){.kind = TV_STRING, .id = tw_string(r->writer, s->text, s->length)};
        if (s->recorder_number == 0)
            s->recorder_number = 1 + tw_string(r->writer, s->text, s->length);
        return (trace_value){.kind = TV_STRING, .id = s->recorder_number - 1};
    }
    case BOX_VECTOR:
        break;
    }
    return (trace_value){.kind = TV_CELL, .id = (uint32_t)((vm_vector *)box)->cell};
}

static trace_value value_of(fl_recorder *r, vm_word w)
{
    switch (vm_tag(w)) {
    case TAG_REF:
        return (trace_value){.kind = TV_CELL, .id = vm_as_var(w)->cell};
    case TAG_INT:
        return (trace_value){.kind = TV_INT, .i = vm_int_value(w)};
    case TAG_CONS:
        return (trace_value){.kind = TV_CELL, .id = (uint32_t)vm_words(w)[2]};
    case TAG_STRUCT: {
        uint32_t arity = vm_functor_arity(vm_words(w)[0]);
        return (trace_value){.kind = TV_CELL, .id = (uint32_t)vm_words(w)[arity + 1]};
    }
    case TAG_ATOM:
        return (trace_value){.kind = TV_ATOM, .id = fl_trace_atom(r, vm_atom_number(w))};
    default:
        return fl_trace_box(r, w);
    }
}

// ---- Tables ---------------------------------------------------------------------------------

static uint32_t module_index(fl_recorder *r, const char *name)
{
    if (!name)
        return r->builtin_module;
    for (uint32_t i = 0; i < r->module_names.n; i++)
        if (strcmp(r->module_names.at[i], name) == 0)
            return r->module_indices.at[i];
    FL_PUSH(r->module_names, name);
    FL_PUSH(r->module_indices, tw_module(r->writer, name));
    return r->module_indices.at[r->module_indices.n - 1];
}

uint32_t fl_trace_predicate(fl_recorder *r, const vm_predicate *p)
{
    if (r->predicates[p->id] == 0)
        r->predicates[p->id] =
            1 + tw_predicate(r->writer, module_index(r, p->module), p->name, p->arity,
                             p->builtin   ? TRACE_BUILTIN
                             : p->library ? TRACE_LIBRARY
                                          : TRACE_PROGRAM);
    return r->predicates[p->id] - 1;
}

static uint32_t name_index(fl_recorder *r, const char *name)
{
    return tw_string(r->writer, name, strlen(name));
}

static trace_node *trace_nodes(fl_recorder *r, const fl_node *from, uint32_t nnodes)
{
    trace_node *nodes = vm_alloc((nnodes + 1) * sizeof *nodes);
    for (uint32_t i = 0; i < nnodes; i++) {
        const fl_node *n = &from[i];
        nodes[i] = (trace_node){.kind = n->kind, .index = n->index, .first = n->first, .n = n->n};
        if (n->kind == TN_CONST)
            nodes[i].value = value_of(r, n->constant);
        else if (n->kind == TN_STRUCT)
            nodes[i].value = (trace_value){
                .kind = TV_ATOM, .id = fl_trace_atom(r, vm_functor_name(n->constant))};
    }
    return nodes;
}

static trace_item *trace_items(fl_recorder *r, const fl_template *t)
{
    const fl_clause *c = t->clause;
    trace_item *items = vm_alloc((c->nitems + 1) * sizeof *items);
    for (uint32_t i = 0; i < c->nitems; i++)
        items[i] = (trace_item){
            .kind = c->items[i].unify ? TI_UNIFY : TI_GOAL,
            .predicate = c->items[i].unify ? 0 : fl_trace_predicate(r, c->items[i].predicate),
            .line = c->items[i].line,
            .column = c->items[i].column,
            .first = t->item_first[i],
            .n = c->items[i].n,
        };
    return items;
}

static void add_shape(fl_recorder *r, const fl_shape *s, trace_clause *c)
{
    trace_guard *guards = vm_alloc((s->nguards + 1) * sizeof *guards);
    uint32_t *unused = vm_alloc_atomic((s->nunused + 1) * sizeof *unused);
    for (uint32_t i = 0; i < s->nguards; i++) {
        guards[i] = s->guards[i];
        guards[i].name = name_index(r, s->guard_names[i]);
    }
    for (uint32_t i = 0; i < s->nunused; i++)
        unused[i] = name_index(r, s->unused[i]);
    c->nhead = s->nhead;
    c->nguards = s->nguards;
    c->nunused = s->nunused;
    c->npatterns = s->npatterns;
    c->npattern_children = s->nchildren;
    c->head = s->head;
    c->guards = guards;
    c->unused = unused;
    c->patterns = trace_nodes(r, s->patterns, s->npatterns);
    c->pattern_children = s->children;
}

static void write_clause(fl_recorder *r, const vm_clause *v)
{
    const fl_template *t = v->info;
    uint32_t *names = vm_alloc_atomic((t->nfresh + t->nholes + 1) * sizeof *names);
    for (uint32_t i = 0; i < t->nfresh; i++)
        names[i] = name_index(r, t->fresh_names[i]);
    for (uint32_t i = 0; i < t->nholes; i++)
        names[t->nfresh + i] = name_index(r, t->hole_names[i]);
    trace_clause c = {
        .predicate = fl_trace_predicate(r, v->predicate),
        .number = v->number,
        .source = v->id == 0 ? TRACE_NONE : v->source,
        .line = v->line,
        .column = v->column,
        .end_line = v->end_line,
        .nlooks = t->nlooks,
        .looks = t->looks,
        .nfresh = t->nfresh,
        .nstructs = t->nstructs,
        .nholes = t->nholes,
        .names = names,
        .nnodes = t->nnodes,
        .nchildren = t->nchildren,
        .nitems = t->clause->nitems,
        .nodes = trace_nodes(r, t->nodes, t->nnodes),
        .children = t->children,
        .items = trace_items(r, t),
    };
    add_shape(r, &t->shape, &c);
    tw_clause(r->writer, &c);
}

uint32_t fl_trace_dynamic(fl_recorder *r, const vm_predicate *p)
{
    if (r->dynamic[p->id] == 0) {
        trace_clause c = {
            .predicate = fl_trace_predicate(r, p), .source = TRACE_NONE, .dynamic = true};
        r->dynamic[p->id] = 1 + tw_clause(r->writer, &c);
    }
    return r->dynamic[p->id] - 1;
}

// No path gets into a trace: the same run gives the same bytes wherever it is made.
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void fl_write_sources(tw *w, const fl_program *p)
{
    for (uint32_t i = 0; i < p->nsources; i++) {
        const fl_source *s = &p->sources[i];
        tw_source(w, s->library ? s->name : base_name(s->name), s->text, s->length);
    }
}

static void write_tables(fl_recorder *r)
{
    fl_write_sources(r->writer, r->program);
    r->builtin_module = tw_module(r->writer, "builtin");
    for (uint32_t i = 0; i < r->code->nclauses; i++)
        write_clause(r, r->code->clauses[i]);
}

// A shorter run is read at once.
#define LEAST_SUMMED 65536

static void ask_for_summary(fl_recorder *r)
{
    fl_partition p = fl_default_partition(r->code);
    trace_sum_modules m = {.nmodules = p.nmodules, .names = p.names};
    for (uint32_t i = 0; i < r->code->npredicates; i++)
        m.npredicates = r->predicates[i] > m.npredicates ? r->predicates[i] : m.npredicates;
    uint32_t *module_of = vm_alloc_atomic((m.npredicates + 1) * sizeof *module_of);
    for (uint32_t i = 0; i < r->code->npredicates; i++)
        if (r->predicates[i] > 0)
            module_of[r->predicates[i] - 1] =
                p.entries[i] == VM_NO_MODULE ? TRACE_NONE : p.entries[i];
    m.module_of = module_of;
    tw_summarise(r->writer, &m, LEAST_SUMMED);
}

// ---- Reductions -----------------------------------------------------------------------------

static void list_variables(uint32_t *to, vm_var *const *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = from[i]->cell;
}

// Appends n values; returns where they begin in r->values.
static uint32_t add_values(fl_recorder *r, const vm_word *words, uint32_t n)
{
    uint32_t first = r->values.n;
    for (uint32_t i = 0; i < n; i++)
        FL_PUSH(r->values, value_of(r, words[i]));
    return first;
}

static trace_cell vector_cell(fl_recorder *r, const vm_cell *made)
{
    if (made->older) {
        trace_value args[] = {
            {.kind = TV_CELL, .id = (uint32_t)made->older->cell},
            {.kind = TV_INT, .i = (int64_t)made->index},
            value_of(r, made->element),
        };
        for (int i = 0; i < 3; i++)
            FL_PUSH(r->values, args[i]);
        return (trace_cell){.kind = TC_VECTOR_UPDATE,
                            .name = TRACE_NONE,
                            .n = (uint32_t)made->older->length,
                            .nargs = 3};
    }
    const vm_vector *v = (const vm_vector *)vm_as_box(made->object);
    uint32_t n = (uint32_t)v->length, different = 1;
    for (uint32_t i = 1; i < n; i++)
        different += v->elements[i] != v->elements[0];
    if (n > 1 && different == 1)
        add_values(r, v->elements, 1);
    else
        add_values(r, v->elements, n);
    return (trace_cell){.kind = TC_VECTOR,
                        .name = TRACE_NONE,
                        .n = n,
                        .nargs = n > 1 && different == 1 ? 1 : n};
}

static trace_cell cell_of(fl_recorder *r, const vm_cell *made)
{
    vm_word w = made->object;
    switch (vm_tag(w)) {
    case TAG_REF:
        return (trace_cell){.kind = TC_VARIABLE,
                            .name = fl_trace_atom(r, vm_as_var(w)->origin.index)};
    case TAG_CONS:
        add_values(r, vm_words(w), 2);
        return (trace_cell){.kind = TC_CONS, .name = TRACE_NONE, .n = 2, .nargs = 2};
    case TAG_STRUCT: {
        vm_word functor = vm_words(w)[0];
        uint32_t arity = vm_functor_arity(functor);
        add_values(r, vm_words(w) + 1, arity);
        return (trace_cell){.kind = TC_STRUCT,
                            .name = fl_trace_atom(r, vm_functor_name(functor)),
                            .n = arity,
                            .nargs = arity};
    }
    default:
        return vector_cell(r, made);
    }
}

static void add_dynamic(fl_recorder *r, const vm_event *event, trace_reduction *ret)
{
    r->values.n = 0;
    FL_RESERVE(r->cells, event->ncells);
    FL_RESERVE(r->goals, event->ngoals);
    for (uint32_t i = 0; i < event->ncells; i++)
        r->cells.at[i] = cell_of(r, &event->cells[i]);
    for (uint32_t i = 0; i < event->ngoals; i++) {
        const vm_goal *g = event->goals[i];
        add_values(r, g->args, g->nargs);
        r->goals.at[i] = (trace_goal){.predicate = fl_trace_predicate(r, g->predicate),
                                      .nargs = g->nargs};
    }
    const trace_value *at = r->values.at;
    for (uint32_t i = 0; i < event->ncells; i++) {
        r->cells.at[i].args = at;
        at += r->cells.at[i].nargs;
    }
    for (uint32_t i = 0; i < event->ngoals; i++) {
        r->goals.at[i].args = at;
        at += r->goals.at[i].nargs;
    }
    ret->ncells = event->ncells;
    ret->ngoals = event->ngoals;
    ret->cells = r->cells.at;
    ret->goals = r->goals.at;
}

static void add_holes(fl_recorder *r, const vm_event *event, trace_reduction *ret)
{
    const fl_template *t = event->clause->info;
    FL_RESERVE(r->holes, t->nholes);
    for (uint32_t i = 0; i < t->nholes; i++)
        r->holes.at[i] = value_of(r, event->registers[t->hole_registers[i]]);
    ret->holes = r->holes.at;
}

// The same as short_value() for values that are not as frequent.
static bool rare_value(const fl_recorder *r, vm_word w, uint64_t *ret)
{
    uint32_t atom;
    switch (vm_tag(w)) {
    case TAG_STRUCT:
        *ret = tw_cell((uint32_t)vm_words(w)[vm_functor_arity(vm_words(w)[0]) + 1]);
        return true;
    case TAG_ATOM:
        atom = vm_atom_number(w);
        if (atom >= r->atoms.n || r->atoms.at[atom] == 0)
            return false;
        *ret = tw_atom(r->atoms.at[atom] - 1);
        return true;
    default:
        if (vm_as_box(w)->kind != BOX_VECTOR)
            return false;
        *ret = tw_cell(((vm_vector *)vm_as_box(w))->cell);
        return true;
    }
}

// A value as a word; false if it is none of those that mostly are.
static inline bool short_value(const fl_recorder *r, vm_word w, uint64_t *ret)
{
    unsigned tag = vm_tag(w);
    if (tag == TAG_REF) {
        *ret = tw_cell(vm_as_var(w)->cell);
        return true;
    }
    if (tag == TAG_CONS) {
        *ret = tw_cell((uint32_t)vm_words(w)[2]);
        return true;
    }
    if (tag == TAG_INT) {
        *ret = tw_integer(vm_int_value(w));
        return tw_fits(vm_int_value(w));
    }
    return rare_value(r, w, ret);
}

static bool put_bindings(const fl_recorder *r, const vm_event *event, tw_binding *to)
{
    for (uint32_t i = 0, n = event->nbindings; i < n; i++) {
        const vm_binding *b = &event->bindings[i];
        to[i].variable = b->variable->cell;
        to[i].item = b->item;
        if (!short_value(r, b->value, &to[i].value))
            return false;
    }
    return true;
}

static uint64_t *put_passed(const vm_event *event, uint64_t *at)
{
    uint32_t *ends = (void *)at;
    for (uint32_t i = 0; i < event->nbindings; i++)
        ends[i] = event->bindings[i].passed_end;
    at += tw_words(event->nbindings * sizeof *ends);
    list_variables((void *)at, event->passed, event->npassed);
    return at + tw_words(event->npassed * sizeof *ends);
}

// Of a static clause with holes in these registers, or of a dynamic one. False if a value is not short:
// then nothing was written.
static inline bool put_record(fl_recorder *r, const vm_event *event, uint32_t clause,
                              const uint32_t *holes, uint32_t nholes)
{
    uint32_t nreads = event->nreads, nfollowed = event->nfollowed, nbindings = event->nbindings;
    uint32_t npassed = event->npassed, cell = sizeof(uint32_t);
    size_t reads = tw_words(nreads * cell), followed = tw_words(nfollowed * cell);
    size_t most = sizeof(tw_record) / sizeof(uint64_t) + reads + followed + 3 * (size_t)nbindings +
                  npassed + nholes;
    uint64_t *room = tw_take_room(r->writer, r->room, most);
    if (!room)
        return false;
    tw_record *to = (void *)room;
    uint64_t *at = (void *)(to + 1);
    list_variables((void *)at, event->reads, nreads);
    at += reads;
    list_variables((void *)at, event->followed, nfollowed);
    at += followed;
    if (!put_bindings(r, event, (void *)at))
        return false;
    at += nbindings * (sizeof(tw_binding) / sizeof *at);
    if (npassed > 0)
        at = put_passed(event, at);
    for (uint32_t i = 0; i < nholes; i++)
        if (!short_value(r, event->registers[holes[i]], at++))
            return false;
    *to = (tw_record){.kind = TW_REDUCTION,
                      .goal = event->goal ? event->goal->id : TRACE_NONE,
                      .size = (uint64_t)(at - room),
                      .time = event->time,
                      .clause = clause,
                      .n = {.nreads = nreads,
                            .nfollowed = nfollowed,
                            .nbindings = nbindings,
                            .npassed = npassed}};
    r->room->at = at;
    return true;
}

// Most reductions; false if this one is none of them, then nothing was written.
static inline bool record_shortly(fl_recorder *r, const vm_event *event)
{
    if (event->clause) {
        const fl_template *t = event->clause->info;
        return put_record(r, event, event->clause->id, t->hole_registers, t->nholes);
    }
    return event->ncells == 0 && event->ngoals == 0 &&
           put_record(r, event, fl_trace_dynamic(r, event->goal->predicate), NULL, 0);
}

static bool is_full(fl_recorder *r, const vm_event *event)
{
    const vm_goal *goal = event->goal;
    const fl_template *t = event->clause ? event->clause->info : NULL;
    uint32_t ngoals = t ? t->ngoals : event->ngoals;
    return fl_part_has(r->part, goal ? goal->predicate : NULL, goal ? goal->id : 0, ngoals);
}

static uint32_t decisive_reads(fl_recorder *r, const vm_event *event)
{
    FL_RESERVE(r->times, event->nreads);
    for (uint32_t i = 0; i < event->nreads; i++)
        r->times.at[i] = event->reads[i]->time;
    return fl_part_decisive(r->reads.at, r->times.at, event->nreads,
                            event->goal ? event->goal->created : 0);
}

static void add_passed(fl_recorder *r, const vm_event *event, trace_reduction *ret)
{
    FL_RESERVE(r->passed, event->npassed);
    FL_RESERVE(r->passed_ends, event->nbindings);
    list_variables(r->passed.at, event->passed, event->npassed);
    for (uint32_t i = 0; i < event->nbindings; i++)
        r->passed_ends.at[i] = event->bindings[i].passed_end;
    ret->npassed = event->npassed;
    ret->passed = r->passed.at;
    ret->passed_ends = r->passed_ends.at;
}

static void record(void *data, const vm_event *event)
{
    fl_recorder *r = data;
    bool full = !r->part || is_full(r, event);
    if (full && record_shortly(r, event))
        return;
    trace_reduction out = {.time = event->time};
    out.goal = event->goal ? event->goal->id : TRACE_NONE;
    FL_RESERVE(r->reads, event->nreads);
    FL_RESERVE(r->followed, event->nfollowed);
    FL_RESERVE(r->bindings, event->nbindings);
    list_variables(r->reads.at, event->reads, event->nreads);
    list_variables(r->followed.at, event->followed, event->nfollowed);
    for (uint32_t i = 0; i < event->nbindings; i++)
        r->bindings.at[i] = (trace_binding){.variable = event->bindings[i].variable->cell,
                                            .item = event->bindings[i].item,
                                            .value = value_of(r, event->bindings[i].value)};
    out.nreads = full ? event->nreads : decisive_reads(r, event);
    out.reads = r->reads.at;
    out.nfollowed = full ? event->nfollowed : 0;
    out.followed = r->followed.at;
    out.nbindings = event->nbindings;
    out.bindings = r->bindings.at;
    if (full && event->npassed > 0)
        add_passed(r, event, &out);
    if (event->clause) {
        out.clause = event->clause->id;
        add_holes(r, event, &out);
    } else {
        out.clause = fl_trace_dynamic(r, event->goal->predicate);
        add_dynamic(r, event, &out);
    }
    tw_reduction(r->writer, &out);
}

// ---- The file -------------------------------------------------------------------------------

// Whether a trace that may have so many bytes can have the beginning of the run.
static bool check_limit(fl_recorder *r, uint64_t limit, char **ret_error)
{
    uint64_t least = tw_least(r->writer);
    if (least <= limit)
        return true;
    tw_abandon(r->writer);
    if (asprintf(ret_error, "-trace-limit: a trace of this program has at least %" PRIu64 " bytes",
                 least) < 0)
        *ret_error = NULL;
    return false;
}

// The buffers are still missing.
static fl_recorder *create(const char *path, const fl_program *p, const vm_program *code,
                           uint32_t workers, uint32_t machines, const fl_record_options *o,
                           char **ret_error)
{
    fl_recorder *r = vm_alloc(sizeof *r);
    if (o->modules && !(r->part = fl_part_create(code, o->modules, ret_error)))
        return NULL;
    const char *name = p->nsources > 0 ? p->sources[0].name : "";
    trace_run run = {.clock = machines ? TRACE_REAL : TRACE_VIRTUAL, .places = workers,
                     .part = o->modules, .summed = true};
    // A real run is in order only when it is over: until then there are versions of the file.
    r->writer = tw_create_as(path, machines ? BASE_OUTPUT_VERSION : BASE_OUTPUT_GROWS, &run,
                             base_name(name), ret_error);
    if (!r->writer)
        return NULL;
    r->room = tw_get_room(r->writer);
    if (o->limit)
        tw_limit(r->writer, o->limit, &r->cut);
    r->nbuffers = machines;
    r->workers = workers;
    r->options = *o;
    r->path = path;
    r->program = p;
    r->code = code;
    r->predicates = vm_alloc((code->npredicates + 1) * sizeof *r->predicates);
    r->dynamic = vm_alloc((code->npredicates + 1) * sizeof *r->dynamic);
    write_tables(r);
    ask_for_summary(r);
    if (o->limit && !check_limit(r, o->limit, ret_error))
        return NULL;
    return r;
}

fl_recorder *fl_recorder_create(const char *path, const fl_program *p, const vm_program *code,
                                uint32_t workers, uint32_t machines, const fl_record_options *o,
                                char **ret_error)
{
    fl_recorder *r = create(path, p, code, workers, machines, o, ret_error);
    if (!r)
        return NULL;
    r->interface = (vm_recorder){.data = r, .reduction = record};
    if (machines == 0)
        return r;
    r->interface.reduction = fl_record_real;
    r->interface.take_room = fl_take_room;
    r->buffers = vm_alloc(machines * sizeof *r->buffers);
    for (uint32_t i = 0; i < machines; i++)
        pthread_mutex_init(&r->buffers[i].lock, NULL);
    r->spill = fl_spill_create(path);
    if (machines == workers)
        r->states = vm_states_create(workers, STATES_EVERY);
    return r;
}

fl_recorder *fl_recorder_version(const fl_recorder *r, char **ret_error)
{
    fl_recorder *made = create(r->path, r->program, r->code, r->workers, r->nbuffers, &r->options,
                               ret_error);
    if (made) {
        made->buffers = r->buffers;
        made->states = r->states;
    }
    return made;
}

static ino_t file_of(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 ? s.st_ino : 0;
}

// A version of the run before it begins, where no file has the name: a reader waits for the last version of a
// run that was killed, but needs a file for that.
static void write_beginning(fl_recorder *r)
{
    char *error = NULL;
    fl_recorder *version = file_of(r->path) ? NULL : fl_recorder_version(r, &error);
    if (version && tw_leave(version->writer, &error))
        r->beginning = file_of(r->path);
    free(error); // the final trace will tell
}

void fl_recorder_begin(fl_recorder *r, vm_machine *m)
{
    if (r->nbuffers == 0 || !tw_has_name(r->writer))
        return;
    write_beginning(r);
    r->keeper = fl_keeper_create(r, m);
}

const trace_cut *fl_recorder_cut(const fl_recorder *r)
{
    return &r->cut;
}

vm_recorder *fl_recorder_interface(fl_recorder *r)
{
    return &r->interface;
}

vm_states *fl_recorder_states(fl_recorder *r)
{
    return r->states;
}

trace_ending fl_trace_ending(vm_ending ending)
{
    switch (ending) {
    case END_FAILED:
        return TRACE_FAILED;
    case END_HALTED:
        return TRACE_HALTED;
    case END_STOPPED:
        return TRACE_STOPPED;
    case END_DEADLOCK:
        return TRACE_DEADLOCK;
    case END_INTERRUPTED:
        return TRACE_INTERRUPTED;
    case END_NORMAL:
        break;
    }
    return TRACE_NORMAL;
}

static void write_waiting(fl_recorder *r, vm_machine *m)
{
    size_t ngoals, nvariables;
    vm_goal **goals = vm_suspended(m, &ngoals);
    for (size_t i = 0; i < ngoals; i++) {
        vm_var **variables = vm_goal_waits(m, goals[i], &nvariables);
        FL_RESERVE(r->reads, (uint32_t)nvariables);
        list_variables(r->reads.at, variables, (uint32_t)nvariables);
        tw_waiting(r->writer, goals[i]->id, r->reads.at, (uint32_t)nvariables);
    }
}

static bool complete(fl_recorder *r, vm_machine *m, vm_ending ending, int status,
                     const char *message, char **ret_error)
{
    vm_goal *failure = ending == END_FAILED ? vm_get_failure(m)->goal : NULL;
    uint32_t failed = failure && r->nbuffers == 0 ? failure->id : TRACE_NONE;
    if (r->nbuffers == 0)
        write_waiting(r, m);
    bool good = r->nbuffers == 0 || fl_write_real(r, m, failure, &failed);
    if (!tw_finish(r->writer, fl_trace_ending(ending), status, failed, message ? message : "",
                   ret_error))
        return false;
    if (!good)
        *ret_error = strdup("out of memory");
    return good;
}

static bool finish(fl_recorder *r, vm_machine *m, vm_ending ending, int status, const char *message,
                   char **ret_error)
{
    bool versions = r->keeper && fl_keeper_stop(r->keeper);
    if (!versions)
        return complete(r, m, ending, status, message, ret_error);
    tw_abandon(r->writer);
    fl_recorder *last = fl_recorder_version(r, ret_error);
    bool good = last && complete(last, m, ending, status, message, ret_error);
    if (last)
        r->cut = last->cut;
    return good;
}

bool fl_recorder_finish(fl_recorder *r, vm_machine *m, vm_ending ending, int status,
                        const char *message, char **ret_error)
{
    bool good = finish(r, m, ending, status, message, ret_error);
    if (!good && r->beginning && file_of(r->path) == r->beginning)
        unlink(r->path); // it tells nothing
    vm_states_destroy(r->states);
    r->states = NULL;
    return good;
}

void fl_recorder_leave(fl_recorder *r, vm_machine *m)
{
    char *error = NULL;
    fl_recorder *last = r;
    if (r->keeper && fl_keeper_stop(r->keeper)) {
        tw_abandon(r->writer);
        last = fl_recorder_version(r, &error);
    }
    if (last && fl_write_so_far(last, m, NULL))
        tw_leave(last->writer, &error);
    else if (last)
        tw_abandon(last->writer);
    free(error); // nobody is left who could be told
}
