// SPDX-License-Identifier: MIT
//
// `paf export`: pictures of a trace without a display.
#include "paf/commands/export.h"
#include "base/output.h"
#include "iotree/overview.h"
#include "paf/commands/export_page.h"
#include "paf/commands/report.h"
#include "paf/draw/surface.h"
#include "paf/layout/compare_picture.h"
#include "paf/layout/layout.h"
#include "paf/layout/samples_picture.h"
#include "paf/say/numbers.h"
#include "profiler/profile.h"
#include "profiler/samples.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Exit statuses of paf.
enum { OK = 0, NOTHING = 1, USAGE = 2 };

#define REGION_ALL (IOT_NONE - 1)

static const char help[] =
    "usage: paf export [OPTION...] -o OUT.{png,svg,pdf,json,html} FILE.paf...\n"
    "Draws a trace without a display. The same input gives the same bytes.\n"
    "\n"
    "  -o, --output FILE     where to; the ending chooses the format; json, of parallelism and\n"
    "                        places: the Chrome trace event format; html: one page of one run, or\n"
    "                        of two that are compared, to be looked at in a browser: nothing else\n"
    "                        is needed\n"
    "      --view VIEW       all (the window; the default, but of a file with totals only the\n"
    "                        table), parallelism, iotree, dependencies,\n"
    "                        places (of a real run: workers, threads or ranks over real time),\n"
    "                        calls (of a measured run: the time of its routines, loops and constructs,\n"
    "                        with what they called and without, all places beside each other),\n"
    "                        messages (of a run with MPI: from which rank to which),\n"
    "                        costs (of a real run of Fleng: what it took its time for),\n"
    "                        compare (two files, one above the other: curves, processes,\n"
    "                        modules by name, findings),\n"
    "                        table (totals: routines, loops, I/O, MPI calls as bars)\n"
    "      --table TABLE     of the table: units, loops, io, calls or ignored; of a run of Fleng predicates\n"
    "                        or modules\n"
    "      --group GROUP     of --table io: by statements (default), units or files\n"
    "      --of UNIT         only what stands in this routine; of calls: the module that is chosen\n"
    "                        (default: the first one)\n"
    "      --by QUANTITY     time (default) or counts; of a run of Fleng counts (default), path (the\n"
    "                        critical one) or waited (by all goals together); of messages: counts\n"
    "                        (default), bytes or waited\n"
    "      --node N          one rank or process, by its number in the views, or sum (default), max,\n"
    "                        min, mean\n"
    "      --maximum X       seconds or counts of a full bar (default: the first one's)\n"
    "      --ignore NAMES    what is left out, separated by commas\n"
    "      --clock CLOCK     of a measured run: real (default) or virtual, which replays it with as\n"
    "                        many processors as it can use; of a real run of Fleng: virtual\n"
    "                        (default) or real\n"
    "      --processors P    of places: the run simulated on P processors, over steps; with\n"
    "      --delay D         D steps for what another processor made, and goals that cost less than\n"
    "      --grain G         G steps staying with their parents (see paf simulate)\n"
    "      --from T, --to T  the stretch of time shown (default: the whole run; of real time, and of\n"
    "                        measured runs, in nanoseconds)\n"
    "      --align HOW       two runs: start (default), a MODULE (where it begins), or two times T1,T2\n"
    "      --size WxH        in pixels (default: 1440x900)\n"
    "      --scale N         device pixels per pixel of a PNG, 0.5 to 8 (default: 1)\n"
    "      --theme THEME     light (default) or dark\n"
    "  -p, --partition P     modules, as NAME=p/2,q/3 ..., or a file of such lines\n"
    "      --select GOAL     p/2: the last reduction of the predicate that gave something to\n"
    "                        another process; #N: the goal numbered N; of a table: file:line\n"
    "      --bookmark NOTE   of a FILE.view in place of the trace: the bookmark whose note begins so\n"
    "                        (default: the first one)\n"
    "      --rows N          of a measured run: N rows of places are scrolled out above, or all: every\n"
    "                        row is in sight, however low (default of places)\n"
    "      --order ORDER     of these rows: number (default) or waiting, the longest first\n"
    "      --fold GROUPS     nodes and processes that have one row, as \"rank 3,node7\", or all\n"
    "      --region N        the statistics of parallel region N, from 0 (all: of the program)\n"
    "      --memory SIZE     that may be taken, as in 500M or 2G\n"
    "  -h, --help            this text\n"
    "\n"
    "Exit status: 0; 1 the file is damaged or nothing matches; 2 usage.\n";

typedef struct {
    const char *output, *partition, *select, *bookmark;
    const char *align; // of two runs; NULL: at their starts
    paf_bookmarks *bookmarks; // of a .view file given in place of the trace, or NULL
    bool compare, table, chosen; // chosen: a view was named
    bool of_a_table; // some of these were given
    const char *by;  // a quantity, or NULL
    paf_message_figure figure;
    paf_table_options of_table;
    paf_view_kind kind;
    iot_machine machine; // processors: 0 unless the run is to be simulated
    const char *clock; // as named, or NULL
    uint32_t region;   // REGION_ALL: of the program
    bool has_from, has_to;
    double from, to, width, height, scale;
    bool dark;
    const char *rows, *fold; // of places: as named, or NULL
    bool by_wait;
} options;

typedef struct {
    const char *path;
    trace *t;
    iot *a;
    paf_model *m;
    iot_schedule schedule; // of the simulated run, if it is
    bool damaged;
} opened;

static int fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("paf export: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Options

static bool parse_number(const char *text, double least, double most, double *ret)
{
    char *end;
    errno = 0;
    double v = strtod(text, &end);
    if (errno || end == text || *end || !(v >= least && v <= most))
        return false;
    *ret = v;
    return true;
}

static bool parse_size(const char *text, options *o)
{
    int w, h, used = 0;
    if (sscanf(text, "%dx%d%n", &w, &h, &used) != 2 || text[used] || w < 200 || h < 120 ||
        w > 20000 || h > 20000)
        return false;
    o->width = w;
    o->height = h;
    return true;
}

static bool parse_view(const char *text, options *o)
{
    static const struct {
        const char *name;
        paf_view_kind kind;
    } views[] = {{"all", PAF_VIEW_ALL},
                 {"parallelism", PAF_VIEW_PARALLELISM},
                 {"iotree", PAF_VIEW_IOTREE},
                 {"dependencies", PAF_VIEW_DEPENDENCIES},
                 {"calls", PAF_VIEW_CALLS},
                 {"messages", PAF_VIEW_MESSAGES},
                 {"places", PAF_VIEW_PLACES},
                 {"costs", PAF_VIEW_COSTS}};
    o->chosen = true;
    o->compare = !strcmp(text, "compare");
    o->table = !strcmp(text, "table");
    for (unsigned i = 0; i < G_N_ELEMENTS(views); i++)
        if (!strcmp(text, views[i].name)) {
            o->kind = views[i].kind;
            return true;
        }
    return o->compare || o->table;
}

// "#N", "p/2" or "m:p/2".
static bool is_selection(const char *text)
{
    if (text[0] == '#')
        return text[1] && !text[1 + strspn(text + 1, "0123456789")];
    const char *colon = strrchr(text, ':'); // "file:line", in a table
    if (colon && colon > text && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")])
        return true;
    return paf_is_indicator(text);
}

static bool parse_region(const char *text, options *o)
{
    double number = 0;
    o->region = REGION_ALL;
    if (strcmp(text, "all") == 0)
        return true;
    if (!parse_number(text, 0, 1e9, &number) || number != floor(number))
        return false;
    o->region = (uint32_t)number;
    return true;
}

enum {
    VIEW = 256,
    FROM,
    TO,
    SIZE,
    SCALE,
    THEME,
    SELECT,
    CLOCK,
    REGION,
    TABLE,
    OF,
    BY,
    NODE,
    MAXIMUM,
    IGNORE,
    GROUP,
    PROCESSORS,
    MEMORY,
    BOOKMARK,
    ALIGN,
    DELAY,
    GRAIN,
    ROWS,
    ORDER,
    FOLD
};

static int parse_quantity(const char *text, paf_table_options *o)
{
    static const struct {
        const char *name;
        bool counts;
        paf_figure figure;
    } quantities[] = {{"time", false, PAF_FIGURE_REDUCTIONS},
                      {"counts", true, PAF_FIGURE_REDUCTIONS},
                      {"path", true, PAF_FIGURE_PATH},
                      {"waited", true, PAF_FIGURE_WAITED}};
    for (unsigned i = 0; i < G_N_ELEMENTS(quantities); i++)
        if (strcmp(text, quantities[i].name) == 0) {
            o->counts = quantities[i].counts;
            o->figure = quantities[i].figure;
            return OK;
        }
    return fail(USAGE, "no such quantity: %s (time or counts; of a run of Fleng counts, path or waited)",
                text);
}

static int parse_table_option(int c, paf_table_options *o)
{
    switch (c) {
    case TABLE:
        o->table = optarg;
        return OK;
    case OF:
        o->unit = optarg;
        return OK;
    case NODE:
        o->node = optarg;
        return OK;
    case GROUP:
        o->group = optarg;
        return OK;
    case IGNORE:
        o->ignored = optarg;
        return OK;
    default:
        return parse_number(optarg, 1e-9, 1e18, &o->maximum)
                   ? OK
                   : fail(USAGE, "not a maximum: %s", optarg);
    }
}

static int parse_machine(int c, options *o)
{
    double number;
    if (!parse_number(optarg, c == PROCESSORS, 1e9, &number) || number != floor(number))
        return fail(USAGE, c == PROCESSORS ? "not a number of processors: %s"
                                           : "not a number of steps: %s", optarg);
    if (c == PROCESSORS)
        o->machine.processors = (uint32_t)number;
    else if (c == DELAY)
        o->machine.delay = (int64_t)number;
    else
        o->machine.grain = (int64_t)number;
    return OK;
}

// Of the rows of places.
static int parse_rows(int c, options *o)
{
    double number;
    if (c == FOLD) {
        o->fold = optarg;
        return OK;
    }
    if (c == ORDER) {
        o->by_wait = !strcmp(optarg, "waiting");
        return o->by_wait || !strcmp(optarg, "number")
                   ? OK
                   : fail(USAGE, "no such order: %s (number or waiting)", optarg);
    }
    o->rows = optarg;
    return !strcmp(optarg, "all") || (parse_number(optarg, 0, 1e9, &number) && number == floor(number))
               ? OK
               : fail(USAGE, "--rows: neither a number of rows nor all: %s", optarg);
}

static int parse_option(int c, options *o)
{
    switch (c) {
    case 'o':
        o->output = optarg;
        return OK;
    case VIEW:
        return parse_view(optarg, o)
                   ? OK
                   : fail(USAGE,
                          "no such view: %s (all, parallelism, iotree, dependencies, "
                          "places, calls, messages, costs, table or compare)",
                          optarg);
    case FROM:
        o->has_from = true;
        return parse_number(optarg, 0, 1e18, &o->from) ? OK : fail(USAGE, "not a time: %s", optarg);
    case TO:
        o->has_to = true;
        return parse_number(optarg, 0, 1e18, &o->to) ? OK : fail(USAGE, "not a time: %s", optarg);
    case SIZE:
        return parse_size(optarg, o)
                   ? OK
                   : fail(USAGE, "not a size: %s (WxH, from 200x120 to 20000x20000)", optarg);
    case SCALE:
        return parse_number(optarg, 0.5, 8, &o->scale)
                   ? OK
                   : fail(USAGE, "not a scale: %s (0.5 to 8)", optarg);
    case THEME:
        o->dark = !strcmp(optarg, "dark");
        return o->dark || !strcmp(optarg, "light") ? OK : fail(USAGE, "no such theme: %s", optarg);
    case 'p':
        o->partition = optarg;
        return OK;
    case CLOCK:
        o->clock = optarg;
        return !strcmp(optarg, "real") || !strcmp(optarg, "virtual")
                   ? OK
                   : fail(USAGE, "no such clock: %s (real or virtual)", optarg);
    case BY:
        o->by = optarg;
        o->of_a_table = true;
        return OK;
    case TABLE:
    case OF:
    case NODE:
    case MAXIMUM:
    case IGNORE:
    case GROUP:
        o->of_a_table = true;
        return parse_table_option(c, &o->of_table);
    case PROCESSORS:
    case DELAY:
    case GRAIN:
        return parse_machine(c, o);
    case ALIGN:
        o->align = optarg;
        return OK;
    case BOOKMARK:
        o->bookmark = optarg;
        return OK;
    case MEMORY:
        return paf_set_memory("export", optarg) ? OK : USAGE;
    case REGION:
        return parse_region(optarg, o) ? OK : fail(USAGE, "not a region: %s", optarg);
    case ROWS:
    case ORDER:
    case FOLD:
        return parse_rows(c, o);
    case SELECT:
        o->select = optarg;
        return is_selection(optarg)
                   ? OK
                   : fail(USAGE, "--select: `%s` is not PREDICATE/N or #GOAL", optarg);
    }
    return USAGE; // paf_next_option() has said why
}

// What messages are counted by, or the table's quantity.
static int choose_quantity(options *o)
{
    static const char *const figures[] = {"counts", "bytes", "waited"};
    if (!o->by || o->kind != PAF_VIEW_MESSAGES)
        return o->by ? parse_quantity(o->by, &o->of_table) : OK;
    for (uint32_t i = 0; i < G_N_ELEMENTS(figures); i++)
        if (!strcmp(o->by, figures[i])) {
            o->figure = (paf_message_figure)i;
            return OK;
        }
    return fail(USAGE, "no such quantity: %s (of messages counts, bytes or waited)", o->by);
}

// Whether options of the table were given that the view does not have.
static bool misses_the_table(const options *o)
{
    const paf_table_options *t = &o->of_table;
    bool others = t->table || t->node || t->group || t->ignored || t->maximum > 0;
    bool own = (o->kind == PAF_VIEW_CALLS && !o->by) || (o->kind == PAF_VIEW_MESSAGES && !t->unit);
    return o->of_a_table && o->chosen && !o->table && (others || !own);
}

static bool is_page(const options *o)
{
    return paf_file_kind_of(o->output) == PAF_FILE_HTML;
}

// A page shows the whole run, with what there is to choose in it.
static int check_page(options *o, int nfiles)
{
    if (o->chosen || o->select || o->clock || o->align || o->bookmark || o->has_from || o->has_to ||
        o->region != IOT_NONE || o->rows || o->fold || o->by_wait)
        return fail(USAGE, "%s: a page shows the whole run: it takes --partition and --memory", o->output);
    if (nfiles > 2)
        return fail(USAGE, "a page shows one run or two, not %d", nfiles);
    o->compare = nfiles == 2;
    return OK;
}

static int check_options(options *o, int nfiles)
{
    if (choose_quantity(o) != OK)
        return USAGE;
    if (misses_the_table(o))
        return fail(USAGE,
                    "--table, --group, --of, --by, --node, --maximum and --ignore are of --view "
                    "table");
    if (o->machine.processors == 0 && (o->machine.delay > 0 || o->machine.grain > 0))
        return fail(USAGE, "--delay and --grain are of a simulated run: --processors P is missing");
    if (o->machine.processors > 0 && (o->kind != PAF_VIEW_PLACES || o->table || o->compare))
        return fail(USAGE, "--processors is of --view places");
    o->table = o->table || (o->of_a_table && !o->chosen);
    o->chosen = o->chosen || o->table;
    if (!o->output)
        return fail(USAGE, "no output named (-o OUT.png)");
    if (paf_file_kind_of(o->output) == PAF_FILE_UNKNOWN)
        return fail(USAGE, "%s: the name must end in .png, .svg, .pdf, .json or .html", o->output);
    if (paf_file_kind_of(o->output) == PAF_FILE_JSON &&
        (o->compare ||
         (!o->table && o->kind != PAF_VIEW_PLACES && o->kind != PAF_VIEW_PARALLELISM)))
        return fail(USAGE,
                    "%s: only --view places, parallelism and table are written as JSON",
                    o->output);
    if (nfiles == 0)
        return fail(USAGE, "no trace named");
    if (is_page(o))
        return check_page(o, nfiles);
    if (o->align && !o->compare)
        return fail(USAGE, "--align is of --view compare");
    if (o->compare && nfiles != 2)
        return fail(USAGE, "comparing takes two traces, not %d", nfiles);
    if (!o->compare && nfiles != 1)
        return fail(USAGE, "this view shows one trace, not %d (two: --view compare)", nfiles);
    if (o->has_from && o->has_to && o->from >= o->to)
        return fail(USAGE, "--from must be before --to");
    // cairo's image surfaces end at 32767 device pixels.
    if (o->width * o->scale > 32767 || o->height * o->scale > 32767)
        return fail(USAGE, "size times scale is beyond 32767 pixels");
    return OK;
}

// ---------------------------------------------------------------------------------------------
// Opening

// Messages of a file that knows of them by its totals only.
static bool is_of_totals(const opened *f, const options *o)
{
    const trace_totals *totals = trace_get_totals(f->t);
    return o->kind == PAF_VIEW_MESSAGES && trace_nreductions(f->t) == 0 && paf_has_messages(NULL, totals);
}

// What workers did at regular times, and nothing else.
static bool is_of_samples(const opened *f)
{
    return trace_get_samples(f->t) && trace_nreductions(f->t) == 0;
}

// Of a file with totals alone the table is drawn unless another view was asked for.
static int open_trace(opened *f, options *o)
{
    int status = OK;
    // What is readable is drawn all the same; the exit status tells of the rest.
    f->t = paf_open_trace("export", f->path, &status);
    f->damaged = status != OK;
    if (!f->t)
        return status;
    bool drawn = o->kind == PAF_VIEW_ALL || o->kind == PAF_VIEW_PLACES || o->kind == PAF_VIEW_PARALLELISM;
    if (is_of_samples(f))
        return o->table || o->compare || o->select || o->bookmarks || !drawn || is_page(o)
                   ? fail(NOTHING,
                          "%s: samples of what workers did, without a history: --view all, places and "
                          "parallelism show them",
                          f->path)
                   : OK;
    if (!o->chosen && trace_nreductions(f->t) == 0 && trace_get_totals(f->t))
        o->table = true;
    if ((o->table || is_of_totals(f, o)) && !is_page(o))
        return OK;
    if (trace_nreductions(f->t) == 0 && !trace_get_profile(f->t))
        return fail(NOTHING,
                    "%s: no timeline was recorded: it holds totals (--view table draws them)",
                    f->path);
    if (trace_get_profile(f->t))
        return fail(NOTHING,
                    "%s: a profile, without a history to draw (paf report tells its figures)",
                    f->path);
    return OK;
}

// Whether a picture shows anything of processes: links take most of the time.
static bool shows_processes(const options *o)
{
    return o->select || (o->kind != PAF_VIEW_PARALLELISM && o->kind != PAF_VIEW_PLACES &&
                         o->kind != PAF_VIEW_CALLS && o->kind != PAF_VIEW_MESSAGES &&
                         o->kind != PAF_VIEW_COSTS);
}

static void close_trace(opened *f)
{
    paf_model_destroy(f->m);
    iot_schedule_free(&f->schedule);
    iot_destroy(f->a);
    if (f->t)
        trace_close(f->t);
}

static bool needs_reductions(const options *o)
{
    return o->kind != PAF_VIEW_PARALLELISM || o->table || o->compare || o->clock || o->select ||
           ((o->has_from || o->has_to) && o->partition) || o->region != IOT_NONE || is_page(o) ||
           paf_file_kind_of(o->output) == PAF_FILE_JSON;
}

static bool close_overview(opened *f)
{
    close_trace(f);
    *f = (opened){.path = f->path};
    return false;
}

// What the options show of a run that ends at `end`. False: nothing.
static bool set_window(const options *o, double end, paf_view *view)
{
    view->to = view->kind == PAF_VIEW_PLACES ? fmax(end, 1) : fmax(end, 1) + 1;
    if (o->has_from)
        view->from = o->from;
    if (o->has_to)
        view->to = o->to;
    return view->to > view->from && (!o->has_from || o->from <= end);
}

static paf_view window_of(const opened *f, const options *o, bool *ret_good)
{
    paf_view view = paf_view_fit(f->m, o->width, o->height);
    view.kind = o->kind;
    *ret_good = set_window(o, paf_end(f->m, view.clock), &view);
    return view;
}

// The window is too narrow for the summary: the chunks of reductions that it shows are read.
static bool open_window(opened *f, const paf_view *view)
{
    int64_t from, width;
    uint32_t n;
    bool known = !trace_get_stretch(f->t) && paf_layout_needs(f->m, view, &from, &width, &n);
    close_overview(f);
    if (known)
        f->t = trace_open_stretch(f->path, from, width, n, NULL, NULL);
    f->a = f->t ? iot_overview(f->t) : NULL;
    f->m = f->a ? paf_model_begin(f->a, NULL, NULL) : NULL;
    return f->m || close_overview(f);
}

// The figures are there: if they are fine enough for the picture, or a window of them is, there is a model.
static bool make_overview(opened *f, const options *o)
{
    bool good = false;
    f->m = f->a ? paf_model_begin(f->a, NULL, NULL) : NULL;
    paf_view view = f->m ? window_of(f, o, &good) : (paf_view){0};
    if (good && paf_layout_is_exact(f->m, &view))
        return true;
    bool is_window = good && !o->partition && (o->has_from || o->has_to);
    if (is_window && open_window(f, &view) && paf_layout_is_exact(f->m, &view))
        return true;
    return close_overview(f);
}

// A picture of the whole run needs its reductions only where their summary is too coarse. Other chunks
// are read first, to see whether they are sound. For another partition, the summary is made while they are read.
static bool open_overview(opened *f, const options *o)
{
    char *error = NULL;
    struct stat status; // a pipe can be read only once
    if (needs_reductions(o) || stat(f->path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    base_output_protect(f->path, "it is read");
    bool sound = trace_verify(f->path, &error);
    free(error);
    if (!sound)
        return false;
    f->t = o->partition ? NULL : trace_open_head(f->path);
    if (f->t)
        f->a = iot_overview(f->t);
    if (!f->a && f->t)
        trace_close(f->t);
    f->t = f->a ? f->t : NULL;
    if (!f->a && !o->has_from && !o->has_to)
        f->a = paf_sum_up(f->path, o->partition, false, NULL, NULL, &f->t);
    return make_overview(f, o);
}

// other: what the trace is compared with, or NULL. whole: the model is to be complete.
static int analyse_trace(opened *f, const trace *other, const char *partition, bool whole)
{
    iot_partition *p = paf_read_partition_among("export", f->t, other, partition);
    if (!p)
        return USAGE;
    f->a = iot_analyse(f->t, p, NULL, NULL);
    iot_partition_destroy(p);
    if (!f->a)
        return fail(NOTHING, "%s: cannot be analysed", f->path);
    f->m = whole ? paf_model_create(f->a, NULL, NULL) : paf_model_begin(f->a, NULL, NULL);
    return OK;
}

// ---------------------------------------------------------------------------------------------
// Selection

static bool gave_something(const opened *f, uint32_t reduction)
{
    uint32_t end = reduction + 1 < trace_nreductions(f->t)
                       ? trace_first_binding(f->t, reduction + 1)
                       : trace_nbindings(f->t);
    for (uint32_t b = trace_first_binding(f->t, reduction); b < end; b++) {
        uint32_t first;
        if (paf_links_of_binding(f->m, b, &first) > 0)
            return true;
    }
    return false;
}

// "#N", "p/2" or "m:p/2". IOT_NONE: nothing matches.
static uint32_t find_selection(const opened *f, const char *text)
{
    if (text[0] == '#') {
        char *end;
        unsigned long goal = strtoul(text + 1, &end, 10);
        if (*end || end == text + 1 || goal >= trace_ngoals(f->t))
            return IOT_NONE;
        uint32_t reduction = trace_goal_reduction(f->t, (uint32_t)goal);
        return reduction == TRACE_NONE ? IOT_NONE : reduction;
    }
    uint32_t giving = IOT_NONE, any = IOT_NONE;
    for (uint32_t r = trace_nreductions(f->t); r-- > 1 && giving == IOT_NONE;) {
        uint32_t goal = trace_reduction_goal(f->t, r);
        char *name = paf_predicate_name(f->t, trace_goal_predicate(f->t, goal));
        if (!strcmp(name, text)) {
            if (any == IOT_NONE)
                any = r;
            if (gave_something(f, r))
                giving = r;
        }
        g_free(name);
    }
    return giving != IOT_NONE ? giving : any;
}

// ---------------------------------------------------------------------------------------------
// Drawing

static int save(const options *o, const paf_picture *picture)
{
    char *error = NULL;
    if (paf_picture_save(picture, o->output, o->width, o->height, o->scale, &error))
        return OK;
    int status = fail(NOTHING, "%s", error);
    g_free(error);
    return status;
}

// The end of the axis of the view.
static double end_of_run(const opened *f, const paf_view *view)
{
    if (view->schedule)
        return (double)view->schedule->sums.span;
    return view->kind == PAF_VIEW_PLACES ? (double)trace_elapsed(f->t) : paf_end(f->m, view->clock);
}

static bool asks_for(const options *o, const char *clock)
{
    return o->clock && !strcmp(o->clock, clock);
}

static int without_real_time(const opened *f)
{
    return fail(NOTHING,
                "%s: it has no real time: a run of the ideal machine has steps only (fleng "
                "-time=real -trace records both)",
                f->path);
}

// IO-Trees of measured runs have virtual time, places real time; the others what is asked for.
static int choose_clock(const options *o, const opened *f, paf_view *view)
{
    bool wants_real = asks_for(o, "real"), places = o->kind == PAF_VIEW_PLACES;
    if (view->schedule) {
        view->clock = IOT_VIRTUAL_TIME;
        return wants_real ? fail(USAGE, "a simulated run has no real time") : OK;
    }
    if (places && asks_for(o, "virtual"))
        return fail(USAGE, "places are shown over real time");
    if (o->kind == PAF_VIEW_IOTREE && trace_is_measured(f->t)) {
        view->clock = IOT_VIRTUAL_TIME;
        return wants_real ? fail(USAGE, "IO-Trees of a measured run are shown over virtual time")
                          : OK;
    }
    bool costs = o->kind == PAF_VIEW_COSTS;
    if (costs && trace_is_measured(f->t))
        return fail(NOTHING, "%s: costs are of real runs of Fleng (paf report tells the findings of a "
                             "measured run)", f->path);
    if (costs && asks_for(o, "virtual"))
        return fail(USAGE, "costs are of real time");
    if ((wants_real || costs) && !paf_has_clocks(f->m))
        return without_real_time(f);
    if (o->clock || places || costs)
        view->clock = wants_real || places || costs ? IOT_REAL_TIME : IOT_VIRTUAL_TIME;
    if (view->clock == IOT_REAL_TIME)
        paf_model_make_real(f->m);
    return OK;
}

static int choose_region(const options *o, const opened *f, paf_view *view)
{
    const trace_regions *regions = trace_get_regions(f->t);
    if (o->region == IOT_NONE)
        return OK;
    uint32_t n = regions ? regions->nregions : 0;
    if (!regions || (o->region != REGION_ALL && o->region >= n))
        return n == 0 ? fail(NOTHING, "%s: it has no parallel regions", f->path)
               : n == 1
                   ? fail(NOTHING, "%s: it has one parallel region: --region takes 0 or all",
                          f->path)
                   : fail(NOTHING, "%s: it has %u parallel regions: --region takes 0 to %u, or all",
                          f->path, n, n - 1);
    view->region = o->region == REGION_ALL ? n : o->region;
    return OK;
}

static int choose_window(const options *o, const opened *f, paf_view *view)
{
    int status = choose_clock(o, f, view);
    if (status == OK)
        status = choose_region(o, f, view);
    if (status != OK)
        return status;
    double end = end_of_run(f, view);
    if (!set_window(o, end, view))
        return fail(NOTHING, "--from %.0f: the run ends at %.0f", view->from, end);
    return OK;
}

// The file that is exported to. NULL: that has been told.
static base_output *create(const char *path)
{
    char *error = NULL;
    base_output *out = base_output_open(path, BASE_OUTPUT_WHOLE, NULL, &error);
    if (out && base_output_stream(out))
        return out;
    base_output_abandon(out);
    fail(NOTHING, "%s", error ? error : "out of memory");
    free(error);
    return NULL;
}

static int complete(base_output *out)
{
    char *error = NULL;
    if (base_output_close(out, &error))
        return OK;
    fail(NOTHING, "%s", error ? error : "out of memory");
    free(error);
    return NOTHING;
}

enum { LARGE = 32 << 20 }; // bytes of a file whose size is told before it is written

static void tell_size(const options *o, const opened *f, const paf_view *view)
{
    uint64_t size = paf_places_size(f->a, view->from, view->to);
    if (size < LARGE)
        return;
    char *text = g_format_size(size);
    paf_complain("export", "%s will have about %s (--from and --to choose a part)", o->output, text);
    g_free(text);
}

static int write_events(const options *o, const opened *f, const paf_view *view)
{
    base_output *out = create(o->output);
    if (!out)
        return NOTHING;
    FILE *file = base_output_stream(out);
    if (!view->schedule && o->kind == PAF_VIEW_PLACES)
        tell_size(o, f, view);
    if (view->schedule)
        paf_write_schedule(f->a, view->schedule, view->from, view->to, file);
    else if (o->kind == PAF_VIEW_PLACES)
        paf_write_places(f->a, view->from, view->to, file);
    else
        paf_write_parallelism(f->a, view->clock, (int64_t)view->from, (int64_t)ceil(view->to),
                              file);
    return complete(out);
}

// Simulates the run if that was asked for.
static int choose_places(const options *o, opened *f)
{
    if (o->machine.processors == 0)
        return trace_nplaces(f->t) > 0
                   ? OK
                   : fail(NOTHING,
                          "%s: the ideal machine has no places (fleng -time=real -trace records "
                          "them)",
                          f->path);
    if (trace_is_measured(f->t))
        return fail(USAGE, "--processors: a measured run keeps its work on its %u places",
                    trace_nplaces(f->t));
    iot_simulation *s = iot_simulation_create(f->a, NULL, NULL);
    iot_simulated sums;
    iot_simulation_run(s, &o->machine, NULL, NULL, &sums, &f->schedule);
    iot_simulation_destroy(s);
    return OK;
}

// A group of goals that wait for ever: that of "#N", or the first one of p/2.
static uint32_t find_waiting(const opened *f, const char *text)
{
    const paf_waiting_goals *w = f->m->waiting;
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t goal = w->groups[i].goal;
        char *name = paf_predicate_name(f->t, trace_goal_predicate(f->t, goal));
        bool same = text[0] == '#' ? strtoul(text + 1, NULL, 10) == goal : strcmp(name, text) == 0;
        g_free(name);
        if (same)
            return i;
    }
    return IOT_NONE;
}

// What a bookmark shows, on a model that has real time if it needs that. folded: by module.
static int take_bookmark(const options *o, opened *f, paf_view *view, paf_focus **ret_focus, uint8_t *folded)
{
    const paf_bookmark *b = paf_bookmarks_find(o->bookmarks, o->bookmark);
    if (!b)
        return o->bookmark ? fail(NOTHING, "no bookmark begins with %s", o->bookmark)
                           : fail(NOTHING, "there is no bookmark");
    if (b->clock == IOT_REAL_TIME && !paf_has_clocks(f->m))
        return without_real_time(f);
    if (b->clock == IOT_REAL_TIME)
        paf_model_make_real(f->m);
    paf_view_take_bookmark(view, f->m, b, ret_focus, folded);
    view->folded = folded;
    view->bookmarks = o->bookmarks->all;
    return OK;
}

// The rows of places, and which of their groups are closed; *ret_shut: the view's, g_free().
static int choose_rows(const options *o, const opened *f, paf_view *view, uint8_t **ret_shut)
{
    const paf_timeline *l = paf_timeline_by(f->m, view->clock);
    view->all_rows = o->rows ? !strcmp(o->rows, "all") : view->kind == PAF_VIEW_PLACES;
    view->first_row = o->rows && !view->all_rows ? (uint32_t)strtoul(o->rows, NULL, 10) : 0;
    view->by_wait = o->by_wait;
    if (!o->fold)
        return OK;
    if (!l || l->groups->ngroups == 0)
        return fail(NOTHING, "%s: --fold: its places are in no groups", f->path);
    *ret_shut = g_new0(uint8_t, l->groups->ngroups);
    memset(*ret_shut, !strcmp(o->fold, "all"), l->groups->ngroups);
    view->shut = *ret_shut;
    char **names = g_strsplit(o->fold, ",", -1);
    int status = OK;
    for (char **name = names; *name && strcmp(o->fold, "all") && status == OK; name++) {
        uint32_t group = paf_place_group_named(l->groups, g_strstrip(*name));
        if (group == TRACE_NONE)
            status = fail(NOTHING, "%s: --fold: no group %s of places", f->path, *name);
        else
            (*ret_shut)[group] = 1;
    }
    g_strfreev(names);
    return status;
}

// Of calls and messages: what is chosen.
static int choose_call(const options *o, const opened *f, paf_view *view)
{
    bool there[3] = {false};
    bool calls = view->kind == PAF_VIEW_CALLS;
    if (!calls && view->kind != PAF_VIEW_MESSAGES)
        return OK;
    if (!trace_is_measured(f->t) || !paf_lanes_there(f->m, view->clock, there))
        return fail(NOTHING, "%s: %s are of measured runs", f->path, calls ? "calls" : "messages");
    if (!calls && !there[PAF_LANES_MESSAGES])
        return fail(NOTHING, "%s: no rank sent a message to another one", f->path);
    view->figure = o->figure;
    for (uint32_t i = 0; calls && o->of_table.unit && i < iot_nmodules(f->a); i++)
        if (!strcmp(iot_get_module(f->a, i)->name, o->of_table.unit))
            view->call = i;
    return calls && o->of_table.unit && view->call == IOT_NONE
               ? fail(NOTHING, "%s: --of: no module %s", f->path, o->of_table.unit)
               : OK;
}

static int draw_traffic(const options *o, const opened *f, paf_shaped_text *text)
{
    char *title = g_path_get_basename(f->path);
    paf_messages *messages = paf_messages_of_totals(trace_get_totals(f->t));
    paf_view view = {.width = o->width, .height = o->height, .scale = o->scale, .dark = o->dark,
                     .title = title, .figure = o->figure, .sender = IOT_NONE, .receiver = IOT_NONE};
    paf_picture *picture = paf_messages_picture(messages, f->t, &view, text);
    int status = save(o, picture);
    paf_picture_destroy(picture);
    paf_messages_free(messages);
    g_free(title);
    return status;
}

static int draw_one(const options *o, opened *f, paf_shaped_text *text)
{
    if (is_of_totals(f, o))
        return draw_traffic(o, f, text);
    int status = o->kind == PAF_VIEW_PLACES ? choose_places(o, f) : OK;
    if (status != OK)
        return status;
    char *title = g_path_get_basename(f->path);
    paf_view view = paf_view_fit(f->m, o->width, o->height);
    view.kind = o->kind;
    view.scale = o->scale;
    view.dark = o->dark;
    view.header = true;
    view.title = title;
    view.schedule = f->schedule.n > 0 ? &f->schedule : NULL;
    status = choose_window(o, f, &view);
    if (status == OK && o->select) {
        view.selected = find_selection(f, o->select);
        view.waiting = view.selected == IOT_NONE ? find_waiting(f, o->select) : IOT_NONE;
        if (view.selected == IOT_NONE && view.waiting == IOT_NONE)
            status = fail(NOTHING, "%s: no reduction of %s", f->path, o->select);
    }
    paf_focus *focus = NULL;
    uint8_t *shut = NULL;
    if (status == OK)
        status = choose_rows(o, f, &view, &shut);
    if (status == OK)
        status = choose_call(o, f, &view);
    uint8_t *folded = g_new0(uint8_t, f->m->nmodules + 1);
    if (status == OK && o->bookmarks)
        status = take_bookmark(o, f, &view, &focus, folded);
    if (status == OK && paf_file_kind_of(o->output) == PAF_FILE_JSON) {
        status = write_events(o, f, &view);
    } else if (status == OK) {
        paf_model_prepare(f->m, &view, text);
        paf_layout *layout = paf_layout_create(f->m, &view, text);
        status = save(o, layout->picture);
        paf_layout_destroy(layout);
    }
    paf_focus_unref(focus);
    g_free(folded);
    g_free(shut);
    g_free(title);
    return status;
}

// How two runs are aligned: START, MODULE, or T1,T2; and how much of both is shown.
static int choose_alignment(const options *o, const paf_model *const models[2], paf_compare_view *view)
{
    char rest;
    double marks[2];
    if (o->align && sscanf(o->align, "%lf,%lf%c", &marks[0], &marks[1], &rest) == 2) {
        view->alignment = PAF_ALIGN_MARKS;
        for (int i = 0; i < 2; i++) {
            view->marks[i] = marks[i];
            if (!(marks[i] >= 0 && marks[i] <= paf_end(models[i], view->clock)))
                return fail(NOTHING, "--align %s: the %s run ends at %.0f", o->align,
                            i == 0 ? "first" : "second", paf_end(models[i], view->clock));
        }
    } else if (o->align && strcmp(o->align, "start")) {
        view->alignment = PAF_ALIGN_MODULE;
        view->module = o->align;
    }
    const char *why = paf_compare_refuses(models, view);
    if (why)
        return fail(NOTHING, "--align %s: %s", o->align, why);
    if (o->has_from || o->has_to) {
        double end = fmax(paf_end(models[0], view->clock), paf_end(models[1], view->clock)) + 1;
        view->from = o->has_from ? o->from : 0;
        view->to = o->has_to ? o->to : end;
        if (view->from >= view->to)
            return fail(NOTHING, "--from %.0f: the runs end at %.0f", view->from, end - 1);
    }
    return OK;
}

// Real time if it is asked for and both have it.
static int draw_comparison(const options *o, opened files[2], paf_shaped_text *text)
{
    iot_clock clock = asks_for(o, "real") ? IOT_REAL_TIME : IOT_VIRTUAL_TIME;
    for (int i = 0; i < 2 && clock == IOT_REAL_TIME; i++)
        if (!paf_has_clocks(files[i].m))
            return without_real_time(&files[i]);
    char *titles[2] = {g_path_get_basename(files[0].path), g_path_get_basename(files[1].path)};
    const paf_model *models[2] = {files[0].m, files[1].m};
    paf_compare_view view = paf_compare_fit(clock, o->width, o->height);
    view.scale = o->scale;
    view.dark = o->dark;
    int status = paf_compare_has_room(o->width, o->height)
                     ? choose_alignment(o, models, &view)
                     : fail(USAGE, "--size: a picture of two runs has %dx%d pixels or more",
                            PAF_COMPARE_LEAST_WIDTH, PAF_COMPARE_LEAST_HEIGHT);
    for (int i = 0; i < 2 && status == OK && clock == IOT_REAL_TIME; i++)
        paf_model_make_real(files[i].m);
    if (status == OK) {
        paf_compare_prepare((paf_model *const[2]){files[0].m, files[1].m}, &view, text);
        paf_comparison *c = paf_comparison_create(models, (const char *const *)titles, &view, text);
        status = save(o, c->picture);
        paf_comparison_destroy(c);
    }
    g_free(titles[0]);
    g_free(titles[1]);
    return status;
}

static int write_totals(const options *o, const opened *f, const trace_totals *totals)
{
    json_t *json = paf_report_totals_json(f->t, totals);
    base_output *out = create(o->output);
    if (out)
        json_dumpf(json, base_output_stream(out), JSON_INDENT(2));
    json_decref(json);
    return out ? complete(out) : NOTHING;
}

static int draw_bars(const options *o, const opened *f, const trace_totals *totals,
                     paf_shaped_text *text)
{
    char *title = g_path_get_basename(f->path);
    uint8_t *ignored = g_new0(uint8_t, totals->ntotals + 1);
    paf_table_options asked = o->of_table;
    paf_bars_view view = paf_bars_fit(totals, o->width, o->height);
    asked.selected = o->select;
    view.scale = o->scale;
    view.dark = o->dark;
    view.header = true;
    view.title = title;
    char *wrong = paf_choose_table(f->t, totals, &asked, &view, ignored);
    int status = wrong ? fail(NOTHING, "%s: %s", f->path, wrong) : OK;
    if (status == OK) {
        paf_bars *bars = paf_bars_create(f->t, totals, &view, text);
        status = save(o, bars->picture);
        paf_bars_destroy(bars);
    }
    g_free(wrong);
    g_free(ignored);
    g_free(title);
    return status;
}

static int draw_samples(const options *o, const opened *f, paf_shaped_text *text)
{
    const trace_samples *s = trace_get_samples(f->t);
    paf_samples_view view = paf_samples_fit(s, o->width, o->height);
    double end = view.to;
    if (paf_file_kind_of(o->output) == PAF_FILE_JSON)
        return fail(NOTHING, "%s: samples are drawn (paf report --json has their figures)", f->path);
    if (asks_for(o, "virtual"))
        return fail(USAGE, "samples are of real time");
    view.from = o->has_from ? fmax(o->from, 0) : 0;
    view.to = o->has_to ? o->to : end;
    if (view.to <= view.from || view.from >= end)
        return fail(NOTHING, "--from %.0f: the run ends at %.0f", view.from, end);
    char *title = g_path_get_basename(f->path);
    view.scale = o->scale;
    view.dark = o->dark;
    view.header = true;
    view.title = title;
    paf_samples_picture *p = paf_samples_create(f->t, &view, text);
    int status = save(o, p->picture);
    paf_samples_destroy(p);
    g_free(title);
    return status;
}

static int draw_table(const options *o, const opened *f, paf_shaped_text *text)
{
    paf_totals *own = trace_get_totals(f->t) ? NULL : paf_totals_of_history(f->t, f->a);
    const trace_totals *totals = own ? paf_totals_get(own) : trace_get_totals(f->t);
    int status;
    if (!totals)
        status = fail(NOTHING, "%s: a profile holds no totals of predicates", f->path);
    else if (paf_file_kind_of(o->output) == PAF_FILE_JSON)
        status = write_totals(o, f, totals);
    else
        status = draw_bars(o, f, totals, text);
    paf_totals_free(own);
    return status;
}

static int write_page(const options *o, opened *files, int n)
{
    paf_page_source sources[2];
    base_output *out = create(o->output);
    if (!out)
        return NOTHING;
    for (int i = 0; i < n; i++)
        sources[i] = (paf_page_source){files[i].path, files[i].t, files[i].a, files[i].m};
    paf_export_page(sources, n, base_output_stream(out));
    return complete(out);
}

static int export_files(options *o, char **paths, int n)
{
    opened files[2] = {{0}};
    int status = OK;
    if (!shows_processes(o) && !o->compare && !is_page(o) && !o->table)
        paf_expect_part();
    for (int i = 0; i < n && status == OK; i++) {
        files[i].path = paths[i];
        if (n > 1 || !open_overview(&files[i], o))
            status = open_trace(&files[i], o);
    }
    for (int i = 0; i < n && status == OK; i++)
        if (!files[i].m && !is_of_totals(&files[i], o) && !is_of_samples(&files[i]) &&
            (!o->table || (trace_nreductions(files[i].t) > 0 && !trace_get_totals(files[i].t))))
            status = analyse_trace(&files[i], files[1 - i].t, o->partition,
                                   shows_processes(o) && !o->table);
    if (status == OK) {
        paf_shaped_text *text = paf_shaped_text_create(NULL, NULL);
        status = is_page(o)   ? write_page(o, files, n)
                 : o->compare ? draw_comparison(o, files, text)
                 : o->table ? draw_table(o, &files[0], text)
                 : is_of_samples(&files[0]) ? draw_samples(o, &files[0], text)
                                            : draw_one(o, &files[0], text);
        paf_shaped_text_destroy(text);
    }
    for (int i = 0; i < n; i++) {
        if (status == OK && files[i].damaged)
            status = NOTHING;
        close_trace(&files[i]);
    }
    return status;
}

// A .view file names its trace, and the partition unless one is given.
static int read_bookmarks(options *o, const char *path, char **ret_trace)
{
    char *error = NULL;
    o->bookmarks = paf_bookmarks_read(path, &error);
    if (!o->bookmarks) {
        int status = fail(NOTHING, "%s", error);
        g_free(error);
        return status;
    }
    *ret_trace = paf_bookmarks_trace(o->bookmarks, path);
    if (!o->partition)
        o->partition = o->bookmarks->partition;
    return OK;
}

int paf_command_export(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"output", required_argument, NULL, 'o'},
        {"view", required_argument, NULL, VIEW},
        {"from", required_argument, NULL, FROM},
        {"to", required_argument, NULL, TO},
        {"size", required_argument, NULL, SIZE},
        {"scale", required_argument, NULL, SCALE},
        {"theme", required_argument, NULL, THEME},
        {"partition", required_argument, NULL, 'p'},
        {"select", required_argument, NULL, SELECT},
        {"clock", required_argument, NULL, CLOCK},
        {"region", required_argument, NULL, REGION},
        {"table", required_argument, NULL, TABLE},
        {"of", required_argument, NULL, OF},
        {"by", required_argument, NULL, BY},
        {"node", required_argument, NULL, NODE},
        {"maximum", required_argument, NULL, MAXIMUM},
        {"ignore", required_argument, NULL, IGNORE},
        {"group", required_argument, NULL, GROUP},
        {"processors", required_argument, NULL, PROCESSORS},
        {"memory", required_argument, NULL, MEMORY},
        {"bookmark", required_argument, NULL, BOOKMARK},
        {"align", required_argument, NULL, ALIGN},
        {"delay", required_argument, NULL, DELAY},
        {"grain", required_argument, NULL, GRAIN},
        {"rows", required_argument, NULL, ROWS},
        {"order", required_argument, NULL, ORDER},
        {"fold", required_argument, NULL, FOLD},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    options o = {.width = 1440, .height = 900, .scale = 1, .region = IOT_NONE};
    optind = 0;
    for (int c; (c = paf_next_option("export", argc, argv, ":o:p:h", long_options)) != -1;) {
        if (c == 'h') {
            fputs(help, stdout);
            return OK;
        }
        int status = parse_option(c, &o);
        if (status != OK)
            return status;
    }
    int status = check_options(&o, argc - optind);
    char *named = NULL;
    if (status == OK && argc - optind == 1 && paf_is_bookmarks(argv[optind]))
        status = read_bookmarks(&o, argv[optind], &named);
    if (status == OK)
        status = named ? export_files(&o, &named, 1) : export_files(&o, argv + optind, argc - optind);
    paf_bookmarks_free(o.bookmarks);
    g_free(named);
    return status;
}
