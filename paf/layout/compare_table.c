// SPDX-License-Identifier: MIT
//
// The table of the modules of two runs, matched by name, and what moved between them.
#include "paf/layout/compare_private.h"
#include "paf/say/numbers.h"

#include <math.h>
#include <string.h>

#define ROW   22.0
#define HEAD  40.0
#define NAMES 132.0
#define LEAST_GROUP 150.0 // of the three columns of a quantity

typedef struct {
    const char *name;
    uint32_t in[2];  // its number in each run, or IOT_NONE
    uint32_t hue;    // the same in both
} pairing;

uint32_t paf_compare_find_module(const paf_model *m, const char *name)
{
    for (uint32_t i = 0; i < m->nmodules; i++)
        if (!strcmp(iot_get_module(m->a, i)->name, name))
            return i;
    return IOT_NONE;
}

static bool worth_a_row(const paf_model *m, uint32_t module)
{
    return iot_get_module(m->a, module)->work > 0;
}

// In the order of the slower run, then those only the other has.
static GArray *pair_modules(const paf_compared *c)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(pairing));
    int lead = c->m[1]->span > c->m[0]->span;
    for (int turn = 0; turn < 2; turn++) {
        int run = turn == 0 ? lead : !lead;
        for (uint32_t k = 0; k < c->m[run]->nmodules; k++) {
            uint32_t module = c->m[run]->order[k];
            pairing p = {.name = iot_get_module(c->m[run]->a, module)->name};
            p.in[run] = module;
            p.in[!run] = paf_compare_find_module(c->m[!run], p.name);
            if (!worth_a_row(c->m[run], module) || (turn == 1 && p.in[!run] != IOT_NONE))
                continue;
            p.hue = c->m[run]->hue[module];
            g_array_append_val(rows, p);
        }
    }
    return rows;
}

typedef enum { WORK, CRITICAL, WAITING, PEAK, PROCESSES, QUANTITIES } quantity;
static const char *const quantity_names[QUANTITIES] = {"work", "critical path", "waiting", "peak",
                                                       "processes"};

// Of a real run of Fleng by real time work is how long a module was busy.
static bool is_busy_time(const paf_compared *c, int run)
{
    return c->v->clock == IOT_REAL_TIME && !trace_is_measured(c->m[run]->t);
}

static uint64_t figure(const paf_compared *c, int run, uint32_t module, quantity q)
{
    const iot_module *info = &c->modules[run][module];
    switch (q) {
    case WORK:
        return is_busy_time(c, run) ? info->busy : info->work;
    case CRITICAL:
        return info->critical;
    case WAITING:
        return info->waiting;
    case PEAK:
        return info->peak;
    case PROCESSES:
    case QUANTITIES:
        break;
    }
    return info->processes;
}

// As many as have room for their figures, which are never cut.
static int quantities_shown(const paf_compared *c)
{
    return (int)CLAMP((c->table.w - NAMES) / LEAST_GROUP, 1, QUANTITIES);
}

static double column_right(const paf_compared *c, quantity q, int part)
{
    static const double parts[] = {0.32, 0.65, 0.98}; // of a group: where its columns end
    double group = (c->table.w - NAMES) / quantities_shown(c);
    return c->table.x + NAMES + group * ((int)q + parts[part]);
}

static void write_figure(const paf_compared *c, const pairing *p, quantity q, int run, double y)
{
    if (p->in[run] == IOT_NONE) {
        paf_write(c->pic, PAF_TEXT_SMALL, c->theme->faint, column_right(c, q, run), y, 0, 1, "–");
        return;
    }
    uint64_t n = figure(c, run, p->in[run], q);
    const trace *t = c->m[run]->t;
    bool time = n > 0 && (trace_is_measured(t)   ? q <= WAITING
                          : is_busy_time(c, run) ? q == WORK || q == WAITING
                                                 : false);
    char *text = time ? paf_duration_by(t, c->v->clock, (int64_t)n) : paf_number(n);
    paf_write(c->pic, PAF_TEXT_SMALL, c->theme->ink, column_right(c, q, run), y, 0, 1, text);
    g_free(text);
}

static void write_ratio(const paf_compared *c, const pairing *p, quantity q, double y)
{
    if (p->in[0] == IOT_NONE || p->in[1] == IOT_NONE)
        return;
    double a = (double)figure(c, 0, p->in[0], q), b = (double)figure(c, 1, p->in[1], q);
    if (a <= 0 || b <= 0)
        return;
    double ratio = b / a;
    char *text = ratio >= 100 || ratio < 0.01
                     ? g_strdup_printf("×%.2g", ratio)
                     : g_strdup_printf(ratio >= 10 ? "×%.0f" : "×%.2f", ratio);
    bool same = ratio > 0.95 && ratio < 1.05;
    paf_write(c->pic, PAF_TEXT_SMALL, same ? c->theme->faint : c->theme->quiet,
              column_right(c, q, 2), y, 0, 1, text);
    g_free(text);
}

// The runs by their files' names as far as these fit, else by their order.
static void write_run_name(const paf_compared *c, quantity q, int run, double y)
{
    double room = column_right(c, q, 1) - column_right(c, q, 0) - 8;
    char *stem = g_strdup(c->titles[run]);
    if (g_str_has_suffix(stem, ".paf"))
        stem[strlen(stem) - 4] = 0;
    bool fits = paf_shaped_text_width(paf_picture_text(c->pic), PAF_TEXT_SMALL, stem) <= room;
    paf_write(c->pic, PAF_TEXT_SMALL, c->theme->quiet, column_right(c, q, run), y, 0, 1,
              fits       ? stem
              : run == 0 ? "first"
                         : "second");
    g_free(stem);
}

static const char *legend(const paf_compared *c, quantity q)
{
    static const char *const legends[QUANTITIES] = {
        "How many reductions the module did",
        "How much of the critical path is the module's: the run can be no shorter than that",
        "How long its goals waited for inputs, all of them together: more than the run took",
        "How many of its reductions there were at one moment, at most",
        "How many processes it had",
    };
    return q == WORK && is_busy_time(c, 0) ? "How long the module's reductions took, all of them together"
                                           : legends[q];
}

static void write_table_head(const paf_compared *c, double y)
{
    paf_write_head(c->pic, PAF_TEXT_CAPS, c->theme->quiet, c->table.x, y + 16, 0, "MODULE",
                   "Modules of both runs by their names; a click aligns the runs where it begins");
    for (int q = 0; q < quantities_shown(c); q++) {
        const char *name = q == WORK && is_busy_time(c, 0) ? "busy" : quantity_names[q];
        char *text = g_strdup_printf("%s\nIn each run, and how many times as much it is in the second one",
                                     legend(c, (quantity)q));
        paf_write_head(c->pic, PAF_TEXT_STRONG, c->theme->ink, column_right(c, q, 1), y, 1, name, text);
        write_run_name(c, q, 0, y + 16);
        write_run_name(c, q, 1, y + 16);
        g_free(text);
    }
}

static void write_row(const paf_compared *c, const pairing *p, double y)
{
    double x = c->table.x;
    if (c->v->alignment == PAF_ALIGN_MODULE && !g_strcmp0(c->v->module, p->name)) {
        paf_round_box(c->pic, x - 6, y - 15, NAMES + 4, 20, 4);
        paf_stroke(c->pic, c->theme->amber, 1.5);
    }
    paf_round_box(c->pic, x, y - 10, 11, 11, 3);
    paf_fill(c->pic, paf_module_colour(c->theme, p->hue), paf_module_pattern(p->hue));
    paf_write_name(c->pic, PAF_TEXT_BODY, c->theme->ink, x + 18, y, NAMES - 22, 0, p->name);
    for (int q = 0; q < quantities_shown(c); q++) {
        write_figure(c, p, q, 0, y);
        write_figure(c, p, q, 1, y);
        write_ratio(c, p, q, y);
    }
    int of = p->in[0] == IOT_NONE;
    paf_add_hit(c->pic, (paf_rect){x - 6, y - 15, c->table.w + 6, ROW}, PAF_HIT_MODULE_ROW, p->in[of],
                (uint32_t)of);
}

uint32_t paf_compare_rows(const paf_compared *c)
{
    GArray *rows = pair_modules(c);
    uint32_t n = rows->len;
    g_array_free(rows, TRUE);
    return n;
}

double paf_compare_table_height(uint32_t rows)
{
    return HEAD + ROW * rows;
}

void paf_compare_draw_table(const paf_compared *c)
{
    GArray *rows = pair_modules(c);
    double y = c->table.y + 12, bottom = c->table.y + c->table.h;
    write_table_head(c, y);
    y += HEAD;
    uint32_t room = (uint32_t)fmax((bottom - y) / ROW + 1, 1);
    uint32_t shown = rows->len <= room ? rows->len : room - 1;
    for (uint32_t i = 0; i < shown; i++, y += ROW)
        write_row(c, &g_array_index(rows, pairing, i), y);
    if (shown < rows->len) {
        char *rest = paf_count(rows->len - shown, "more module", "more modules");
        char *text = g_strdup_printf("+%s", rest);
        paf_write(c->pic, PAF_TEXT_SMALL, c->theme->quiet, c->table.x, y, 0, 0, text);
        g_free(text);
        g_free(rest);
    }
    g_array_free(rows, TRUE);
}

// ---------------------------------------------------------------------------------------------
// Sentences

// Where the critical path changed most: "upd changed most: 12 of the critical path instead of 77." Empty if
// nowhere.
char *paf_compare_moved(const paf_compared *c)
{
    GArray *rows = pair_modules(c);
    const pairing *most = NULL;
    double largest = 0;
    for (guint i = 0; i < rows->len; i++) {
        const pairing *p = &g_array_index(rows, pairing, i);
        double n[2];
        for (int run = 0; run < 2; run++)
            n[run] = p->in[run] == IOT_NONE ? 0 : (double)figure(c, run, p->in[run], CRITICAL);
        if (fabs(n[1] - n[0]) > largest) {
            largest = fabs(n[1] - n[0]);
            most = p;
        }
    }
    char *text = g_strdup("");
    if (most) {
        char *figures[2];
        for (int run = 0; run < 2; run++) {
            uint64_t n = most->in[run] == IOT_NONE ? 0 : figure(c, run, most->in[run], CRITICAL);
            figures[run] = trace_is_measured(c->m[run]->t)
                               ? paf_duration_by(c->m[run]->t, c->v->clock, (int64_t)n)
                               : paf_number(n);
        }
        g_free(text);
        text = g_strdup_printf("%s changed most: %s of the critical path instead of %s.", most->name,
                               figures[1], figures[0]);
        g_free(figures[0]);
        g_free(figures[1]);
    }
    g_array_free(rows, TRUE);
    return text;
}

// One sentence: which is faster and by how much.
char *paf_compare_verdict(const paf_compared *c)
{
    double a = (double)MAX(iot_end(c->m[0]->a, c->v->clock), 1);
    double b = (double)MAX(iot_end(c->m[1]->a, c->v->clock), 1);
    if (c->apart)
        return g_strdup(
            "One was measured in seconds, the other one has steps: each is drawn over its "
            "own length.");
    for (int i = 0; i < 2; i++) {
        if (!iot_ran_to_end(c->m[i]->t))
            return g_strdup_printf("%s did not run to its end: the spans do not compare.",
                                   c->titles[i]);
    }
    double wa = (double)MAX(iot_work(c->m[0]->a), 1), wb = (double)MAX(iot_work(c->m[1]->a), 1);
    if (a == b && wa == wb)
        return g_strdup("Both take equally long, with as much work.");
    if (a == b)
        return g_strdup_printf("Both take equally long; the second does %.3g times the work.",
                               wb / wa);
    const char *slow = c->titles[a > b ? 0 : 1], *fast = c->titles[a > b ? 1 : 0];
    double times = a > b ? a / b : b / a, work = a > b ? wb / wa : wa / wb;
    if (fabs(work - 1) < 0.005)
        return g_strdup_printf("%s is done %.3g times sooner than %s, with as much work.", fast, times, slow);
    return g_strdup_printf("%s is done %.3g times sooner than %s, with %.3g times the work.", fast,
                           times, slow, work);
}

