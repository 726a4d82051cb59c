// SPDX-License-Identifier: MIT
//
// Completion: names of commands, predicates, variables and files that may stand at the cursor.
#include "fleng/prompt/prompt.h"

#include "fleng/analyse/library.h"
#include "vm/builtins.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct {
    ARRAY_OF(char *) list; // NULL follows
    const char *prefix;
    size_t length; // of the prefix
} candidates;

static void offer(candidates *c, const char *text)
{
    if (strncmp(text, c->prefix, c->length) != 0)
        return;
    ARRAY_PUSH(c->list, base_copy(text));
    ARRAY_PUSH(c->list, NULL);
    c->list.n--;
}

// What is whole when it is the only candidate ends with a blank.
static void offer_with(candidates *c, const char *text, const char *end)
{
    char *whole = base_format("%s%s", text, end);
    offer(c, whole);
    free(whole);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char **sorted(candidates *c)
{
    if (c->list.n == 0)
        return NULL;
    qsort(c->list.at, c->list.n, sizeof *c->list.at, by_text);
    size_t kept = 1;
    for (size_t i = 1; i < c->list.n; i++)
        if (strcmp(c->list.at[i], c->list.at[kept - 1]) == 0)
            free(c->list.at[i]);
        else
            c->list.at[kept++] = c->list.at[i];
    c->list.at[kept] = NULL;
    return c->list.at;
}

// ---- Names ------------------------------------------------------------------------------------

static bool is_plain_name(const char *name)
{
    if (!islower((unsigned char)*name))
        return false;
    while (isalnum((unsigned char)*name) || *name == '_')
        name++;
    return *name == '\0';
}

static void offer_name(void *data, const char *module, const char *name, uint32_t arity)
{
    (void)module, (void)arity;
    offer(data, name);
}

static void offer_with_arity(void *data, const char *module, const char *name, uint32_t arity)
{
    char *whole = NULL;
    (void)module;
    if (asprintf(&whole, "%s/%u", name, arity) < 0)
        return;
    offer(data, whole);
    free(whole);
}

static void offer_predicates(candidates *c, const fl_session *s, bool with_arity, bool builtins)
{
    for (uint32_t i = 0; i < s->program->nprocedures; i++) {
        const vm_predicate *q = s->program->procedures[i].predicate;
        if (is_plain_name(q->name))
            offer(c, with_arity ? fl_predicate_text(q) : q->name);
    }
    fl_library_visit(with_arity ? offer_with_arity : offer_name, c);
    for (uint32_t i = 0; builtins && i < vm_nbuiltins; i++)
        if (is_plain_name(vm_builtins[i].name))
            offer(c, vm_builtins[i].name);
}

static void offer_variables(candidates *c, const fl_session *s)
{
    for (uint32_t i = 0; i < s->variables.n; i++)
        offer(c, s->variables.at[i].name);
}

// ---- Files ------------------------------------------------------------------------------------

static void offer_file(candidates *c, const char *folder, const char *name)
{
    struct stat status;
    char *path = NULL;
    if (asprintf(&path, "%s%s", folder, name) < 0)
        return;
    bool within = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    offer_with(c, path, within ? "/" : " ");
    free(path);
}

static void offer_files(candidates *c)
{
    const char *slash = strrchr(c->prefix, '/');
    char *folder = strndup(c->prefix, slash ? (size_t)(slash - c->prefix) + 1 : 0);
    const char *begin = slash ? slash + 1 : c->prefix;
    DIR *files = folder ? opendir(*folder ? folder : ".") : NULL;
    for (struct dirent *file; files && (file = readdir(files));)
        if ((*file->d_name != '.' || *begin == '.') && strcmp(file->d_name, ".") != 0 &&
            strcmp(file->d_name, "..") != 0)
            offer_file(c, folder, file->d_name);
    if (files)
        closedir(files);
    free(folder);
}

// ---- What stands at the cursor ----------------------------------------------------------------

static bool takes_files(const char *line)
{
    return strncmp(line, ":l", 2) == 0 && strncmp(line, ":li", 3) != 0;
}

char **fl_prompt_complete(void *prompt, const char *line, size_t cursor, size_t *ret_begin)
{
    const fl_prompt *p = prompt;
    bool command = *line == ':' && p->text.n == 0;
    size_t first = command ? strcspn(line, " ") : 0; // behind the command's name
    size_t begin = cursor;
    bool in_name = command && cursor <= first;
    bool files = command && !in_name && takes_files(line);
    while (begin > 0 && (files || in_name ? line[begin - 1] != ' '
                                          : isalnum((unsigned char)line[begin - 1]) ||
                                                line[begin - 1] == '_' ||
                                                (unsigned char)line[begin - 1] >= 0x80))
        begin--;
    char *prefix = base_copy_bytes(line + begin, cursor - begin);
    candidates c = {.prefix = prefix, .length = cursor - begin};
    *ret_begin = begin;
    if (in_name) {
        for (size_t i = 0; fl_prompt_commands[i]; i++)
            offer_with(&c, fl_prompt_commands[i], " ");
    } else if (files) {
        offer_files(&c);
    } else if (command && strncmp(line, ":li", 3) == 0) {
        offer_predicates(&c, p->session, true, false);
    } else {
        offer_predicates(&c, p->session, false, true);
        offer_variables(&c, p->session);
    }
    free(prefix);
    return sorted(&c);
}
