// SPDX-License-Identifier: MIT
//
// The two themes, the hues of modules, and mixing colours.
#include "paf/draw/palette.h"

#include <math.h>

#define RGB(hex)                                                                                   \
    {                                                                                              \
        (((hex) >> 16) & 0xff) / 255.0, (((hex) >> 8) & 0xff) / 255.0, ((hex)&0xff) / 255.0, 1     \
    }

static const paf_theme light = {
    .dark = false,
    .window = RGB(0xfafafb),
    .panel = RGB(0xf1f1f4),
    .lane = RGB(0xf5f5f7),
    .card = RGB(0xffffff),
    .border = RGB(0xdfdfe4),
    .line = RGB(0xdcdce1),
    .grid = RGB(0xe7e7eb),
    .track = RGB(0xe8e8ec),
    .ink = RGB(0x1f1f24),
    .quiet = RGB(0x5a5a63),
    .faint = RGB(0x6b6b75),
    .bars = RGB(0xbdbdc2),
    .tree = RGB(0x8a8a92),
    .amber = RGB(0x9a6000),
    .on_amber = RGB(0xffffff),
    .bad = RGB(0xb3261e),
};

static const paf_theme dark = {
    .dark = true,
    .window = RGB(0x1e1e22),
    .panel = RGB(0x26262b),
    .lane = RGB(0x232327),
    .card = RGB(0x2d2d33),
    .border = RGB(0x3d3d44),
    .line = RGB(0x3a3a41),
    .grid = RGB(0x303036),
    .track = RGB(0x3f3f47),
    .ink = RGB(0xececf0),
    .quiet = RGB(0xb0b0b8),
    .faint = RGB(0x96969f),
    .bars = RGB(0x5e5e66),
    .tree = RGB(0x8a8a94),
    .amber = RGB(0xe9bf5b),
    .on_amber = RGB(0x1e1e22),
    .bad = RGB(0xff8a80),
};

const paf_theme *paf_theme_get(bool want_dark)
{
    return want_dark ? &dark : &light;
}

// Hues by module: neighbours differ in lightness as well as in hue, so that red-green and
// blue-yellow blindness leave every pair of early ones apart. No yellow or orange: amber has a
// meaning of its own.
#define HUES 10
static const paf_colour grey = RGB(0x8d99ae);
static const paf_colour hues[HUES] = {
    RGB(0xd1495b), // crimson
    RGB(0x2e86ab), // teal blue
    RGB(0x63b79a), // sea green
    RGB(0xa283cc), // violet
    RGB(0x86c1e8), // sky
    RGB(0x9c5a3c), // brown
    RGB(0xd98cb8), // pink
    RGB(0x3d5a98), // indigo
    RGB(0x2f7d5b), // pine
    RGB(0xa9b665), // olive
};

paf_colour paf_module_colour(const paf_theme *theme, uint32_t module)
{
    (void)theme;
    return module == 0 ? grey : hues[(module - 1) % HUES];
}

static double linear(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double luminance(paf_colour c)
{
    return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

double paf_contrast(paf_colour a, paf_colour b)
{
    double x = luminance(a), y = luminance(b);
    return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

paf_colour paf_module_ink(const paf_theme *theme, uint32_t module)
{
    paf_colour hue = paf_module_colour(theme, module), ink = hue;
    for (int i = 4; i <= 20; i++) {
        ink = paf_mix(theme->ink, hue, i / 20.0);
        if (paf_contrast(ink, theme->card) >= 4.5 && paf_contrast(ink, theme->panel) >= 4.5)
            break;
    }
    return ink;
}

unsigned paf_module_pattern(uint32_t module)
{
    return module == 0 ? 0 : (module - 1) / HUES % 4;
}

paf_colour paf_mix(paf_colour over, paf_colour under, double share)
{
    double rest = 1 - share;
    return (paf_colour){over.r * share + under.r * rest, over.g * share + under.g * rest,
                        over.b * share + under.b * rest, over.a * share + under.a * rest};
}

paf_colour paf_alpha(paf_colour c, double alpha)
{
    c.a *= alpha;
    return c;
}
