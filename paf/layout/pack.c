// SPDX-License-Identifier: MIT
//
// Packing shapes into rows, first fit.
#include "paf/layout/pack.h"
#include "paf/model/real_times.h"

#include <math.h>
#include <stdlib.h>

// Pixels kept free between shapes of one row: room for the line that joins a parent to its child.
#define GAP 5.0

typedef struct {
    double left, right;
    uint32_t node;
} extent;

double paf_half_width(double zoom)
{
    return CLAMP(zoom * 0.32, 2.5, 80.0);
}

// Nodes that finish early come first, as a reader expects the top rows to tell the story in order;
// long ones end at the bottom.
static int by_end(const void *x, const void *y)
{
    const extent *a = x, *b = y;
    if (a->right != b->right)
        return a->right < b->right ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static uint8_t choose_row(const double *ends, uint32_t nrows, double left, uint8_t parent)
{
    if (parent < nrows && ends[parent] + GAP <= left)
        return parent;
    for (uint32_t row = 0; row < nrows; row++)
        if (ends[row] + GAP <= left)
            return (uint8_t)row;
    return nrows < PAF_MOST_ROWS ? (uint8_t)nrows : PAF_NO_ROW;
}

static void assign_rows(paf_tree *tree, const extent *extents)
{
    double ends[PAF_MOST_ROWS]; // right end of the last shape of each row
    tree->nrows = 0;
    for (uint32_t i = 0; i < tree->nnodes; i++)
        tree->rows[i] = PAF_NO_ROW;
    for (uint32_t i = 0; i < tree->nnodes; i++) {
        const iot_node *node = iot_tree_node(tree->tree, extents[i].node);
        uint8_t parent = node->parent == IOT_NONE ? PAF_NO_ROW : tree->rows[node->parent];
        uint8_t row = choose_row(ends, tree->nrows, extents[i].left, parent);
        tree->rows[extents[i].node] = row;
        if (row == PAF_NO_ROW)
            continue;
        if (row == tree->nrows)
            tree->nrows++;
        ends[row] = extents[i].right;
    }
}

void paf_pack(paf_tree *tree, iot_clock clock, double zoom)
{
    int level = (int)floor(2 * log2(zoom));
    if (tree->rows && tree->level == level && tree->clock == clock)
        return;
    tree->level = level;
    tree->clock = clock;
    double coarse = exp2(level / 2.0), half = paf_half_width(coarse);
    extent *extents = g_new(extent, tree->nnodes);
    for (uint32_t i = 0; i < tree->nnodes; i++) {
        paf_node_times times = paf_node_by(clock, tree, i);
        int64_t start = iot_tree_node(tree->tree, i)->ninputs
                            ? MIN(times.input_from, times.output_from)
                            : times.output_from;
        extents[i] =
            (extent){(double)start * coarse - half, (double)times.output_to * coarse + half, i};
    }
    if (tree->nnodes)
        qsort(extents, tree->nnodes, sizeof *extents, by_end);
    if (!tree->rows)
        tree->rows = g_malloc(MAX(tree->nnodes, 1));
    assign_rows(tree, extents);
    g_free(extents);
}
