// SPDX-License-Identifier: MIT
//
// The state of the canvas, and what its files (canvas*.c) offer each other.
#ifndef PAF_CANVAS_PRIVATE_H
#define PAF_CANVAS_PRIVATE_H

#include "paf/window/canvas.h"

typedef enum {
    DRAG_NONE,
    DRAG_PAN,
    DRAG_RANGE,
    DRAG_WINDOW,
    DRAG_STRETCH,
    DRAG_ROWS,
    DRAG_MOVE,
    DRAG_BORDER
} paf_drag;

struct paf_canvas {
    paf_widget *widget; // NULL: it is destroyed, the canvas awaits its last jobs and calls
    int references;     // the widget's, one for each job under way and each call that waits
    paf_asked *asked;
    void *data;
    paf_laid_out *laid_out; // may be NULL
    void *laid_out_data;
    paf_session *session; // a reference
    paf_shaped_text *text;
    paf_view view;
    GArray *folded;     // guint8 by module
    GArray *shut;       // guint8 by group of places; empty: all are open
    paf_focus *focus, *pointed; // the view's; references, or NULL
    GArray *past, *future; // what was shown before, and after that (canvas_history.c)
    paf_layout *layout; // the latest
    uint32_t reveal;    // a place whose row comes into view with the next layout that has rows, or IOT_NONE
    guint bookmark;     // that waits for the model to be complete, or G_MAXUINT
    bool laying;        // a layout waits for the session
    struct paf_finder *finder; // NULL: nothing was looked for yet
    bool paused, building;
    bool timing; // real time is being made
    const char *first_clock; // of each run that is opened: real, virtual, or NULL
    guint awaiting; // shows how far the completion of the model is
    // Dragging: where it began, and the window then.
    paf_drag drag;
    double drag_x, drag_from, drag_to;
    paf_hit dragged; // DRAG_MOVE: what is moved; DRAG_BORDER: the border
};

paf_canvas *paf_canvas_ref(paf_canvas *c);
void paf_canvas_unref(paf_canvas *c);

// Something that the user has asked for: what it is about, as of when it was asked for.
typedef struct {
    paf_hit hit;     // without its tip
    double time;     // at the pointer
    uint32_t which;  // a reduction, or a paf_action
    GdkEvent *event; // a copy, owned, or NULL
} paf_deed;

// Does it with the session locked: now, or, with the busy cursor, once no worker has the session.
// A deed that waits is forgotten only if another session is shown.
typedef void paf_act(paf_canvas *c, const paf_deed *deed);
void paf_canvas_act(paf_canvas *c, paf_act *act, const paf_deed *deed);

// Can it be dragged to a module (canvas_drop.c)? The module under the pointer is shown; at the end it takes
// it.
bool paf_canvas_can_move(const paf_canvas *c, const paf_hit *hit);
void paf_canvas_move_over(paf_canvas *c, const paf_hit *hit);
void paf_canvas_drop(paf_canvas *c, const paf_hit *hit);
void paf_canvas_drag_border(paf_canvas *c, double x, double y);

// A click on deed->hit (canvas_click.c); does the pointer show that there is one, and does the ring of the
// keyboard stop there? hit: NULL: nowhere.
void paf_canvas_click(paf_canvas *c, const paf_deed *deed);
bool paf_canvas_is_clicked(const paf_hit *hit);
bool paf_canvas_is_ringed(const paf_hit *hit);
// The note or finding of the number deed->which; once more: not any longer.
void paf_canvas_show_numbered(paf_canvas *c, const paf_deed *deed);

void paf_canvas_invalidate(paf_canvas *c);
// Shows [from, to], kept within the run and not narrower than a few steps.
void paf_canvas_set_window(paf_canvas *c, double from, double to);
double paf_canvas_end(const paf_canvas *c); // of the axis
// Statistics of a parallel region; IOT_NONE: of none.
void paf_canvas_show_region(paf_canvas *c, uint32_t region);
void paf_canvas_zoom(paf_canvas *c, double factor, double around);
void paf_canvas_show_waiting(paf_canvas *c, uint32_t group);  // of goals that wait for ever
void paf_canvas_select(paf_canvas *c, uint32_t reduction); // and brings it into view
double paf_canvas_time_at(const paf_canvas *c, double x);
bool paf_canvas_over_time(const paf_canvas *c, double x, double y);

// Rows of places (canvas_rows.c).
void paf_canvas_do_rows(paf_canvas *c, paf_action action);
void paf_canvas_order(paf_canvas *c); // by waiting, or as they were
void paf_canvas_scroll_rows(paf_canvas *c, double rows);
void paf_canvas_drag_rows(paf_canvas *c, double y); // the scrollbar comes to the pointer
void paf_canvas_show_place(paf_canvas *c, uint32_t place); // brings its row into view
void paf_canvas_toggle_group(paf_canvas *c, uint32_t group);
void paf_canvas_show_lanes(paf_canvas *c, paf_lanes_kind kind);
void paf_canvas_show_messages(paf_canvas *c, uint32_t sender, uint32_t receiver);
void paf_canvas_choose_call(paf_canvas *c, uint32_t module);
// Where the place was longest in it, within what is shown: among the rows.
void paf_canvas_show_call_at(paf_canvas *c, uint32_t module, uint32_t place);
const uint8_t *paf_canvas_shut(const paf_canvas *c); // the view's

// Asks for a text, and shows where it is; then the next or the one before.
void paf_canvas_find(paf_canvas *c);
void paf_canvas_find_next(paf_canvas *c, bool next);
void paf_canvas_drop_search(paf_canvas *c); // of another trace or analysis
void paf_canvas_free_finder(paf_canvas *c);

// Takes the focus over; NULL: none.
void paf_canvas_set_focus(paf_canvas *c, paf_focus *focus);
// What is lit while the pointer is there; taken over; NULL: nothing.
void paf_canvas_set_pointed(paf_canvas *c, paf_focus *pointed);
// What the view is about, as something new: what was shown before is remembered.
void paf_canvas_focus_on(paf_canvas *c, paf_focus *focus);
void paf_canvas_leave_focus(paf_canvas *c);
void paf_canvas_show_finding(paf_canvas *c, uint32_t finding);

// Keeps what is shown, before something else is.
void paf_canvas_remember(paf_canvas *c);
// Back (-1) to what was shown before, or forward (1) again. False: there is nothing.
bool paf_canvas_go(paf_canvas *c, int direction);
// Another analysis: no focus is known any more; of another trace nothing is.
void paf_canvas_forget(paf_canvas *c, bool all);
GArray *paf_canvas_states(void);

extern const paf_page paf_canvas_page; // what the canvas answers (canvas_input.c)
// Makes a new layout once no worker has the session.
void paf_canvas_refresh(paf_canvas *c);
void paf_canvas_gone(paf_canvas *c);                        // its widget is destroyed
void paf_canvas_popup(paf_canvas *c, const paf_deed *deed); // the context menu of deed->hit
// Items of that menu: one that makes this partition, if it is another one (label and partition are taken);
// what can be done with a module; where an entry can be moved to; and saving the partition.
void paf_menu_add_partition(paf_canvas *c, GtkWidget *menu, char *label, char *partition);
void paf_menu_add_modules(paf_canvas *c, GtkWidget *menu, uint32_t module);
void paf_menu_add_moves(paf_canvas *c, GtkWidget *menu, const char *entry);
void paf_menu_add_save(paf_canvas *c, GtkWidget *menu);
void paf_canvas_select_why(paf_canvas *c);
// The place as an object: what it is called, and what it is. g_free(). NULL: nothing by itself.
char *paf_canvas_name(void *page, const paf_hit *hit, AtkRole *ret_role);
// What is at the place, with the session locked; g_free(). NULL: nothing to say.
char *paf_canvas_tip(const paf_canvas *c, const paf_hit *hit, double x);

#endif
