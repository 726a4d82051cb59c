// SPDX-License-Identifier: MIT
//
// The colour of a module is that of its name: it stays when another module is dissolved, and is the same
// in two runs.
//
//   check_hues FIRST.paf SECOND.paf     runs of two programs that share modules
#include "paf/model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void expect(bool holds, const char *what)
{
    if (!holds && failures++ < 20)
        fprintf(stderr, "not so: %s\n", what);
}

typedef struct {
    trace *t;
    iot *a;
    paf_model *m;
} opened;

static opened open_run(const char *file, const char *partition)
{
    char *error = NULL;
    opened o = {.t = trace_open(file, NULL, NULL, &error)};
    iot_partition *p = partition ? iot_partition_parse(o.t, partition, &error)
                                 : iot_partition_default(o.t);
    if (!p) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    o.a = iot_analyse(o.t, p, NULL, NULL);
    iot_partition_destroy(p);
    o.m = paf_model_create(o.a, NULL, NULL);
    return o;
}

static void close_run(opened *o)
{
    paf_model_destroy(o->m);
    iot_destroy(o->a);
    trace_close(o->t);
}

static uint32_t hue_of(const opened *o, const char *name)
{
    for (uint32_t i = 0; i < o->m->nmodules; i++)
        if (strcmp(iot_get_module(o->a, i)->name, name) == 0)
            return o->m->hue[i];
    return IOT_NONE;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    opened whole = open_run(argv[1], NULL), part = open_run(argv[1], "consume=consume/3");
    opened other = open_run(argv[2], NULL), named = open_run(argv[1], "x=produce/3 y=consume/3");
    opened left = open_run(argv[1], "y=consume/3");
    expect(hue_of(&whole, "main") == 0, "main is grey");
    expect(hue_of(&whole, "produce") == 1 && hue_of(&whole, "consume") == 2, "in order of the text");
    expect(hue_of(&part, "consume") == 2, "consume keeps its hue without produce");
    expect(hue_of(&other, "consume") == 2, "consume has the same hue in the other run");
    expect(hue_of(&other, "filter") > 2, "a module of the other run has one of its own");
    expect(hue_of(&left, "y") == hue_of(&named, "y"), "y keeps its hue without x");
    expect(hue_of(&named, "x") != hue_of(&named, "y"), "x and y differ");
    for (opened *all[] = {&whole, &part, &other, &named, &left}, **o = all; o < all + 5; o++)
        close_run(*o);
    return failures ? 1 : 0;
}
