// SPDX-License-Identifier: MIT
//
// hues: which module has which colour. A name keeps its colour as long as the command runs, whatever
// becomes of the partition, and has it in all runs that are open.
#ifndef PAF_HUES_H
#define PAF_HUES_H

#include "iotree/iotree.h"

// By module of the analysis, for paf_module_colour(); g_free().
uint32_t *paf_hues_of(const iot *a);
// An analysis of the file by another partition will follow, whose trace does not tell the default one.
void paf_hues_expect(const trace *t);

#endif
