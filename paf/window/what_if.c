// SPDX-License-Identifier: MIT
//
// The pane of `what if`. Whatever is changed asks anew a moment later; a question under way is cancelled
// then, and the next one begins when its answer, an empty one, has come. So there is never more than one
// worker, and it works for what is asked last.
#include "paf/window/what_if.h"

#include "paf/layout/ghost.h"
#include "paf/layout/speed_up.h"
#include "paf/model/pricing.h"
#include "paf/say/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH       300
#define CURVE       132
#define MOMENT      60  // milliseconds before a change asks
#define ONE_CHANGE  (800 * G_TIME_SPAN_MILLISECOND) // that several within it are
#define SHOWN_AFTER 200 // milliseconds before progress is shown
#define NO_LIMIT    (PROCESSOR_COUNTS)
#define MOST_OTHERS 60u // of the kinds of waits that save nothing alone

// The positions of the slider; one more is: unlimited.
static const uint32_t processor_counts[] = {1,  2,  3,  4,  5,  6,  8,   10,  12,  16,
                                            20, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024};
enum { PROCESSOR_COUNTS = G_N_ELEMENTS(processor_counts) };

#define MOST_MACHINES 12u // of the curve: powers of two

typedef struct {
    iot_operation_kind kind;
    char *name;        // of the class or the module
    GtkWidget *widget; // a check button, or a spin button
} what_if_choice;

struct paf_what_if {
    int references; // its widget's and one for each question
    GtkWidget *box; // NULL: it is destroyed
    GtkWidget *answer; // as high as the higher of its pages, the headline and the progress
    GtkWidget *headline, *progress, *cancel, *progress_box, *reset;
    GtkWidget *processors, *slider, *processors_label, *curve, *modules, *classes, *classes_note;
    GtkWidget *expander, *others; // classes that save nothing alone
    GtkWidget *unlimited;         // says what the shares of the classes are of, if that is another run
    paf_canvas *canvas;
    paf_shaped_text *text;
    paf_session *session; // a reference, or NULL
    unsigned generation;  // of the session, whose lists are shown
    bool open, dark, filling, listed;
    GArray *choices; // what_if_choice
    paf_question *run, *listing, *speeding;
    bool run_again, speed_again; // once the questions under way are answered
    guint timer, pulse;
    gint64 asked_at;
    uint32_t machines[MOST_MACHINES], nmachines;
    double spans[MOST_MACHINES];
    bool has_spans;
    GPtrArray *states; // what was chosen, as text, one after the other; the present one has the index `state`
    guint state;
    GtkWidget *changed_last; // several changes of one widget within a moment are one
    gint64 changed_at;
    paf_what_if_changed *changed;
    void *changed_data;
    GArray *first; // of what_if_first: what is chosen as soon as it is there
    int first_processors;
};

typedef struct {
    iot_operation_kind kind;
    char *argument;
} what_if_first;

static void ask_soon(paf_what_if *p);
static void ask_run(paf_what_if *p);
static void ask_speed_up(paf_what_if *p);

static void clear_first(gpointer data)
{
    g_free(((what_if_first *)data)->argument);
}

static void unref(paf_what_if *p)
{
    if (--p->references > 0)
        return;
    paf_session_unref(p->session);
    paf_shaped_text_destroy(p->text);
    g_array_unref(p->choices);
    g_array_unref(p->first);
    g_ptr_array_unref(p->states);
    g_free(p);
}

// ---------------------------------------------------------------------------------------------
// What is chosen

static uint32_t chosen_processors(const paf_what_if *p)
{
    int at = (int)gtk_range_get_value(GTK_RANGE(p->slider));
    return at >= 0 && at < (int)PROCESSOR_COUNTS ? processor_counts[at] : 0;
}

static void free_operations(GArray *operations)
{
    for (guint i = 0; i < operations->len; i++)
        g_free((char *)g_array_index(operations, iot_operation, i).argument);
    g_array_unref(operations);
}

static GArray *chosen_operations(const paf_what_if *p)
{
    GArray *operations = g_array_new(FALSE, FALSE, sizeof(iot_operation));
    for (guint i = 0; i < p->choices->len; i++) {
        const what_if_choice *choice = &g_array_index(p->choices, what_if_choice, i);
        iot_operation o = {choice->kind, NULL};
        if (choice->kind == IOT_WITHOUT &&
            gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(choice->widget)))
            o.argument = g_strdup(choice->name);
        double factor = choice->kind == IOT_SPEED_UP
                            ? gtk_spin_button_get_value(GTK_SPIN_BUTTON(choice->widget))
                            : 1;
        if (factor != 1) {
            char number[G_ASCII_DTOSTR_BUF_SIZE];
            g_ascii_formatd(number, sizeof number, "%.3f", factor);
            o.argument = g_strdup_printf("%s=%s", choice->name, number);
        }
        if (o.argument)
            g_array_append_val(operations, o);
    }
    return operations;
}

// ---------------------------------------------------------------------------------------------
// What was chosen before. A state is a line for each choice that is not as the run was, with the kind, the
// value and the name, and one for the processors.

static double value_of(const what_if_choice *choice)
{
    return choice->kind == IOT_WITHOUT ? gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(choice->widget))
                                       : gtk_spin_button_get_value(GTK_SPIN_BUTTON(choice->widget));
}

static void set_value(const what_if_choice *choice, double value)
{
    if (choice->kind == IOT_WITHOUT)
        gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(choice->widget), value != 0);
    else
        gtk_spin_button_set_value(GTK_SPIN_BUTTON(choice->widget), value);
}

// As the run was.
static double plain_value(const what_if_choice *choice)
{
    return choice->kind == IOT_WITHOUT ? 0 : 1;
}

static char *state_line(iot_operation_kind kind, double value, const char *name)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(number, sizeof number, "%.3f", value);
    return g_strdup_printf("%d %s %s\n", (int)kind, number, name);
}

static char *state_of(const paf_what_if *p)
{
    GString *s = g_string_new(NULL);
    for (guint i = 0; i < p->choices->len; i++) {
        const what_if_choice *choice = &g_array_index(p->choices, what_if_choice, i);
        char *line = state_line(choice->kind, value_of(choice), choice->name);
        if (value_of(choice) != plain_value(choice))
            g_string_append(s, line);
        g_free(line);
    }
    g_string_append_printf(s, "processors %d\n", (int)gtk_range_get_value(GTK_RANGE(p->slider)));
    return g_string_free(s, FALSE);
}

// Of a line of a state: its value if it is of the choice, else that of the run.
static double value_in(const char *line, const what_if_choice *choice)
{
    char *end;
    long kind = strtol(line, &end, 10);
    if (end == line || kind != (long)choice->kind)
        return plain_value(choice);
    double value = g_ascii_strtod(end, &end);
    return *end == ' ' && !strcmp(end + 1, choice->name) ? value : plain_value(choice);
}

static void take_state(paf_what_if *p, const char *state)
{
    static const char processors[] = "processors ";
    char **lines = g_strsplit(state, "\n", -1);
    p->filling = true;
    for (guint i = 0; i < p->choices->len; i++) {
        const what_if_choice *choice = &g_array_index(p->choices, what_if_choice, i);
        double value = plain_value(choice);
        for (char **line = lines; *line && value == plain_value(choice); line++)
            value = value_in(*line, choice);
        set_value(choice, value);
    }
    for (char **line = lines; *line; line++)
        if (g_str_has_prefix(*line, processors))
            gtk_range_set_value(GTK_RANGE(p->slider), g_ascii_strtod(*line + strlen(processors), NULL));
    p->filling = false;
    g_strfreev(lines);
}

// After a change of the widget. Until the choices are listed there is no state: what is chosen then is the
// first one.
static void keep_state(paf_what_if *p, GtkWidget *widget)
{
    if (p->states->len == 0)
        return;
    gint64 now = g_get_monotonic_time();
    char *state = state_of(p);
    bool same = !strcmp(p->states->pdata[p->state], state);
    bool again = widget && widget == p->changed_last && now - p->changed_at < ONE_CHANGE && p->state > 0 &&
                 p->state + 1 == p->states->len;
    p->changed_last = widget;
    p->changed_at = now;
    if (same) {
        g_free(state);
        return;
    }
    if (again) {
        g_free(p->states->pdata[p->state]);
        p->states->pdata[p->state] = state;
        return;
    }
    g_ptr_array_set_size(p->states, (gint)p->state + 1);
    g_ptr_array_add(p->states, state);
    p->state++;
    if (p->changed)
        p->changed(p->changed_data);
}

void paf_what_if_on_change(paf_what_if *p, paf_what_if_changed *changed, void *data)
{
    p->changed = changed;
    p->changed_data = data;
}

bool paf_what_if_undo(paf_what_if *p, int step)
{
    guint target = p->state + (guint)step;
    if (target >= p->states->len)
        return false;
    p->state = target;
    p->changed_last = NULL;
    if (p->listed) {
        take_state(p, p->states->pdata[target]);
        ask_soon(p);
        ask_speed_up(p);
    }
    return true;
}

static void say(paf_what_if *p, const char *text)
{
    gtk_label_set_text(GTK_LABEL(p->headline), text);
}

// Of the run as it was, by the clock in which prices are.
static int64_t span_of(const paf_session *s)
{
    return iot_end(s->a, trace_is_measured(s->t) ? IOT_REAL_TIME : IOT_VIRTUAL_TIME);
}

static void say_as_it_was(paf_what_if *p)
{
    char *span = paf_duration(p->session->t, span_of(p->session));
    char *text = g_strdup_printf("%s, as it was.\nChoose what would be different.", span);
    say(p, text);
    g_free(span);
    g_free(text);
}

static bool is_current(const paf_what_if *p)
{
    return p->box && p->open && p->session && p->session->m && p->session->m->complete &&
           p->session->generation == p->generation;
}

// ---------------------------------------------------------------------------------------------
// Progress

static gboolean on_pulse(gpointer data)
{
    paf_what_if *p = data;
    bool late = g_get_monotonic_time() - p->asked_at > SHOWN_AFTER * G_TIME_SPAN_MILLISECOND;
    if (p->run && late) {
        gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(p->progress), paf_question_progress(p->run));
        gtk_stack_set_visible_child(GTK_STACK(p->answer), p->progress_box);
    }
    if (p->speeding)
        gtk_widget_queue_draw(p->curve);
    if (p->run || p->speeding)
        return G_SOURCE_CONTINUE;
    gtk_stack_set_visible_child(GTK_STACK(p->answer), p->headline);
    p->pulse = 0;
    return G_SOURCE_REMOVE;
}

static void begin_pulse(paf_what_if *p)
{
    p->asked_at = g_get_monotonic_time();
    if (!p->pulse)
        p->pulse = g_timeout_add(80, on_pulse, p);
}

// ---------------------------------------------------------------------------------------------
// Questions

static void show_run(paf_what_if *p, iot_rerun *run)
{
    paf_ghost *ghost = paf_ghost_create(run);
    char *figures = paf_ghost_text(p->session->t, ghost);
    bool seen = paf_canvas_view(p->canvas)->clock == ghost->run.clock;
    char *text = seen ? g_strdup(figures)
                      : g_strdup_printf("%s\nC shows it by the other clock.", figures);
    paf_canvas_set_ghost(p->canvas, ghost);
    paf_ghost_unref(ghost);
    say(p, text);
    g_free(text);
    g_free(figures);
}

static void on_run(void *data, const paf_question *question, paf_answer *answer)
{
    (void)question;
    paf_what_if *p = data;
    p->run = NULL;
    if (is_current(p) && !p->run_again) {
        if (answer->run)
            show_run(p, answer->run);
        else
            say(p, answer->error ? answer->error : "Cancelled.");
    }
    if (p->box && p->run_again)
        ask_run(p);
    else if (p->box)
        gtk_stack_set_visible_child(GTK_STACK(p->answer), p->headline);
    unref(p);
}

static void ask_run(paf_what_if *p)
{
    p->run_again = p->run != NULL;
    if (p->run)
        paf_question_cancel(p->run);
    if (!is_current(p) || p->run)
        return;
    GArray *operations = chosen_operations(p);
    uint32_t processors = chosen_processors(p);
    gtk_widget_set_sensitive(p->reset, operations->len > 0 || processors > 0);
    if (operations->len == 0 && processors == 0) {
        paf_canvas_set_ghost(p->canvas, NULL);
        say_as_it_was(p);
    } else {
        p->references++;
        p->run = paf_ask_run(p->session, (iot_operation *)operations->data, operations->len,
                             processors, on_run, p);
        begin_pulse(p);
    }
    free_operations(operations);
}

static void on_speed_up(void *data, const paf_question *question, paf_answer *answer)
{
    (void)question;
    paf_what_if *p = data;
    p->speeding = NULL;
    if (is_current(p) && answer->spans) {
        memcpy(p->spans, answer->spans, p->nmachines * sizeof *p->spans);
        p->has_spans = !p->speed_again;
        gtk_widget_queue_draw(p->curve);
    }
    if (p->box && p->speed_again)
        ask_speed_up(p);
    unref(p);
}

static void ask_speed_up(paf_what_if *p)
{
    p->speed_again = p->speeding != NULL;
    if (p->speeding)
        paf_question_cancel(p->speeding);
    if (!is_current(p) || p->speeding || trace_is_measured(p->session->t))
        return;
    GArray *operations = chosen_operations(p);
    p->references++;
    p->has_spans = false;
    p->speeding = paf_ask_speed_up(p->session, (iot_operation *)operations->data, operations->len,
                                   p->machines, p->nmachines, on_speed_up, p);
    begin_pulse(p);
    free_operations(operations);
}

static gboolean on_timer(gpointer data)
{
    paf_what_if *p = data;
    p->timer = 0;
    ask_run(p);
    return G_SOURCE_REMOVE;
}

static void ask_soon(paf_what_if *p)
{
    if (p->filling)
        return;
    if (p->timer)
        g_source_remove(p->timer);
    p->timer = g_timeout_add(MOMENT, on_timer, p);
}

static void cancel_questions(paf_what_if *p)
{
    paf_question *questions[] = {p->run, p->speeding, p->listing};
    for (unsigned i = 0; i < G_N_ELEMENTS(questions); i++)
        if (questions[i])
            paf_question_cancel(questions[i]);
    p->run_again = p->speed_again = false;
}

// ---------------------------------------------------------------------------------------------
// Changes

static void on_operation(GtkWidget *widget, gpointer data)
{
    paf_what_if *p = data;
    ask_soon(p);
    if (p->filling)
        return;
    keep_state(p, widget);
    ask_speed_up(p);
}

static void on_slider(GtkRange *range, gpointer data)
{
    paf_what_if *p = data;
    uint32_t n = chosen_processors(p);
    char *text = n ? paf_count(n, "processor", "processors") : g_strdup("unlimited");
    gtk_label_set_text(GTK_LABEL(p->processors_label), text);
    gtk_widget_set_visible(p->unlimited, n > 0);
    g_free(text);
    gtk_widget_queue_draw(p->curve);
    ask_soon(p);
    if (!p->filling)
        keep_state(p, GTK_WIDGET(range));
}

static void on_cancel(GtkButton *button, gpointer data)
{
    (void)button;
    paf_what_if *p = data;
    if (p->run)
        paf_question_cancel(p->run);
}

static void on_reset(GtkButton *button, gpointer data)
{
    (void)button;
    paf_what_if *p = data;
    char *plain = g_strdup_printf("processors %d\n", NO_LIMIT);
    take_state(p, plain);
    g_free(plain);
    keep_state(p, NULL);
    ask_soon(p);
    ask_speed_up(p);
}

// ---------------------------------------------------------------------------------------------
// Lists

static void empty(GtkWidget *box)
{
    GList *children = gtk_container_get_children(GTK_CONTAINER(box));
    for (GList *l = children; l; l = l->next)
        gtk_widget_destroy(l->data);
    g_list_free(children);
}

// True if the command line asked for it; with speed-ups *ret_factor says how much.
static bool asked_first(const paf_what_if *p, iot_operation_kind kind, const char *name,
                        double *ret_factor)
{
    size_t n = strlen(name);
    for (guint i = 0; i < p->first->len; i++) {
        const what_if_first *f = &g_array_index(p->first, what_if_first, i);
        if (f->kind != kind)
            continue;
        if (kind == IOT_WITHOUT && !strcmp(f->argument, name))
            return true;
        if (kind == IOT_SPEED_UP && !strncmp(f->argument, name, n) && f->argument[n] == '=') {
            *ret_factor = g_ascii_strtod(f->argument + n + 1, NULL);
            return true;
        }
    }
    return false;
}

static GtkWidget *name_label(const char *text, const char *tip)
{
    GtkWidget *label = gtk_label_new(text);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_MIDDLE);
    gtk_widget_set_tooltip_text(label, tip);
    return label;
}

static void add_choice(paf_what_if *p, iot_operation_kind kind, const char *name, GtkWidget *widget)
{
    what_if_choice choice = {kind, g_strdup(name), widget};
    g_array_append_val(p->choices, choice);
}

static void add_module(paf_what_if *p, uint32_t module)
{
    const char *name = iot_get_module(p->session->a, module)->name;
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    GtkWidget *factor = gtk_spin_button_new_with_range(0.1, 1000, 1);
    char *what = g_strdup_printf("%s: so many times as fast", name);
    double times = 1;
    gtk_spin_button_set_digits(GTK_SPIN_BUTTON(factor), 1);
    gtk_entry_set_width_chars(GTK_ENTRY(factor), 5);
    asked_first(p, IOT_SPEED_UP, name, &times);
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(factor), times);
    gtk_widget_set_tooltip_text(factor, what);
    atk_object_set_name(gtk_widget_get_accessible(factor), what);
    gtk_box_pack_start(GTK_BOX(row), name_label(name, name), TRUE, TRUE, 0);
    gtk_box_pack_start(GTK_BOX(row), factor, FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(p->modules), row, FALSE, FALSE, 0);
    g_signal_connect(factor, "value-changed", G_CALLBACK(on_operation), p);
    add_choice(p, IOT_SPEED_UP, name, factor);
    g_free(what);
}

// "upd/5 ← report/3" of upd/5<-report/3; in two lines if there is no room for one.
static char *class_title(const char *name)
{
    char **sides = g_strsplit(name, "<-", 2);
    char *whole = sides[0] && sides[1] ? g_strdup_printf("%s ←\u00a0%s", sides[0], sides[1])
                                       : g_strdup(name);
    GString *title = g_string_new(NULL);
    for (const char *c = whole; *c; c++) { // a line may begin with a place, and does not end within one
        if (*c == '@')
            g_string_append(title, "\u200b");
        g_string_append_c(title, *c);
        if (*c == ':')
            g_string_append(title, "\u2060");
    }
    g_strfreev(sides);
    g_free(whole);
    return g_string_free(title, FALSE);
}

static void add_class(paf_what_if *p, GtkWidget *list, const char *name, const char *change, const char *tip)
{
    GtkWidget *button = gtk_check_button_new(), *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    char *title = class_title(name), *what = g_strdup_printf("Without %s, %s", name, change);
    double unused;
    gtk_widget_set_focus_on_click(button, FALSE);
    GtkWidget *label = name_label(title, tip);
    gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_NONE);
    gtk_label_set_line_wrap(GTK_LABEL(label), TRUE);
    gtk_label_set_line_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
    gtk_label_set_width_chars(GTK_LABEL(label), 1);
    gtk_label_set_max_width_chars(GTK_LABEL(label), 1);
    gtk_box_pack_start(GTK_BOX(row), label, TRUE, TRUE, 0);
    GtkWidget *saving = gtk_label_new(change);
    gtk_style_context_add_class(gtk_widget_get_style_context(saving), "paf-quiet");
    gtk_box_pack_start(GTK_BOX(row), saving, FALSE, FALSE, 0);
    gtk_container_add(GTK_CONTAINER(button), row);
    atk_object_set_name(gtk_widget_get_accessible(button), what);
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button),
                                 asked_first(p, IOT_WITHOUT, name, &unused));
    gtk_box_pack_start(GTK_BOX(list), button, FALSE, FALSE, 0);
    g_signal_connect(button, "toggled", G_CALLBACK(on_operation), p);
    add_choice(p, IOT_WITHOUT, name, button);
    g_free(title);
    g_free(what);
}

// What the command line named and the list does not have: a class is any of reads, not only of those.
static void add_other_classes(paf_what_if *p, const iot_class *classes, uint32_t n)
{
    for (guint i = 0; i < p->first->len; i++) {
        const what_if_first *f = &g_array_index(p->first, what_if_first, i);
        bool there = f->kind != IOT_WITHOUT;
        for (uint32_t k = 0; k < n && !there; k++)
            there = !strcmp(classes[k].name, f->argument);
        if (!there)
            add_class(p, p->classes, f->argument, "", f->argument);
    }
}

static void add_listed_class(paf_what_if *p, GtkWidget *list, const iot_class *c, double span)
{
    char *change = c->span_without < span ? paf_change_text(span, c->span_without) : g_strdup("alone 0");
    char *reads = paf_count(c->reads, "read", "reads");
    char *tip = g_strdup_printf("%s\n%s wait for nothing: %s", c->name, reads,
                                c->span_without < span ? change : "nothing is saved by that alone");
    add_class(p, list, c->name, change, tip);
    g_free(change);
    g_free(reads);
    g_free(tip);
}

// What saves nothing alone may save something beside another one: the most frequent can be chosen, too.
static void fill_others(paf_what_if *p, const iot_class *classes, uint32_t n, double span, uint32_t nothing)
{
    uint32_t listed = 0;
    for (uint32_t i = 0; i < n && listed < MOST_OTHERS; i++) {
        if (classes[i].span_without < span)
            continue;
        add_listed_class(p, p->others, &classes[i], span);
        listed++;
    }
    char *rest = paf_count(nothing, "more kind saves nothing alone", "more kinds save nothing alone");
    char *title = listed < nothing ? g_strdup_printf("%s, %u of them here", rest, listed) : g_strdup(rest);
    gtk_expander_set_label(GTK_EXPANDER(p->expander), title);
    gtk_widget_set_visible(p->expander, nothing > 0);
    g_free(title);
    g_free(rest);
}

static void fill_classes(paf_what_if *p, const iot_class *classes, uint32_t n)
{
    double span = (double)span_of(p->session);
    uint32_t shown = 0;
    p->filling = true;
    for (uint32_t i = 0; i < n; i++) {
        if (classes[i].span_without >= span)
            continue;
        add_listed_class(p, p->classes, &classes[i], span);
        shown++;
    }
    gtk_widget_show_all(p->others);
    fill_others(p, classes, n, span, n - shown);
    add_other_classes(p, classes, n);
    p->filling = false;
    gtk_label_set_text(GTK_LABEL(p->classes_note), n ? "" : "No wait is on the critical path");
    gtk_widget_set_visible(p->classes_note, n == 0);
    gtk_widget_show_all(p->classes);
    gtk_widget_show_all(p->others);
}

static void on_classes(void *data, const paf_question *question, paf_answer *answer)
{
    (void)question;
    paf_what_if *p = data;
    p->listing = NULL;
    if (is_current(p)) {
        fill_classes(p, answer->classes, answer->nclasses);
        p->listed = true;
        g_array_set_size(p->first, 0);
        if (p->states->len == 0)
            g_ptr_array_add(p->states, state_of(p));
        else
            take_state(p, p->states->pdata[p->state]);
        ask_run(p);
        ask_speed_up(p);
    } else if (p->box) {
        p->listed = false;
        if (p->session)
            paf_what_if_show(p, p->session);
    }
    unref(p);
}

static void clear_choice(gpointer data)
{
    g_free(((what_if_choice *)data)->name);
}

// Powers of two up to where more processors bring next to nothing.
static void choose_machines(paf_what_if *p)
{
    uint64_t peak = 1;
    for (uint32_t i = 0; i < iot_nmodules(p->session->a); i++)
        peak += iot_get_module(p->session->a, i)->peak;
    p->nmachines = 0;
    for (uint32_t n = 1; p->nmachines < MOST_MACHINES; n *= 2) {
        p->machines[p->nmachines++] = n;
        if (n >= peak && n >= 8)
            break;
    }
}

static void fill(paf_what_if *p)
{
    const paf_model *m = p->session->m;
    p->generation = p->session->generation;
    g_array_set_size(p->choices, 0);
    empty(p->modules);
    empty(p->classes);
    empty(p->others);
    gtk_widget_hide(p->expander);
    gtk_widget_show(p->classes_note);
    p->filling = true;
    for (uint32_t i = 0; i < m->ncards; i++)
        add_module(p, m->order[i]);
    int at = NO_LIMIT;
    for (int i = 0; p->first_processors > 0 && i < (int)PROCESSOR_COUNTS; i++)
        if ((int)processor_counts[i] <= p->first_processors)
            at = i;
    gtk_range_set_value(GTK_RANGE(p->slider), at);
    p->first_processors = 0;
    p->filling = false;
    gtk_widget_show_all(p->modules);
    gtk_widget_set_visible(p->processors, !trace_is_measured(p->session->t));
    gtk_label_set_text(GTK_LABEL(p->classes_note), "being computed");
    choose_machines(p);
    say_as_it_was(p);
}

// Waits for the model; then the lists are made, and the questions are asked.
static gboolean begin(gpointer data)
{
    paf_what_if *p = data;
    if (p->session && p->session->m && !p->session->m->complete && p->open) {
        say(p, "The run is still being read.");
        return G_SOURCE_CONTINUE;
    }
    p->timer = 0;
    if (!p->session || !p->session->m || !p->open || p->listing)
        return G_SOURCE_REMOVE;
    fill(p);
    p->references++;
    p->listing = paf_ask_classes(p->session, on_classes, p);
    return G_SOURCE_REMOVE;
}

void paf_what_if_show(paf_what_if *p, paf_session *s)
{
    if (s)
        paf_session_ref(s);
    if (s != p->session) {
        g_ptr_array_set_size(p->states, 0);
        p->state = 0;
    }
    paf_session_unref(p->session);
    p->session = s;
    p->listed = false;
    p->changed_last = NULL;
    p->generation = s ? s->generation - 1 : 0; // what is under way answers for another run, or is cancelled
    p->has_spans = false;
    cancel_questions(p);
    if (p->timer)
        g_source_remove(p->timer);
    p->timer = 0;
    if (s && p->open)
        p->timer = g_timeout_add(30, begin, p);
}

void paf_what_if_open(paf_what_if *p, bool open)
{
    if (p->open == open)
        return;
    p->open = open;
    gtk_widget_set_visible(p->box, open);
    if (!open)
        paf_canvas_set_ghost(p->canvas, NULL);
    else if (p->listed && is_current(p))
        ask_run(p);
    else
        paf_what_if_show(p, p->session);
}

bool paf_what_if_settled(const paf_what_if *p)
{
    return !p->open || (p->listed && !p->run && !p->speeding && !p->timer);
}

// ---------------------------------------------------------------------------------------------
// The curve

static gboolean on_draw_curve(GtkWidget *widget, cairo_t *cr, gpointer data)
{
    paf_what_if *p = data;
    if (!p->session || !p->session->m || p->nmachines == 0)
        return TRUE;
    double work = (double)iot_work(p->session->a), span = (double)MAX(p->session->m->span, 1);
    paf_speed_up s = {.processors = p->machines,
                      .spans = p->has_spans ? p->spans : NULL,
                      .n = p->nmachines,
                      .chosen = chosen_processors(p),
                      .limit = p->has_spans ? p->spans[0] / p->spans[p->nmachines - 1] : work / span,
                      .computed = p->speeding ? paf_question_progress(p->speeding) : 0};
    paf_picture *picture = paf_speed_up_picture(
        &s, gtk_widget_get_allocated_width(widget), gtk_widget_get_allocated_height(widget),
        gtk_widget_get_scale_factor(widget), p->dark, p->text);
    paf_picture_draw(picture, cr);
    paf_picture_destroy(picture);
    return TRUE;
}

void paf_what_if_set_dark(paf_what_if *p, bool dark)
{
    p->dark = dark;
    gtk_widget_queue_draw(p->curve);
}

// ---------------------------------------------------------------------------------------------
// Widgets

static GtkWidget *caption(const char *text)
{
    GtkWidget *label = gtk_label_new(text);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_style_context_add_class(gtk_widget_get_style_context(label), "paf-caption");
    return label;
}

// So high that no answer moves what is below it.
static int height_of_answers(GtkWidget *headline)
{
    int height;
    PangoLayout *lines = gtk_widget_create_pango_layout(headline, "1\n2\n3");
    pango_layout_get_pixel_size(lines, NULL, &height);
    g_object_unref(lines);
    return height;
}

static GtkWidget *make_headline(paf_what_if *p)
{
    p->headline = gtk_label_new("");
    gtk_label_set_xalign(GTK_LABEL(p->headline), 0);
    gtk_label_set_yalign(GTK_LABEL(p->headline), 0);
    gtk_label_set_line_wrap(GTK_LABEL(p->headline), TRUE);
    gtk_label_set_width_chars(GTK_LABEL(p->headline), 1);
    gtk_label_set_max_width_chars(GTK_LABEL(p->headline), 1);
    gtk_style_context_add_class(gtk_widget_get_style_context(p->headline), "paf-title");
    gtk_widget_set_size_request(p->headline, -1, height_of_answers(p->headline));
    return p->headline;
}

static GtkWidget *make_progress(paf_what_if *p)
{
    p->progress_box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    gtk_widget_set_valign(p->progress_box, GTK_ALIGN_START);
    p->progress = gtk_progress_bar_new();
    gtk_widget_set_valign(p->progress, GTK_ALIGN_CENTER);
    p->cancel = gtk_button_new_with_label("Cancel");
    gtk_widget_set_focus_on_click(p->cancel, FALSE);
    g_signal_connect(p->cancel, "clicked", G_CALLBACK(on_cancel), p);
    gtk_box_pack_start(GTK_BOX(p->progress_box), p->progress, TRUE, TRUE, 0);
    gtk_box_pack_start(GTK_BOX(p->progress_box), p->cancel, FALSE, FALSE, 0);
    return p->progress_box;
}

// What is being computed stands where its answer will.
static GtkWidget *make_answer(paf_what_if *p)
{
    p->answer = gtk_stack_new();
    gtk_container_add(GTK_CONTAINER(p->answer), make_headline(p));
    gtk_container_add(GTK_CONTAINER(p->answer), make_progress(p));
    return p->answer;
}

static void make_head(paf_what_if *p, GtkWidget *box)
{
    GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    p->reset = gtk_button_new_with_label("As it was");
    gtk_widget_set_focus_on_click(p->reset, FALSE);
    gtk_widget_set_tooltip_text(p->reset, "All switches off");
    g_signal_connect(p->reset, "clicked", G_CALLBACK(on_reset), p);
    gtk_box_pack_start(GTK_BOX(line), caption("WHAT IF"), TRUE, TRUE, 0);
    gtk_box_pack_start(GTK_BOX(line), p->reset, FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), line, FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), make_answer(p), FALSE, FALSE, 0);
}

static GtkWidget *make_processors(paf_what_if *p)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
    GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    p->processors_label = gtk_label_new("unlimited");
    gtk_box_pack_start(GTK_BOX(line), caption("PROCESSORS"), TRUE, TRUE, 0);
    gtk_box_pack_start(GTK_BOX(line), p->processors_label, FALSE, FALSE, 0);
    p->slider = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0, NO_LIMIT, 1);
    gtk_scale_set_draw_value(GTK_SCALE(p->slider), FALSE);
    gtk_range_set_round_digits(GTK_RANGE(p->slider), 0);
    gtk_range_set_value(GTK_RANGE(p->slider), NO_LIMIT);
    gtk_widget_set_tooltip_text(p->slider, "How many processors the run has");
    atk_object_set_name(gtk_widget_get_accessible(p->slider), "Processors");
    g_signal_connect(p->slider, "value-changed", G_CALLBACK(on_slider), p);
    p->curve = gtk_drawing_area_new();
    gtk_widget_set_size_request(p->curve, -1, CURVE);
    gtk_widget_set_tooltip_text(p->curve, "How many times as fast as one processor so many are");
    atk_object_set_name(gtk_widget_get_accessible(p->curve), "Speed-up over processors");
    g_signal_connect(p->curve, "draw", G_CALLBACK(on_draw_curve), p);
    gtk_box_pack_start(GTK_BOX(box), line, FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), p->slider, FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), p->curve, FALSE, FALSE, 0);
    return box;
}

static GtkWidget *make_others(paf_what_if *p)
{
    p->others = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
    p->expander = gtk_expander_new("");
    gtk_widget_set_no_show_all(p->expander, TRUE);
    gtk_container_add(GTK_CONTAINER(p->expander), p->others);
    gtk_style_context_add_class(gtk_widget_get_style_context(p->expander), "paf-quiet");
    return p->expander;
}

static GtkWidget *make_unlimited(paf_what_if *p)
{
    p->unlimited = gtk_label_new("Each with unlimited processors:");
    gtk_label_set_xalign(GTK_LABEL(p->unlimited), 0);
    gtk_style_context_add_class(gtk_widget_get_style_context(p->unlimited), "paf-quiet");
    gtk_widget_set_no_show_all(p->unlimited, TRUE);
    return p->unlimited;
}

static GtkWidget *make_lists(paf_what_if *p)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
    p->processors = make_processors(p);
    p->modules = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
    p->classes = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
    p->classes_note = gtk_label_new("");
    gtk_label_set_xalign(GTK_LABEL(p->classes_note), 0);
    gtk_style_context_add_class(gtk_widget_get_style_context(p->classes_note), "paf-quiet");
    gtk_box_pack_start(GTK_BOX(box), p->processors, FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), caption("NO WAITING FOR"), FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), make_unlimited(p), FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), p->classes, FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), p->classes_note, FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), make_others(p), FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), caption("MODULES, TIMES AS FAST"), FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), p->modules, FALSE, FALSE, 0);
    GtkWidget *scrolled = gtk_scrolled_window_new(NULL, NULL);
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_NEVER,
                                   GTK_POLICY_AUTOMATIC);
    gtk_container_add(GTK_CONTAINER(scrolled), box);
    return scrolled;
}

static void on_destroy(GtkWidget *widget, gpointer data)
{
    (void)widget;
    paf_what_if *p = data;
    p->box = NULL;
    if (p->timer)
        g_source_remove(p->timer);
    if (p->pulse)
        g_source_remove(p->pulse);
    p->timer = p->pulse = 0;
    cancel_questions(p);
    unref(p);
}

paf_what_if *paf_what_if_create(paf_canvas *canvas, const paf_what_if_options *options)
{
    paf_what_if *p = g_new0(paf_what_if, 1);
    p->references = 1;
    p->canvas = canvas;
    p->text = paf_shaped_text_create(NULL, NULL);
    p->choices = g_array_new(FALSE, FALSE, sizeof(what_if_choice));
    g_array_set_clear_func(p->choices, clear_choice);
    p->states = g_ptr_array_new_with_free_func(g_free);
    p->first = g_array_new(FALSE, FALSE, sizeof(what_if_first));
    g_array_set_clear_func(p->first, clear_first);
    for (uint32_t i = 0; i < options->n; i++) {
        what_if_first f = {options->operations[i].kind, g_strdup(options->operations[i].argument)};
        g_array_append_val(p->first, f);
    }
    p->first_processors = (int)options->processors;
    p->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
    gtk_widget_set_size_request(p->box, WIDTH, -1);
    gtk_style_context_add_class(gtk_widget_get_style_context(p->box), "paf-pane");
    make_head(p, p->box);
    gtk_box_pack_start(GTK_BOX(p->box), make_lists(p), TRUE, TRUE, 0);
    g_signal_connect(p->box, "destroy", G_CALLBACK(on_destroy), p);
    gtk_widget_show_all(p->box);
    gtk_widget_set_no_show_all(p->box, TRUE);
    gtk_widget_hide(p->box);
    return p;
}

GtkWidget *paf_what_if_widget(const paf_what_if *p)
{
    return p->box;
}
