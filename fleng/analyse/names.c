// SPDX-License-Identifier: MIT
//
// Finds the predicate of a name. It looks in the goal's own module, in the modules this one uses,
// among the built-in predicates, in the other files of the command line, and in the library, in
// this order.
#include "fleng/analyse/analyse.h"

#include "base/nearest.h"
#include "fleng/analyse/analysis.h"
#include "vm/builtins.h"
#include "vm/code.h"
#include "vm/memory.h"

#include <stdlib.h>

const char *fl_key(const char *name, uint32_t arity)
{
    size_t size = strlen(name) + 12;
    char *key = vm_alloc_atomic(size);
    snprintf(key, size, "%s/%u", name, arity);
    return key;
}

vm_predicate *fl_add_predicate(fl_analysis *a, const char *module, const char *name, uint32_t arity)
{
    vm_predicate *p = vm_alloc(sizeof *p);
    p->module = module;
    p->name = name;
    p->arity = arity;
    p->id = a->predicates.n;
    p->cost = 1;
    FL_PUSH(a->predicates, p);
    return p;
}

void fl_add_builtins(fl_analysis *a)
{
    struct fl_names *names = a->names;
    names->nbuiltins = vm_nbuiltins;
    names->builtin_list = vm_alloc((vm_nbuiltins + 1) * sizeof *names->builtin_list);
    for (uint32_t i = 0; i < vm_nbuiltins; i++) {
        const vm_builtin_entry *b = &vm_builtins[i];
        vm_predicate *p = i < a->predicates.n // those of a program that is added to
                              ? a->predicates.at[i]
                              : fl_add_predicate(a, NULL, b->name, b->arity);
        p->builtin = b->function;
        p->entry = b;
        names->builtin_list[i] = p;
        const char *key = fl_key(b->name, b->arity);
        fl_enter(&names->builtins, key, strlen(key), (uintptr_t)p);
    }
}

fl_module *fl_find_module(const struct fl_names *names, const char *name)
{
    return (fl_module *)fl_look_up(&names->modules, name, strlen(name));
}

fl_module *fl_find_any_module(struct fl_names *names, const char *name)
{
    fl_module *m = fl_find_module(names, name);
    fl_library *l = m ? NULL : fl_library_find(names, name);
    return l ? l->unit->modules.at[0] : m;
}

bool fl_defines(const fl_module *m, const char *name, uint32_t arity)
{
    const char *key = fl_key(name, arity);
    return m && fl_look_up(&m->defined, key, strlen(key));
}

static vm_predicate *builtin_of_key(const struct fl_names *names, const char *key)
{
    return (vm_predicate *)fl_look_up(&names->builtins, key, strlen(key));
}

// key: "name/arity"
static vm_predicate *builtin_in_module(const struct fl_names *names, const char *module,
                                       const char *key)
{
    size_t size = strlen(module) + strlen(key) + 2;
    char *whole = vm_alloc_atomic(size);
    snprintf(whole, size, "%s:%s", module, key);
    vm_predicate *p = builtin_of_key(names, whole);
    return !p && strcmp(module, "builtin") == 0 ? builtin_of_key(names, key) : p;
}

vm_predicate *fl_find_builtin(const struct fl_names *names, const fl_module *m,
                              const char *module, const char *name, uint32_t arity)
{
    return fl_defines(m, name, arity) ? NULL
                                      : builtin_in_module(names, module, fl_key(name, arity));
}

bool fl_is_builtin_module(const char *module)
{
    size_t n = strlen(module);
    for (uint32_t i = 0; i < vm_nbuiltins; i++)
        if (strncmp(vm_builtins[i].name, module, n) == 0 && vm_builtins[i].name[n] == ':' &&
            vm_builtins[i].name[n + 1] != '=')
            return true;
    return false;
}

// ---- Tests that stand in guards only ----------------------------------------------------------

static const struct {
    const char *name;
    uint32_t arity;
} guard_tests[] = { // beside the type tests of vm/code/tests.def
    {"<", 2},        {">", 2},      {"=<", 2},     {">=", 2},      {"=:=", 2},
    {"=\\=", 2},     {"==", 2},     {"\\=", 2},    {"unbound", 1},
};

bool fl_is_guard_test(const char *name, uint32_t arity)
{
    for (size_t i = 0; i < sizeof guard_tests / sizeof *guard_tests; i++)
        if (guard_tests[i].arity == arity && strcmp(guard_tests[i].name, name) == 0)
            return true;
    return arity == 1 && vm_test_number(name) >= 0;
}

// ---- Look-up ----------------------------------------------------------------------------------

static vm_predicate *defined_in(struct fl_names *names, fl_module *m, const char *key,
                                size_t length)
{
    fl_definition *d = (fl_definition *)fl_look_up(&m->defined, key, length);
    if (d && m->library)
        return fl_library_reach(names, m, d, key);
    return d ? d->predicate : NULL;
}

static vm_predicate *exported_by(struct fl_names *names, fl_module *m, const char *key,
                                 size_t length)
{
    if (m->has_exports && !fl_look_up(&m->exported, key, length))
        return NULL;
    return defined_in(names, m, key, length);
}

// Two predicates in *ret_other and the result: the name is ambiguous.
static vm_predicate *used_by(struct fl_names *names, const fl_module *m, const char *key,
                             size_t length, vm_predicate **ret_other)
{
    vm_predicate *found = NULL;
    for (uint32_t i = 0; i < m->uses.n; i++) {
        const fl_use *use = &m->uses.at[i];
        if (use->only && !fl_look_up(use->only, key, length))
            continue;
        for (uint32_t j = 0; j < use->unit->modules.n; j++) {
            vm_predicate *p = exported_by(names, use->unit->modules.at[j], key, length);
            if (p && found && p != found)
                *ret_other = p;
            else if (p)
                found = p;
        }
    }
    return found;
}

// In the files of the command line.
static vm_predicate *beside(struct fl_names *names, const char *key, size_t length, bool start)
{
    for (uint32_t i = 0; i < names->units.n; i++) {
        const fl_unit *unit = names->units.at[i];
        for (uint32_t j = 0; unit->named && j < unit->modules.n; j++) {
            fl_module *m = unit->modules.at[j];
            vm_predicate *p = start ? defined_in(names, m, key, length)
                                    : exported_by(names, m, key, length);
            if (p)
                return p;
        }
    }
    return NULL;
}

// Without the library, except for what is named by use_module.
static vm_predicate *look_up_own(struct fl_names *names, fl_module *m, const char *key, bool start,
                                 vm_predicate **ret_other)
{
    size_t length = strlen(key);
    vm_predicate *p = m ? defined_in(names, m, key, length) : NULL;
    if (!p && m)
        p = used_by(names, m, key, length, ret_other);
    if (!p)
        p = (vm_predicate *)fl_look_up(&names->builtins, key, length);
    if (!p && !(m && m->library))
        p = beside(names, key, length, start);
    return p;
}

static vm_predicate *look_up(struct fl_names *names, fl_module *m, const char *key, bool start,
                             vm_predicate **ret_other)
{
    vm_predicate *p = look_up_own(names, m, key, start, ret_other);
    return p ? p : fl_library_predicate(names, key);
}

// ---- Near names -------------------------------------------------------------------------------

typedef struct {
    const char *name;
    uint32_t arity;
    unsigned least;
    const vm_predicate *nearest;
} suggestion;

static void consider(suggestion *s, const vm_predicate *p)
{
    unsigned edits = nearest_edits(s->name, p->name);
    if (strcmp(s->name, p->name) != 0 && (edits == 0 || !nearest_is_near(edits, s->name)))
        return;
    edits = edits * 4 + (p->arity == s->arity ? 0 : 1 + (edits > 0));
    if (edits < s->least && *p->name != '$') {
        s->least = edits;
        s->nearest = p;
    }
}

static void consider_module(suggestion *s, const fl_module *m)
{
    for (uint32_t i = 0; m && i < m->definitions.n; i++)
        consider(s, m->definitions.at[i]->predicate);
}

static const vm_predicate *suggest(struct fl_names *names, const fl_module *m,
                                   const char *name, uint32_t arity)
{
    suggestion s = {.name = name, .arity = arity, .least = NEAREST_FAR};
    consider_module(&s, m);
    for (uint32_t i = 0; m && i < m->uses.n; i++)
        for (uint32_t j = 0; j < m->uses.at[i].unit->modules.n; j++)
            consider_module(&s, m->uses.at[i].unit->modules.at[j]);
    for (uint32_t i = 0; i < names->nbuiltins; i++)
        consider(&s, names->builtin_list[i]);
    fl_library_open(names);
    for (uint32_t i = 0; i < names->library.n; i++)
        for (uint32_t k = 0; k < names->library.at[i].exports.n; k++) {
            const fl_export *e = &names->library.at[i].exports.at[k];
            vm_predicate *p = vm_alloc(sizeof *p);
            p->name = e->name;
            p->arity = e->arity;
            consider(&s, p);
        }
    for (uint32_t i = 0; !s.nearest && i < names->module_list.n; i++)
        consider_module(&s, names->module_list.at[i]);
    return s.nearest;
}

const char *fl_suggest(const fl_program *p, const char *name, uint32_t arity)
{
    struct fl_names *names = p->names;
    const vm_predicate *near = suggest(names, names->start, name, arity);
    if (!near)
        return NULL;
    bool elsewhere = near->module && names->start && near->module != names->start->name;
    size_t size = strlen(near->name) + (elsewhere ? strlen(near->module) : 0) + 16;
    char *text = vm_alloc_atomic(size);
    snprintf(text, size, "%s%s%s/%u", elsewhere ? near->module : "", elsewhere ? ":" : "",
             near->name, near->arity);
    return text;
}

// ---- Goals ------------------------------------------------------------------------------------

enum { ANY_ARITY = UINT32_MAX };

// What a user of Prolog means by some goals that are none here.
static const char *advice(const char *name, uint32_t arity)
{
    static const char no_backtracking[] = "there is no backtracking; halt(1) ends the run with a status",
                      no_search[] = "there is no backtracking: what finds answers sends them down a stream",
                      no_negation[] = "there is no negation: test the opposite in a guard",
                      no_change[] = "a program does not change while it runs: pass what changes as an argument",
                      no_loop[] = "there is no backtracking: write a predicate that calls itself";
    static const struct {
        const char *name;
        uint32_t arity;
        const char *text;
    } table[] = {
        {"is", 2, "numbers are computed by `X := Expression`"},
        {"\\==", 2, "`\\=` is the test for different terms, in a guard"},
        {"fail", 0, no_backtracking},
        {"false", 0, no_backtracking},
        {"!", 0, "there is no cut: the guard before `|` commits to a clause"},
        {"once", 1, "a goal has one answer: call it as it is"},
        {"\\+", 1, no_negation},
        {"not", 1, no_negation},
        {"assert", 1, no_change},
        {"asserta", 1, no_change},
        {"assertz", 1, no_change},
        {"retract", 1, no_change},
        {"retractall", 1, no_change},
        {"nb_setval", 2, no_change},
        {"nb_getval", 2, no_change},
        {"b_setval", 2, no_change},
        {"b_getval", 2, no_change},
        {"findall", ANY_ARITY, no_search},
        {"bagof", 3, no_search},
        {"setof", 3, no_search},
        {"aggregate_all", ANY_ARITY, no_search},
        {"forall", 2, no_loop},
        {"repeat", 0, no_loop},
        {"between", 3, "numlist(From, To, List) makes a list of numbers"},
        {"succ", 2, "numbers are computed by `Y := X + 1`"},
        {"maplist", 2, "map(P, Items, Results) calls P for each item of a list"},
        {"maplist", ANY_ARITY, "map(P, Items, Results) of the library has this name here"},
        {"read", 1, "stdin(Lines) is the stream of lines of standard input"},
        {"read_term", ANY_ARITY, "stdin(Lines) is the stream of lines of standard input"},
        {"atom_length", 2, "string_length(Text, N) counts characters"},
        {"var", 1, "the guard test is unbound/1"},
        {"nonvar", 1, "the guard test is wait/1"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if ((table[i].arity == arity || table[i].arity == ANY_ARITY) && strcmp(table[i].name, name) == 0)
            return table[i].text;
    return fl_is_guard_test(name, arity) ? "it is a test: write it in a guard, before `|`"
                                         : NULL;
}

// Says it once for every module, and not where the definition may be in a clause in error.
static void report_undefined(fl_analysis *a, fl_module *m, const fl_source *source,
                             const fl_term *at, const char *name, uint32_t arity)
{
    const char *key = fl_key(name, arity);
    if (m && fl_look_up(&m->reported, key, strlen(key)))
        return;
    if (m)
        fl_enter(&m->reported, key, strlen(key), 1);
    if (fl_look_up(&a->skipped, name, strlen(name)))
        return;
    const char *text = advice(name, arity);
    bool shown = fl_error_count(a->messages) < FL_MOST_MESSAGES;
    const vm_predicate *near = text || !shown ? NULL : suggest(a->names, m, name, arity);
    bool elsewhere = near && near->module && m && near->module != m->name;
    if (text)
        fl_report(a->messages, source, at, "undefined predicate %.100s: %s", key, text);
    else if (near)
        fl_report(a->messages, source, at, "undefined predicate %.100s; did you mean %s%s%s/%u?",
                  key, elsewhere ? near->module : "", elsewhere ? ":" : "", near->name,
                  near->arity);
    else
        fl_report(a->messages, source, at, "undefined predicate %.100s", key);
}

vm_predicate *fl_resolve(fl_analysis *a, fl_module *m, const fl_source *source, const fl_term *at,
                         const char *name, uint32_t arity, bool start)
{
    vm_predicate *other = NULL;
    vm_predicate *p = look_up(a->names, m, fl_key(name, arity), start, &other);
    if ((!p || !p->builtin) && source->kl1 && !fl_defines(m, name, arity)) {
        vm_predicate *own = fl_find_builtin(a->names, NULL, "builtin", name, arity);
        p = own ? own : p;
    }
    if (!p) {
        report_undefined(a, m, source, at, name, arity);
    } else if (other) {
        fl_report(a->messages, source, at,
                  "%.100s/%u is exported by %.80s and by %.80s: write %.80s:%.100s", name, arity,
                  p->module, other->module, p->module, name);
        return NULL;
    }
    return p;
}

vm_predicate *fl_look_up_called(struct fl_names *names, const char *module, const char *key)
{
    fl_module *m = module ? fl_find_any_module(names, module) : names->start;
    vm_predicate *builtin = module ? builtin_in_module(names, module, key) : NULL;
    if (builtin && !(m && fl_look_up(&m->defined, key, strlen(key))))
        return builtin;
    if (module && !m)
        return NULL;
    vm_predicate *other = NULL, *p = look_up_own(names, m, key, !module, &other);
    // A goal made in a module that only other modules use.
    for (uint32_t i = 0; !p && !module && i < names->module_list.n; i++)
        p = defined_in(names, names->module_list.at[i], key, strlen(key));
    return p ? p : fl_library_predicate(names, key);
}

vm_predicate *fl_find(void *data, const char *module, const char *name, uint32_t arity)
{
    const fl_program *program = data;
    return fl_look_up_called(program->names, module, fl_key(name, arity));
}
