// SPDX-License-Identifier: MIT
//
// What `paf store compare` tells beside functions: messages, files, jobs.
#include "paf/commands/store_details.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "paf/model/comparison_words.h"
#include "paf/say/numbers.h"

static char *amount(const char *unit, double n)
{
    if (isnan(n))
        return g_strdup("-");
    if (!strcmp(unit, "ns"))
        return paf_store_amount(unit, n);
    return g_strdup_printf("%.6g", n);
}

static void add_titles(paf_table *table, const store_details *d, char **names)
{
    const store_aspect *a = d->aspect;
    paf_table_add(table, "%s", a->of);
    for (size_t f = 0; f < a->nfigures; f++)
        for (size_t i = 0; i < d->nconditions; i++) {
            char *title = g_strdup_printf("%s, %s", a->figures[f], names[i]);
            paf_table_add(table, "%s", title);
            g_free(title);
        }
    paf_table_add(table, "difference");
}

static void add_means(paf_table *table, const store_details *d, const double *means)
{
    for (size_t f = 0; f < d->aspect->nfigures; f++)
        for (size_t i = 0; i < d->nconditions; i++) {
            char *text = amount(d->aspect->units[f], means[f * d->nconditions + i]);
            paf_table_add(table, "%s", text);
            g_free(text);
        }
}

static void add_difference(paf_table *table, const store_details *d, double difference)
{
    char *text = amount(d->aspect->units[d->aspect->nfigures - 1], difference);
    paf_table_add(table, "%s", text);
    g_free(text);
}

void paf_store_print_details(const store_details *d, const store_comparison *c, char **names,
                             size_t top)
{
    if (!d->n)
        return;
    size_t n = top && top < d->n ? top : d->n, figures = d->aspect->nfigures, last = figures - 1;
    char *alignment = g_strnfill(2 + figures * d->nconditions, 'r');
    alignment[0] = 'l';
    printf("\n%c%s by the difference in %s\n", g_ascii_toupper(d->aspect->name[0]),
           d->aspect->name + 1, d->aspect->figures[last]);
    paf_table *table = paf_table_create(alignment);
    add_titles(table, d, names);
    for (size_t i = 0; i < n; i++) {
        paf_store_add_name(table, d->rows[i].name);
        add_means(table, d, d->rows[i].means);
        add_difference(table, d, d->rows[i].difference);
    }
    paf_table_add(table, "all");
    add_means(table, d, d->totals);
    add_difference(table, d,
                   d->totals[last * d->nconditions + c->slower] -
                       d->totals[last * d->nconditions + c->faster]);
    paf_table_print(table);
    if (n < d->n)
        printf("  %zu more (--top 0 shows all)\n", d->n - n);
    g_free(alignment);
}

static json_t *json_means(const store_details *d, const double *means)
{
    json_t *o = json_object();
    for (size_t f = 0; f < d->aspect->nfigures; f++) {
        json_t *list = json_array();
        for (size_t i = 0; i < d->nconditions; i++) {
            double mean = means[f * d->nconditions + i];
            json_array_append_new(list, isfinite(mean) ? json_real(mean) : json_null());
        }
        json_object_set_new(o, d->aspect->figures[f], list);
    }
    return o;
}

json_t *paf_store_details_json(const store_details *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->n; i++) {
        json_t *o = json_means(d, d->rows[i].means);
        json_object_set_new(o, "name", paf_json_text(d->rows[i].name));
        json_object_set_new(o, "difference", json_real(d->rows[i].difference));
        json_array_append_new(list, o);
    }
    return list;
}

void paf_store_details_csv(const store_details *d, char **names)
{
    printf("name");
    for (size_t f = 0; f < d->aspect->nfigures; f++)
        for (size_t i = 0; i < d->nconditions; i++) {
            char *title = g_strdup_printf("%s of %s", d->aspect->figures[f], names[i]);
            putchar(',');
            paf_csv_text(title, 0);
            g_free(title);
        }
    printf(",difference\n");
    for (size_t i = 0; i < d->n; i++) {
        paf_csv_text(d->rows[i].name, 0);
        for (size_t k = 0; k < d->aspect->nfigures * d->nconditions; k++)
            if (isfinite(d->rows[i].means[k]))
                printf(",%.15g", d->rows[i].means[k]);
            else
                putchar(',');
        printf(",%.15g\n", d->rows[i].difference);
    }
}
