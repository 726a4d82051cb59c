// SPDX-License-Identifier: MIT
//
// Sources in the encodings of Japan become UTF-8, others stay as they are.
#include "kpx-bridge/log/encoding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(const char *what, const char *text, const char *wanted)
{
    size_t n = strlen(text);
    char *copy = malloc(n + 1), *made;
    memcpy(copy, text, n + 1);
    made = kpx_as_utf8(copy, &n);
    if (n != strlen(wanted) || memcmp(made, wanted, n) != 0) {
        printf("FAILED: %s: %.*s\n", what, (int)n, made);
        failures++;
    }
    free(made);
}

int main(void)
{
    const char *japanese = "C 計算\n      END\n";
    check("UTF-8", japanese, japanese);
    check("EUC-JP", "C \xb7\xd7\xbb\xbb\n      END\n", japanese);
    check("Shift-JIS", "C \x8cv\x8eZ\n      END\n", japanese);
    check("Shift-JIS with a backslash as second byte", "! \x95\x5c\n", "! 表\n");
    check("half-width letters of Shift-JIS", "! \xb1\x8eZ\n", "! ｱ算\n");
    check("neither", "! \xff\xff\n", "! \xff\xff\n");
    check("nothing", "", "");
    printf("%d failed\n", failures);
    return failures > 0;
}
