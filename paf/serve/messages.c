// SPDX-License-Identifier: MIT
//
// Who sent to whom: a map for each condition, means over its trials, and the pairs with most.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "paf/model/comparison_words.h"
#include "paf/serve/chosen.h"

#include <glib.h>

enum { CELLS = 64, SIZE = 5, LEVELS = 8, SHOWN_PAIRS = 10, MOST_PLACES = 100000 };

// Of one condition. Cells are blocks of places if there are many.
typedef struct {
    base_map places;        // number of a row of `place` -> number of the place
    ARRAY_OF(char *) names; // by number
    size_t nplaces, trials, block;
    double cells[CELLS][CELLS];
} matrix;

static void read_places(page *p, matrix *m, const compared_conditions *of, const char *condition)
{
    store_answer *a =
        page_ask(p,
                 "SELECT place.id, place.number, place.name, place.run FROM run CROSS JOIN place WHERE "
                 "place.run = run.id AND run.condition = :condition AND run.enabled = 1 "
                 "ORDER BY place.run, place.number",
                 "condition", condition, NULL);
    int64_t run = -1;
    while (page_next(p, &a)) {
        int64_t number = store_answer_integer(a, 1);
        if (compared_leaves_out(of, store_answer_integer(a, 3)) || number < 0 || number >= MOST_PLACES)
            continue;
        m->trials += store_answer_integer(a, 3) != run;
        run = store_answer_integer(a, 3);
        map_set(&m->places, (uint64_t)store_answer_integer(a, 0), (uint64_t)number);
        while ((int64_t)m->names.n <= number)
            ARRAY_PUSH(m->names, NULL);
        if (!m->names.at[number])
            m->names.at[number] = base_copy(store_answer_text(a, 2));
    }
    m->nplaces = m->names.n;
    m->block = (m->nplaces + CELLS - 1) / CELLS;
}

static void read_messages(page *p, matrix *m, const char *condition, bool bytes)
{
    static const char text[] =
        "SELECT message.from_place, message.to_place, message.%s FROM run CROSS JOIN message "
        "WHERE message.run = run.id AND run.condition = :condition AND run.enabled = 1";
    char *question = base_format(text, bytes ? "bytes" : "messages");
    store_answer *a = page_ask(p, question, "condition", condition, NULL);
    while (page_next(p, &a)) {
        uint64_t from = map_get(&m->places, (uint64_t)store_answer_integer(a, 0));
        uint64_t to = map_get(&m->places, (uint64_t)store_answer_integer(a, 1));
        double amount = store_answer_real(a, 2);
        if (from != MAP_ABSENT && to != MAP_ABSENT && !isnan(amount))
            m->cells[from / m->block][to / m->block] += amount / (double)m->trials;
    }
    free(question);
}

static double largest_of(const matrix *m)
{
    double largest = 0;
    for (size_t i = 0; i < CELLS; i++)
        for (size_t k = 0; k < CELLS; k++)
            largest = fmax(largest, m->cells[i][k]);
    return largest;
}

// Cells of one level are one path, so a full map stays small.
static void draw(page *p, const matrix *m, double largest, const char *label)
{
    size_t n = m->nplaces ? (m->nplaces + m->block - 1) / m->block : 1;
    html_add(p->out, "<svg class=\"map\" viewBox=\"0 0 %zu %zu\" role=\"img\" aria-label=\"%s\">", n * SIZE,
             n * SIZE, label);
    html_add(p->out, "<rect class=\"under\" width=\"%zu\" height=\"%zu\"/>", n * SIZE, n * SIZE);
    for (int level = 1; level <= LEVELS; level++) {
        base_text path = {0};
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++)
                if (m->cells[i][k] > 0 && (int)ceil(m->cells[i][k] / largest * LEVELS) == level)
                    text_add_format(&path, "M%zu %zuh%dv%dh-%dz", k * SIZE, i * SIZE, SIZE, SIZE, SIZE);
        if (path.n)
            html_add(p->out, "<path class=\"heat\" fill-opacity=\"%.2f\" d=\"%s\"/>",
                     0.12 + 0.88 * level / LEVELS, text_finish(&path));
        free(path.at);
    }
    text_add_string(p->out, "</svg>");
}

static char *name_of(const matrix *m, size_t cell)
{
    size_t first = cell * m->block,
           last = first + m->block - 1 < m->nplaces ? first + m->block - 1 : m->nplaces - 1;
    const char *a = m->names.at[first] ? m->names.at[first] : "",
               *b = m->names.at[last] ? m->names.at[last] : "";
    return first == last ? base_copy(a) : base_format("%s … %s", a, b);
}

typedef struct {
    size_t from, to;
    double amount;
} pair;

static int by_amount(const void *x, const void *y)
{
    const pair *a = x, *b = y;
    return a->amount < b->amount   ? 1
           : a->amount > b->amount ? -1
                                   : (a->from * CELLS + a->to < b->from * CELLS + b->to ? -1 : 1);
}

static void add_pairs(page *p, const matrix *m)
{
    ARRAY_OF(pair) pairs = {0};
    for (size_t i = 0; i < CELLS; i++)
        for (size_t k = 0; k < CELLS; k++)
            if (m->cells[i][k] > 0)
                ARRAY_PUSH(pairs, ((pair){i, k, m->cells[i][k]}));
    if (pairs.n)
        qsort(pairs.at, pairs.n, sizeof *pairs.at, by_amount);
    text_add_string(
        p->out, "<div class=\"wide\"><table><thead><tr><th scope=\"col\">From</th><th scope=\"col\">To</th>"
                "<th scope=\"col\" class=\"number\">Mean</th></tr></thead><tbody>");
    for (size_t i = 0; i < pairs.n && i < SHOWN_PAIRS; i++) {
        char *from = name_of(m, pairs.at[i].from), *to = name_of(m, pairs.at[i].to);
        html_add(p->out, "<tr><td>%s</td><td>%s</td><td class=\"number\">%.10g</td></tr>", from, to,
                 pairs.at[i].amount);
        free(from);
        free(to);
    }
    text_add_string(p->out, "</tbody></table></div>\n");
    if (pairs.n > SHOWN_PAIRS)
        html_add(p->out, "<p>%zu more pairs</p>", pairs.n - SHOWN_PAIRS);
    free(pairs.at);
}

static void free_matrix(matrix *m)
{
    for (size_t i = 0; i < m->names.n; i++)
        free(m->names.at[i]);
    free(m->names.at);
    map_free(&m->places);
    free(m);
}

static void add_matrices(page *p, const compared_conditions *of, matrix **all)
{
    double largest = 0;
    for (size_t i = 0; i < of->n; i++)
        largest = fmax(largest, largest_of(all[i]));
    text_add_string(p->out,
                    "<p>Rows send, columns receive; one scale for all maps.</p><div class=\"maps\">\n");
    for (size_t i = 0; i < of->n; i++) {
        const char *name = *of->names[i] ? of->names[i] : "(no keys)";
        html_add(p->out, "<section><h2>%s</h2>\n", name);
        if (largest_of(all[i]) > 0) {
            draw(p, all[i], largest, name);
            add_pairs(p, all[i]);
        } else {
            text_add_string(p->out, "<p>No message was recorded.</p>");
        }
        text_add_string(p->out, "</section>\n");
    }
    text_add_string(p->out, "</div>\n");
}

void page_messages(page *p)
{
    compared_conditions of;
    matrix *all[6] = {NULL};
    const char *what = http_value(p->r, "of");
    bool bytes = !what || strcmp(what, "messages");
    if (!compared_find(p, &of, 1, sizeof all / sizeof *all))
        return;
    char *back =
        page_keep(p, page_keep(p, page_link("compare", "application", of.application, NULL), "c"), "off");
    char *other = page_with(p, "of", bytes ? "messages" : "bytes");
    page_begin(p, "Messages", "./", "Applications", back, of.n > 1 ? "Comparison" : of.application, NULL);
    html_add(p->out, "<p>%s (<a href=\"%s\">%s</a>)</p>\n", bytes ? "Bytes" : "Messages", other,
             bytes ? "count messages" : "bytes");
    for (size_t i = 0; i < of.n; i++) {
        char number[32];
        snprintf(number, sizeof number, "%lld", (long long)of.ids[i]);
        all[i] = base_allocate(1, sizeof *all[i]);
        read_places(p, all[i], &of, number);
        read_messages(p, all[i], number, bytes);
    }
    if (!p->status)
        add_matrices(p, &of, all);
    page_end(p);
    for (size_t i = 0; i < of.n; i++)
        free_matrix(all[i]);
    free(back);
    free(other);
    compared_free(&of);
}
