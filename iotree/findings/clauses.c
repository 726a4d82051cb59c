// SPDX-License-Identifier: MIT
//
// What the text of clauses says about a wait.
#include "iotree/findings/clauses.h"

#include "base/table.h"
#include "iotree/findings/findings.h"
#include "iotree/terms/values.h"

// Larger clauses and predicates are not looked into: all their tests count as decisions.
enum { MOST_PATTERNS = 512, MOST_CLAUSES = 64 };

clause_facts *clause_facts_create(const trace *t)
{
    clause_facts *f = base_allocate(1, sizeof *f);
    uint32_t n = trace_nclauses(t);
    f->t = t;
    f->first = base_allocate((size_t)trace_npredicates(t) + 2, sizeof *f->first);
    f->clauses = base_allocate(n, sizeof *f->clauses);
    f->paths = base_allocate(n, sizeof *f->paths);
    for (uint32_t c = 0; c < n; c++)
        f->first[trace_get_clause(t, c)->predicate + 2]++;
    for (uint32_t p = 0; p < trace_npredicates(t); p++)
        f->first[p + 2] += f->first[p + 1];
    for (uint32_t c = 0; c < n; c++)
        f->clauses[f->first[trace_get_clause(t, c)->predicate + 1]++] = c;
    return f;
}

void clause_facts_destroy(clause_facts *f)
{
    for (uint32_t c = 0; c < trace_nclauses(f->t); c++)
        free(f->paths[c]);
    free(f->paths);
    free(f->first_argument);
    free(f->idle);
    call_graph_destroy(f->calls);
    map_free(&f->tokens);
    free(f->token_list.at);
    free(f->has_tokens);
    free(f->one_loop);
    free(f->clauses);
    free(f->first);
    free(f);
}

bool clause_is_told(const clause_facts *f, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(f->t, clause);
    uint32_t p = c->predicate;
    return !c->dynamic && (c->nhead > 0 || c->nguards > 0) && c->npatterns <= MOST_PATTERNS &&
           f->first[p + 1] - f->first[p] <= MOST_CLAUSES && c->source != TRACE_NONE &&
           trace_get_predicate(f->t, p)->origin == TRACE_PROGRAM;
}

// ---------------------------------------------------------------------------------------------
// Forms: numbers that are equal for patterns that say the same. A variable is said by the place in
// the head at which it occurs first.

typedef struct {
    uint32_t node;
    uint64_t path;
} placed_node;

// Never 0.
static uint64_t path_below(uint64_t path, uint32_t child)
{
    return hash_word(hash_word(0, path), child + 1ull) | 1;
}

static uint64_t *variable_path(const trace_clause *c, uint64_t *paths, const trace_node *n)
{
    return &paths[n->kind == TN_HOLE ? n->index : c->nholes + n->index];
}

static void find_paths(const trace_clause *c, uint64_t *nodes, uint64_t *variables)
{
    ARRAY_OF(placed_node) stack = {0};
    for (uint32_t i = c->nhead; i-- > 0;)
        ARRAY_PUSH(stack, (placed_node){c->head[i], path_below(0, i)});
    while (stack.n > 0) {
        placed_node x = stack.at[--stack.n];
        const trace_node *n = &c->patterns[x.node];
        nodes[x.node] = x.path;
        if (n->kind == TN_HOLE || n->kind == TN_FRESH) {
            uint64_t *path = variable_path(c, variables, n);
            *path = *path ? *path : x.path;
        }
        for (uint32_t i = n->n; i-- > 0;)
            ARRAY_PUSH(stack,
                       (placed_node){c->pattern_children[n->first + i], path_below(x.path, i)});
    }
    free(stack.at);
}

// By pattern: first its place in the head, then, from npatterns on, its form.
static const uint64_t *paths_of(clause_facts *f, uint32_t clause)
{
    if (f->paths[clause])
        return f->paths[clause];
    const trace_clause *c = trace_get_clause(f->t, clause);
    uint64_t *paths = base_allocate((size_t)c->npatterns * 2, sizeof *paths);
    uint64_t *variables = base_allocate((size_t)c->nholes + c->nunused, sizeof *variables);
    find_paths(c, paths, variables);
    for (uint32_t i = 0; i < c->npatterns; i++) {
        const trace_node *n = &c->patterns[i];
        uint64_t form = hash_word(n->kind, n->n);
        if (n->kind == TN_HOLE || n->kind == TN_FRESH)
            form = *variable_path(c, variables, n);
        else if (n->kind == TN_CONST || n->kind == TN_STRUCT)
            form = hash_word(hash_word(form, n->value.kind), (uint64_t)n->value.i);
        for (uint32_t k = 0; k < n->n; k++)
            form = hash_word(form, paths[c->npatterns + c->pattern_children[n->first + k]]);
        paths[c->npatterns + i] = form;
    }
    free(variables);
    return f->paths[clause] = paths;
}

static uint64_t form_of_guard(clause_facts *f, uint32_t clause, uint32_t guard)
{
    const trace_clause *c = trace_get_clause(f->t, clause);
    const uint64_t *forms = paths_of(f, clause) + c->npatterns;
    const trace_guard *g = &c->guards[guard];
    uint64_t form = hash_word(g->name, g->n);
    for (uint32_t i = 0; i < g->n; i++)
        form = hash_word(form, forms[c->pattern_children[g->first + i]]);
    return form;
}

// ---------------------------------------------------------------------------------------------
// Variables

static void see_all(const trace_clause *c, uint32_t root, void (*see)(void *data, head_variable v),
                    void *data)
{
    ARRAY_OF(uint32_t) stack = {0};
    ARRAY_PUSH(stack, root);
    while (stack.n > 0) {
        const trace_node *n = &c->patterns[stack.at[--stack.n]];
        if (n->kind == TN_HOLE || n->kind == TN_FRESH)
            see(data, (head_variable){n->kind == TN_HOLE, n->index});
        for (uint32_t i = n->n; i-- > 0;)
            ARRAY_PUSH(stack, c->pattern_children[n->first + i]);
    }
    free(stack.at);
}

void test_variables(const trace *t, clause_test test, void (*see)(void *data, head_variable v),
                    void *data)
{
    const trace_clause *c = trace_get_clause(t, test.clause);
    if (!test.guard) {
        see_all(c, test.at, see, data);
        return;
    }
    const trace_guard *g = &c->guards[test.at];
    for (uint32_t i = 0; i < g->n; i++)
        see_all(c, c->pattern_children[g->first + i], see, data);
}

typedef struct {
    const trace_clause *c;
    uint8_t *marks; // by variable
    bool found;     // one that is marked (or, looking for new ones, one that is not)
} marking;

static uint8_t *mark_of(const marking *m, head_variable v)
{
    return &m->marks[v.used ? v.index : m->c->nholes + v.index];
}

static void mark(void *data, head_variable v)
{
    *mark_of(data, v) = 1;
}

void test_mark_variables(const trace *t, clause_test test, uint8_t *variables)
{
    marking m = {.c = trace_get_clause(t, test.clause), .marks = variables};
    test_variables(t, test, mark, &m);
}

static void find_marked(void *data, head_variable v)
{
    marking *m = data;
    m->found |= *mark_of(m, v) != 0;
}

static void find_unmarked(void *data, head_variable v)
{
    marking *m = data;
    m->found |= *mark_of(m, v) == 0;
}

static marking mark_variables(const trace *t, clause_test test)
{
    const trace_clause *c = trace_get_clause(t, test.clause);
    marking m = {.c = c, .marks = base_allocate((size_t)c->nholes + c->nunused, 1)};
    test_variables(t, test, mark, &m);
    return m;
}

bool guard_computes(const trace *t, uint32_t clause, uint32_t guard)
{
    const trace_clause *c = trace_get_clause(t, clause);
    marking m = {.c = c, .marks = base_allocate((size_t)c->nholes + c->nunused, 1)};
    for (uint32_t i = 0; i < c->nhead; i++)
        see_all(c, c->head[i], mark, &m);
    for (uint32_t g = 0; g < guard; g++)
        test_variables(t, (clause_test){clause, true, g}, mark, &m);
    test_variables(t, (clause_test){clause, true, guard}, find_unmarked, &m);
    free(m.marks);
    return m.found;
}

enum { KNOWN = 1, MARKED = 2 };

static void mark_known(void *data, head_variable v)
{
    *mark_of(data, v) |= KNOWN;
}

static void find_spread(void *data, head_variable v)
{
    marking *m = data;
    m->found |= (*mark_of(m, v) & MARKED) != 0;
}

// A variable that the guard computes has no mark yet.
static void mark_computed(void *data, head_variable v)
{
    uint8_t *mark = mark_of(data, v);
    *mark |= *mark ? 0 : MARKED;
}

void guards_spread(const trace *t, uint32_t clause, uint8_t *variables)
{
    const trace_clause *c = trace_get_clause(t, clause);
    marking m = {.c = c, .marks = base_allocate((size_t)c->nholes + c->nunused, 1)};
    for (uint32_t i = 0; i < c->nhead; i++)
        see_all(c, c->head[i], mark_known, &m);
    for (uint32_t i = 0; i < c->nholes + c->nunused; i++)
        m.marks[i] |= variables[i] ? MARKED : 0;
    for (uint32_t g = 0; g < c->nguards; g++) {
        clause_test guard = {clause, true, g};
        m.found = false;
        test_variables(t, guard, find_spread, &m);
        if (m.found)
            test_variables(t, guard, mark_computed, &m);
        test_variables(t, guard, mark_known, &m);
    }
    for (uint32_t i = 0; i < c->nholes + c->nunused; i++)
        variables[i] = (m.marks[i] & MARKED) != 0;
    free(m.marks);
}

// ---------------------------------------------------------------------------------------------
// Do guards exclude each other?

typedef struct {
    uint8_t outcomes; // 1 below, 2 equal, 4 above; 0: no comparison
    uint64_t left, right;
    const trace_node *left_node, *right_node;
} comparison;

static uint8_t outcomes_of(const char *name)
{
    static const struct {
        const char *name;
        uint8_t outcomes;
    } table[] = {{"<", 1},    {"=<", 3}, {">", 4},   {">=", 6}, {"=:=", 2},
                 {"=\\=", 5}, {"==", 2}, {"\\=", 5}, {"=", 2},  {"\\==", 5}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(name, table[i].name))
            return table[i].outcomes;
    return 0;
}

bool guard_compares(const trace *t, uint32_t clause, uint32_t guard)
{
    const trace_guard *g = &trace_get_clause(t, clause)->guards[guard];
    return g->n == 2 && outcomes_of(trace_string(t, g->name, NULL)) != 0;
}

static comparison comparison_of(clause_facts *f, uint32_t clause, uint32_t guard)
{
    const trace_clause *c = trace_get_clause(f->t, clause);
    const trace_guard *g = &c->guards[guard];
    comparison x = {0};
    if (g->n != 2)
        return x;
    const uint64_t *forms = paths_of(f, clause) + c->npatterns;
    uint32_t left = c->pattern_children[g->first], right = c->pattern_children[g->first + 1];
    x.outcomes = outcomes_of(trace_string(f->t, g->name, NULL));
    x.left = forms[left];
    x.right = forms[right];
    x.left_node = &c->patterns[left];
    x.right_node = &c->patterns[right];
    return x;
}

static comparison turned(comparison x)
{
    uint8_t o = x.outcomes;
    return (comparison){(uint8_t)((o & 2) | (o & 1) << 2 | o >> 2), x.right, x.left, x.right_node,
                        x.left_node};
}

static bool is_integer(const trace_node *n)
{
    return n->kind == TN_CONST && n->value.kind == TV_INT;
}

// Both compare one value, each with another number. Does no value make both true?
static bool numbers_exclude(comparison x, comparison y)
{
    if (x.right_node->value.i > y.right_node->value.i) {
        comparison z = x;
        x = y;
        y = z;
    }
    bool up_to_smaller = (x.outcomes & 3) && (y.outcomes & 1);
    bool from_greater = (x.outcomes & 4) && (y.outcomes & 6);
    bool between = (x.outcomes & 4) && (y.outcomes & 1);
    return !up_to_smaller && !from_greater && !between;
}

static bool never_both(comparison x, comparison y)
{
    if (!x.outcomes || !y.outcomes || x.left != y.left)
        return false;
    if (x.right == y.right)
        return (x.outcomes & y.outcomes) == 0;
    if (is_integer(x.right_node) && is_integer(y.right_node))
        return numbers_exclude(x, y);
    return x.outcomes == 2 && y.outcomes == 2 && x.right_node->kind == TN_CONST &&
           y.right_node->kind == TN_CONST; // two different ones
}

// Is the comparison false where its left side is this constant?
static bool refuses(comparison x, uint64_t path, const trace_node *constant)
{
    if (!x.outcomes || x.left != path || !is_integer(x.right_node) || constant->kind != TN_CONST)
        return false;
    if (constant->value.kind != TV_INT)
        return x.outcomes == 2;
    int64_t a = constant->value.i, b = x.right_node->value.i;
    return !(x.outcomes & (a < b ? 1 : a == b ? 2 : 4));
}

// Bytes by pattern of a clause: it is the one at `root`, or inside it. Children come first. malloc'ed.
static uint8_t *patterns_inside(const trace_clause *c, uint32_t root)
{
    uint8_t *inside = base_allocate(c->npatterns, 1);
    inside[root] = 1;
    for (uint32_t i = root + 1; i-- > 0;)
        for (uint32_t k = 0; inside[i] && k < c->patterns[i].n; k++)
            inside[c->pattern_children[c->patterns[i].first + k]] = 1;
    return inside;
}

// Does a constant of the other clause's head make the comparison false? Not one of these patterns
// (NULL: none is left out).
static bool constants_refuse(clause_facts *f, comparison x, uint32_t other, const uint8_t *except)
{
    const trace_clause *c = trace_get_clause(f->t, other);
    const uint64_t *paths = paths_of(f, other);
    for (uint32_t i = 0; i < c->npatterns; i++)
        if (!(except && except[i]) && paths[i] &&
            (refuses(x, paths[i], &c->patterns[i]) ||
             refuses(turned(x), paths[i], &c->patterns[i])))
            return true;
    return false;
}

// Does this guard exclude the other clause?
static bool guard_excludes(clause_facts *f, uint32_t clause, uint32_t guard, uint32_t other)
{
    const trace_clause *d = trace_get_clause(f->t, other);
    comparison x = comparison_of(f, clause, guard);
    if (!x.outcomes)
        return false;
    for (uint32_t g = 0; g < d->nguards; g++) {
        comparison y = comparison_of(f, other, g);
        if (never_both(x, y) || never_both(x, turned(y)))
            return true;
    }
    return constants_refuse(f, x, other, NULL);
}

// Do guards other than the test, and that do not use what the test lets them see, tell the clauses
// apart?
static bool guards_distinguish(clause_facts *f, clause_test test, uint32_t other)
{
    const trace_clause *c = trace_get_clause(f->t, test.clause);
    const trace_clause *d = trace_get_clause(f->t, other);
    marking m = mark_variables(f->t, test);
    bool found = false;
    for (uint32_t g = 0; g < c->nguards && !found; g++) {
        m.found = false;
        if (!test.guard)
            test_variables(f->t, (clause_test){test.clause, true, g}, find_marked, &m);
        if (!m.found && !(test.guard && test.at == g))
            found = guard_excludes(f, test.clause, g, other);
    }
    free(m.marks);
    uint8_t *tested = test.guard ? NULL : patterns_inside(c, test.at);
    for (uint32_t g = 0; g < d->nguards && !found; g++)
        found = constants_refuse(f, comparison_of(f, other, g), test.clause, tested);
    free(tested);
    return found;
}

// ---------------------------------------------------------------------------------------------
// Heads

typedef struct {
    bool outside; // they differ at a place that is not in the test: no term fits both
    bool reached; // the other head has a pattern where the test is,
    bool inside;  // and another one there
    bool equal;   // what is there must be equal to what stands elsewhere in the head
    bool watched; // the other clause has a variable there that it compares, in a guard or in its head
} head_comparison;

typedef struct {
    uint32_t x, y;
    bool inside;
} node_pair;

static bool is_variable_node(const trace_node *n)
{
    return n->kind == TN_HOLE || n->kind == TN_FRESH;
}

static bool nodes_differ(const trace_node *x, const trace_node *y)
{
    if (x->kind != y->kind || x->n != y->n)
        return true;
    if (x->kind == TN_CONST || x->kind == TN_STRUCT)
        return !is_same_value(x->value, y->value);
    return false;
}

static bool is_repeated(const trace_clause *c, const trace_node *variable)
{
    uint32_t places = 0;
    for (uint32_t i = 0; i < c->npatterns; i++)
        places += c->patterns[i].kind == variable->kind && c->patterns[i].index == variable->index;
    return places > 1;
}

static bool is_compared(const trace *t, uint32_t clause, const trace_node *variable)
{
    const trace_clause *c = trace_get_clause(t, clause);
    for (uint32_t g = 0; g < c->nguards; g++)
        if (test_has_variable(t, (clause_test){clause, true, g}, variable))
            return true;
    return is_repeated(c, variable);
}

static head_comparison compare_heads(const trace *t, clause_test test, uint32_t other)
{
    const trace_clause *c = trace_get_clause(t, test.clause), *d = trace_get_clause(t, other);
    head_comparison ret = {0};
    ARRAY_OF(node_pair) stack = {0};
    for (uint32_t i = 0; i < c->nhead && i < d->nhead; i++)
        ARRAY_PUSH(stack, (node_pair){c->head[i], d->head[i], false});
    while (stack.n > 0) {
        node_pair p = stack.at[--stack.n];
        const trace_node *x = &c->patterns[p.x], *y = &d->patterns[p.y];
        bool here = !test.guard && p.x == test.at, inside = p.inside || here;
        bool free_x = is_variable_node(x), free_y = is_variable_node(y);
        ret.reached |= here && !free_y;
        ret.inside |= inside && free_x != free_y;
        ret.equal |= inside && free_x && is_repeated(c, x);
        ret.watched |= inside && free_y && is_compared(t, other, y);
        if (free_x || free_y)
            continue;
        if (nodes_differ(x, y)) {
            ret.inside |= inside;
            ret.outside |= !inside;
            continue;
        }
        for (uint32_t i = 0; i < x->n; i++)
            ARRAY_PUSH(stack, (node_pair){c->pattern_children[x->first + i],
                                          d->pattern_children[y->first + i], inside});
    }
    free(stack.at);
    return ret;
}

// ---------------------------------------------------------------------------------------------
// Decisions

static bool has_guard(clause_facts *f, uint32_t clause, uint64_t form)
{
    for (uint32_t g = 0; g < trace_get_clause(f->t, clause)->nguards; g++)
        if (form_of_guard(f, clause, g) == form)
            return true;
    return false;
}

bool clause_has_otherwise(const clause_facts *f, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(f->t, clause);
    return clause_is_told(f, clause) && c->nguards > 0 && c->guards[0].n == 0 &&
           !strcmp(trace_string(f->t, c->guards[0].name, NULL), "otherwise");
}

bool clause_is_below_otherwise(const clause_facts *f, uint32_t clause, uint32_t other)
{
    const trace_clause *c = trace_get_clause(f->t, clause);
    uint32_t above = other == IOT_NONE ? 0 : trace_get_clause(f->t, other)->number;
    for (uint32_t i = f->first[c->predicate]; i < f->first[c->predicate + 1]; i++) {
        uint32_t number = trace_get_clause(f->t, f->clauses[i])->number;
        if (clause_has_otherwise(f, f->clauses[i]) && number <= c->number && number > above)
            return true;
    }
    return false;
}

// A clause below `otherwise` is chosen when the other one is known to fail, who compares what is there.
bool test_decides_against(clause_facts *f, clause_test test, uint32_t other)
{
    head_comparison heads = compare_heads(f->t, test, other);
    if (heads.outside || guards_distinguish(f, test, other))
        return false;
    if (test.guard)
        return !has_guard(f, other, form_of_guard(f, test.clause, test.at));
    return !heads.reached || heads.inside || heads.equal ||
           (heads.watched && clause_is_below_otherwise(f, test.clause, other));
}

static bool decides_alone(clause_facts *f, clause_test test)
{
    uint32_t p = trace_get_clause(f->t, test.clause)->predicate;
    if (test.guard && guard_computes(f->t, test.clause, test.at))
        return true;
    for (uint32_t i = f->first[p]; i < f->first[p + 1]; i++) {
        uint32_t other = f->clauses[i];
        if (other != test.clause && test_decides_against(f, test, other))
            return true;
    }
    return false;
}

bool test_decides(clause_facts *f, clause_test test)
{
    if (decides_alone(f, test))
        return true;
    if (test.guard)
        return false;
    // A guard that looks at what the pattern takes apart.
    marking m = mark_variables(f->t, test);
    bool decides = false;
    for (uint32_t g = 0; g < m.c->nguards && !decides; g++) {
        clause_test guard = {test.clause, true, g};
        m.found = false;
        test_variables(f->t, guard, find_marked, &m);
        decides = m.found && decides_alone(f, guard);
    }
    free(m.marks);
    return decides;
}

// ---------------------------------------------------------------------------------------------
// Goals that several clauses make

// The only goal of the predicate in the body; IOT_NONE: none, or several.
static uint32_t only_goal(const trace_clause *c, uint32_t predicate)
{
    uint32_t found = IOT_NONE, n = 0;
    for (uint32_t i = 0; i < c->nitems; i++)
        if (c->items[i].kind == TI_GOAL && c->items[i].predicate == predicate) {
            found = i;
            n++;
        }
    return n == 1 ? found : IOT_NONE;
}

// Where a hole is in the head: a number that is equal for the same place; 0: not in the head.
static uint64_t hole_path(clause_facts *f, uint32_t clause, uint32_t hole)
{
    const trace_clause *c = trace_get_clause(f->t, clause);
    const uint64_t *paths = paths_of(f, clause);
    for (uint32_t i = 0; i < c->npatterns; i++)
        if (c->patterns[i].kind == TN_HOLE && c->patterns[i].index == hole && paths[i])
            return paths[c->npatterns + i];
    return 0;
}

typedef struct {
    clause_facts *f;
    uint32_t x, y; // clauses
} body_pair;

static bool same_argument(const body_pair *p, const trace_node *x, const trace_node *y)
{
    if (x->kind != y->kind || x->n != y->n)
        return false;
    if (x->kind == TN_HOLE) {
        uint64_t path = hole_path(p->f, p->x, x->index);
        return path != 0 && path == hole_path(p->f, p->y, y->index);
    }
    if (x->kind == TN_FRESH)
        return true;
    return !nodes_differ(x, y);
}

static bool same_term(const body_pair *p, uint32_t x, uint32_t y)
{
    const trace_clause *c = trace_get_clause(p->f->t, p->x), *d = trace_get_clause(p->f->t, p->y);
    ARRAY_OF(node_pair) stack = {0};
    bool same = true;
    ARRAY_PUSH(stack, (node_pair){x, y, false});
    while (stack.n > 0 && same) {
        node_pair at = stack.at[--stack.n];
        const trace_node *m = &c->nodes[at.x], *n = &d->nodes[at.y];
        same = same_argument(p, m, n);
        for (uint32_t i = 0; same && i < m->n; i++)
            ARRAY_PUSH(stack,
                       (node_pair){c->children[m->first + i], d->children[n->first + i], false});
    }
    free(stack.at);
    return same;
}

// Has the other clause an item with the same terms?
static bool has_item(clause_facts *f, uint32_t clause, const trace_item *x, uint32_t other)
{
    const trace_clause *c = trace_get_clause(f->t, clause), *d = trace_get_clause(f->t, other);
    body_pair p = {f, clause, other};
    for (uint32_t i = 0; i < d->nitems; i++) {
        const trace_item *y = &d->items[i];
        bool same = x->kind == y->kind && x->n == y->n &&
                    (x->kind == TI_UNIFY || x->predicate == y->predicate);
        for (uint32_t k = 0; k < x->n && same; k++)
            same = same_term(&p, c->children[x->first + k], d->children[y->first + k]);
        if (same)
            return true;
    }
    return false;
}

static bool goal_is_in(clause_facts *f, uint32_t clause, const trace_item *x, uint32_t other,
                       uint64_t *ret_differs)
{
    const trace_clause *c = trace_get_clause(f->t, clause), *d = trace_get_clause(f->t, other);
    uint32_t goal = only_goal(d, x->predicate);
    body_pair p = {f, clause, other};
    for (uint32_t k = 0; k < x->n && ret_differs && goal != IOT_NONE; k++)
        if (!same_term(&p, c->children[x->first + k], d->children[d->items[goal].first + k]))
            *ret_differs |= 1ull << (k < 63 ? k : 63);
    return goal != IOT_NONE;
}

static bool has_items(clause_facts *f, uint32_t clause, uint32_t other)
{
    const trace_clause *c = trace_get_clause(f->t, clause);
    for (uint32_t i = 0; i < c->nitems; i++)
        if (!has_item(f, clause, &c->items[i], other))
            return false;
    return true;
}

bool clauses_do_the_same(clause_facts *f, uint32_t clause, uint32_t other)
{
    return clause_is_told(f, clause) && clause_is_told(f, other) && has_items(f, clause, other) &&
           has_items(f, other, clause);
}

bool item_is_common(clause_facts *f, clause_test test, uint32_t item, uint64_t *ret_differs)
{
    const trace_clause *c = trace_get_clause(f->t, test.clause);
    const trace_item *x = &c->items[item];
    bool goal = x->kind == TI_GOAL && only_goal(c, x->predicate) == item &&
                trace_get_predicate(f->t, x->predicate)->origin == TRACE_PROGRAM;
    for (uint32_t i = f->first[c->predicate]; i < f->first[c->predicate + 1]; i++) {
        uint32_t other = f->clauses[i];
        if (other == test.clause || !test_decides_against(f, test, other) ||
            has_item(f, test.clause, x, other))
            continue;
        if (!goal || !goal_is_in(f, test.clause, x, other, ret_differs))
            return false;
    }
    return true;
}

// Of an item that binds a variable of the head to a constant: the constant, and in *ret_path where
// the variable is in the head. NULL: of another item.
static const trace_node *constant_of(clause_facts *f, uint32_t clause, const trace_item *item,
                                     uint64_t *ret_path)
{
    const trace_clause *c = trace_get_clause(f->t, clause);
    if (item->kind != TI_UNIFY)
        return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        const trace_node *x = &c->nodes[c->children[item->first + i]];
        const trace_node *y = &c->nodes[c->children[item->first + 1 - i]];
        if (x->kind != TN_HOLE || y->kind == TN_HOLE || y->kind == TN_FRESH)
            continue;
        *ret_path = hole_path(f, clause, x->index);
        return *ret_path ? y : NULL;
    }
    return NULL;
}

typedef enum { NO_TOKEN, SIGNAL, CHOSEN } token_kind;

// What the clauses of a predicate bind to each place of the head: the first node, and whether others differ.
static void find_tokens(clause_facts *f, uint32_t predicate)
{
    uint64_t path;
    for (uint32_t i = f->first[predicate]; i < f->first[predicate + 1]; i++) {
        const trace_clause *d = trace_get_clause(f->t, f->clauses[i]);
        for (uint32_t k = 0; k < d->nitems; k++) {
            const trace_node *node = constant_of(f, f->clauses[i], &d->items[k], &path);
            uint64_t *at = node ? map_at(&f->tokens, hash_word(predicate, path)) : NULL;
            if (at && *at == MAP_ABSENT) {
                *at = f->token_list.n;
                ARRAY_PUSH(f->token_list, (clause_token){node, false});
            } else if (at) {
                clause_token *x = &f->token_list.at[*at];
                x->differs = x->differs || nodes_differ(node, x->node);
            }
        }
    }
}

// Of an item that binds a variable of the head to an atom: does another clause of the predicate bind
// that to anything else?
static token_kind kind_of_token(clause_facts *f, uint32_t clause, uint32_t item)
{
    const trace_clause *c = trace_get_clause(f->t, clause);
    uint64_t path;
    const trace_node *atom = constant_of(f, clause, &c->items[item], &path);
    if (!atom || atom->kind != TN_CONST || atom->value.kind != TV_ATOM ||
        !strcmp(trace_string(f->t, atom->value.id, NULL), "[]"))
        return NO_TOKEN;
    if (!f->has_tokens)
        f->has_tokens = base_allocate(trace_npredicates(f->t), 1);
    if (!f->has_tokens[c->predicate])
        find_tokens(f, c->predicate);
    f->has_tokens[c->predicate] = 1;
    uint64_t number = map_get(&f->tokens, hash_word(c->predicate, path));
    return number != MAP_ABSENT && f->token_list.at[number].differs ? CHOSEN : SIGNAL;
}

bool item_is_signal(clause_facts *f, uint32_t clause, uint32_t item)
{
    return kind_of_token(f, clause, item) == SIGNAL;
}

bool binding_is_chosen(clause_facts *f, uint32_t binding)
{
    if (binding == TRACE_NONE)
        return false;
    uint32_t item = trace_binding_item(f->t, binding);
    uint32_t clause = trace_reduction_clause(f->t, trace_binding_maker(f->t, binding));
    return item < trace_get_clause(f->t, clause)->nitems &&
           kind_of_token(f, clause, item) == CHOSEN;
}

bool reduction_checks(clause_facts *f, uint32_t reduction)
{
    const trace *t = f->t;
    uint32_t clause = trace_reduction_clause(t, reduction), n;
    const trace_clause *c = trace_get_clause(t, clause);
    const uint32_t *reads;
    bool constant = false, chosen = false;
    if (f->first[c->predicate + 1] - f->first[c->predicate] != 1)
        return false;
    for (uint32_t i = 0; i < c->nguards; i++)
        if (guard_compares(t, clause, i))
            return true;
    for (uint32_t i = 0; i < c->nhead; i++)
        constant |= c->patterns[c->head[i]].kind == TN_CONST;
    n = constant ? trace_reads(t, reduction, &reads) : 0;
    for (uint32_t i = 0; i < n && !chosen; i++)
        chosen = binding_is_chosen(f, trace_cell_binding(t, reads[i]));
    return chosen;
}

bool node_has_hole_of(const trace_clause *c, uint32_t root, const uint8_t *holes)
{
    ARRAY_OF(uint32_t) stack = {0};
    bool found = false;
    ARRAY_PUSH(stack, root);
    while (stack.n > 0) {
        const trace_node *n = &c->nodes[stack.at[--stack.n]];
        found |= n->kind == TN_HOLE && holes[n->index];
        for (uint32_t i = 0; i < n->n; i++)
            ARRAY_PUSH(stack, c->children[n->first + i]);
    }
    free(stack.at);
    return found;
}

bool item_has_hole_of(const trace_clause *c, const trace_item *item, const uint8_t *holes)
{
    for (uint32_t i = 0; i < item->n; i++)
        if (node_has_hole_of(c, c->children[item->first + i], holes))
            return true;
    return false;
}

// ---------------------------------------------------------------------------------------------
// As text

const char *head_variable_name(const trace_clause *c, const trace *t, head_variable v)
{
    uint32_t name = v.used ? c->names[c->nfresh + v.index] : c->unused[v.index];
    return name == TRACE_NONE ? "_" : trace_name(t, name);
}

uint32_t test_argument(const trace *t, clause_test test)
{
    const trace_clause *c = trace_get_clause(t, test.clause);
    marking m = {.c = c};
    if (test.guard)
        m = mark_variables(t, test);
    uint32_t found = IOT_NONE;
    for (uint32_t i = 0; i < c->nhead && found == IOT_NONE; i++) {
        if (test.guard) {
            m.found = false;
            see_all(c, c->head[i], find_marked, &m);
        } else {
            m.found = c->head[i] == test.at; // a test inside belongs to the argument around it
            ARRAY_OF(uint32_t) stack = {0};
            ARRAY_PUSH(stack, c->head[i]);
            while (stack.n > 0) {
                uint32_t node = stack.at[--stack.n];
                m.found |= node == test.at;
                for (uint32_t k = 0; k < c->patterns[node].n; k++)
                    ARRAY_PUSH(stack, c->pattern_children[c->patterns[node].first + k]);
            }
            free(stack.at);
        }
        found = m.found ? i : IOT_NONE;
    }
    free(m.marks);
    return found;
}
