// SPDX-License-Identifier: MIT
#include "kpx-bridge/imports/imports.h"

#include <string.h>
#include <sys/stat.h>

// The first byte that is no blank. Reports never begin so: their titles have no braces.
static int first_byte(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return -1;
    FILE *file = fopen(path, "re");
    int c = -1;
    while (file && (c = getc(file)) != EOF && strchr(" \t\r\n", c) && c)
        ;
    if (file)
        fclose(file);
    return c;
}

kpx_timeline_kind kpx_timeline_kind_of(const char *path)
{
    size_t n = strlen(path);
    if (n > 5 && strcmp(path + n - 5, ".otf2") == 0)
        return KPX_OTF2;
    int first = first_byte(path);
    return first == '{' || first == '[' ? KPX_CHROME : KPX_NO_TIMELINE;
}
