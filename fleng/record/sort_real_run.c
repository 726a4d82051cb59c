// SPDX-License-Identifier: MIT
//
// Puts the reductions of a real run in the order of the ideal machine: by virtual time and, at one
// time, by the age of their goals. Goals are numbered in this order, too, so the reductions of one
// time can be sorted as soon as all earlier ones have their numbers.
//
// If a run ended badly, a reduction may have read a binding of a reduction that was not completed.
// Such a reduction is left out, and so is everything that depends on it.
//
// Aliases. The `X = Y` of a reduction r bound X to the variable Y, because by the clock Y was not
// bound yet. If Y was bound earlier in virtual time, by a reduction before r in the order, the
// ideal machine would have followed Y and bound X to the value it found, passing Y on. So the trace
// has this binding instead, and a reduction that read X and, through it, Y is written as having read
// X only. No time changes, since Y's binding is not later than X's.
#include "base/array.h"
#include "base/search.h"
#include "fleng/record/sorted.h"
#include "profiler/samples.h"
#include "profiler/workers.h"
#include "vm/look.h"
#include "vm/memory.h"
#include "vm/recorder.h"
#include "vm/states.h"

#include <stdlib.h>

// 1 + the number of the first goal of a reduction is in the recorder_number of its stamp; 0: the
// reduction is not in the trace, or not yet. This is TRACE_NONE then.
static uint32_t first_goal_of(const vm_stamp *s)
{
    return s->recorder_number ? s->recorder_number - 1 : TRACE_NONE;
}

// The number of a stamp's goal, whose parent is numbered.
static uint32_t goal_of(const vm_stamp *s)
{
    return s->parent ? first_goal_of(s->parent) + s->item : TRACE_NONE;
}

// The value of a term as it lies in memory.
static trace_value value_of(const sorted *s, vm_word w, bool *known)
{
    source x = {.known = true};
    const fl_numbers *c = &s->numbers;
    trace_value v;
    if (vm_tag(w) == TAG_REF)
        v = cell_value(&x, cell_of_number(c, vm_as_var(w)->number));
    else if (vm_tag(w) == TAG_CONS)
        v = cell_value(&x, cell_of_number(c, vm_words(w)[2]));
    else if (vm_tag(w) == TAG_STRUCT)
        v = cell_value(&x, cell_of_number(c, vm_words(w)[vm_functor_arity(vm_words(w)[0]) + 1]));
    else if (vm_tag(w) == TAG_INT)
        v = (trace_value){.kind = TV_INT, .i = vm_int_value(w)};
    else if (vm_tag(w) == TAG_ATOM)
        v = (trace_value){.kind = TV_ATOM, .id = fl_trace_atom(s->r, vm_atom_number(w))};
    else if (vm_is_box(w, BOX_VECTOR))
        v = cell_value(&x, cell_of_number(c, ((const vm_vector *)vm_as_box(w))->cell));
    else
        v = fl_trace_box(s->r, w);
    *known &= x.known;
    return v;
}

// ---- One reduction --------------------------------------------------------------------------

// Of the record that begins here.
static void begin_source(const sorted *s, const uint8_t *record, source *ret)
{
    ret->r = s->r;
    ret->numbers = &s->numbers;
    ret->at = record;
    ret->known = true;
    if (is_short(record)) {
        const fl_short *x = short_of(record);
        bool builtin = x->code & SHORT_BUILTIN;
        ret->head = (fl_head){.machine = x->machine,
                              .first_cell = x->first_cell,
                              .ncells = x->ncells,
                              .clause = builtin ? 0 : x->code + 1,
                              .predicate = builtin ? x->code & ~SHORT_BUILTIN : 0};
        return;
    }
    get_head(ret, &ret->head);
    if (ret->head.clause == 0)
        get_builtin(ret, &ret->head);
}

// The values of cells and goals lie one after the other in an array that has stopped growing.
static void set_arguments(fl_recorder *r, const trace_reduction *x)
{
    const trace_value *at = r->values.at;
    for (uint32_t i = 0; i < x->ncells; i++) {
        r->cells.at[i].args = at;
        at += r->cells.at[i].nargs;
    }
    for (uint32_t i = 0; i < x->ngoals; i++) {
        r->goals.at[i].args = at;
        at += r->goals.at[i].nargs;
    }
}

// Items of bindings say whether the value was a variable.
static void split_items(fl_recorder *r)
{
    FL_RESERVE(r->to_variable, r->bindings.n);
    for (uint32_t i = 0; i < r->bindings.n; i++) {
        r->to_variable.at[i] = r->bindings.at[i].item & 1;
        r->bindings.at[i].item >>= 1;
    }
}

// Reads the rest of a record. All cells that it names are in the trace if x->known.
static void read_reduction(source *x, const uint8_t *record, trace_reduction *ret)
{
    fl_recorder *r = x->r;
    ret->ncells = ret->ngoals = 0;
    r->reads.n = r->followed.n = r->bindings.n = r->holes.n = 0;
    r->recorded.n = r->recorded_ends.n = 0;
    r->values.n = r->cells.n = r->goals.n = 0;
    if (is_short(record)) {
        fl_read_short(x, short_of(record), ret);
        split_items(r);
        return;
    }
    get_run(x, ret);
    get_bindings(x, ret);
    x->nends = ret->npassed > 0 ? ret->nbindings : 0;
    get_ends(x, ret);
    split_items(r);
    if (x->head.clause) {
        const fl_template *t = r->code->clauses[x->head.clause - 1]->info;
        ret->clause = x->head.clause - 1;
        x->nholes = t->nholes;
        get_holes(x, ret);
    } else {
        ret->holes = NULL;
        ret->clause = fl_trace_dynamic(r, r->code->predicates[x->head.predicate]);
        get_made(x, ret);
        set_arguments(r, ret);
    }
}

// ---- Aliases --------------------------------------------------------------------------------

// NULL: the variable is none that was bound to a variable.
static alias *find_alias(const sorted *s, uint32_t variable)
{
    uint32_t found;
    if (!is_aliased(s, variable))
        return NULL;
    INDEX_FIND(found, &s->alias_index, hash_word(0, variable), i,
               s->aliases.at[i].variable == variable);
    return found == INDEX_NONE ? NULL : &s->aliases.at[found];
}

// The value that the trace has for a bound variable. False: another reduction bound it on behalf of
// its maker (and is not looked for).
static bool get_value_of(const sorted *s, uint32_t variable, trace_value *ret)
{
    const alias *known = find_alias(s, variable);
    if (known && known->moved) {
        *ret = known->value;
        return true;
    }
    source x;
    const uint8_t *record = s->stamps[s->makers[variable] - 1]->recorder_place;
    begin_source(s, record, &x);
    if (is_short(record))
        return fl_short_binding(&x, short_of(record), variable, ret);
    skip_run(&x);
    for (uint64_t n = varint_get(&x.at); n > 0; n--) {
        trace_binding b;
        get_binding(&x, &b);
        if (b.variable == variable) {
            *ret = b.value;
            return true;
        }
    }
    return false;
}

// Follows the value of a binding of the current reduction as the ideal machine would have done.
static trace_value follow(sorted *s, trace_value value)
{
    trace_value next;
    while (value.kind == TV_CELL && is_bound(s, value.id) && get_value_of(s, value.id, &next)) {
        FL_PUSH(s->r->passed, value.id);
        value = next;
    }
    return value;
}

// A binding to a variable. False: out of memory.
static bool note_alias(sorted *s, trace_binding *b)
{
    if (!ARRAY_RESERVE(s->aliases, 1) || !index_reserve(&s->alias_index))
        return false;
    alias a = {.variable = b->variable, .to = b->value.id, .value = b->value};
    if (is_bound(s, a.to)) {
        a.value = b->value = follow(s, b->value);
        a.moved = b->value.kind != TV_CELL || b->value.id != a.to;
    }
    alias *known = find_alias(s, a.variable); // of a reduction that was left out
    if (known) {
        *known = a;
        return true;
    }
    index_add(&s->alias_index, hash_word(0, a.variable), (uint32_t)s->aliases.n);
    s->aliased[a.variable / 64] |= UINT64_C(1) << a.variable % 64;
    s->aliases.at[s->aliases.n++] = a;
    return true;
}

// Of variables in the order in which they were looked at: leaves out those that an alias no longer
// leads to.
static uint32_t skip_aliases(const sorted *s, uint32_t *at, uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        at[kept++] = at[i];
        const alias *a = find_alias(s, at[i]);
        if (!a || !a->moved)
            continue;
        trace_value end = a->value;
        while (i + 1 < n && at[i + 1] == a->to && !(end.kind == TV_CELL && end.id == a->to)) {
            i++;
            a = find_alias(s, a->to);
            if (!a)
                break;
        }
    }
    return kept;
}

// Leaves out what this reduction (a place among the stamps + 1) has listed already. False: one of
// them is not bound.
static bool list_once(sorted *s, uint32_t *at, size_t *n, uint32_t reduction)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *n; i++) {
        if (!is_bound(s, at[i]))
            return false;
        if (s->listed[at[i]] == reduction)
            continue;
        s->listed[at[i]] = reduction;
        at[kept++] = at[i];
    }
    *n = kept;
    return true;
}

// Binds a variable on behalf of this reduction, passing on what the acts before this one say; unless
// it was bound already, or the trace lacks the value.
static void bind_late(sorted *s, size_t at, uint32_t variable, uint32_t reduction)
{
    fl_recorder *r = s->r;
    const vm_late *l = &s->late[at].act;
    bool known = true;
    trace_value value = value_of(s, l->value, &known);
    if (!known || is_bound(s, variable))
        return;
    for (size_t i = at - l->npassed; i < at; i++) {
        uint32_t passed = cell_of_number(&s->numbers, s->late[i].act.variable->number);
        if (passed != TRACE_NONE && is_bound(s, passed))
            FL_PUSH(r->passed, passed);
    }
    FL_PUSH(r->bindings, (trace_binding){.variable = variable, .item = l->item, .value = value});
    FL_PUSH(r->passed_ends, r->passed.n);
    s->makers[variable] = reduction;
}

// The acts of others on behalf of this reduction.
static void add_late(sorted *s, const vm_stamp *maker, uint32_t reduction)
{
    fl_recorder *r = s->r;
    size_t at;
    FIRST_NOT(at, s->nlate, i, s->late[i].act.maker < maker);
    for (; at < s->nlate && s->late[at].act.maker == maker; at++) {
        const vm_late *l = &s->late[at].act;
        uint32_t variable = cell_of_number(&s->numbers, l->variable->number);
        if (variable == TRACE_NONE || l->kind == LATE_PASSES)
            continue;
        if (l->kind == LATE_READS)
            FL_PUSH(r->read_late, variable);
        else
            bind_late(s, at, variable, reduction);
    }
}

// Marks what the reduction binds as bound, one after the other, and lists what they pass on. False:
// out of memory.
static bool make_bindings(sorted *s, uint32_t reduction)
{
    fl_recorder *r = s->r;
    uint32_t first = 0;
    r->passed.n = r->passed_ends.n = r->read_late.n = 0;
    for (uint32_t i = 0; i < r->bindings.n; i++) {
        trace_binding *b = &r->bindings.at[i];
        uint32_t end = r->recorded_ends.n > 0 ? r->recorded_ends.at[i] : 0;
        uint32_t n = skip_aliases(s, r->recorded.at + first, end - first);
        for (uint32_t k = first; k < first + n; k++)
            FL_PUSH(r->passed, r->recorded.at[k]);
        first = end;
        if (r->to_variable.at[i] && !note_alias(s, b))
            return false;
        FL_PUSH(r->passed_ends, r->passed.n);
        s->makers[b->variable] = reduction;
    }
    return true;
}

// What others read on behalf of this reduction, if it was bound by then.
static void add_read_late(sorted *s, uint32_t reduction)
{
    fl_recorder *r = s->r;
    for (uint32_t i = 0; i < r->read_late.n; i++) {
        uint32_t variable = r->read_late.at[i];
        if (!is_bound(s, variable) || s->listed[variable] == reduction)
            continue;
        s->listed[variable] = reduction;
        FL_PUSH(r->followed, variable);
    }
}

static bool all_bound(const sorted *s, const uint32_t *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!is_bound(s, at[i]))
            return false;
    return true;
}

// The reduction depends on one that is not in the trace, so it is not in the trace either.
static void leave_out(sorted *s, vm_stamp *stamp, uint32_t *cells, uint64_t ncells)
{
    for (uint32_t i = 0; i < s->r->bindings.n; i++)
        if (s->r->bindings.at[i].variable != TRACE_NONE)
            s->makers[s->r->bindings.at[i].variable] = 0;
    stamp->recorder_number = 0;
    memset(cells, 0xff, ncells * sizeof *cells);
    s->ncells -= (uint32_t)ncells;
}

static const vm_predicate *predicate_of(const fl_recorder *r, const fl_head *h)
{
    return h->clause ? r->code->clauses[h->clause - 1]->predicate
                     : r->code->predicates[h->predicate];
}

static uint32_t decisive_reads(const sorted *s, const vm_stamp *stamp)
{
    fl_recorder *r = s->r;
    FL_RESERVE(r->times, r->reads.n);
    for (uint32_t i = 0; i < r->reads.n; i++)
        r->times.at[i] = s->stamps[s->makers[r->reads.at[i]] - 1]->time;
    return fl_part_decisive(r->reads.at, r->times.at, r->reads.n,
                            stamp->parent ? stamp->parent->time : 0);
}

// Writes the reduction; its goals get their numbers.
static void give_to_writer(sorted *s, vm_stamp *stamp, const fl_head *head, trace_reduction *out)
{
    fl_recorder *r = s->r;
    uint32_t ngoals = head->clause == 0 ? out->ngoals : goals_of(r, out->clause);
    if (r->part) {
        uint32_t goal = stamp->parent ? out->goal : 0;
        const vm_predicate *predicate = stamp->parent ? predicate_of(r, head) : NULL;
        if (!fl_part_has(r->part, predicate, goal, ngoals)) {
            r->reads.n = decisive_reads(s, stamp);
            r->followed.n = r->passed.n = 0;
        }
    }
    out->nreads = (uint32_t)r->reads.n;
    out->reads = r->reads.at;
    out->nfollowed = (uint32_t)r->followed.n;
    out->followed = r->followed.at;
    out->nbindings = (uint32_t)r->bindings.n;
    out->bindings = r->bindings.at;
    out->npassed = (uint32_t)r->passed.n;
    out->passed = r->passed.at;
    out->passed_ends = r->passed_ends.at;
    tw_reduction(r->writer, out);
    stamp->recorder_number = 1 + s->ngoals;
    s->ngoals += ngoals;
}

// The reduction at this place among the stamps. False: out of memory.
static bool write_reduction(sorted *s, size_t place, const aged *age)
{
    fl_recorder *r = s->r;
    vm_stamp *stamp = age->stamp;
    uint32_t reduction = (uint32_t)place + 1;
    source x;
    begin_source(s, age->record, &x);
    uint64_t ncells = x.head.ncells;
    uint32_t *cells = number_cells(s, x.head.machine, x.head.first_cell, ncells);
    s->ncells += (uint32_t)ncells;
    trace_reduction out;
    out.goal = age->goal;
    out.time = stamp->time;
    read_reduction(&x, age->record, &out);
    r->reads.n = skip_aliases(s, r->reads.at, r->reads.n);
    if (!x.known || !list_once(s, r->reads.at, &r->reads.n, reduction)) {
        r->bindings.n = 0; // none was made
        leave_out(s, stamp, cells, ncells);
        return true;
    }
    if (!make_bindings(s, reduction))
        return false;
    r->followed.n = skip_aliases(s, r->followed.at, r->followed.n);
    if (!list_once(s, r->followed.at, &r->followed.n, reduction) ||
        !all_bound(s, r->passed.at, r->passed.n)) {
        leave_out(s, stamp, cells, ncells);
        return true;
    }
    if (s->nlate > 0)
        add_late(s, stamp, reduction);
    add_read_late(s, reduction);
    give_to_writer(s, stamp, &x.head, &out);
    return true;
}

// ---- The order ------------------------------------------------------------------------------
//
// Stamps and records lie in the order in which workers reduced, and are used in that of virtual
// time: nearly every access would wait for memory. So all loops say early what they are going to use.

enum { STAMP_AHEAD = 16, PARENT_AHEAD = 8, RECORD_AHEAD = 12, CELLS_AHEAD = 6 };

static int64_t last_time(vm_stamp *const *stamps, size_t n)
{
    int64_t last = 0;
    for (size_t i = 0; i < n; i++)
        if (stamps[i]->time > last)
            last = stamps[i]->time;
    return last;
}

// Sorts by the bits of the time from `shift` on; the result is `to`.
static void sort_by_digit(vm_stamp *const *from, vm_stamp **to, size_t n, unsigned shift,
                          uint64_t mask, size_t *count)
{
    memset(count, 0, (mask + 2) * sizeof *count);
    for (size_t i = 0; i < n; i++)
        count[((uint64_t)from[i]->time >> shift & mask) + 1]++;
    for (size_t i = 1; i <= mask; i++)
        count[i] += count[i - 1];
    for (size_t i = 0; i < n; i++)
        to[count[(uint64_t)from[i]->time >> shift & mask]++] = from[i];
}

// At once where there are not many more times than reductions, else by 16 bits after the other, the
// lowest first.
static bool sort_by_time(vm_stamp **stamps, size_t n)
{
    int64_t last = last_time(stamps, n);
    uint64_t mask = (uint64_t)last < 4 * (uint64_t)n ? UINT64_MAX >> __builtin_clzll(last | 1)
                                                     : (1 << 16) - 1;
    vm_stamp **from = stamps, **to = malloc((n + 1) * sizeof(vm_stamp *)), **spare = to;
    size_t *count = malloc((mask + 2) * sizeof *count);
    bool good = to && count;
    for (unsigned shift = 0; good && shift < 64 && last >> shift; ) {
        sort_by_digit(from, to, n, shift, mask, count);
        vm_stamp **swap = from;
        from = to;
        to = swap;
        shift += (unsigned)__builtin_popcountll(mask);
    }
    if (good && from != stamps)
        memcpy(stamps, from, n * sizeof(vm_stamp *));
    free(spare);
    free(count);
    return good;
}

static int by_goal(const void *a, const void *b)
{
    uint32_t x = ((const aged *)a)->goal, y = ((const aged *)b)->goal;
    return x < y ? -1 : x > y;
}

// Sorts those of one time by goal: few by comparing, many by bytes of the number. False: out of memory.
static bool sort_ages(sorted *s, size_t n, uint32_t least, uint32_t most)
{
    enum { FEW = 48 };
    if (n < FEW) {
        qsort(s->ages.at, n, sizeof *s->ages.at, by_goal);
        return true;
    }
    s->spare.n = 0;
    if (!ARRAY_RESERVE(s->spare, n))
        return false;
    aged *from = s->ages.at, *to = s->spare.at;
    for (unsigned shift = 0; shift < 32 && (most - least) >> shift; shift += 8) {
        size_t count[257] = {0};
        for (size_t i = 0; i < n; i++)
            count[((from[i].goal - least) >> shift & 255) + 1]++;
        for (size_t i = 1; i < 256; i++)
            count[i] += count[i - 1];
        for (size_t i = 0; i < n; i++)
            to[count[(from[i].goal - least) >> shift & 255]++] = from[i];
        aged *swap = from;
        from = to;
        to = swap;
    }
    if (from != s->ages.at)
        memcpy(s->ages.at, from, n * sizeof *from);
    return true;
}

// Sorts reductions of one time by their goals, whose parents are numbered; those that are not in
// the trace are left out. How many stay; SIZE_MAX: out of memory.
static size_t sort_by_age(sorted *s, vm_stamp **stamps, size_t n)
{
    size_t kept = 0;
    uint32_t least = UINT32_MAX, most = 0;
    bool in_order = true;
    s->ages.n = 0;
    if (!ARRAY_RESERVE(s->ages, n))
        return SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        vm_stamp *stamp = stamps[i];
        if (i + PARENT_AHEAD < n)
            __builtin_prefetch(stamps[i + PARENT_AHEAD]->parent);
        bool orphan = stamp->parent && stamp->parent->recorder_number == 0;
        stamp->recorder_number = 0;
        if (orphan)
            continue;
        uint32_t goal = goal_of(stamp);
        s->ages.at[kept] = (aged){goal, stamp, stamp->recorder_place};
        in_order &= kept == 0 || s->ages.at[kept - 1].goal < goal;
        least = goal < least ? goal : least;
        most = goal > most ? goal : most;
        kept++;
    }
    if (!in_order && !sort_ages(s, kept, least, most))
        return SIZE_MAX;
    for (size_t i = 0; i < kept; i++)
        stamps[i] = s->ages.at[i].stamp;
    return kept;
}

static int by_maker(const void *a, const void *b)
{
    const late_act *x = a, *y = b;
    if (x->act.maker != y->act.maker)
        return x->act.maker < y->act.maker ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static void collect_late(sorted *s)
{
    for (uint32_t i = 0; i < s->r->nbuffers; i++)
        s->nlate += s->numbers.looks[i].nlate;
    s->late = vm_alloc((s->nlate + 1) * sizeof *s->late);
    size_t n = 0;
    for (uint32_t i = 0; i < s->r->nbuffers; i++) {
        const fl_look *look = &s->numbers.looks[i];
        for (uint32_t k = 0; k < look->nlate; k++, n++)
            s->late[n] = (late_act){look->late[k], n};
    }
    if (n > 0)
        qsort(s->late, n, sizeof *s->late, by_maker);
}

// Numbers for all cells that the machines made.
static bool make_room(sorted *s)
{
    size_t total = 1;
    for (uint32_t i = 0; i < s->r->nbuffers; i++) {
        size_t n = s->numbers.looks[i].ncells;
        total += n;
        if (!(s->numbers.cells[i] = malloc((n + 1) * sizeof **s->numbers.cells)))
            return false;
        memset(s->numbers.cells[i], 0xff, n * sizeof **s->numbers.cells);
    }
    s->makers = calloc(total, sizeof *s->makers);
    s->listed = calloc(total, sizeof *s->listed);
    s->aliased = calloc(total / 64 + 1, sizeof *s->aliased);
    return s->makers && s->listed && s->aliased;
}

static bool collect(sorted *s, const vm_machine *m)
{
    fl_recorder *r = s->r;
    s->numbers.tick = vm_tick(m);
    s->stamps = vm_stamps(m, &s->n);
    s->numbers.cells = calloc(r->nbuffers, sizeof *s->numbers.cells);
    s->numbers.looks = vm_alloc(r->nbuffers * sizeof *s->numbers.looks);
    if (!s->stamps || !s->numbers.cells)
        return false;
    for (uint32_t i = 0; i < r->nbuffers; i++)
        s->numbers.looks[i] = fl_look_at(&r->buffers[i]);
    collect_late(s);
    return make_room(s) && sort_by_time(s->stamps, s->n);
}

static bool is_stopped(const sorted *s)
{
    return s->stop && __atomic_load_n(s->stop, __ATOMIC_RELAXED);
}

// Where the numbers of the record's cells are going to be, and those of what it read are.
static void prefetch_cells(const sorted *s, const uint8_t *place)
{
    if (!is_short(place))
        return;
    const fl_short *x = short_of(place);
    const uint32_t *at = (const void *)(x + 1), *own = s->numbers.cells[x->machine] + x->first_cell;
    __builtin_prefetch(own, 1);
    for (uint32_t i = 0, n = short_reads(x); i < n; i++) {
        uint32_t word = *at++;
        if ((word & 7) == SHORT_NEAR)
            __builtin_prefetch(own - ((int32_t)word >> 3));
        else
            at++;
    }
}

// The first `n` of ages, which are at this place among the stamps.
static bool write_step(sorted *s, size_t place, size_t n)
{
    const aged *ages = s->ages.at;
    for (size_t k = 0; k < n; k++) {
        if (k + RECORD_AHEAD < n) {
            __builtin_prefetch(ages[k + RECORD_AHEAD].record);
            __builtin_prefetch(ages[k + RECORD_AHEAD].stamp, 1);
        }
        if (k + CELLS_AHEAD < n)
            prefetch_cells(s, ages[k + CELLS_AHEAD].record);
        bool written = is_short(ages[k].record) && fl_write_short(s, place + k, &ages[k]);
        if (!written && !write_reduction(s, place + k, &ages[k]))
            return false;
    }
    return true;
}

static bool write_all(sorted *s)
{
    bool good = true;
    for (size_t i = 0, next; good && i < s->n && !is_stopped(s); i = next) {
        for (next = i; next < s->n && s->stamps[next]->time == s->stamps[i]->time; next++)
            if (next + STAMP_AHEAD < s->n)
                __builtin_prefetch(s->stamps[next + STAMP_AHEAD], 1);
        size_t n = sort_by_age(s, s->stamps + i, next - i);
        good = n != SIZE_MAX && write_step(s, i, n);
    }
    return good;
}

// ---- Suspended goals ------------------------------------------------------------------------

static uint32_t goal_number(const vm_goal *goal)
{
    uint32_t first = first_goal_of(goal->parent);
    return first == TRACE_NONE ? TRACE_NONE : first + goal->id;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = goal_number(*(vm_goal *const *)a), y = goal_number(*(vm_goal *const *)b);
    return x < y ? -1 : x > y;
}

static void write_waiting(sorted *s, vm_machine *m)
{
    fl_recorder *r = s->r;
    size_t ngoals, nvariables;
    vm_goal **goals = vm_suspended(m, &ngoals);
    if (ngoals > 0)
        qsort(goals, ngoals, sizeof(vm_goal *), by_number);
    for (size_t i = 0; i < ngoals && goal_number(goals[i]) != TRACE_NONE; i++) {
        vm_var **variables = vm_goal_waits(m, goals[i], &nvariables);
        r->reads.n = 0;
        for (size_t k = 0; k < nvariables; k++) {
            uint32_t variable = cell_of_number(&s->numbers, variables[k]->number);
            if (variable != TRACE_NONE && !is_bound(s, variable))
                FL_PUSH(r->reads, variable);
        }
        tw_waiting(r->writer, goal_number(goals[i]), r->reads.at, r->reads.n);
    }
}

static void destroy(sorted *s)
{
    for (uint32_t i = 0; s->numbers.cells && i < s->r->nbuffers; i++)
        free(s->numbers.cells[i]);
    free(s->numbers.cells);
    free(s->stamps);
    free(s->makers);
    free(s->listed);
    free(s->aliased);
    free(s->aliases.at);
    free(s->ages.at);
    free(s->spare.at);
    index_free(&s->alias_index);
}

static void write_workers(fl_recorder *r, const vm_machine *m, vm_memory_pauses pauses)
{
    uint32_t n = vm_real_threads(m);
    double tick = vm_tick(m);
    trace_collector collector = {pauses.count, pauses.total, pauses.longest};
    trace_worker *workers = vm_alloc_atomic((n + 1) * sizeof *workers);
    for (uint32_t i = 0; i < n; i++) {
        vm_real_sums sums = vm_real_get_sums(m, i);
        workers[i] = (trace_worker){.waits = sums.waits,
                                    .waiting = (uint64_t)((double)sums.waiting * tick),
                                    .locks = sums.locks,
                                    .locked = (uint64_t)((double)sums.locked * tick)};
    }
    tw_workers(r->writer, &collector, workers, n);
}

// By worker: nanoseconds from one note to the next, and how many goals were ready.
static void write_ready(fl_recorder *r, uint64_t before)
{
    trace_ready *ready = base_allocate(r->workers, sizeof *ready);
    for (uint32_t i = 0; i < r->workers; i++) {
        vm_ready_counts counts = {0};
        vm_states_take_ready(r->states, i, &counts);
        trace_ready_count *list = base_allocate(counts.n + 1, sizeof *list);
        for (size_t k = 0; k < counts.n; k++)
            list[k] = (trace_ready_count){(before + counts.at[k].sample) * STATES_EVERY,
                                          counts.at[k].goals};
        ready[i] = (trace_ready){(uint32_t)counts.n, list};
        free(counts.at);
    }
    tw_ready(r->writer, ready, r->workers);
    for (uint32_t i = 0; i < r->workers; i++)
        free((trace_ready_count *)(uintptr_t)ready[i].counts);
    free(ready);
}

// Samples are of the time since the run began; before it, since the clock began, nobody worked.
static void take_states(fl_recorder *r, uint32_t worker, uint64_t before, uint64_t due,
                        vm_state_runs *ret)
{
    vm_state_runs runs = {0};
    vm_states_take(r->states, worker, due, &runs);
    if (before > 0)
        ARRAY_PUSH(*ret, before << 2 | STATE_IDLE);
    for (size_t i = 0; i < runs.n; i++)
        ARRAY_PUSH(*ret, runs.at[i]);
    free(runs.at);
}

static void write_states(fl_recorder *r, const vm_machine *m)
{
    uint64_t began = vm_states_began(r->states), clock = vm_real_began(m);
    uint64_t before = began > clock ? (began - clock) / STATES_EVERY : 0;
    uint64_t due = vm_states_due(r->states);
    vm_state_runs *runs = base_allocate(r->workers, sizeof *runs);
    trace_sampled *sampled = base_allocate(r->workers, sizeof *sampled);
    for (uint32_t i = 0; i < r->workers; i++) {
        take_states(r, i, before, due, &runs[i]);
        sampled[i] = (trace_sampled){(uint32_t)runs[i].n, runs[i].at};
    }
    tw_samples(r->writer, &(trace_samples){.every = STATES_EVERY, .n = before + due,
                                           .nworkers = r->workers, .workers = sampled});
    for (uint32_t i = 0; i < r->workers; i++)
        free(runs[i].at);
    free(runs);
    free(sampled);
    write_ready(r, before);
}

bool fl_write_real(fl_recorder *r, vm_machine *m, const vm_goal *failure, uint32_t *ret_failed)
{
    vm_memory_pauses pauses = vm_memory_get_pauses(); // before writing makes more
    sorted s = {.r = r};
    bool good = collect(&s, m) && write_all(&s);
    if (good) {
        write_waiting(&s, m);
        write_workers(r, m, pauses);
        if (r->states)
            write_states(r, m);
        uint32_t raced = vm_count_races(m);
        if (raced > 0)
            tw_raced(r->writer, raced);
        if (failure)
            *ret_failed = goal_number(failure);
    }
    destroy(&s);
    return good;
}

bool fl_write_so_far(fl_recorder *r, const vm_machine *m, const bool *stop)
{
    sorted s = {.r = r, .stop = stop};
    bool good = collect(&s, m) && write_all(&s) && !is_stopped(&s);
    destroy(&s);
    return good;
}
