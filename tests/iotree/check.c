// SPDX-License-Identifier: MIT
//
// Counting checks: prints the failed ones.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

int npassed, nfailed;

void check_at(const char *file, int line, int ok, const char *what)
{
    if (ok) {
        npassed++;
        return;
    }
    nfailed++;
    printf("%s:%d: failed: %s\n", file, line, what);
}

void check_number_at(const char *file, int line, int64_t got, int64_t want, const char *what)
{
    if (got != want)
        printf("%s:%d: %s is %lld, should be %lld\n", file, line, what, (long long)got,
               (long long)want);
    check_at(file, line, got == want, what);
}

void check_text_at(const char *file, int line, char *got, const char *want)
{
    int ok = got && !strcmp(got, want);
    if (!ok)
        printf("%s:%d: got\n%s\nshould be\n%s\n", file, line, got ? got : "nothing", want);
    check_at(file, line, ok, "text");
    free(got);
}

void check_no_error(char *error)
{
    if (error)
        printf("error: %s\n", error);
    check_at(__FILE__, __LINE__, !error, "no error");
    free(error);
}

iot *analyse(const trace *t, const char *partition)
{
    char *error = NULL;
    iot_partition *p =
        partition ? iot_partition_parse(t, partition, &error) : iot_partition_default(t);
    check_no_error(error);
    if (!p)
        exit(1);
    iot *a = iot_analyse(t, p, NULL, NULL);
    iot_partition_destroy(p);
    return a;
}

static void put_input(FILE *f, const iot *a, const iot_names *names, const iot_process *p,
                      const iot_input *in)
{
    const trace *t = iot_trace(a);
    trace_value v;
    if (in->binding == IOT_NONE) {
        v = trace_goal_arg(t, p->goal, in->argument - 1);
        fprintf(f, "arg%u", in->argument);
    } else {
        v = trace_binding_value(t, in->binding);
        fputs(iot_name(names, trace_binding_variable(t, in->binding)), f);
    }
    char *term = iot_term(t, names, v, in->time, UINT32_MAX);
    fprintf(f, "=%s @%lld (%lld)", term, (long long)in->time, (long long)in->available);
    free(term);
}

static void add_names(const iot *a, uint32_t process, iot_names *names)
{
    const trace *t = iot_trace(a);
    const iot_input *in;
    const iot_output *out;
    const iot_process *p = iot_get_process(a, process);
    uint32_t goal = p->goal, arity = trace_get_predicate(t, trace_goal_predicate(t, goal))->arity;
    for (uint32_t i = 0; i < arity; i++)
        iot_names_add(names, trace_goal_arg(t, goal, i), p->created, UINT32_MAX);
    uint32_t n = iot_inputs(a, process, &in);
    for (uint32_t i = 0; i < n; i++) {
        if (in[i].binding == IOT_NONE)
            continue;
        iot_names_add_variable(names, trace_binding_variable(t, in[i].binding));
        iot_names_add(names, trace_binding_value(t, in[i].binding), in[i].time, UINT32_MAX);
    }
    n = iot_outputs(a, process, &out);
    for (uint32_t i = 0; i < n; i++) {
        iot_names_add_variable(names, trace_binding_variable(t, out[i].binding));
        iot_names_add(names, trace_binding_value(t, out[i].binding), out[i].time, UINT32_MAX);
    }
}

static void put_node(FILE *f, const iot *a, uint32_t process, const iot_names *names,
                     const iot_tree *tree, const iot_node *node)
{
    const trace *t = iot_trace(a);
    const iot_input *in;
    const iot_output *out;
    iot_inputs(a, process, &in);
    iot_outputs(a, process, &out);
    fprintf(f, "%*s{[", (int)(2 * node->depth), "");
    for (uint32_t i = 0; i < node->ninputs; i++) {
        fputs(i ? ", " : "", f);
        put_input(f, a, names, iot_get_process(a, process),
                  &in[iot_tree_inputs(tree)[node->first_input + i]]);
    }
    fputs("], [", f);
    for (uint32_t i = 0; i < node->noutputs; i++) {
        const iot_output *o = &out[iot_tree_outputs(tree)[node->first_output + i]];
        char *term = iot_term(t, names, trace_binding_value(t, o->binding), o->time, UINT32_MAX);
        fprintf(f, "%s%s=%s @%lld", i ? ", " : "",
                iot_name(names, trace_binding_variable(t, o->binding)), term, (long long)o->time);
        free(term);
    }
    fprintf(f, "]}%s\n", node->join ? " join" : "");
}

char *trees_text(const iot *a, uint32_t module)
{
    const trace *t = iot_trace(a);
    char *s = NULL;
    size_t size;
    FILE *f = open_memstream(&s, &size);
    iot_names *names = iot_names_create(t);
    for (uint32_t p = 0; p < iot_nprocesses(a); p++) {
        if (iot_get_process(a, p)->module == module)
            add_names(a, p, names);
    }
    iot_names_finish(names);
    for (uint32_t p = 0; p < iot_nprocesses(a); p++) {
        const iot_process *process = iot_get_process(a, p);
        if (process->module != module)
            continue;
        char *goal = iot_goal_text(t, names, process->goal, process->created, UINT32_MAX);
        fprintf(f, "%s created @%lld\n", goal, (long long)process->created);
        free(goal);
        bool complete;
        iot_tree *tree = iot_tree_build(a, p, 0, INT64_MAX, UINT64_MAX, &complete);
        for (uint32_t i = 0; i < iot_tree_nnodes(tree); i++)
            put_node(f, a, p, names, tree, iot_tree_node(tree, i));
        const uint32_t *unused;
        uint32_t n = iot_tree_unused(tree, &unused);
        if (n)
            fprintf(f, "unused: %u\n", n);
        iot_tree_destroy(tree);
    }
    iot_names_destroy(names);
    fclose(f);
    return s;
}
