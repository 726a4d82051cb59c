// SPDX-License-Identifier: MIT
//
// Traces of some modules (`-trace-modules`). Reads by goals of these modules are recorded in full,
// and so are those by the built-ins and library predicates that they call. Of the reads by other
// goals only the latest binding is recorded, and only if it was made after the goal was created. So
// every time in the trace has its cause, and work, span and the critical path are those of a full
// trace.
#include "fleng/record/recorder.h"

#include "base/nearest.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef ARRAY_OF(const char *) names;

// The program's own modules.
static void collect_modules(const vm_program *code, names *ret)
{
    for (uint32_t i = 0; i < code->npredicates; i++) {
        const vm_predicate *p = code->predicates[i];
        bool known = p->builtin || p->library || !p->module;
        for (uint32_t k = 0; k < ret->n && !known; k++)
            known = strcmp(ret->at[k], p->module) == 0;
        if (!known)
            FL_PUSH(*ret, p->module);
    }
}

static void report_unknown(const names *modules, const char *name, char **ret_error)
{
    base_text list = {0};
    const char *near = nearest_of(name, modules->at, modules->n);
    text_add_format(&list, "-trace-modules: the program has no module %s",
                    *name ? name : "without a name");
    if (near)
        text_add_format(&list, "; did you mean %s?", near);
    for (uint32_t i = 0; !near && i < modules->n; i++)
        text_add_format(&list, "%s%s", i ? ", " : ": its modules are ", modules->at[i]);
    *ret_error = text_finish(&list);
}

fl_part *fl_part_create(const vm_program *code, const char *modules, char **ret_error)
{
    names known = {0};
    collect_modules(code, &known);
    fl_part *part = vm_alloc(sizeof *part);
    part->named = vm_alloc_atomic((code->npredicates + 1) * sizeof *part->named);
    memset(part->named, 0, (code->npredicates + 1) * sizeof *part->named);
    for (const char *at = modules;; at++) {
        size_t length = strcspn(at, ",");
        char *name = vm_alloc_atomic(length + 1);
        memcpy(name, at, length);
        name[length] = '\0';
        bool found = false;
        for (uint32_t i = 0; i < code->npredicates; i++) {
            const vm_predicate *q = code->predicates[i];
            if (q->builtin || q->library || !q->module || strcmp(q->module, name) != 0)
                continue;
            part->named[q->id] = found = true;
        }
        if (!found) {
            report_unknown(&known, name, ret_error);
            return NULL;
        }
        at += length;
        if (!*at)
            return part;
    }
}

static void reserve(fl_part *p, uint64_t ngoals)
{
    size_t size = (size_t)(ngoals / 8 + 1), capacity = p->capacity ? p->capacity : 4096;
    if (size <= p->capacity)
        return;
    while (capacity < size)
        capacity *= 2;
    uint8_t *goals = vm_alloc_atomic(capacity);
    memset(goals, 0, capacity);
    if (p->capacity)
        memcpy(goals, p->goals, p->capacity);
    p->goals = goals;
    p->capacity = capacity;
}

bool fl_part_has(fl_part *p, const vm_predicate *predicate, uint32_t goal, uint32_t ngoals)
{
    bool full = false;
    if (predicate && (predicate->builtin || predicate->library))
        full = p->goals[goal / 8] >> goal % 8 & 1;
    else if (predicate)
        full = p->named[predicate->id];
    reserve(p, (uint64_t)p->ngoals + ngoals);
    for (uint32_t i = p->ngoals; full && i < p->ngoals + ngoals; i++)
        p->goals[i / 8] |= (uint8_t)(1u << i % 8);
    p->ngoals += ngoals;
    return full || !predicate;
}

uint32_t fl_part_decisive(uint32_t *reads, const int64_t *times, uint32_t n, int64_t created)
{
    int64_t last = created;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (times[i] > last)
            last = times[i];
    for (uint32_t i = 0; i < n; i++)
        if (times[i] == last)
            reads[kept++] = reads[i];
    return kept;
}
