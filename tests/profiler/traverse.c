// SPDX-License-Identifier: MIT
//
// Every question about a trace, asked of one that may be anything.
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "profiler/profile.h"
#include "profiler/samples.h"
#include "profiler/statistics.h"
#include "profiler/totals.h"

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return false;                                                                          \
    } while (0)

// A whole vector or structure is asked for only up to here: a few bytes can make a long one.
#define MANY 64u

static bool text_sound(const trace *t, uint32_t string)
{
    size_t length;
    const char *text = trace_string(t, string, &length);
    return text[length] == '\0';
}

static bool value_sound(const trace *t, trace_value v)
{
    switch (v.kind) {
    case TV_CELL:
        return v.id < trace_ncells(t);
    case TV_ATOM:
    case TV_STRING:
    case TV_BIG:
        return text_sound(t, v.id);
    case TV_INT:
    case TV_FLOAT:
        return true;
    case TV_NODE:
        break;
    }
    return false;
}

// The value at the end of a chain of bound variables, as a printer finds it.
static bool end_sound(const trace *t, trace_value v)
{
    while (v.kind == TV_CELL && trace_cell_get_kind(t, v.id) == TC_VARIABLE) {
        uint32_t binding = trace_cell_binding(t, v.id);
        if (binding == TRACE_NONE)
            return true;
        v = trace_binding_value(t, binding);
    }
    return value_sound(t, v);
}

static bool pattern_sound(const trace *t, const trace_clause *c, uint32_t pattern)
{
    const trace_node *n = &c->patterns[pattern];
    REQUIRE(n->kind != TN_FRESH || n->index < c->nunused);
    REQUIRE(n->kind != TN_HOLE || n->index < c->nholes);
    REQUIRE(n->kind != TN_STRUCT || text_sound(t, n->value.id));
    for (uint32_t i = 0; n->kind >= TN_CONS && i < n->n; i++)
        REQUIRE(c->pattern_children[n->first + i] < pattern);
    return true;
}

static bool shape_sound(const trace *t, const trace_clause *c)
{
    REQUIRE(c->nhead == 0 || c->nhead == trace_get_predicate(t, c->predicate)->arity);
    for (uint32_t i = 0; i < c->nhead; i++)
        REQUIRE(c->head[i] < c->npatterns);
    for (uint32_t i = 0; i < c->nguards; i++) {
        REQUIRE(text_sound(t, c->guards[i].name));
        for (uint32_t k = 0; k < c->guards[i].n; k++)
            REQUIRE(c->pattern_children[c->guards[i].first + k] < c->npatterns);
    }
    for (uint32_t i = 0; i < c->nunused; i++)
        REQUIRE(c->unused[i] == TRACE_NONE || text_sound(t, c->unused[i]));
    for (uint32_t i = 0; i < c->npatterns; i++)
        if (!pattern_sound(t, c, i))
            return false;
    return true;
}

static bool tables_sound(const trace *t)
{
    for (uint32_t i = 0; i < trace_nsources(t); i++) {
        const trace_source *s = trace_get_source(t, i);
        REQUIRE(text_sound(t, s->name) && text_sound(t, s->text));
    }
    for (uint32_t i = 0; i < trace_nmodules(t); i++) {
        const trace_module *m = trace_get_module(t, i);
        bool measured = trace_get_clock(t) == TRACE_MEASURED;
        REQUIRE(trace_module_name(t, i) && (measured || m->kind == TRACE_KIND_NONE));
        REQUIRE(m->source == TRACE_NONE ? m->line == 0 : measured && m->source < trace_nsources(t));
    }
    for (uint32_t i = 0; i < trace_npredicates(t); i++) {
        const trace_predicate *p = trace_get_predicate(t, i);
        REQUIRE(p->module < trace_nmodules(t) && text_sound(t, p->name));
    }
    for (uint32_t i = 0; i < trace_nclauses(t); i++) {
        const trace_clause *c = trace_get_clause(t, i);
        REQUIRE(c->predicate < trace_npredicates(t));
        REQUIRE(c->source == TRACE_NONE || c->source < trace_nsources(t));
        for (uint32_t k = 0; k < c->nfresh + c->nholes; k++)
            REQUIRE(c->names[k] == TRACE_NONE || text_sound(t, c->names[k]));
        REQUIRE(shape_sound(t, c));
    }
    return true;
}

static bool passed_sound(const trace *t, uint32_t binding)
{
    const uint32_t *cells;
    uint32_t n = trace_passed(t, binding, &cells);
    for (uint32_t i = 0; i < n; i++)
        REQUIRE(cells[i] < trace_ncells(t) && trace_cell_binding(t, cells[i]) < binding);
    return true;
}

static bool variables_bound(const trace *t, const uint32_t *cells, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        REQUIRE(cells[i] < trace_ncells(t) && trace_cell_binding(t, cells[i]) != TRACE_NONE);
    return true;
}

static bool reduction_sound(const trace *t, uint32_t i)
{
    const uint32_t *cells;
    uint32_t n = trace_reads(t, i, &cells);
    REQUIRE(variables_bound(t, cells, n));
    n = trace_followed(t, i, &cells);
    REQUIRE(variables_bound(t, cells, n));
    REQUIRE(i == 0 || trace_time(t, i) >= trace_time(t, i - 1));
    if (trace_get_clock(t) != TRACE_VIRTUAL) {
        REQUIRE(trace_place(t, i) < trace_nplaces(t) && trace_nplaces(t) <= TRACE_PLACES);
        REQUIRE(0 <= trace_start(t, i) && trace_start(t, i) <= trace_end(t, i));
        REQUIRE(trace_end(t, i) <= trace_elapsed(t));
    }
    REQUIRE(trace_reduction_clause(t, i) < trace_nclauses(t));
    uint32_t goal = trace_reduction_goal(t, i);
    REQUIRE(i == 0 ? goal == TRACE_NONE : trace_goal_reduction(t, goal) == i);
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, i));
    for (uint32_t k = 0; k < c->nnodes && k < MANY; k++)
        REQUIRE(end_sound(t, trace_node_value(t, i, k)));
    for (uint32_t k = 0; k < c->nholes && k < MANY; k++)
        REQUIRE(value_sound(t, trace_hole(t, i, k)));
    return true;
}

static bool goal_sound(const trace *t, uint32_t i)
{
    uint32_t parent = trace_goal_parent(t, i), predicate = trace_goal_predicate(t, i);
    REQUIRE(parent < trace_nreductions(t) && predicate < trace_npredicates(t));
    REQUIRE(trace_first_goal(t, parent) <= i && i < trace_first_goal(t, parent + 1));
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, parent));
    uint32_t item = trace_goal_item(t, i), reduction = trace_goal_reduction(t, i);
    REQUIRE(item == TRACE_NONE ? c->dynamic : item < c->nitems);
    REQUIRE(reduction == TRACE_NONE || reduction > parent);
    uint32_t arity = trace_get_predicate(t, predicate)->arity;
    for (uint32_t a = 0; a < arity && a < MANY; a++)
        REQUIRE(end_sound(t, trace_goal_arg(t, i, a)));
    const uint32_t *cells;
    uint32_t n = trace_waits(t, i, &cells);
    for (uint32_t k = 0; k < n; k++)
        REQUIRE(trace_cell_get_kind(t, cells[k]) == TC_VARIABLE);
    return true;
}

static bool cell_sound(const trace *t, uint32_t i)
{
    uint32_t maker = trace_cell_maker(t, i), name = trace_cell_name(t, i);
    REQUIRE(maker < trace_nreductions(t) && trace_first_cell(t, maker) <= i);
    REQUIRE(name == TRACE_NONE || text_sound(t, name));
    uint32_t binding = trace_cell_binding(t, i), n = trace_cell_arity(t, i);
    if (trace_cell_get_kind(t, i) == TC_VARIABLE)
        return n == 0 && (binding == TRACE_NONE || trace_binding_variable(t, binding) == i);
    REQUIRE(binding == TRACE_NONE);
    for (uint32_t a = 0; a < n && a < MANY; a++)
        REQUIRE(end_sound(t, trace_cell_arg(t, i, a)));
    REQUIRE(n <= MANY || value_sound(t, trace_cell_arg(t, i, n - 1)));
    return true;
}

static bool binding_sound(const trace *t, uint32_t i)
{
    uint32_t maker = trace_binding_maker(t, i), variable = trace_binding_variable(t, i);
    REQUIRE(maker < trace_nreductions(t) && trace_cell_binding(t, variable) == i);
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, maker));
    REQUIRE(trace_binding_item(t, i) < c->nitems || c->dynamic);
    return end_sound(t, trace_binding_value(t, i));
}

static bool row_sound(const trace *t, const trace_profile *p, const trace_profile_row *row)
{
    uint64_t work = 0;
    for (uint32_t i = 0; i < p->nbuckets; i++) {
        work += row->reduced[i];
        REQUIRE(row->reduced[i] <= row->peak * (uint64_t)p->width);
    }
    REQUIRE(row->peak <= work);
    REQUIRE(row->first <= row->last && row->last <= p->span && (work > 0) == (row->first > 0));
    return row->name == TRACE_NONE || text_sound(t, row->name);
}

static bool profile_sound(const trace *t, const trace_profile *p)
{
    REQUIRE(trace_nreductions(t) == 0 && p->nmodules > 0 && p->width > 0);
    REQUIRE(p->nbuckets == p->span / p->width + (p->span % p->width > 0));
    for (uint32_t i = 0; i <= p->nmodules; i++)
        REQUIRE(row_sound(t, p, &p->rows[i]));
    return p->rows[p->nmodules].name == TRACE_NONE && p->rows[p->nmodules].last == p->span;
}

static bool place_sound(const trace *t, const trace_totals *all, const trace_total *p)
{
    const uint32_t texts[] = {p->name, p->type, p->label};
    for (int i = 0; i < 3; i++)
        REQUIRE(texts[i] == TRACE_NONE || text_sound(t, texts[i]));
    REQUIRE(p->kind < TRACE_TOTAL_KINDS);
    REQUIRE(p->source == TRACE_NONE || p->source < trace_nsources(t));
    REQUIRE(p->unit == TRACE_NONE || all->totals[p->unit].kind == TT_UNIT);
    return p->number >= TRACE_UNOBSERVED && p->share >= TRACE_UNOBSERVED;
}

static bool totals_sound(const trace *t, const trace_totals *all)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < all->ntotals; i++)
        REQUIRE(place_sound(t, all, &all->totals[i]));
    for (uint32_t i = 0; i < all->nmeasures; i++) {
        const trace_measure *m = &all->measures[i];
        trace_measure same = trace_total_at(all, m->total, m->node);
        REQUIRE(m->times >= TRACE_UNOBSERVED && m->rotation >= TRACE_UNOBSERVED);
        found += same.times == m->times && same.time == m->time;
    }
    for (uint32_t i = 0; i < all->nnodes; i++) {
        uint32_t first = trace_find_node(all, trace_node_number(all, i));
        REQUIRE(first <= i && trace_node_number(all, first) == trace_node_number(all, i));
    }
    char nodes[64];
    trace_describe_nodes(all, nodes, sizeof nodes);
    REQUIRE(memchr(nodes, 0, sizeof nodes));
    for (uint32_t i = 0; i < all->ntraffic; i++)
        REQUIRE(all->traffic[i].from < all->nnodes && all->traffic[i].to < all->nnodes);
    for (uint32_t i = 0; i < all->nfiles; i++) {
        const trace_data_file *f = &all->files[i];
        REQUIRE(f->name == TRACE_NONE || trace_string(t, f->name, NULL));
        REQUIRE(f->label == TRACE_NONE || trace_string(t, f->label, NULL));
    }
    for (uint32_t i = 0; i < all->nfile_measures; i++) {
        const trace_measure *m = &all->file_measures[i];
        REQUIRE(m->total < all->nfiles && trace_file_at(all, m->total, m->node).times == m->times);
    }
    return found == all->nmeasures && all->tables[TT_CALL].reported >= TRACE_UNOBSERVED;
}

static bool regions_sound(const trace *t, const trace_regions *all)
{
    for (uint32_t i = 0; i <= all->nregions; i++) {
        const trace_region *r = &all->regions[i];
        REQUIRE(r->file && (r->clause == TRACE_NONE || r->clause < trace_nclauses(t)));
        REQUIRE(r->elapsed <= INT64_MAX && r->figures[TRACE_REDUCTION].waiting <= INT64_MAX);
        for (uint32_t k = 0; k < r->nteams; k++) {
            REQUIRE(r->teams[k].start >= 0 && r->teams[k].start + r->teams[k].took >= 0);
            for (uint32_t n = 0; n < r->teams[k].nplaces; n++)
                REQUIRE(r->teams[k].places[n] < trace_nplaces(t));
        }
    }
    char *text = trace_statistics_text(all, "program", false);
    bool told = text && text[0];
    free(text);
    return told;
}

static bool samples_sound(const trace_samples *s)
{
    for (uint32_t i = 0; i < s->nworkers; i++) {
        uint64_t n = 0;
        for (uint32_t k = 0; k < s->workers[i].nruns; k++) {
            REQUIRE(s->workers[i].runs[k] >> 2 > 0);
            n += s->workers[i].runs[k] >> 2;
        }
        REQUIRE(n == s->n);
    }
    return s->n > 0 && s->every > 0 && (double)s->n * (double)s->every * s->nworkers <= 0x1p62;
}

bool traverse(const trace *t)
{
    const trace_samples *samples = trace_get_samples(t);
    const trace_profile *p = trace_get_profile(t);
    const trace_totals *totals = trace_get_totals(t);
    REQUIRE(p ? profile_sound(t, p) : samples || totals || trace_nreductions(t) > 0);
    REQUIRE(!samples || (!p && samples_sound(samples)));
    REQUIRE(!totals || totals_sound(t, totals));
    REQUIRE(!trace_get_regions(t) || regions_sound(t, trace_get_regions(t)));
    const trace_dropped *dropped;
    for (uint32_t i = 0, n = trace_get_dropped(t, &dropped); i < n; i++)
        REQUIRE(dropped[i].place < trace_nplaces(t) && dropped[i].kept < dropped[i].seen);
    REQUIRE(trace_version(t) > 0 && tables_sound(t));
    REQUIRE(trace_program(t) && trace_message(t) && trace_get_clock(t) <= TRACE_MEASURED);
    REQUIRE(trace_get_ending(t) <= TRACE_UNFINISHED);
    uint32_t failed = trace_failed_goal(t);
    REQUIRE(failed == TRACE_NONE || failed < trace_ngoals(t));
    for (uint32_t i = 0; i < trace_nreductions(t); i++)
        REQUIRE(reduction_sound(t, i));
    for (uint32_t i = 0; i < trace_ngoals(t); i++)
        REQUIRE(goal_sound(t, i));
    for (uint32_t i = 0; i < trace_ncells(t); i++)
        REQUIRE(cell_sound(t, i));
    for (uint32_t i = 0; i < trace_nbindings(t); i++)
        REQUIRE(binding_sound(t, i) && passed_sound(t, i));
    return true;
}
