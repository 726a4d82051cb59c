// SPDX-License-Identifier: MIT
//
// partition_editor: the dialog in which the partition is changed - its text, checked as it is
// typed, beside the predicates to choose from.
#ifndef PAF_PARTITION_EDITOR_H
#define PAF_PARTITION_EDITOR_H

#include "paf/model/loader.h"

#include <gtk/gtk.h>

// Called when a checked partition is to be applied.
typedef void paf_apply_partition(void *data, const char *text);

// Modal over the parent; frees itself.
void paf_partition_editor_open(GtkWindow *parent, paf_session *s, paf_apply_partition *apply,
                               void *data);

#endif
