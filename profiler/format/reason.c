// SPDX-License-Identifier: MIT
//
// Texts that are made without ending the process when memory is short.
#include "profiler/format/reason.h"

#include <stdio.h>
#include <stdlib.h>

const char trace_no_memory[] = "out of memory";

char *trace_text_vformat(const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, args);
    return text;
}

char *trace_text_format(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = trace_text_vformat(format, args);
    va_end(args);
    return text;
}
