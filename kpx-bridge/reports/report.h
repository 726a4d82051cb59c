// SPDX-License-Identifier: MIT
//
// Writes the reports of kpx from totals: @@k_tool.f66 (program units, input/output, DO loops) and
// @@m_tool.f66 (calls of MPI), with the tables, headings and columns of Watanabe, Orii, Kumakura,
// Takigawa: "The KPX, a Program Analyzer for Parallelization (ver2.0)", JAERI-Data/Code 98-016.
//
// A column is as wide as its widest entry, so nothing is cut and a line can always be split at its
// blanks. `-` means not observed. A blank in a name is written as `_`.
#ifndef KPX_REPORT_H
#define KPX_REPORT_H

#include <stdio.h>

#include "kpx-bridge/totals/totals.h"

#define KPX_ALL_NODES UINT32_MAX

// Writes the figures of one node, or sums over all nodes.
void kpx_write_ktool(const kpx_totals *t, uint32_t node, FILE *out);
void kpx_write_mtool(const kpx_totals *t, FILE *out);

#endif
