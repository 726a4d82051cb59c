// SPDX-License-Identifier: MIT
//
// Reads source files to sentences, and finds the files that use_module names.
#include "fleng/analyse/analysis.h"

#include "base/access.h"
#include "fleng/kl1/kl1.h"
#include "vm/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const suffixes[] = {".fl", ".ghc", ".kl1"};

static bool is_module_directive(const fl_term *t)
{
    return fl_is_struct(t, ":-", 1) &&
           (fl_is_struct(t->args[0], "module", 1) || fl_is_struct(t->args[0], "module", 2));
}

static void add_sentences(fl_unit *unit, fl_sentences *extra)
{
    for (uint32_t i = 0; i < extra->n; i++)
        FL_PUSH(unit->sentences, extra->at[i]);
    extra->n = 0;
}

static void read_sentences(fl_analysis *a, fl_unit *unit)
{
    fl_reader reader;
    const fl_source *source = unit->source;
    fl_reader_begin(&reader, source, source->text, source->text + source->length, a->messages);
    reader.skipped = &a->skipped;
    fl_sentence sentence;
    const fl_kl1_file file = {source, a->messages, &a->conditionals};
    fl_sentences extra = {0}; // at the end of the module that needs them
    int result;
    while ((result = fl_reader_next(&reader, &sentence)) != 0) {
        if (result < 0)
            continue;
        bool declares = is_module_directive(sentence.term);
        if (declares)
            add_sentences(unit, &extra);
        if (source->kl1)
            fl_kl1_expand(&file, &sentence, &extra);
        FL_PUSH(unit->sentences, sentence);
        unit->declares |= declares;
    }
    add_sentences(unit, &extra);
}

// What tells whether two paths are one file.
static const char *canonical(const char *path)
{
    char *real = realpath(path, NULL);
    const char *copy = real ? fl_copy_text(real, strlen(real)) : path;
    free(real);
    return copy;
}

fl_unit *fl_read_unit(fl_analysis *a, fl_source *source)
{
    fl_unit *unit = vm_alloc(sizeof *unit);
    unit->source = source;
    unit->number = a->sources.n;
    FL_PUSH(a->sources, source);
    read_sentences(a, unit);
    return unit;
}

fl_unit *fl_load(fl_analysis *a, const char *path, const char **ret_reason)
{
    const char *key = canonical(path);
    fl_unit *known = (fl_unit *)fl_look_up(&a->files, key, strlen(key));
    if (known)
        return known;
    fl_source *source = fl_source_load(path, ret_reason);
    if (!source)
        return NULL;
    fl_unit *unit = fl_read_unit(a, source);
    FL_PUSH(a->names->units, unit);
    fl_enter(&a->files, key, strlen(key), (uintptr_t)unit);
    return unit;
}

// ---- use_module -------------------------------------------------------------------------------

// `lib`, "lib.fl" and `dir/lib` as text; NULL for anything else.
static const char *path_of(const fl_term *name)
{
    if ((name->kind == FL_ATOM || name->kind == FL_STRING) && name->length > 0)
        return name->text;
    const char *path = "";
    for (; fl_is_struct(name, "/", 2); name = name->args[0]) {
        const fl_term *last = name->args[1];
        if (last->kind != FL_ATOM)
            return NULL;
        size_t size = last->length + strlen(path) + 2;
        char *longer = vm_alloc_atomic(size);
        snprintf(longer, size, "/%s%s", last->text, path);
        path = longer;
    }
    if (name->kind != FL_ATOM || name->length + strlen(path) >= PATH_MAX)
        return NULL;
    size_t size = name->length + strlen(path) + 1;
    char *whole = vm_alloc_atomic(size);
    snprintf(whole, size, "%s%s", name->text, path);
    return whole;
}

// path, seen from the folder of the file that names it.
static const char *beside(const char *file, const char *path, const char *suffix)
{
    const char *slash = *path == '/' ? NULL : strrchr(file, '/');
    size_t folder = slash ? (size_t)(slash - file) + 1 : 0;
    size_t size = folder + strlen(path) + strlen(suffix) + 1;
    char *joined = vm_alloc_atomic(size);
    snprintf(joined, size, "%.*s%s%s", (int)folder, file, path, suffix);
    return joined;
}

// The module of the library that path names, when no file is meant.
static fl_unit *use_library(fl_analysis *a, const char *path)
{
    fl_library *l = fl_library_find(a->names, path);
    if (l)
        l->used = true;
    return l ? l->unit : NULL;
}

// library(Name), as in other systems, is always that of the library.
static fl_unit *use_library_only(fl_analysis *a, const fl_unit *from, const fl_term *name)
{
    fl_unit *unit = name->kind == FL_ATOM ? use_library(a, name->text) : NULL;
    if (!unit)
        fl_report(a->messages, from->source, name,
                  "the library has no such module (fleng -library lists them)");
    return unit;
}

// In a sandbox a program does not learn which files there are outside.
static bool exists(const char *path)
{
    return base_access_check(path, F_OK) == 0;
}

// S_IFREG, S_IFDIR ...; 0: there is none.
static mode_t kind_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : 0;
}

static bool is_named_like_program(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(dot, suffixes[i]) == 0)
            return true;
    return false;
}

// A program may name any file of the user's. If it is no program, none of its text is shown.
static fl_unit *load_without_excerpts(fl_analysis *a, const char *path, const char **ret_reason)
{
    fl_messages *told = a->messages;
    a->messages = fl_messages_create();
    fl_unit *unit = fl_load(a, path, ret_reason);
    bool good = fl_error_count(a->messages) == 0;
    fl_messages_destroy(a->messages);
    a->messages = told;
    if (unit && !good)
        *ret_reason = "it is no program";
    return good ? unit : NULL;
}

static fl_unit *load_used(fl_analysis *a, const char *path, const char **ret_reason)
{
    if (kind_of(path) != S_IFREG) { // nobody waits for a pipe
        *ret_reason = "it is no regular file";
        return NULL;
    }
    return is_named_like_program(path) ? fl_load(a, path, ret_reason)
                                       : load_without_excerpts(a, path, ret_reason);
}

fl_unit *fl_load_used(fl_analysis *a, const fl_unit *from, const fl_term *name)
{
    if (fl_is_struct(name, "library", 1))
        return use_library_only(a, from, name->args[0]);
    const char *path = path_of(name);
    if (!path) {
        fl_report(a->messages, from->source, name, "use_module takes the name of a file");
        return NULL;
    }
    const char *own = strrchr(from->source->name, '.');
    const char *found = beside(from->source->name, path, "");
    bool there = exists(found) && kind_of(found) != S_IFDIR;
    if (!there && own) {
        found = beside(from->source->name, path, own);
        there = exists(found);
    }
    for (size_t i = 0; !there && i < sizeof suffixes / sizeof *suffixes; i++) {
        found = beside(from->source->name, path, suffixes[i]);
        there = exists(found);
    }
    fl_unit *library = there ? NULL : use_library(a, path);
    if (library)
        return library;
    const char *reason = "no such file, with or without one of the suffixes .fl, .ghc, .kl1";
    fl_unit *unit = there ? load_used(a, found, &reason) : NULL;
    if (!unit)
        fl_report(a->messages, from->source, name, "cannot use %s: %s", path, reason);
    return unit;
}
