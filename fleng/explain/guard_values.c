// SPDX-License-Identifier: MIT
//
// Tries guards again with the values of a goal that fits no clause, to find which test failed and
// for which values.
#include "fleng/explain/mismatch.h"

#include "fleng/compile/emit.h"
#include "fleng/reader/read_value.h"
#include "vm/look.h"

typedef struct {
    fl_report_context *context;
    const fl_clause *clause;
    vm_word *values; // by variable; 0: none
} trial;

typedef enum { TRIAL_HOLDS, TRIAL_FAILS, TRIAL_WAITS, TRIAL_UNKNOWN } outcome;

static outcome outcome_of(vm_look look)
{
    return look == VM_LOOK_HOLDS ? TRIAL_HOLDS : look == VM_LOOK_FAILS ? TRIAL_FAILS : TRIAL_WAITS;
}

static vm_word value_of(const trial *t, const fl_term *term)
{
    return fl_make_value(NULL, term, t->values);
}

// ---- The tests ----------------------------------------------------------------------------------

static bool order_holds(const char *name, int order)
{
    static const struct {
        const char *name;
        bool less, same, greater, unordered;
    } table[] = {
        {"<", true, false, false, false},  {">", false, false, true, false},
        {"=<", true, true, false, false},  {">=", false, true, true, false},
        {"=:=", false, true, false, false}, {"=\\=", true, false, true, true},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0)
            return order < 0    ? table[i].less
                   : order == 0 ? table[i].same
                   : order == 1 ? table[i].greater
                                : table[i].unordered;
    return false;
}

static outcome number_of(trial *t, const fl_term *term, vm_word *ret, fl_failed_test *f)
{
    vm_word bad_value = 0;
    const char *reason = NULL;
    outcome o = outcome_of(vm_look_number(t->context->machine, value_of(t, term),
                                          fl_pattern(t->clause, term), ret, &reason, &bad_value));
    if (o == TRIAL_FAILS) {
        f->reason = reason;
        f->bad_value = bad_value;
    }
    return o;
}

static outcome compare(trial *t, const fl_guard *g, fl_failed_test *f)
{
    outcome o = number_of(t, g->args[0], &f->left, f);
    if (o == TRIAL_HOLDS)
        o = number_of(t, g->args[1], &f->right, f);
    if (o != TRIAL_HOLDS)
        return o;
    return order_holds(g->name, vm_look_compare_numbers(f->left, f->right)) ? TRIAL_HOLDS : TRIAL_FAILS;
}

// A variable without a value gets it, else the two are compared.
static outcome becomes(trial *t, const fl_term *term, vm_word value)
{
    if (term->kind == FL_VAR && !t->values[term->var]) {
        t->values[term->var] = value;
        return TRIAL_HOLDS;
    }
    return outcome_of(vm_look_equal(t->context->machine, value_of(t, term), value));
}

static outcome assign(trial *t, const fl_guard *g, fl_failed_test *f)
{
    vm_word value;
    outcome o = number_of(t, g->args[1], &value, f);
    return o == TRIAL_HOLDS ? becomes(t, g->args[0], value) : o;
}

static outcome equality(trial *t, const fl_guard *g)
{
    vm_look look = vm_look_equal(t->context->machine, value_of(t, g->args[0]),
                                 value_of(t, g->args[1]));
    if (look != VM_LOOK_WAITS && g->kind == GUARD_DIFFER)
        look = look == VM_LOOK_HOLDS ? VM_LOOK_FAILS : VM_LOOK_HOLDS;
    return outcome_of(look);
}

static outcome functor(trial *t, const fl_guard *g)
{
    vm_word w = vm_value(value_of(t, g->args[0])), name, arity;
    if (vm_tag(w) == TAG_REF)
        return TRIAL_WAITS;
    vm_look_functor(w, &name, &arity);
    outcome o = becomes(t, g->args[1], name);
    return o == TRIAL_HOLDS ? becomes(t, g->args[2], arity) : o;
}

static outcome argument(trial *t, const fl_guard *g)
{
    vm_word i = vm_value(value_of(t, g->args[0])), w = vm_value(value_of(t, g->args[1]));
    if (vm_tag(i) == TAG_REF || vm_tag(w) == TAG_REF)
        return TRIAL_WAITS;
    if (vm_tag(i) != TAG_INT || vm_int_value(i) < 1 || vm_int_value(i) > vm_arguments(w))
        return TRIAL_FAILS;
    return becomes(t, g->args[2], vm_argument(w, (uint32_t)vm_int_value(i) - 1));
}

static outcome conjunction(trial *t, const fl_guards *guards, fl_failed_tests *failed);

static outcome disjunction(trial *t, const fl_guard *g, fl_failed_tests *failed)
{
    outcome worst = TRIAL_FAILS;
    uint32_t before = failed->n;
    for (uint32_t i = 0; i < g->nalternatives; i++) {
        outcome o = conjunction(t, &g->alternatives[i], failed);
        if (o == TRIAL_HOLDS)
            failed->n = before;
        if (o == TRIAL_HOLDS || o == TRIAL_UNKNOWN)
            return o;
        worst = o == TRIAL_WAITS ? o : worst;
    }
    return worst;
}

// Disjunctions are nested as deep as the analysis allows, which is not deep.
static outcome try_guard(trial *t, const fl_guard *g, fl_failed_tests *failed)
{
    fl_failed_test f = {.guard = g};
    outcome o;
    switch (g->kind) {
    case GUARD_COMPARE:
        o = compare(t, g, &f);
        break;
    case GUARD_ASSIGN:
        o = assign(t, g, &f);
        break;
    case GUARD_EQUAL:
    case GUARD_DIFFER:
        o = equality(t, g);
        break;
    case GUARD_TYPE:
        o = outcome_of(vm_look_test(g->name, value_of(t, g->args[0])));
        break;
    case GUARD_UNBOUND:
        o = vm_tag(vm_value(value_of(t, g->args[0]))) == TAG_REF ? TRIAL_HOLDS : TRIAL_FAILS;
        break;
    case GUARD_FUNCTOR:
        o = functor(t, g);
        break;
    case GUARD_ARGUMENT:
        o = argument(t, g);
        break;
    case GUARD_FAIL:
        o = TRIAL_FAILS;
        break;
    case GUARD_OR:
        return disjunction(t, g, failed);
    default:
        return TRIAL_UNKNOWN;
    }
    if (o == TRIAL_FAILS)
        FL_PUSH(*failed, f);
    return o;
}

static outcome conjunction(trial *t, const fl_guards *guards, fl_failed_tests *failed)
{
    outcome o = TRIAL_HOLDS;
    for (uint32_t i = 0; i < guards->n && o == TRIAL_HOLDS; i++) {
        o = try_guard(t, guards->at[i], failed);
        if (o == TRIAL_UNKNOWN && guards->at[i]->kind != GUARD_OR)
            FL_PUSH(*failed, (fl_failed_test){.guard = guards->at[i],
                                              .unsure = i + 1 < guards->n});
    }
    return o;
}

bool fl_find_failed_tests(fl_report_context *c, const fl_clause *clause, vm_word *values,
                          fl_failed_tests *ret_failed)
{
    trial t = {.context = c, .clause = clause, .values = values};
    outcome o = conjunction(&t, &clause->guards, ret_failed);
    return o == TRIAL_FAILS || o == TRIAL_UNKNOWN;
}
