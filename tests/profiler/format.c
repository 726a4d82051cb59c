// SPDX-License-Identifier: MIT
//
// FORMAT.md holds the event table as text; this makes the text from the table and looks for it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "files.h"

static const char table[] =
#define CHUNK(number, name, columns, text) #number " " #name ": " text "\n"
#include "profiler/format/events.def"
    "\n"
#define FIELD(field, coding)              " " #field ":" #coding
#define ENUM(field, limit)                " " #field ":byte"
#define TEXT(field, length)               " " #field ":text"
#define LIST(count, field, type, coding)  " " #field ":list(" #coding ")"
#define GIVEN(count, field, type, coding) " " #field ":given(" #coding ")"
#define RECORD(name, type, text, ...)     #name ":" __VA_ARGS__ "\n    " text "\n"
#include "profiler/format/events.def"
    ;

void test_format(const char *format_text_path)
{
    bytes text = read_file(format_text_path);
    text.data = realloc(text.data, text.size + 1);
    if (!text.data)
        abort();
    text.data[text.size] = '\0';
    if (!CHECK_SAY(strstr((char *)text.data, table) != NULL,
                   "%s does not hold the event table, which is:", format_text_path))
        printf("%s", table);
    free(text.data);
}
