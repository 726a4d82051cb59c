// SPDX-License-Identifier: MIT
#include "paf/serve/bars.h"

#include <math.h>

enum { WIDTH = 220, HEIGHT = 9, GAP = 2 };

void bars_begin(page *p, size_t n, const char *label)
{
    html_add(p->out, "<td><svg class=\"bars\" width=\"%d\" height=\"%zu\" role=\"img\" aria-label=\"%s\">",
             WIDTH, n * (HEIGHT + GAP), label);
}

static double length_of(double value, double largest)
{
    return largest > 0 && value > 0 ? fmin(1, value / largest) * WIDTH : 0;
}

void bars_add(page *p, size_t which, const store_figure *f, double largest, const char *link,
              const char *title)
{
    double y = (double)which * (HEIGHT + GAP) + 1, width = length_of(f->mean, largest);
    if (link)
        html_add(p->out, "<a href=\"%s\" class=\"k%zu\" tabindex=\"-1\">", link, which + 1);
    else
        html_add(p->out, "<g class=\"k%zu\">", which + 1);
    html_add(p->out,
             "<title>%s</title><rect class=\"under\" y=\"%g\" width=\"%d\" height=\"%d\"/>"
             "<rect class=\"c%zu\" y=\"%g\" width=\"%.1f\" height=\"%d\"/>",
             title, y, WIDTH, HEIGHT, which + 1, y, f->mean > 0 ? fmax(width, 1) : 0.0, HEIGHT);
    if (f->deviation > 0)
        html_add(p->out, "<path class=\"whisker\" d=\"M%.1f %gH%.1f\"/>",
                 length_of(f->mean - f->deviation, largest), y + HEIGHT / 2.0,
                 length_of(f->mean + f->deviation, largest));
    text_add_string(p->out, link ? "</a>" : "</g>");
}

void bars_end(page *p)
{
    text_add_string(p->out, "</svg></td>");
}

double bars_largest(double largest, const store_figure *f)
{
    return fmax(largest, f->mean + (f->deviation > 0 ? f->deviation : 0));
}
