// SPDX-License-Identifier: MIT
//
// The operators of ISO Prolog, with `:=`, the guard bar `|`, `:` and the pragmas' `@`.
#include "fleng/reader/parse.h"

typedef enum { XFX, XFY, YFX, FY, FX } operator_type;

typedef struct {
    const char *name;
    unsigned priority;
    operator_type type;
} operator_entry;

static const operator_entry infix[] = {
    {":-", 1200, XFX}, {"-->", 1200, XFX}, {"|", 1100, XFY},    {";", 1100, XFY},
    {"->", 1050, XFY}, {",", 1000, XFY},   {"@", 950, YFX},     {"=", 700, XFX},
    {"\\=", 700, XFX}, {"==", 700, XFX},   {"\\==", 700, XFX},  {"@<", 700, XFX},
    {"@>", 700, XFX},  {"@=<", 700, XFX},  {"@>=", 700, XFX},   {"=..", 700, XFX},
    {"is", 700, XFX},  {":=", 700, XFX},   {"=:=", 700, XFX},   {"=\\=", 700, XFX},
    {"<", 700, XFX},   {">", 700, XFX},    {"=<", 700, XFX},    {">=", 700, XFX},
    {"$:=", 700, XFX}, {"$=:=", 700, XFX}, {"$=\\=", 700, XFX}, {"$<", 700, XFX},
    {"$>", 700, XFX},  {"$=<", 700, XFX},  {"$>=", 700, XFX},   {"+", 500, YFX},
    {"-", 500, YFX},   {"/\\", 500, YFX},  {"\\/", 500, YFX},   {"xor", 500, YFX},
    {"*", 400, YFX},   {"/", 400, YFX},    {"//", 400, YFX},    {"mod", 400, YFX},
    {"rem", 400, YFX}, {"div", 400, YFX},  {"<<", 400, YFX},    {">>", 400, YFX},
    {"**", 200, XFX},  {"^", 200, XFY},    {":", 200, XFY},
};

static const operator_entry prefix[] = {
    {":-", 1200, FX}, {"?-", 1200, FX}, {"\\+", 900, FY},
    {"-", 200, FY},   {"+", 200, FY},   {"\\", 200, FY},
};

// Of KL1 beside these: constants (16#"ff"), arithmetic in arguments, argument pairs.
static const operator_entry kl1_infix[] = {
    {"#", 100, XFX},  {"@", 950, XFY},  {"<=", 700, XFX}, {"=>", 700, XFX}, {"<==", 700, XFX},
    {"+=", 700, XFX}, {"-=", 700, XFX}, {"*=", 700, XFX}, {"/=", 700, XFX},
};

static const operator_entry kl1_prefix[] = {{"#", 100, FX}, {"~", 300, FY}, {"$~", 300, FY}};

static fl_operator find(const operator_entry *table, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        unsigned p = table[i].priority;
        operator_type type = table[i].type;
        if (strcmp(table[i].name, name) == 0)
            return (fl_operator){p, type == YFX ? p : p - 1, type == XFY || type == FY ? p : p - 1};
    }
    return (fl_operator){0};
}

fl_operator fl_kl1_infix_operator(const char *name)
{
    fl_operator op = find(kl1_infix, sizeof kl1_infix / sizeof *kl1_infix, name);
    return op.priority > 0 ? op : fl_infix_operator(name);
}

fl_operator fl_kl1_prefix_operator(const char *name)
{
    fl_operator op = find(kl1_prefix, sizeof kl1_prefix / sizeof *kl1_prefix, name);
    return op.priority > 0 ? op : fl_prefix_operator(name);
}

fl_operator fl_infix_operator(const char *name)
{
    return find(infix, sizeof infix / sizeof *infix, name);
}

fl_operator fl_prefix_operator(const char *name)
{
    return find(prefix, sizeof prefix / sizeof *prefix, name);
}
