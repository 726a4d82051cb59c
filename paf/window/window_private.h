// SPDX-License-Identifier: MIT
//
// The state of the window, and what its files (window.c, widgets.c, actions.c, help.c) offer each
// other.
#ifndef PAF_WINDOW_PRIVATE_H
#define PAF_WINDOW_PRIVATE_H

#include "paf/layout/compare_picture.h"
#include "paf/window/bars_canvas.h"
#include "paf/window/samples_canvas.h"
#include "paf/window/canvas.h"
#include "paf/window/source_pane.h"
#include "paf/window/window.h"

struct paf_window {
    GtkApplication *application;
    paf_window_options options;
    char *screenshot, *first_partitions[2];
    GtkWidget *window, *stack, *canvas_widget, *compare;
    GtkWidget *history;   // the canvas and what if
    int what_if_width;    // as the user has it; 0: never changed
    guint placing;        // source that gives it this width
    GtkWidget *title, *summary, *info, *info_label;
    GtkWidget *progress, *progress_label, *cancel;
    GtkWidget *overview_area; // above them: the whole run while its reductions are read
    paf_overview *overview;   // NULL: the trace has none, or is read
    GtkWidget *empty_label;
    GtkCssProvider *css;
    paf_canvas *canvas;
    paf_bars_canvas *bars;
    paf_samples_canvas *samples;
    paf_what_if *what_if;     // beside the canvas
    GtkWidget *clocks[2];     // the switch in the header: virtual, real
    bool setting_clocks;      // they follow the canvas
    paf_source_pane *source, *table_source; // over the canvas, over the bars
    GtkWidget *note, *note_label;           // a few words that go away by themselves
    guint note_end;
    GtkWidget *help; // NULL until it is asked for
    bool table;      // the page of flat profiles is shown, if there is one
    paf_session *session, *other; // other: the second of a comparison
    paf_job *job;                 // opening or analysing
    guint awaiting;               // source that looks whether all is drawn, for the screenshot
    guint pulse;                  // while a job is under way
    unsigned exports;             // pictures that are still to be written
    paf_bookmarks *bookmarks, *opened_bookmarks; // of the session; of the file that is being opened; or NULL
    char *bookmarks_path, *opened_path;
    guint bookmark; // the last one that was gone to by key
    char *next_path;              // the second file, while the first is being opened
    char *wanted_partition;       // being analysed
    bool comparing, dark, closed;
    bool undoing;          // the analysis under way does not add to the history of partitions
    GPtrArray *partitions; // as text: the history
    guint partition;       // the present one's index
    GString *edits;        // what was changed, one after the other: p, the partition; w, what if
    gsize edit;            // so many of them are done
    // The page of two runs (comparison.c).
    paf_widget *compare_page;
    paf_comparison *comparison; // the latest picture, or NULL
    paf_shaped_text *compare_text;
    paf_compare_view compare_view; // its focuses are references
    char *compare_module;          // the view's
    bool compare_locked;           // the first session is, while the second one is asked for
    bool compare_building[2];      // a worker builds trees
    int compare_timing;            // workers that make real time
    guint compare_awaiting;        // source that shows how far the models are
    double compare_drag_x, compare_drag_from, compare_drag_to; // where a drag began, and the window then
    GFileMonitor *monitor;             // of the session's file, or NULL
    GtkWidget *again;                  // the message bar's button: reads that file again
};

// Shows the page for what is open.
void paf_window_show_content(paf_window *w);
// Once the window is closed an error goes to stderr and the exit status, and all else is dropped.
void paf_window_show_message(paf_window *w, GtkMessageType kind, const char *text);
void paf_window_hide_message(paf_window *w);
// A few words over the picture, for some seconds.
void paf_window_note(paf_window *w, const char *text);
bool paf_window_shows_table(const paf_window *w);
bool paf_window_shows_samples(const paf_window *w);
// Goes back from two files to the first one.
void paf_window_leave_comparison(paf_window *w);
void paf_window_apply_theme(paf_window *w);

// Between these two calls the window's memory lives and the application does not quit, even if the
// user closes the window.
void paf_window_begin_export(paf_window *w);
void paf_window_end_export(paf_window *w);

// Opens a file; what it becomes depends on w->comparing.
void paf_window_open_one(paf_window *w, const char *path);
// Undoes (-1) or redoes (1) an edit of the partition or of what if. False: there is none.
bool paf_window_undo(paf_window *w, int step);
void paf_window_note_what_if(void *data); // data: the window, in whose pane something was changed
void paf_window_apply_partition(void *data, const char *text); // data: the window
void paf_window_asked(void *data, paf_request request, const char *text);

// Asks for a file and writes the partition to it, a module a line, as -p reads it.
void paf_window_save_partition(paf_window *w);

// Two runs: takes the second one over; makes their picture anew after something has changed; leaves them.
void paf_window_begin_comparison(paf_window *w, paf_session *other);
void paf_window_update_comparison(paf_window *w);
void paf_window_end_comparison(paf_window *w);
bool paf_window_comparison_settled(const paf_window *w); // nothing is computed that it would show
extern const paf_page paf_comparison_page;
void paf_window_change_comparison_clock(paf_window *w); // or says why it cannot
// The time shown of both runs, and how they are aligned. False: the key means nothing here.
bool paf_window_move_comparison(paf_window *w, guint key);

// Bookmarks (window_bookmarks.c). The path of the trace that the file names (g_free), NULL and *ret_error.
char *paf_window_open_bookmarks(paf_window *w, const char *path, char **ret_error);
void paf_window_load_bookmarks(paf_window *w); // of the session
void paf_window_free_bookmarks(paf_window *w);
void paf_window_ask_note(paf_window *w); // and keeps what is shown as a bookmark
void paf_window_remove_bookmark(paf_window *w, guint index);
void paf_window_step_bookmark(paf_window *w, int step);

// Traces opened last (recent.c): adds the session's; offers them in a menu.
void paf_window_note_recent(paf_window *w);
void paf_window_show_recent(paf_window *w);
// The sizes of panes (panes.c): kept beyond the window.
void paf_window_load_panes(paf_window *w);
void paf_window_save_panes(paf_window *w);
void paf_window_place_what_if(paf_window *w);
GtkWidget *paf_window_make_history(paf_window *w);
// Prints what is shown: asks where to, or (pdf) to that file. The colours are those of paper.
void paf_window_print(paf_window *w, const char *pdf);

// The parts: actions with their keys, help, and the widgets.
void paf_window_add_actions(paf_window *w);
void paf_window_help(paf_window *w);
GtkWidget *paf_window_make_clocks(paf_window *w);
// The switch shows the clock of what is shown; it is there if there is another one.
void paf_window_follow_clock(paf_window *w);
gboolean paf_window_on_key(GtkWidget *widget, GdkEventKey *e, gpointer data);
void paf_window_make_widgets(paf_window *w);

#endif
