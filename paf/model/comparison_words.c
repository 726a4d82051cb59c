// SPDX-License-Identifier: MIT
#include "paf/model/comparison_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "paf/say/numbers.h"

char *paf_store_amount(const char *unit, double n)
{
    if (isnan(n))
        return g_strdup("-");
    if (!strcmp(unit, "ns"))
        return n < 0 ? g_strdup_printf("-%s", paf_nanoseconds((int64_t)-n)) : paf_nanoseconds((int64_t)n);
    if (fabs(n) < 1e15 && n == floor(n))
        return g_strdup_printf("%lld", (long long)n);
    return g_strdup_printf("%.1f", n);
}

// "nodes=4,size=B" as others have it, with the keys that tell it from them: "nodes=4". g_free().
char *paf_condition_name(const store_comparison *c, size_t which)
{
    char **keys = g_strsplit(c->conditions[which].name, ",", -1);
    GString *text = g_string_new("");
    for (size_t i = 0; keys[i]; i++) {
        bool everywhere = true;
        for (size_t j = 0; j < c->nconditions; j++) {
            char **others = g_strsplit(c->conditions[j].name, ",", -1);
            everywhere &= g_strv_contains((const char *const *)others, keys[i]);
            g_strfreev(others);
        }
        if (!everywhere)
            g_string_append_printf(text, "%s%s", text->len ? "," : "", keys[i]);
    }
    g_strfreev(keys);
    if (!text->len)
        g_string_append(text, "(no keys)");
    char *printable = base_printable(text->str), *name = g_strdup(printable ? printable : text->str);
    free(printable);
    g_string_free(text, TRUE);
    return name;
}

char *paf_mean_text(const char *unit, const store_figure *f)
{
    char *mean = paf_store_amount(unit, f->mean);
    if (isnan(f->deviation))
        return mean;
    char *deviation = paf_store_amount(unit, strcmp(unit, "ns") ? f->deviation : round(f->deviation));
    char *text = g_strdup_printf("%s ± %s", mean, deviation);
    g_free(mean);
    g_free(deviation);
    return text;
}

static void add_test(base_text *text, const store_test *test)
{
    if (test->verdict == STORE_DIFFERENT)
        text_add_format(text, " (p = %.2g)", test->p);
    else if (test->verdict == STORE_NOISE)
        text_add_format(text, "; the trials tell no difference beyond noise (p = %.2g)", test->p);
    if (test->more)
        text_add_format(text, "%s %u more %s of each would tell",
                        test->verdict == STORE_NO_TEST ? ";" : ",", test->more,
                        test->more == 1 ? "trial" : "trials");
}

// "threads=8 takes 0.8 s ± 0.01 s, threads=4 1.2 s ± 0.02 s: 1.5 times as long".
char *paf_length_sentence(const store_comparison *c, char *const *names)
{
    const store_condition *a = &c->conditions[c->slower], *b = &c->conditions[c->faster];
    bool by_clock = !isnan(a->elapsed.mean) && !isnan(b->elapsed.mean);
    const store_figure *fa = by_clock ? &a->elapsed : &a->span, *fb = by_clock ? &b->elapsed : &b->span;
    const char *unit = by_clock ? "ns" : "steps";
    if (isnan(fa->mean) || isnan(fb->mean))
        return base_format("how long %s takes is not known",
                           names[isnan(fa->mean) ? c->slower : c->faster]);
    char *ta = paf_mean_text(unit, fa), *tb = paf_mean_text(unit, fb);
    base_text text = {0};
    text_add_format(&text, "%s takes %s%s, %s %s%s", names[c->slower], ta, by_clock ? "" : " steps",
                    names[c->faster], tb, by_clock ? "" : " steps");
    if (c->alike)
        text_add_string(&text, ": as long");
    else if (fb->mean > 0)
        text_add_format(&text, ": %.3g times as long", fa->mean / fb->mean);
    if (!c->alike)
        add_test(&text, &c->test);
    g_free(ta);
    g_free(tb);
    return text_finish(&text);
}

char *paf_function_text(const store_compared *f)
{
    base_text text = {0};
    text_add_string(&text, f->name);
    if (*f->signature)
        text_add_format(&text, " %s", f->signature);
    if (f->ordinal > 1)
        text_add_format(&text, " #%lld", (long long)f->ordinal);
    char *printable = base_printable(text_finish(&text));
    if (!printable)
        return text.at;
    free(text.at);
    return printable;
}

// What moved: the functions with the most in each condition, and what differs most.
char *paf_moved_sentence(const store_comparison *c, char *const *names)
{
    base_text text = {0};
    text_add_string(&text, "");
    if (!c->nfunctions || c->alike)
        return text_finish(&text);
    const store_compared *d = &c->functions[c->most_different];
    char *slow = paf_function_text(&c->functions[c->most_slower]),
         *fast = paf_function_text(&c->functions[c->most_faster]);
    char *most = paf_function_text(d), *by = paf_store_amount(c->unit, fabs(d->difference));
    const char *a = names[c->slower], *b = names[c->faster];
    if (c->most_slower != c->most_faster)
        text_add_format(&text, "the bottleneck moved: most of %s is %s, most of %s is %s\n", a, slow, b, fast);
    else
        text_add_format(&text, "most of both is %s\n", slow);
    if (d->difference != 0)
        text_add_format(&text, "%s differs most: %s%s more in %s%s\n", most, by, strcmp(c->unit, "steps") ? "" : " steps",
               d->difference > 0 ? a : b, d->test.verdict == STORE_NOISE ? ", which may be noise" : "");
    free(slow);
    free(fast);
    free(most);
    g_free(by);
    return text_finish(&text);
}
