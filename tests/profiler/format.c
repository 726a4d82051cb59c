// SPDX-License-Identifier: MIT
//
// What the event table says is true of everything that has to follow it: FORMAT.md holds the table
// as text, numbers of chunks are in order, and the reader knows each of them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "files.h"
#include "model.h"
#include "profiler/format/layout.h"
#include "profiler/read/open.h"

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

static const struct {
    unsigned number, columns;
    const char *name;
} kinds[] = {
#define CHUNK(number, name, columns, text) {number, columns, #name},
#include "profiler/format/events.def"
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static void numbers_are_in_order(void)
{
    for (unsigned i = 0; i < KINDS; i++)
        CHECK_SAY(kinds[i].number > (i > 0 ? kinds[i - 1].number : 0) && kinds[i].columns >= 1 &&
                      kinds[i].columns <= COLUMNS,
                  "%s", kinds[i].name);
}

// A trace that has an empty chunk of each kind after its first chunk: whatever is wrong with it,
// the reader knows the kind.
static void every_kind_is_read(const char *folder)
{
    char path[PATH_SIZE], *error = NULL;
    model m;
    trace_error problem;
    model_small(&m, path_in(path, folder, "kinds.paf"), TRACE_MEASURED);
    model_destroy(&m);
    bytes whole = read_file(path);
    size_t first = CHUNK_HEADER;
    for (int i = 0; i < COLUMNS; i++)
        first += load32(whole.data + FILE_HEADER + CHUNK_STORED + 4 * i);
    unsigned char *chunk = whole.data + FILE_HEADER + first;
    memset(chunk, 0, CHUNK_HEADER);
    for (uint32_t kind = 0; kind <= kinds[KINDS - 1].number + 1; kind++) {
        bool known = false;
        for (unsigned i = 0; i < KINDS; i++)
            known |= kinds[i].number == kind;
        store32(chunk, kind);
        size_t size = FILE_HEADER + first + CHUNK_HEADER;
        trace_close(trace_open_memory(whole.data, size, "kinds", true, &problem, &error));
        CHECK_SAY(error && !strstr(error, "a chunk of unknown kind") == known, "%u: %s", kind,
                  error ? error : "no error");
        free(error);
        error = NULL;
    }
    free(whole.data);
}

void test_format(const char *folder, const char *format_text_path)
{
    numbers_are_in_order();
    every_kind_is_read(folder);
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
