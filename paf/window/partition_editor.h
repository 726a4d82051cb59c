// SPDX-License-Identifier: MIT
//
// partition_editor: the dialog that changes the partition. The text is checked while it is typed;
// beside it are the predicates to choose from.
#ifndef PAF_PARTITION_EDITOR_H
#define PAF_PARTITION_EDITOR_H

#include "paf/model/loader.h"

#include <gtk/gtk.h>

// Called with a partition that was checked and is to be applied.
typedef void paf_apply_partition(void *data, const char *text);

// Opens the dialog, which is modal over the parent and frees itself.
void paf_partition_editor_open(GtkWindow *parent, paf_session *s, paf_apply_partition *apply,
                               void *data);

#endif
