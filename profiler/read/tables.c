// SPDX-License-Identifier: MIT
//
// Loads tables. Every record is checked against the tables before it.
#include "profiler/format/decode.h"
#include "profiler/read/version3.h"

bool trace_refuse(loader *l, const char *reason)
{
    if (!l->reason)
        l->reason = reason;
    return false;
}

bool trace_column_sound(loader *l, const column_in *in)
{
    return !in->wrong || trace_refuse(l, in->wrong);
}

static bool string_exists(const trace *t, uint32_t string)
{
    return string < t->strings.n;
}

static bool is_number(const char *text)
{
    text += *text == '-';
    size_t n = strspn(text, "0123456789");
    return n > 0 && text[n] == '\0';
}

// Asked for at most as often as there are big integers in the trace; what the answer was is kept,
// by whichever thread, with one store.
bool trace_value_is_sound(const trace *t, const trace_value *v, uint32_t n)
{
    if (v->kind != TV_ATOM && v->kind != TV_STRING && v->kind != TV_BIG)
        return true;
    if (v->id >= n)
        return false;
    if (v->kind != TV_BIG)
        return true;
    string_entry *s = &t->strings.at[v->id];
    uint8_t digits = __atomic_load_n(&s->digits, __ATOMIC_RELAXED);
    if (digits == DIGITS_UNKNOWN) {
        digits = strlen(s->text) == s->length && is_number(s->text) ? DIGITS_YES : DIGITS_NO;
        __atomic_store_n(&s->digits, digits, __ATOMIC_RELAXED);
    }
    return digits == DIGITS_YES;
}

// Makes room for a record in a table and decodes it into `r`; false with a reason.
#define NEXT_RECORD(l, list, coding_, r)                                                           \
    ((ARRAY_RESERVE(*(list), 1) || trace_refuse(l, trace_no_memory)) &&                            \
     ((list)->n < INDEX_LIMIT || trace_refuse(l, "a table is too long")) &&                        \
     (get_##coding_(&(l)->columns[0], &(l)->k, r), trace_column_sound(l, &(l)->columns[0])))

// Its kinds are to be found out from names.
static bool is_old_measured(const trace *t)
{
    return t->format == 3 && t->run.clock == TRACE_MEASURED;
}

bool trace_load_strings(loader *l, uint32_t count)
{
    trace *t = l->t;
    for (l->record = 0; l->record < count; l->record++) {
        string_record r;
        if (!NEXT_RECORD(l, &t->strings, string, &r))
            return false;
        string_entry *s = &t->strings.at[t->strings.n++];
        *s = (string_entry){.text = r.text, .length = (size_t)r.length};
        if (is_old_measured(t))
            trace_version3_string(s);
    }
    return true;
}

bool trace_load_sources(loader *l, uint32_t count)
{
    trace *t = l->t;
    for (l->record = 0; l->record < count; l->record++) {
        trace_source r;
        if (!NEXT_RECORD(l, &t->sources, source, &r))
            return false;
        if (!string_exists(t, r.name) || !string_exists(t, r.text))
            return trace_refuse(l, "a string that does not exist");
        t->sources.at[t->sources.n++] = r;
    }
    return true;
}

// What only a measured run has.
static bool check_construct(loader *l, const trace_module *m)
{
    const trace *t = l->t;
    bool is_construct = m->kind != TRACE_KIND_NONE || m->source != TRACE_NONE || m->line > 0;
    if (is_construct && t->run.clock != TRACE_MEASURED)
        return trace_refuse(l, "a construct of a run that was not measured");
    if (m->source != TRACE_NONE && m->source >= t->sources.n)
        return trace_refuse(l, "a source that does not exist");
    return m->source != TRACE_NONE || m->line == 0 || trace_refuse(l, "a line of no source");
}

static bool next_module(loader *l, trace_module *ret)
{
    trace *t = l->t;
    *ret = (trace_module){.source = TRACE_NONE};
    return t->format == 3 ? NEXT_RECORD(l, &t->modules, module_3, ret)
                          : NEXT_RECORD(l, &t->modules, module, ret);
}

bool trace_load_modules(loader *l, uint32_t count)
{
    trace *t = l->t;
    for (l->record = 0; l->record < count; l->record++) {
        trace_module r;
        if (!next_module(l, &r))
            return false;
        if (!string_exists(t, r.name))
            return trace_refuse(l, "a string that does not exist");
        if (is_old_measured(t) && !trace_version3_module(t, &l->version3, &r))
            return trace_refuse(l, trace_no_memory);
        if (!check_construct(l, &r))
            return false;
        t->modules.at[t->modules.n++] = r;
    }
    return true;
}

bool trace_load_place_names(loader *l, uint32_t count)
{
    trace *t = l->t;
    for (l->record = 0; l->record < count; l->record++) {
        place_name_record r;
        if (!NEXT_RECORD(l, &t->place_names, place_name, &r))
            return false;
        if (!string_exists(t, r.name))
            return trace_refuse(l, "a string that does not exist");
        t->place_names.at[t->place_names.n++] = r.name;
    }
    return true;
}

static bool next_predicate(loader *l, trace_predicate *ret)
{
    trace *t = l->t;
    *ret = (trace_predicate){0};
    return t->format == 3 ? NEXT_RECORD(l, &t->predicates, predicate_3, ret)
                          : NEXT_RECORD(l, &t->predicates, predicate, ret);
}

bool trace_load_predicates(loader *l, uint32_t count)
{
    trace *t = l->t;
    for (l->record = 0; l->record < count; l->record++) {
        trace_predicate r;
        if (!next_predicate(l, &r))
            return false;
        if (!string_exists(t, r.name))
            return trace_refuse(l, "a string that does not exist");
        if (r.module >= t->modules.n)
            return trace_refuse(l, "a module that does not exist");
        if (is_old_measured(t))
            trace_version3_predicate(t, &r);
        if (r.kind != TRACE_KIND_NONE && t->run.clock != TRACE_MEASURED)
            return trace_refuse(l, "a construct of a run that was not measured");
        if (t->predicates.n >= GOAL_OPEN)
            return trace_refuse(l, "a table is too long");
        t->predicates.at[t->predicates.n++] = r;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// Clauses

static bool check_references(loader *l, const trace_clause *c)
{
    const trace *t = l->t;
    if (c->predicate >= t->predicates.n)
        return trace_refuse(l, "a predicate that does not exist");
    if (c->source != TRACE_NONE && c->source >= t->sources.n)
        return trace_refuse(l, "a source that does not exist");
    for (uint32_t i = 0; i < c->nlooks; i++)
        if (c->looks[i] >= t->predicates.at[c->predicate].arity)
            return trace_refuse(l, "an argument that does not exist");
    for (uint64_t i = 0; i < c->nfresh + (uint64_t)c->nholes; i++)
        if (c->names[i] != TRACE_NONE && !string_exists(t, c->names[i]))
            return trace_refuse(l, "a string that does not exist");
    for (uint32_t i = 0; i < c->nnodes; i++)
        if (!trace_value_is_sound(l->t, &c->nodes[i].value, (uint32_t)l->t->strings.n))
            return trace_refuse(l, "a string that does not exist or is no number");
    for (uint32_t i = 0; i < c->nitems; i++) {
        const trace_item *item = &c->items[i];
        if (item->kind == TI_UNIFY)
            continue;
        if (item->predicate >= t->predicates.n)
            return trace_refuse(l, "a predicate that does not exist");
        if (item->n != t->predicates.at[item->predicate].arity)
            return trace_refuse(l, "a goal with too few or too many arguments");
    }
    return true;
}

// Head and guards; the head has all arguments, or the file does not tell it.
static bool check_shape(loader *l, const trace_clause *c)
{
    const trace *t = l->t;
    if (c->nhead > 0 && c->nhead != t->predicates.at[c->predicate].arity)
        return trace_refuse(l, "a head with too few or too many arguments");
    for (uint32_t i = 0; i < c->nguards; i++)
        if (!string_exists(t, c->guards[i].name))
            return trace_refuse(l, "a string that does not exist");
    for (uint32_t i = 0; i < c->nunused; i++)
        if (c->unused[i] != TRACE_NONE && !string_exists(t, c->unused[i]))
            return trace_refuse(l, "a string that does not exist");
    for (uint32_t i = 0; i < c->npatterns; i++)
        if (!trace_value_is_sound(t, &c->patterns[i].value, (uint32_t)t->strings.n))
            return trace_refuse(l, "a string that does not exist or is no number");
    return true;
}

static bool check_clause(loader *l, const trace_clause *c, clause_entry *ret)
{
    if (!check_references(l, c) || !check_shape(l, c))
        return false;
    *ret = (clause_entry){.clause = *c};
    const char *reason = trace_shape_check(c);
    if (!reason)
        reason = trace_clause_prepare(ret, &l->t->tables);
    return !reason || trace_refuse(l, reason);
}

bool trace_load_clauses(loader *l, uint32_t count)
{
    trace *t = l->t;
    coding none = {0}; // a template has no cells of a run
    for (l->record = 0; l->record < count; l->record++) {
        trace_clause r = {0};
        if (!ARRAY_RESERVE(t->clauses, 1))
            return trace_refuse(l, trace_no_memory);
        get_clause(&l->columns[0], &none, &r);
        if (t->format >= FILE_PASSES)
            get_shape(&l->columns[0], &none, &r);
        if (!trace_column_sound(l, &l->columns[0]) ||
            !check_clause(l, &r, &t->clauses.at[t->clauses.n]))
            return false;
        t->clauses.n++;
    }
    return true;
}
