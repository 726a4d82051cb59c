// SPDX-License-Identifier: MIT
//
// Sources of Japan are often in EUC-JP or Shift-JIS.
#ifndef KPX_LOG_ENCODING_H
#define KPX_LOG_ENCODING_H

#include <stddef.h>

// The text (malloc'ed, or NULL) in UTF-8, with the same lines; takes it. What is in neither encoding stays as it is.
char *kpx_as_utf8(char *text, size_t *length);

#endif
