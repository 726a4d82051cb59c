// SPDX-License-Identifier: MIT
//
// Reads source files and finds lines and columns in them.
#include "fleng/reader/source.h"

#include "base/access.h"
#include "base/utf8.h"
#include "fleng/reader/collected.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { LARGEST = 256000000 }; // bytes; a device without an end is no source

fl_source *fl_source_from_text(const char *name, const char *text, size_t length)
{
    fl_source *source = vm_alloc(sizeof *source);
    source->name = fl_copy_text(name, strlen(name));
    source->text = fl_copy_text(text, length);
    source->length = length;
    return source;
}

static bool is_directory(FILE *file)
{
    struct stat status;
    return fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode);
}

// Text that is loaded by a name as if it were a file's; NULL: there is none.
static char *defined_name, *defined_text;

void fl_source_define(const char *name, const char *text)
{
    free(defined_name);
    free(defined_text);
    defined_name = name ? base_copy(name) : NULL;
    defined_text = text ? base_copy(text) : NULL;
}

// Why it is no source, or NULL.
static const char *not_text(const char *text, size_t length)
{
    static const char trace[] = "\x89PAF\r\n\x1a\n";
    if (length >= sizeof trace - 1 && memcmp(text, trace, sizeof trace - 1) == 0)
        return "it is a trace: paf FILE shows it";
    return memchr(text, '\0', length) ? "it is not a text: it contains a byte 0" : NULL;
}

// The bytes of the file and a NUL, on the collected heap. NULL and *ret_reason: it cannot be read.
static char *read_all(FILE *file, size_t *ret_length, const char **ret_reason)
{
    size_t capacity = 1 << 16, n = 0, got;
    char *text = vm_alloc_atomic(capacity);
    while ((got = fread(text + n, 1, capacity - n, file)) > 0) {
        n += got;
        if (n > LARGEST) {
            *ret_reason = "larger than 256 MB";
            return NULL;
        }
        if (n == capacity) {
            char *larger = vm_alloc_atomic(capacity * 2);
            memcpy(larger, text, n);
            text = larger;
            capacity *= 2;
        }
    }
    if (ferror(file)) {
        *ret_reason = strerror(errno);
        return NULL;
    }
    text[n] = '\0'; // n < capacity after the loop
    *ret_length = n;
    return text;
}

fl_source *fl_source_load(const char *name, const char **ret_reason)
{
    if (defined_name && strcmp(name, defined_name) == 0)
        return fl_source_from_text(name, defined_text, strlen(defined_text));
    int fd = base_access_file(name, O_RDONLY);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "rb");
    if (!file) {
        *ret_reason = base_access_reason(errno);
        return NULL;
    }
    if (is_directory(file)) {
        fclose(file);
        *ret_reason = strerror(EISDIR);
        return NULL;
    }
    size_t n;
    char *text = read_all(file, &n, ret_reason);
    fclose(file);
    if (!text || (*ret_reason = not_text(text, n)))
        return NULL;
    fl_source *source = vm_alloc(sizeof *source);
    source->name = fl_copy_text(name, strlen(name));
    source->text = text;
    source->length = n;
    size_t length = strlen(name);
    source->kl1 = length > 4 && strcmp(name + length - 4, ".kl1") == 0;
    source->ghc = length > 4 && strcmp(name + length - 4, ".ghc") == 0;
    return source;
}

const char *fl_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return fl_copy_text(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

// ---- Positions --------------------------------------------------------------------------------

const char *fl_source_line(const fl_source *source, uint32_t line, const char **ret_end)
{
    const char *at = source->text, *end = at + source->length;
    for (uint32_t i = 1; i < line; i++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline)
            break;
        at = newline + 1;
    }
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    *ret_end = newline ? newline : end;
    return at;
}

const char *fl_source_at(const fl_source *source, uint32_t line, uint32_t column, size_t *ret_left)
{
    const char *end, *at = fl_source_line(source, line, &end);
    for (uint32_t i = 1; i < column && at < end; i++)
        do
            at++;
        while (at < end && utf8_continues(*at));
    *ret_left = (size_t)(end - at);
    return at;
}
