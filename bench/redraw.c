// SPDX-License-Identifier: MIT
//
// How long Paf's window takes for a frame, without a display: what it does from an event to the pixels, at
// 1920x1080. It pans, zooms, points at things, chooses reductions and asks why they came so late.
//   redraw FILE.paf...      prints the median and the worst of each in milliseconds of the processor,
//   and what missed its goal
// Exit status 1: something did.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "iotree/iotree.h"
#include "paf/layout/layout.h"
#include "paf/model/focus.h"
#include "paf/model/model.h"

#define WIDTH  1920
#define HEIGHT 1080
#define FRAMES 60     // of each kind
#define FRAME  16.0   // milliseconds a frame may take
#define ANSWER 50.0   // a choice, or why so late
#define SMALL_TREE 12000 // members of a process whose tree the window builds at once

typedef struct {
    trace *t;
    iot *a;
    paf_model *m;
    paf_view view;
    paf_shaped_text *text;
    cairo_surface_t *surface;
    uint8_t *folded;
} window;

// Of the processor, since others may use the machine; a frame never waits for anything.
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

// As the window: small trees at once, twice at most, and the others as if a worker had built them. The
// time that a worker takes is not the frame's.
static double frame(window *w)
{
    double begin = now(), beside = 0;
    paf_layout *layout = NULL;
    for (int round = 0; round < 3; round++) {
        paf_layout_destroy(layout);
        layout = paf_layout_create(w->m, &w->view, w->text);
        if (layout->wants->len == 0)
            break;
        for (guint i = 0; i < layout->wants->len; i++) {
            const paf_want *want = &g_array_index(layout->wants, paf_want, i);
            double from = now();
            paf_model_take(w->m, paf_tree_build(w->m, want));
            if (iot_get_process(w->a, want->process)->members > SMALL_TREE)
                beside += now() - from;
        }
    }
    cairo_t *cr = cairo_create(w->surface);
    paf_picture_draw(layout->picture, cr);
    cairo_destroy(cr);
    cairo_surface_flush(w->surface);
    paf_layout_destroy(layout);
    return now() - begin - beside;
}

static double end_of(const window *w)
{
    return fmax(paf_end(w->m, w->view.clock), 1) + 1;
}

static void show(window *w, double from, double width)
{
    double end = end_of(w);
    width = CLAMP(width, fmin(4, end), end);
    w->view.from = CLAMP(from, 0, end - width);
    w->view.to = w->view.from + width;
}

// ---------------------------------------------------------------------------------------------
// What is done; i of FRAMES

static double zoom_in(window *w, int i)
{
    double end = end_of(w), width = end * pow(fmax(4 / end, 1e-9), (double)i / (FRAMES - 1));
    show(w, end * 0.43 - width / 2, width);
    return frame(w);
}

static double pan(window *w, int i, double part)
{
    double end = end_of(w), width = fmax(end * part, 4);
    show(w, end * 0.3 + width * i / 40, width);
    return frame(w);
}

static double pan_wide(window *w, int i)
{
    return pan(w, i, 0.5);
}

static double pan_middle(window *w, int i)
{
    return pan(w, i, 0.01);
}

static double pan_close(window *w, int i)
{
    return pan(w, i, 200 / end_of(w));
}

// As the window: the picture is painted once, and the pointer over it.
static double point(window *w, int i)
{
    show(w, 0, end_of(w));
    if (i == 0)
        frame(w);
    paf_layout *layout = paf_layout_create(w->m, &w->view, w->text);
    cairo_surface_t *painted = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
    w->view.pointer = end_of(w) * i / FRAMES;
    double begin = now();
    cairo_t *cr = cairo_create(w->surface);
    cairo_set_source_surface(cr, painted, 0, 0);
    cairo_paint(cr);
    paf_picture *over = paf_pointer_picture(w->t, &w->view, layout, w->text);
    paf_picture_draw(over, cr);
    paf_picture_destroy(over);
    cairo_destroy(cr);
    cairo_surface_flush(w->surface);
    double took = now() - begin;
    w->view.pointer = NAN;
    cairo_surface_destroy(painted);
    paf_layout_destroy(layout);
    return took;
}

static uint32_t some_reduction(const window *w, int i)
{
    return (uint32_t)((double)trace_nreductions(w->t) * (i + 0.5) / FRAMES);
}

static double select_one(window *w, int i)
{
    show(w, 0, end_of(w));
    w->view.selected = some_reduction(w, i);
    double took = frame(w);
    w->view.selected = IOT_NONE;
    return took;
}

static double ask_why(window *w, int i)
{
    show(w, 0, end_of(w));
    double begin = now();
    paf_focus *focus = paf_focus_on_chain(w->m, w->view.clock, some_reduction(w, i));
    w->view.selected = some_reduction(w, i);
    w->view.focus = focus;
    double took = now() - begin + frame(w);
    w->view.focus = NULL;
    w->view.selected = IOT_NONE;
    paf_focus_unref(focus);
    return took;
}

static const struct {
    const char *name;
    double (*one)(window *w, int i);
    double goal;
} deeds[] = {{"zoom", zoom_in, FRAME},         {"pan 50 %", pan_wide, FRAME},
             {"pan 1 %", pan_middle, FRAME},   {"pan 200 steps", pan_close, FRAME},
             {"point", point, FRAME},          {"select", select_one, ANSWER},
             {"why so late", ask_why, ANSWER}};

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool measure(window *w, const char *path, unsigned deed)
{
    double took[FRAMES];
    for (int i = 0; i < FRAMES; i++)
        took[i] = deeds[deed].one(w, i);
    qsort(took, FRAMES, sizeof *took, by_time);
    double middle = took[FRAMES / 2], usual = took[FRAMES * 9 / 10], worst = took[FRAMES - 1];
    bool met = usual <= deeds[deed].goal;
    printf("%-24s %12u %-14s %8.1f %8.1f %8.1f  %s\n", path, trace_nreductions(w->t), deeds[deed].name,
           middle, usual, worst, met ? "" : "MISSED");
    fflush(stdout);
    return met;
}

static bool measure_file(const char *path)
{
    char *error = NULL;
    bool met = true;
    window w = {.t = trace_open(path, NULL, NULL, &error)};
    if (!w.t) {
        fprintf(stderr, "redraw: %s\n", error);
        exit(1);
    }
    iot_partition *partition = iot_partition_default(w.t);
    w.a = iot_analyse(w.t, partition, NULL, NULL);
    w.m = w.a ? paf_model_create(w.a, NULL, NULL) : NULL;
    if (!w.m) {
        fprintf(stderr, "redraw: %s: no timeline\n", path);
        exit(1);
    }
    w.view = paf_view_fit(w.m, WIDTH, HEIGHT);
    w.text = paf_shaped_text_create(NULL, NULL);
    w.surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    frame(&w); // fonts, and the first trees
    char *name = g_path_get_basename(path);
    for (unsigned i = 0; i < G_N_ELEMENTS(deeds); i++)
        met = measure(&w, name, i) && met;
    g_free(name);
    cairo_surface_destroy(w.surface);
    paf_shaped_text_destroy(w.text);
    paf_model_destroy(w.m);
    iot_destroy(w.a);
    iot_partition_destroy(partition);
    trace_close(w.t);
    return met;
}

int main(int argc, char **argv)
{
    bool met = true;
    printf("%-24s %12s %-14s %8s %8s %8s\n", "trace", "reductions", "what", "median", "90 %", "worst");
    for (int i = 1; i < argc; i++)
        met = measure_file(argv[i]) && met;
    return !met;
}
