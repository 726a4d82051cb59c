// SPDX-License-Identifier: MIT
//
// Messages, files and jobs of conditions that are compared (private to paf/commands/).
#ifndef PAF_STORE_DETAILS_H
#define PAF_STORE_DETAILS_H

#include "paf/commands/store_command.h"
#include "store/details.h"

// names: of the conditions. top: rows that are shown; 0: all. Nothing if there are no rows.
void paf_store_print_details(const store_details *d, const store_comparison *c, char **names,
                             size_t top);
json_t *paf_store_details_json(const store_details *d);
void paf_store_details_csv(const store_details *d, char **names);

#endif
