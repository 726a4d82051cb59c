// SPDX-License-Identifier: MIT
//
// All text can be read: in both themes each colour that text has stands out from each that is behind text by
// 4.5, the least that WCAG 2 asks for; so do the inks of modules on cards and panels.
#include "paf/draw/palette.h"

#include <stdio.h>

static int failures;

static void check(bool dark, const char *what, const char *on, unsigned number, paf_colour a, paf_colour b)
{
    double contrast = paf_contrast(a, b);
    if (contrast >= 4.5)
        return;
    fprintf(stderr, "%s: %s %u on %s: %.2f\n", dark ? "dark" : "light", what, number, on, contrast);
    failures++;
}

int main(void)
{
    for (int dark = 0; dark < 2; dark++) {
        const paf_theme *t = paf_theme_get(dark);
        const struct {
            const char *name;
            paf_colour colour;
        } inks[] = {{"ink", t->ink},
                    {"quiet", t->quiet},
                    {"faint", t->faint},
                    {"amber", t->amber},
                    {"bad", t->bad}},
          behind[] = {{"card", t->card}, {"panel", t->panel}, {"window", t->window}, {"lane", t->lane}};
        for (unsigned i = 0; i < sizeof inks / sizeof *inks; i++)
            for (unsigned k = 0; k < sizeof behind / sizeof *behind; k++)
                check(dark, inks[i].name, behind[k].name, 0, inks[i].colour, behind[k].colour);
        check(dark, "text", "amber", 0, t->on_amber, t->amber);
        for (uint32_t module = 0; module < 21; module++) {
            check(dark, "module", "card", module, paf_module_ink(t, module), t->card);
            check(dark, "module", "panel", module, paf_module_ink(t, module), t->panel);
        }
    }
    return failures > 0;
}
