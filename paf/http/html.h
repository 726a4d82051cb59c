// SPDX-License-Identifier: MIT
//
// html: text of pages. Whatever a format puts in by %s is escaped, so a name cannot become markup; the
// format itself is markup.
#ifndef PAF_HTML_H
#define PAF_HTML_H

#include "base/text.h"

// %s, %d, %lld, %zu, %u, %g, %f with flags, width and precision, and %%. %s is escaped for text and for
// attributes in double quotes; bytes that are no UTF-8, and characters that change how others are shown,
// become U+FFFD. NULL is an empty text.
void html_add(base_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
// A text, escaped in the same way.
void html_add_text(base_text *t, const char *text);
// A part of an address, after "?" or "&": bytes that mean something there become %XX.
void html_add_part(base_text *t, const char *text);

#endif
