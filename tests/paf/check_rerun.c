// SPDX-License-Identifier: MIT
//
// A run again: with nothing changed its curve is the run's own, step by step; on P processors at most P
// run, whatever is left out, and all work is done; the span is that of iot_price(); a picture of it is
// the same whether the processors were drawn before or not.
//
//   check_rerun FILE.paf...
#include "paf/layout/ghost.h"
#include "paf/layout/layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;
static const char *about;

static void check(bool good, const char *what)
{
    if (!good && failures++ < 20)
        fprintf(stderr, "%s: %s\n", about, what);
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fmax(fmax(fabs(a), fabs(b)), 1);
}

static iot_rerun again(const iot *a, const iot_operation *operations, uint32_t n, uint32_t processors)
{
    iot_rerun run;
    char *error = NULL;
    if (iot_run_again(a, operations, n, processors, NULL, NULL, &run, &error) != IOT_PRICED) {
        fprintf(stderr, "%s: %s\n", about, error ? error : "cancelled");
        exit(1);
    }
    return run;
}

static void check_as_it_was(const iot *a)
{
    iot_rerun run = again(a, NULL, 0, 0);
    uint32_t n = (uint32_t)iot_end(a, run.clock) + 2;
    iot_bucket *own = g_new0(iot_bucket, n);
    iot_profile_by(a, run.clock, IOT_REDUCTIONS, IOT_NONE, 0, 1, n, own);
    check(run.price.span == run.price.span_without, "another span without a change");
    bool same = true;
    for (uint32_t t = 0; t < n; t++)
        same = same && near(iot_curve_mean(&run.curve, t, t + 1.0), (double)own[t].sum);
    check(same, "the curve without a change is not the run's");
    g_free(own);
    iot_free_rerun(&run);
}

static double most_of(const run_curve *c)
{
    double most = 0;
    for (uint32_t i = 0; i < c->n; i++)
        most = fmax(most, iot_curve_mean(c, (double)i * (double)c->width,
                                         (double)(i + 1) * (double)c->width));
    return most;
}

static void check_pictures(const iot *a, iot_rerun *run)
{
    paf_model *m = paf_model_create(a, NULL, NULL);
    paf_shaped_text *text = paf_shaped_text_create(NULL, NULL);
    paf_ghost *ghost = paf_ghost_create(run);
    paf_view view = paf_view_fit(m, 1280, 800);
    view.ghost = ghost;
    view.to = paf_axis_end(m, &view) + 1;
    check(paf_axis_end(m, &view) >= ghost->run.price.span_without, "the axis ends too soon");
    uint32_t steps = 0;
    for (int round = 0; round < 2; round++) {
        paf_layout *layout = paf_layout_create(m, &view, text);
        uint32_t n = paf_picture_nsteps(layout->picture);
        check(round == 0 || n == steps, "another picture the second time");
        steps = n;
        paf_layout_destroy(layout);
    }
    double busy = 0, rows = ghost->cache.rows;
    for (uint32_t i = 0; i < ghost->cache.rows; i++)
        busy += ghost->cache.sums[i];
    if (rows == iot_schedule_processors(&ghost->run.schedule))
        check(near(busy, (double)ghost->run.schedule.sums.busy / (double)ghost->run.schedule.unit),
              "the rows are not as busy as the processors");
    paf_ghost_unref(ghost);
    paf_shaped_text_destroy(text);
    paf_model_destroy(m);
}

static void check_changed(const iot *a, const iot_operation *operations, uint32_t n)
{
    for (uint32_t processors = 0; processors <= 4; processors += 2) {
        iot_rerun run = again(a, operations, n, processors);
        iot_price_answer price;
        char *error = NULL;
        iot_price_status status =
            iot_price(a, operations, n, processors, NULL, NULL, &price, &error);
        check(status == IOT_PRICED && near(price.span_without, run.price.span_without) &&
                  price.span == run.price.span,
              "not the price of iot_price()");
        check(processors == 0 || most_of(&run.curve) <= processors + 1e-6, "too many run at once");
        if (processors > 0) {
            double took;
            check(iot_times_on(a, operations, n, &processors, 1, NULL, NULL, &took, &error) ==
                          IOT_PRICED &&
                      near(took, run.price.span_without),
                  "another time on the same machine");
            check(near(run.curve.sums[run.curve.n],
                       (double)run.schedule.sums.busy / (double)run.schedule.unit),
                  "work is lost");
            check_pictures(a, &run);
        }
        iot_free_price(&price);
        iot_free_rerun(&run);
    }
}

static void check_file(const trace *t)
{
    iot_partition *p = iot_partition_default(t);
    iot *a = iot_analyse(t, p, NULL, NULL);
    const iot_class *classes;
    uint32_t n;
    check_as_it_was(a);
    check(iot_classes(a, NULL, NULL, &classes, &n), "no classes");
    char *fast = g_strdup_printf("%s=3", iot_get_module(a, 0)->name);
    iot_operation operations[2] = {{IOT_SPEED_UP, fast}, {IOT_WITHOUT, n ? classes[0].name : ""}};
    check_changed(a, operations, n ? 2 : 1);
    check_changed(a, operations, 0);
    g_free(fast);
    iot_destroy(a);
    iot_partition_destroy(p);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        char *error = NULL;
        trace *t = trace_open(argv[i], NULL, NULL, &error);
        about = argv[i];
        if (!t) {
            fprintf(stderr, "%s: %s\n", argv[i], error);
            return 1;
        }
        if (!trace_is_measured(t) && trace_nreductions(t) > 1)
            check_file(t);
        trace_close(t);
    }
    return failures > 0;
}
