// SPDX-License-Identifier: MIT
//
// The frame of a page, and its data as JSON within it.
#include "paf/page/page.h"
#include "base/utf8.h"
#include "paf/page/page_private.h"

#include <string.h>

const char *paf_page_policy(void)
{
    static char *policy;
    static gsize made;
    if (g_once_init_enter(&made)) {
        policy = g_strdup_printf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; "
                                 "form-action 'none'",
                                 paf_page_style.hash, paf_page_script.hash);
        g_once_init_leave(&made, 1);
    }
    return policy;
}

void paf_page_escape(base_text *out, const char *text)
{
    size_t n = strlen(text), at = 0;
    while (at < n) {
        uint32_t code = utf8_next(text, n, &at);
        switch (code) {
        case '<':
            text_add_string(out, "&lt;");
            break;
        case '>':
            text_add_string(out, "&gt;");
            break;
        case '&':
            text_add_string(out, "&amp;");
            break;
        case '"':
            text_add_string(out, "&quot;");
            break;
        case '\'':
            text_add_string(out, "&#39;");
            break;
        default:
            text_add_code(out, utf8_hidden(code) && code != '\n' && code != '\t' ? UTF8_REPLACEMENT : code);
        }
    }
}

// Within a script element nothing may look like the end of it, or like a comment.
static int add_json(const char *bytes, size_t n, void *data)
{
    base_text *out = data;
    size_t done = 0;
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != '<' && bytes[i] != '>' && bytes[i] != '&')
            continue;
        text_add(out, bytes + done, i - done);
        text_add_format(out, "\\u%04x", (unsigned)(unsigned char)bytes[i]);
        done = i + 1;
    }
    text_add(out, bytes + done, n - done);
    return 0;
}

static void add_head(base_text *out, const char *title)
{
    text_add_string(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                         "<meta http-equiv=\"Content-Security-Policy\" content=\"");
    text_add_string(out, paf_page_policy());
    text_add_string(out, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                         "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
    paf_page_escape(out, title);
    text_add_string(out, " – Paf</title>\n<style>");
    text_add(out, paf_page_style.text, paf_page_style.length);
    text_add_string(out, "</style>\n</head>\n");
}

static void add_heading(base_text *out, const char *title, const char *summary, const paf_page_options *o)
{
    text_add_string(out, "<body>\n<header>");
    if (o->back) {
        text_add_string(out, "<a class=\"back\" href=\"");
        paf_page_escape(out, o->back);
        text_add_string(out, "\">");
        paf_page_escape(out, o->back_text ? o->back_text : "back");
        text_add_string(out, "</a>");
    }
    text_add_string(out, "<h1>");
    paf_page_escape(out, title);
    text_add_string(out, "</h1><p>");
    paf_page_escape(out, summary);
    text_add_string(out, "</p></header>\n<main id=\"main\"><noscript><p>This page draws its pictures with "
                         "JavaScript, which is switched off. All of it is in this file: nothing is fetched."
                         "</p>"
                         "</noscript></main>\n");
}

void paf_page_write(base_text *out, const paf_page_run *runs, uint32_t n, const paf_page_options *options)
{
    json_t *root = json_object(), *array = json_array();
    json_object_set_new(root, "format", json_integer(PAF_PAGE_FORMAT));
    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(array, paf_page_run_json(&runs[i]));
    json_object_set_new(root, "runs", array);
    if (options->comparison)
        json_object_set(root, "comparison", options->comparison);
    char *title = n == 2 ? g_strdup_printf("%s and %s", runs[0].title, runs[1].title)
                         : g_strdup(runs[0].title);
    char *summary = n == 2 ? g_strdup("two runs compared") : paf_run_summary(runs[0].m->a);
    add_head(out, title);
    add_heading(out, title, summary, options);
    text_add_string(out, "<script type=\"application/json\" id=\"data\">");
    json_dump_callback(root, add_json, out, JSON_COMPACT);
    text_add_string(out, "</script>\n<script>");
    text_add(out, paf_page_script.text, paf_page_script.length);
    text_add_string(out, "</script>\n</body>\n</html>\n");
    g_free(title);
    g_free(summary);
    json_decref(root);
}
