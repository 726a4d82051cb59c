// SPDX-License-Identifier: MIT
//
// A name of up to four bytes is one number, its key. The search compares the key with constants,
// for the writer looks at the name of every structure.
#include "base/operators.h"

enum { LONGEST = 4 };

#define BYTE(name, i) ((uint32_t)(unsigned char)((i) < sizeof(name) ? (name)[i] : 0) << 8 * (i))
#define KEY(name) (BYTE(name, 0) | BYTE(name, 1) | BYTE(name, 2) | BYTE(name, 3))

#define LEFT_XFX(p) ((p) - 1)
#define LEFT_XFY(p) ((p) - 1)
#define LEFT_YFX(p) (p)
#define LEFT_FX(p) 0
#define LEFT_FY(p) 0
#define RIGHT_XFX(p) ((p) - 1)
#define RIGHT_XFY(p) (p)
#define RIGHT_YFX(p) ((p) - 1)
#define RIGHT_FX(p) ((p) - 1)
#define RIGHT_FY(p) (p)

#define IS_LETTER(c) ((c) >= 'a' && (c) <= 'z')

static const struct {
    term_operator operator;
    term_dialect dialect;
} table[] = {
#define OPERATOR(name, priority, type, dialect)                                                    \
    {{name, priority, LEFT_##type(priority), RIGHT_##type(priority), sizeof(name) - 1,             \
      IS_LETTER((name)[0])},                                                                       \
     TERM_##dialect},
#include "base/operators.def"
#undef OPERATOR
};

#define OPERATOR(name, priority, type, dialect)                                                    \
    _Static_assert(sizeof(name) - 1 <= LONGEST, "a key has four bytes");
#include "base/operators.def"
#undef OPERATOR

__attribute__((always_inline)) static inline const term_operator *
find(const char *name, size_t length, bool infix, term_dialect wanted)
{
    if (length == 0 || length > LONGEST)
        return NULL;
    uint32_t key = 0;
    for (size_t i = 0; i < length; i++)
        key |= (uint32_t)(unsigned char)name[i] << 8 * i;
    size_t i = 0;
#define OPERATOR(name, priority, type, dialect)                                                    \
    if (key == KEY(name) && (LEFT_##type(priority) > 0) == infix && TERM_##dialect <= wanted)      \
        return &table[i].operator;                                                                 \
    i++;
#include "base/operators.def"
#undef OPERATOR
    return NULL;
}

const term_operator *term_infix(const char *name, size_t length, term_dialect dialect)
{
    return find(name, length, true, dialect);
}

const term_operator *term_prefix(const char *name, size_t length, term_dialect dialect)
{
    return find(name, length, false, dialect);
}

size_t term_noperators(void)
{
    return sizeof table / sizeof *table;
}

const term_operator *term_get_operator(size_t i, term_dialect *ret_dialect)
{
    *ret_dialect = table[i].dialect;
    return &table[i].operator;
}
