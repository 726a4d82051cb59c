// SPDX-License-Identifier: MIT
#include "store/imports/lines.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

bool lines_open(lines *l, const char *path)
{
    *l = (lines){.path = path, .file = fopen(path, "r")};
    return l->file || lines_fail(l, "cannot read: %s", strerror(errno));
}

bool lines_next(lines *l)
{
    if (l->error || !l->file)
        return false;
    errno = 0;
    ssize_t n = getline(&l->text, &l->capacity, l->file);
    if (n < 0)
        return ferror(l->file) ? lines_fail(l, "cannot read: %s", strerror(errno)) : false;
    l->number++;
    if (memchr(l->text, 0, (size_t)n))
        return lines_fail(l, "a byte 0: this is no text");
    while (n > 0 && (l->text[n - 1] == '\n' || l->text[n - 1] == '\r'))
        l->text[--n] = 0;
    return true;
}

bool lines_fail(lines *l, const char *format, ...)
{
    base_text text = {0};
    va_list arguments;
    if (l->error)
        return false;
    if (l->number)
        text_add_format(&text, "%s:%zu: ", l->path, l->number);
    else
        text_add_format(&text, "%s: ", l->path);
    va_start(arguments, format);
    text_add_arguments(&text, format, arguments);
    va_end(arguments);
    l->error = text_finish(&text);
    return false;
}

bool lines_close(lines *l, char **ret_error)
{
    if (l->file)
        fclose(l->file);
    free(l->text);
    *ret_error = l->error;
    return !l->error;
}

bool lines_number(char **at, double *ret)
{
    char *end;
    *ret = strtod(*at, &end);
    if (end == *at || !isfinite(*ret))
        return false;
    *at = end;
    return true;
}

char *lines_quoted(char **at)
{
    char *begin = *at + strspn(*at, " \t"), *end;
    if (*begin != '"' || !(end = strchr(begin + 1, '"')))
        return NULL;
    *end = 0;
    *at = end + 1;
    return begin + 1;
}
