// SPDX-License-Identifier: MIT
//
// What the parts of a layout share. Each part draws one region of the frame.
#ifndef PAF_LAYOUT_PRIVATE_H
#define PAF_LAYOUT_PRIVATE_H

#include "paf/layout/ghost.h"
#include "paf/layout/layout.h"

typedef struct {
    const paf_model *m;
    const paf_view *v;
    const paf_theme *theme;
    paf_picture *pic;
    paf_layout *out;
    paf_frame f;
    double zoom; // pixels per step
} paf_drawing;

// Position of a time on the axis.
static inline double paf_x(const paf_drawing *d, double time)
{
    return d->f.plot_x + (time - d->v->from) * d->zoom;
}

// What is lit: the pair under the pointer, or what the view is about.
static inline const paf_focus *paf_lighting(const paf_drawing *d)
{
    return d->v->pointed ? d->v->pointed : d->v->focus;
}

// Steps of one stretch of the chart, which is at least a pixel wide.
int64_t paf_stretch(const paf_model *m, double zoom);

// The height to show: the highest, unless nearly all stretches stay far below it.
double paf_usual_top(const double *totals, uint32_t n, double most);

// The run that might have been, if the view has one by this clock: over the chart, whose axis this is.
bool paf_shows_ghost(const paf_drawing *d);
double paf_ghost_top(const paf_drawing *d);
void paf_draw_ghost(paf_drawing *d, double bottom, double unit);
// Its processors, in the place of the lanes.
void paf_draw_simulated(paf_drawing *d, paf_rect place);

// The looks of a module.
static inline paf_colour paf_colour_of(const paf_drawing *d, uint32_t module)
{
    return paf_module_colour(d->theme, d->m->hue[module]);
}

static inline paf_colour paf_ink_of(const paf_drawing *d, uint32_t module)
{
    return paf_module_ink(d->theme, d->m->hue[module]);
}

static inline unsigned paf_pattern_of(const paf_drawing *d, uint32_t module)
{
    return paf_module_pattern(d->m->hue[module]);
}

// A moment: a line through what is over the axis, and its time on the ruler.
typedef struct {
    double x, ruler, bottom; // tops of the ruler, and where the line ends
    double width, scale;     // of the picture
} paf_moment_place;
void paf_draw_moment(paf_picture *pic, const paf_theme *theme, paf_moment_place at, const char *label);

// The parts.
void paf_draw_side(paf_drawing *d);
// A column of findings with a line that names the run.
void paf_draw_findings(paf_drawing *d, paf_rect column, const char *title);
void paf_draw_overview(paf_drawing *d);
void paf_draw_ruler(paf_drawing *d);
void paf_draw_chart(paf_drawing *d);
void paf_draw_lanes(paf_drawing *d);
void paf_draw_details(paf_drawing *d);
void paf_draw_waiting_details(paf_drawing *d, paf_rect place); // of v->waiting
bool paf_draw_focus_pane(paf_drawing *d, paf_rect place); // false: the focus has none
void paf_draw_wash(paf_drawing *d, paf_rect place); // over what is outside of the stretch in focus
void paf_draw_source(paf_drawing *d);
void paf_draw_dependencies(paf_drawing *d, paf_rect place);
void paf_draw_places(paf_drawing *d, paf_rect place);
// Why a real run took as long as it did; of a model that has real time. As a card of this height.
void paf_draw_costs(paf_drawing *d, paf_rect place);
void paf_draw_costs_card(paf_drawing *d, paf_rect place);
double paf_costs_height(const paf_drawing *d);
void paf_draw_timeline(paf_drawing *d, paf_rect place); // rows of locations
// What takes their place: where the locations were, and who sent to whom.
void paf_draw_calls(paf_drawing *d, paf_rect place);
void paf_draw_messages(paf_drawing *d, paf_rect place);
// Beside the axis: which of the three is shown, to be chosen. Nothing if there is one only.
void paf_draw_lanes_tabs(paf_drawing *d, double x, double y);
// A bar for rows in sight; the canvas scrolls them.
void paf_draw_rows_bar(paf_drawing *d, paf_rect track, uint32_t n, uint32_t first, uint32_t shown);
double paf_draw_regions(paf_drawing *d, double y); // the height taken
void paf_draw_statistics(paf_drawing *d, paf_rect place);

// Says at (x, y) that the model does not have `what` yet.
void paf_draw_computing(paf_drawing *d, double x, double y, double width, const char *what);

// Vertical grid lines of the time axis within the place.
void paf_draw_grid(paf_drawing *d, paf_rect place);

// A card: filled, rounded, with a border.
void paf_draw_card(paf_drawing *d, paf_rect place);
void paf_draw_swatch(paf_drawing *d, double x, double y, double size, uint32_t module);

// Distance between ticks that is 1, 2 or 5 times a power of ten and at least `least`.
double paf_tick_step(double least);

#endif
