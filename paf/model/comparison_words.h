// SPDX-License-Identifier: MIT
//
// comparison_words: what a comparison of conditions says, in sentences and names. Hidden characters of names are
// escaped (base_printable()).
#ifndef PAF_COMPARISON_WORDS_H
#define PAF_COMPARISON_WORDS_H

#include "store/comparison.h"

// A figure in its unit: "12.3 ms" or "120"; "-" if it was not observed. g_free().
char *paf_store_amount(const char *unit, double n);
// "12.3 ms ± 0.4 ms". g_free().
char *paf_mean_text(const char *unit, const store_figure *f);
// The keys of a condition that tell it from the others. g_free().
char *paf_condition_name(const store_comparison *c, size_t which);
// names: of the conditions. How long they take, and whether that is noise. free().
char *paf_length_sentence(const store_comparison *c, char *const *names);
// Where most of the time is, and what differs most: lines that end in a line feed, or none. free().
char *paf_moved_sentence(const store_comparison *c, char *const *names);
// Name, signature and number of a function. free().
char *paf_function_text(const store_compared *f);

#endif
