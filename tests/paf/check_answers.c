// SPDX-License-Identifier: MIT
//
// The window answers while a worker has the session: a thread holds the session's lock as a slow
// build of a tree would, and does not let go before every click, key and menu of this test has
// returned. If one waits for the lock the test hangs, and an alarm ends it. Afterwards all that was
// asked for is done, in order.
//   check_answers FILE.paf
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "iotree/graph/model.h"
#include "paf/window/canvas_private.h"
#include "paf/window/partition_editor.h"
#include "paf/window/what_if.h"
#include "paf/window/window_private.h"

enum { PATIENCE = 60 }; // seconds

static int failures;
static paf_canvas *canvas;
static paf_session *session;
static GtkWidget *window;
static const char *doing = "opening";

static void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "FAILED: %s: %s\n", doing, what);
    failures++;
}

static void on_alarm(int number)
{
    (void)number;
    fprintf(stderr, "FAILED: the window hangs: %s\n", doing);
    _exit(1);
}

// ---------------------------------------------------------------------------------------------
// The slow build

static GMutex mutex;
static GCond changed;
static bool held, let_go;

static gpointer hold(gpointer data)
{
    g_mutex_lock(&session->lock);
    g_mutex_lock(&mutex);
    held = true;
    g_cond_broadcast(&changed);
    while (!let_go)
        g_cond_wait(&changed, &mutex);
    g_mutex_unlock(&mutex);
    g_mutex_unlock(&session->lock);
    return data;
}

static GThread *begin_build(void)
{
    held = let_go = false;
    GThread *builder = g_thread_new("slow build", hold, NULL);
    g_mutex_lock(&mutex);
    while (!held)
        g_cond_wait(&changed, &mutex);
    g_mutex_unlock(&mutex);
    return builder;
}

static void end_build(GThread *builder)
{
    g_mutex_lock(&mutex);
    let_go = true;
    g_cond_broadcast(&changed);
    g_mutex_unlock(&mutex);
    g_thread_join(builder);
}

// ---------------------------------------------------------------------------------------------
// Events

// What is under way goes on for a moment, which a held lock must not make longer.
static void go_on(void)
{
    for (int i = 0; i < 50; i++) {
        while (gtk_events_pending())
            gtk_main_iteration();
        g_usleep(2000);
    }
}

static bool settled(void)
{
    return paf_canvas_settled(canvas);
}

static void await(bool (*done)(void))
{
    while (!done())
        gtk_main_iteration();
}

static GtkWidget *area(void)
{
    return paf_widget_area(paf_canvas_widget(canvas));
}

static void button(GdkEventType type, guint number, const paf_rect *place)
{
    GdkEvent *e = gdk_event_new(type);
    e->button.window = g_object_ref(gtk_widget_get_window(area()));
    e->button.x = place->x + place->w / 2;
    e->button.y = place->y + place->h / 2;
    e->button.button = number;
    e->button.state = type == GDK_BUTTON_RELEASE && number == 1 ? GDK_BUTTON1_MASK : 0;
    gdk_event_set_device(
        e, gdk_seat_get_pointer(gdk_display_get_default_seat(gtk_widget_get_display(area()))));
    gtk_widget_event(area(), e);
    gdk_event_free(e);
}

static void click(const paf_rect *place)
{
    button(GDK_BUTTON_PRESS, 1, place);
    button(GDK_BUTTON_RELEASE, 1, place);
}

// The n-th place of a kind in the picture.
static const paf_hit *place_of(paf_hit_kind kind, uint32_t n)
{
    const paf_picture *picture = canvas->layout->picture;
    for (uint32_t i = 0; i < paf_picture_nhits(picture); i++) {
        const paf_hit *hit = paf_picture_hit(picture, i);
        double x = hit->place.x + hit->place.w / 2, y = hit->place.y + hit->place.h / 2;
        if (hit->kind == (int)kind && paf_hit_at(picture, x, y) == hit && n-- == 0)
            return hit;
    }
    fprintf(stderr, "FAILED: no place of kind %d\n", kind);
    exit(1);
}

// ---------------------------------------------------------------------------------------------
// What is tried

static int edits;

static void on_asked(void *data, paf_request request, const char *text)
{
    (void)data, (void)text;
    if (request != PAF_ASK_EDIT)
        return;
    edits++;
    paf_partition_editor_open(GTK_WINDOW(window), session, NULL, NULL);
}

static void try_click(void)
{
    doing = "a click on a node";
    paf_hit hit = *place_of(PAF_HIT_NODE, 1);
    GThread *builder = begin_build();
    click(&hit.place);
    go_on();
    check(canvas->view.selected == IOT_NONE, "it did not wait for the trace");
    end_build(builder);
    go_on();
    check(canvas->view.selected == hit.b, "it is lost");
    await(settled);
}

// The second asks for what the first has chosen.
static void try_keys(void)
{
    doing = "keys";
    paf_hit hit = *place_of(PAF_HIT_NODE, 2);
    GThread *builder = begin_build();
    click(&hit.place);
    paf_canvas_do(canvas, PAF_DO_DESELECT);
    paf_canvas_do(canvas, PAF_DO_BACK);
    paf_canvas_do(canvas, PAF_DO_WHY);
    paf_canvas_do(canvas, PAF_DO_BACK);
    paf_canvas_do(canvas, PAF_DO_FIT);
    go_on();
    end_build(builder);
    go_on();
    check(canvas->view.selected == hit.b, "they are not done in order");
    await(settled);
}

static GtkWidget *menu(void)
{
    GList *attached = gtk_menu_get_for_attach_widget(area());
    return attached ? attached->data : NULL;
}

static void try_menu(void)
{
    doing = "the context menu";
    paf_hit hit = *place_of(PAF_HIT_NODE, 1);
    GThread *builder = begin_build();
    button(GDK_BUTTON_PRESS, 3, &hit.place);
    go_on();
    check(!menu(), "it did not wait for the trace");
    end_build(builder);
    go_on();
    check(menu(), "it is lost");
    if (menu())
        gtk_menu_shell_cancel(GTK_MENU_SHELL(menu()));
    go_on();
}

static void try_find(void)
{
    doing = "find";
    paf_canvas_do(canvas, PAF_DO_FIND);
    go_on();
    GtkWidget *entry = gtk_window_get_focus(GTK_WINDOW(window));
    check(GTK_IS_ENTRY(entry), "no text can be typed");
    paf_canvas_select(canvas, IOT_NONE);
    GThread *builder = begin_build();
    if (GTK_IS_ENTRY(entry)) {
        gtk_entry_set_text(GTK_ENTRY(entry), "evaluator");
        g_signal_emit_by_name(entry, "activate");
    }
    go_on();
    check(canvas->view.selected == IOT_NONE, "it did not wait for the trace");
    end_build(builder);
    go_on();
    check(canvas->view.selected != IOT_NONE, "it is lost");
    if (GTK_IS_ENTRY(entry))
        gtk_popover_popdown(GTK_POPOVER(gtk_widget_get_ancestor(entry, GTK_TYPE_POPOVER)));
    go_on();
}

static GtkWidget *dialog(void)
{
    GtkWidget *found = NULL;
    GList *all = gtk_window_list_toplevels();
    for (GList *l = all; l; l = l->next)
        if (GTK_IS_DIALOG(l->data))
            found = l->data;
    g_list_free(all);
    return found;
}

static bool can_apply(void)
{
    return gtk_widget_get_sensitive(
        gtk_dialog_get_widget_for_response(GTK_DIALOG(dialog()), GTK_RESPONSE_APPLY));
}

// Opened by a click, it asks for the predicates; what is typed is checked.
static void try_editor(void)
{
    doing = "the partition editor";
    paf_hit hit = *place_of(PAF_HIT_PARTITION, 0);
    click(&hit.place);
    check(edits == 1 && dialog(), "it is not opened by a click in the picture");
    go_on();
    GThread *builder = begin_build();
    gtk_dialog_response(GTK_DIALOG(dialog()), 1); // the default one
    on_asked(NULL, PAF_ASK_EDIT, NULL);
    go_on();
    check(!can_apply(), "what is not checked can be applied");
    end_build(builder);
    go_on();
    check(can_apply(), "what was typed is not checked");
    while (dialog())
        gtk_widget_destroy(dialog());
    go_on();
}

// ---------------------------------------------------------------------------------------------
// Exports of the real window

static paf_window *viewer;
static char *folder;
static const char *export_name;

static bool viewer_settled(void)
{
    return viewer->session && !viewer->job && paf_canvas_settled(viewer->canvas);
}

// Fills in the dialog of an export, and later presses its button until it goes.
static gboolean on_dialog(gpointer data)
{
    int *calls = data;
    GtkWidget *chooser = dialog();
    if (!GTK_IS_FILE_CHOOSER(chooser))
        return *calls == 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
    if ((*calls)++ == 0) {
        gtk_file_chooser_set_current_folder(GTK_FILE_CHOOSER(chooser), folder);
        gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(chooser), export_name);
    } else {
        gtk_dialog_response(GTK_DIALOG(chooser), GTK_RESPONSE_ACCEPT);
    }
    return G_SOURCE_CONTINUE;
}

static void export_as(const char *name)
{
    int calls = 0;
    export_name = name;
    guint source = g_timeout_add(200, on_dialog, &calls);
    g_action_group_activate_action(G_ACTION_GROUP(viewer->window), "export", NULL);
    GSource *left = g_main_context_find_source_by_id(NULL, source);
    if (left)
        g_source_destroy(left);
    check(calls > 0, "there is no dialog");
}

static bool read_export(const char *name, char **ret, gsize *ret_size)
{
    char *path = g_build_filename(folder, name, NULL);
    bool there = g_file_get_contents(path, ret, ret_size, NULL);
    g_free(path);
    return there;
}

static bool exported(const char *name)
{
    char *content = NULL;
    gsize size;
    bool there = read_export(name, &content, &size);
    g_free(content);
    return there;
}

static bool same_export(const char *a, const char *b)
{
    char *contents[2] = {NULL};
    gsize sizes[2] = {0};
    bool same = read_export(a, &contents[0], &sizes[0]) &&
                read_export(b, &contents[1], &sizes[1]) && sizes[0] == sizes[1] &&
                !memcmp(contents[0], contents[1], sizes[0]);
    g_free(contents[0]);
    g_free(contents[1]);
    return same;
}

static void remove_folder(void)
{
    static const char *const names[] = {"free.png", "page.png", "other.png", "closed.png"};
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        char *path = g_build_filename(folder, names[i], NULL);
        g_remove(path);
        g_free(path);
    }
    g_rmdir(folder);
}

// A message takes room from the picture.
static void settle_viewer(void)
{
    paf_window_hide_message(viewer);
    go_on();
    await(viewer_settled);
}

static void hold_viewer(void)
{
    paf_session_unref(session);
    session = paf_session_ref(viewer->session);
}

// The file has the page that was shown when it was asked for.
static void try_export_then_page(void)
{
    doing = "an export, then another page";
    export_as("free.png");
    check(exported("free.png"), "nothing is written");
    settle_viewer();
    GThread *builder = begin_build();
    export_as("page.png");
    check(!exported("page.png"), "it did not wait for the trace");
    g_action_group_activate_action(G_ACTION_GROUP(viewer->window), "table", NULL);
    go_on();
    end_build(builder);
    go_on();
    check(same_export("free.png", "page.png"), "it is not the picture that was asked for");
    g_action_group_activate_action(G_ACTION_GROUP(viewer->window), "table", NULL);
    settle_viewer();
}

static void try_export_then_open(const char *path)
{
    doing = "an export, then another file";
    GThread *builder = begin_build();
    export_as("other.png");
    paf_window_open(viewer, &path, 1);
    while (viewer->session == session || viewer->job)
        gtk_main_iteration();
    end_build(builder);
    go_on();
    check(same_export("free.png", "other.png"), "it is lost, or another picture");
    settle_viewer();
    hold_viewer();
}

static void try_export_to_nowhere(void)
{
    doing = "an export to a folder that goes away";
    GThread *builder = begin_build();
    export_as("nowhere.png");
    remove_folder();
    end_build(builder);
    go_on();
    const char *told = gtk_label_get_text(GTK_LABEL(viewer->info_label));
    check(strstr(told, "nowhere.png: cannot") != NULL, "no message says that it is not written");
    g_mkdir(folder, 0700);
}

// Printed to a file, once the worker has let go.
static void try_print(void)
{
    doing = "printing";
    char *path = g_build_filename(folder, "page.pdf", NULL), *content = NULL;
    GThread *builder = begin_build();
    paf_window_print(viewer, path);
    go_on();
    check(!g_file_test(path, G_FILE_TEST_EXISTS), "it did not wait for the trace");
    end_build(builder);
    go_on();
    check(g_file_get_contents(path, &content, NULL, NULL) && g_str_has_prefix(content, "%PDF"),
          "no page is written");
    g_remove(path);
    g_free(content);
    g_free(path);
}

static void count_switches(GtkWidget *widget, gpointer data)
{
    int *n = data;
    *n += GTK_IS_CHECK_BUTTON(widget);
    if (GTK_IS_CONTAINER(widget))
        gtk_container_foreach(GTK_CONTAINER(widget), count_switches, data);
}

// How many classes of waits the pane lists.
static int switches(void)
{
    int n = 0;
    count_switches(paf_what_if_widget(viewer->what_if), &n);
    return n;
}

static bool pane_settled(void)
{
    return paf_what_if_settled(viewer->what_if);
}

// Once the list is asked for, and before its answer comes.
static gboolean open_again(gpointer data)
{
    (void)data;
    paf_what_if_open(viewer->what_if, false);
    paf_what_if_open(viewer->what_if, true);
    pthread_mutex_unlock(&viewer->session->a->locks.classes);
    g_usleep(100000); // the answer comes after what the pane then begins
    return G_SOURCE_REMOVE;
}

// The list that was under way then is no answer.
static void try_what_if_again(void)
{
    doing = "what if, closed and opened while its list is made";
    paf_what_if_open(viewer->what_if, true);
    await(pane_settled);
    int n = switches();
    check(n > 0, "the run has no classes of waits");
    paf_what_if_open(viewer->what_if, false);
    paf_what_if_show(viewer->what_if, viewer->session);
    paf_what_if_open(viewer->what_if, true);
    pthread_mutex_lock(&viewer->session->a->locks.classes); // so the worker is slow
    g_timeout_add(31, open_again, NULL);
    g_usleep(100000);
    go_on();
    await(pane_settled);
    check(switches() == n, "the list has not all classes");
    paf_what_if_open(viewer->what_if, false);
    settle_viewer();
}

static void try_export_then_close(void)
{
    doing = "an export, then the window is closed";
    GThread *builder = begin_build();
    export_as("closed.png");
    char *kept = folder;
    folder = g_build_filename(kept, "gone", NULL);
    g_mkdir(folder, 0700);
    export_as("lost.png");
    g_rmdir(folder);
    g_free(folder);
    folder = kept;
    gtk_widget_destroy(viewer->window);
    go_on();
    check(!paf_window_failed(), "it did not wait for the trace");
    end_build(builder);
    go_on();
    check(exported("closed.png"), "it is lost");
    check(paf_window_failed(), "the exit status does not tell what is not written");
}

static void try_exports(const char *path)
{
    doing = "opening the viewer";
    GtkApplication *application = gtk_application_new(NULL, G_APPLICATION_NON_UNIQUE);
    g_application_register(G_APPLICATION(application), NULL, NULL);
    const paf_window_options options = {.light = true, .width = 1300, .height = 800};
    folder = g_dir_make_tmp("exports-XXXXXX", NULL);
    viewer = paf_window_create(application, &options);
    paf_window_open(viewer, &path, 1);
    await(viewer_settled);
    go_on();
    hold_viewer();
    try_export_then_page();
    try_export_then_open(path);
    try_print();
    try_export_to_nowhere();
    try_what_if_again();
    try_export_then_close();
    remove_folder();
    g_free(folder);
    g_object_unref(application);
}

static void on_opened(void *data, paf_session *s, const char *error)
{
    (void)data;
    session = s;
    if (!s) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
}

static bool opened(void)
{
    return session;
}

int main(int argc, char **argv)
{
    gtk_init(&argc, &argv);
    if (argc != 2)
        return 2;
    signal(SIGALRM, on_alarm);
    alarm(PATIENCE);
    window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
    gtk_window_set_default_size(GTK_WINDOW(window), 1300, 800);
    canvas = paf_canvas_create(on_asked, NULL);
    gtk_container_add(GTK_CONTAINER(window), area());
    gtk_widget_show_all(window);
    paf_job_open(argv[1], NULL, on_opened, NULL);
    await(opened);
    paf_canvas_show(canvas, session, false);
    await(settled);
    go_on();
    try_click();
    try_keys();
    try_menu();
    try_find();
    try_editor();
    gtk_widget_destroy(window);
    try_exports(argv[1]);
    paf_session_unref(session);
    return failures > 0;
}
