// SPDX-License-Identifier: MIT
//
// The commands. Their table comes after their functions.
#include "fleng/prompt/prompt.h"

#include "base/nearest.h"
#include "fleng/analyse/library.h"
#include "vm/builtins.h"

#include <ctype.h>
#include <stdlib.h>

typedef struct {
    const char *name, *arguments;
    void (*run)(fl_prompt *p, const char *arguments);
    const char *text;
} command;

static const command table[];

// ---- Arguments --------------------------------------------------------------------------------

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

// The next word, malloc'ed, or NULL; quotes may enclose blanks, and ~/ is the home folder.
static char *next_word(const char **at)
{
    *at = skip_blanks(*at);
    if (!**at)
        return NULL;
    const char *home = strncmp(*at, "~/", 2) == 0 ? getenv("HOME") : NULL;
    size_t size = strlen(*at) + (home ? strlen(home) : 0) + 1, n = 0;
    char *word = base_allocate(size, 1);
    if (home) {
        n = (size_t)snprintf(word, size, "%s", home);
        (*at)++;
    }
    char quote = 0;
    for (; **at && (quote || (**at != ' ' && **at != '\t')); (*at)++) {
        if (quote ? **at == quote : **at == '\'' || **at == '"')
            quote = quote ? 0 : **at;
        else
            word[n++] = **at;
    }
    word[n] = '\0';
    return word;
}

// A number that is the only argument.
static bool read_count(const char *arguments, uint64_t *ret_count)
{
    char *end;
    *ret_count = strtoull(arguments, &end, 10);
    return isdigit((unsigned char)*arguments) && *skip_blanks(end) == '\0' && *ret_count > 0;
}

// An entry that is being stepped has to end before the program or the pool is changed.
static bool is_busy(fl_prompt *p)
{
    if (p->session->entered)
        fl_prompt_error(p, "goals are being stepped: :run runs them to the end, :reset drops all");
    return p->session->entered;
}

// ---- Files ------------------------------------------------------------------------------------

static void count_definitions(const fl_program *program, uint32_t *ret_predicates,
                              uint32_t *ret_clauses)
{
    *ret_predicates = *ret_clauses = 0;
    for (uint32_t i = 0; i < program->nprocedures; i++) {
        if (program->procedures[i].predicate->library)
            continue;
        ++*ret_predicates;
        *ret_clauses += program->procedures[i].nclauses;
    }
}

static void loaded(fl_prompt *p, bool good, const fl_messages *messages)
{
    if (!good) {
        fl_prompt_complain(p, messages);
        fprintf(stderr, "  (the program is unchanged)\n");
        return;
    }
    const fl_session *s = p->session;
    uint32_t predicates, clauses;
    count_definitions(s->program, &predicates, &clauses);
    fputs("loaded", stdout);
    for (uint32_t i = s->files.n; i > 0; i--)
        printf(" %s", s->files.at[i - 1]);
    printf(": %u predicate%s, %u clause%s\n", predicates, predicates == 1 ? "" : "s", clauses,
           clauses == 1 ? "" : "s");
    if (s->entered)
        fl_prompt_finish(p);
}

static void load(fl_prompt *p, const char *arguments)
{
    ARRAY_OF(const char *) files = {0};
    for (char *word; (word = next_word(&arguments));) {
        FL_PUSH(files, fl_copy_text(word, strlen(word)));
        free(word);
    }
    if (files.n == 0) {
        fl_prompt_error(p, ":load takes names of files");
        return;
    }
    if (is_busy(p))
        return;
    fl_messages *messages = fl_messages_create();
    loaded(p, fl_session_load(p->session, files.at, files.n, messages), messages);
    fl_messages_destroy(messages);
}

static void reload(fl_prompt *p, const char *arguments)
{
    (void)arguments;
    if (p->session->files.n == 0) {
        fl_prompt_error(p, "nothing is loaded: :load FILE loads a program");
        return;
    }
    if (is_busy(p))
        return;
    fl_messages *messages = fl_messages_create();
    loaded(p, fl_session_reload(p->session, messages), messages);
    fl_messages_destroy(messages);
}

// ---- Clauses that are typed -------------------------------------------------------------------

// The name of their text, a source of the session that is loaded again with each clause.
static const char *const typed_name = "typed";

static void add_clause(fl_prompt *p, const char *clause)
{
    const char *before = p->typed ? p->typed : "";
    size_t length = strlen(clause);
    while (length > 0 && (clause[length - 1] == ' ' || clause[length - 1] == '\t'))
        length--;
    bool stopped = length > 0 && clause[length - 1] == '.';
    char *text =
        base_format("%s%.*s%s\n", before, (int)length, clause, stopped ? "" : " .");
    fl_messages *messages = fl_messages_create();
    fl_source_define(typed_name, text);
    if (fl_session_load(p->session, &typed_name, 1, messages)) {
        free(p->typed);
        p->typed = text;
        puts("added");
    } else {
        fl_prompt_complain(p, messages);
        fl_source_define(typed_name, before);
        free(text);
    }
    fl_messages_destroy(messages);
}

void fl_prompt_forget_typed(fl_prompt *p)
{
    fl_source_define(NULL, NULL);
    free(p->typed);
}

static void add(fl_prompt *p, const char *arguments)
{
    if (!*skip_blanks(arguments))
        fl_prompt_error(p, ":add takes a clause, as in :add double(X, Y) :- Y := 2 * X");
    else if (!is_busy(p))
        add_clause(p, skip_blanks(arguments));
}

// ---- The program ------------------------------------------------------------------------------

static void print_lines(const fl_source *source, uint32_t first, uint32_t last)
{
    const char *at = source->text, *end = at + source->length;
    for (uint32_t line = 1; line <= last && at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        if (line >= first)
            printf("%.*s\n", (int)(stop - at), at);
        at = stop + 1;
    }
}

static void list_procedure(const fl_program *program, const fl_procedure *q)
{
    uint32_t shown = 0; // last line; several clauses may share one
    for (uint32_t i = 0; i < q->nclauses; i++) {
        const fl_clause *c = q->clauses[i];
        const fl_source *source = &program->sources[c->source];
        if (i == 0)
            printf("%% %s:%s/%u, %s:%u\n", q->predicate->module, q->predicate->name,
                   q->predicate->arity, source->name, c->line);
        if (c->after_otherwise && i > 0)
            puts("otherwise.");
        print_lines(source, c->line > shown ? c->line : shown + 1, c->end_line);
        shown = c->end_line;
    }
}

static void list_all(const fl_program *program)
{
    bool none = true;
    for (uint32_t i = 0; i < program->nprocedures; i++) {
        const fl_procedure *q = &program->procedures[i];
        if (q->predicate->library)
            continue;
        none = false;
        printf("%s:%s/%u   %s:%u\n", q->predicate->module, q->predicate->name,
               q->predicate->arity, program->sources[q->clauses[0]->source].name,
               q->clauses[0]->line);
    }
    if (none)
        puts("nothing is loaded");
}

// NAME, NAME/N or MODULE:NAME/N
typedef struct {
    char *word;
    const char *module, *name;
    bool any_arity;
    uint32_t arity;
} wanted;

static wanted read_wanted(char *word)
{
    wanted w = {.word = word, .name = word, .any_arity = true};
    char *slash = strrchr(word, '/'), *colon = strchr(word, ':');
    if (slash && slash > word && slash[1] && strspn(slash + 1, "0123456789") == strlen(slash + 1)) {
        w.arity = (uint32_t)strtoul(slash + 1, NULL, 10);
        w.any_arity = false;
        *slash = '\0';
    }
    if (colon && colon > word && colon[1] && colon[1] != '=') {
        *colon = '\0';
        w.module = word;
        w.name = colon + 1;
    }
    return w;
}

static bool is_wanted(const wanted *w, const char *module, const char *name, uint32_t arity)
{
    return strcmp(w->name, name) == 0 && (w->any_arity || w->arity == arity) &&
           (!w->module || (module && strcmp(w->module, module) == 0));
}

static bool list_wanted(const fl_program *program, const wanted *w)
{
    bool found = false;
    for (uint32_t i = 0; i < program->nprocedures; i++) {
        const fl_procedure *q = &program->procedures[i];
        if (!is_wanted(w, q->predicate->module, q->predicate->name, q->predicate->arity))
            continue;
        list_procedure(program, q);
        found = true;
    }
    for (uint32_t i = 0; i < vm_nbuiltins && !found; i++)
        if (is_wanted(w, NULL, vm_builtins[i].name, vm_builtins[i].arity)) {
            printf("%s/%u is built in\n", vm_builtins[i].name, vm_builtins[i].arity);
            found = true;
        }
    return found;
}

typedef struct {
    fl_program *program;
    const wanted *wanted;
} library_search;

static void reach_wanted(void *data, const char *module, const char *name, uint32_t arity)
{
    const library_search *search = data;
    if (is_wanted(search->wanted, module, name, arity))
        fl_add_library_predicate(search->program, name, arity);
}

static void list(fl_prompt *p, const char *arguments)
{
    fl_program *program = p->session->program;
    char *word = next_word(&arguments);
    if (!word) {
        list_all(program);
        return;
    }
    char *as_typed = strdup(word);
    wanted w = read_wanted(word);
    bool found = list_wanted(program, &w);
    if (!found) {
        fl_library_visit(reach_wanted, &(library_search){program, &w});
        found = list_wanted(program, &w);
    }
    if (!found)
        fl_prompt_error(p, "there is no predicate %s", as_typed ? as_typed : "of that name");
    free(as_typed);
    free(word);
}

// ---- Goals and variables ----------------------------------------------------------------------

static void goals(fl_prompt *p, const char *arguments)
{
    (void)arguments;
    fl_show_goals(p);
}

static void why(fl_prompt *p, const char *arguments)
{
    (void)arguments;
    fl_report_context report = fl_session_report(p->session, stdout, p->colour);
    if (!fl_report_causes(&report))
        puts("no goal waits");
}

static void variables(fl_prompt *p, const char *arguments)
{
    (void)arguments;
    const fl_session *s = p->session;
    for (uint32_t i = 0; i < s->variables.n; i++)
        fl_show_variable(p, &s->variables.at[i]);
    if (s->variables.n == 0)
        puts("no goal has mentioned a variable yet");
}

static void forget(fl_prompt *p, const char *arguments)
{
    if (is_busy(p))
        return;
    char *word = next_word(&arguments);
    if (!word)
        while (p->session->variables.n > 0)
            fl_session_forget(p->session, p->session->variables.at[0].name);
    for (; word; word = next_word(&arguments)) {
        if (!fl_session_forget(p->session, word))
            fl_prompt_error(p, "no goal has mentioned %s", word);
        free(word);
    }
}

static void reset(fl_prompt *p, const char *arguments)
{
    (void)arguments;
    fl_session_reset(p->session);
    p->stepping = false;
}

static void run(fl_prompt *p, const char *arguments)
{
    (void)arguments;
    p->stepping = false;
    if (p->session->entered)
        fl_prompt_finish(p);
}

static void step(fl_prompt *p, const char *arguments)
{
    uint64_t count = 1;
    if (*arguments && !read_count(arguments, &count)) {
        p->stepping = true;
        fl_prompt_read(p, arguments, strlen(arguments), true, fl_prompt_take);
        return;
    }
    if (p->session->entered) {
        fl_step_on(p, count);
        return;
    }
    p->stepping = true;
    puts("nothing is ready; the next goal will be reduced step by step");
}

static void trace(fl_prompt *p, const char *arguments)
{
    static const char suffix[] = ".paf";
    const char *rest = arguments;
    char *path = next_word(&rest);
    size_t length = path ? strlen(path) : 0;
    bool named = length > strlen(suffix) && strcmp(path + length - strlen(suffix), suffix) == 0;
    if (!named) { // what follows is the goal
        rest = arguments;
        free(path);
        path = strdup("goal.paf");
    }
    free(p->trace);
    p->trace = path;
    rest = skip_blanks(rest);
    if (*rest)
        fl_prompt_read(p, rest, strlen(rest), true, fl_prompt_take);
    else
        printf("the next goal runs by itself and is recorded in %s\n", p->trace);
}

// ---- Help -------------------------------------------------------------------------------------

static void quit(fl_prompt *p, const char *arguments)
{
    (void)arguments;
    p->quit = true;
}

static void help(fl_prompt *p, const char *arguments)
{
    (void)p, (void)arguments;
    puts("Type a goal, or several with `,` between them. It may end with a full stop, and it\n"
         "continues on the next line while something is missing. The variables that it binds\n"
         "are shown. A name means the same variable in all goals: a later goal can bind the\n"
         "variable that an earlier goal waits for. A goal that fails, or that ^C stops, is\n"
         "undone. A variable alone shows its value.\n");
    for (const command *c = table; c->name; c++) {
        char usage[40];
        snprintf(usage, sizeof usage, ":%s %s", c->name, c->arguments);
        printf("  %-20s %s\n", usage, c->text);
    }
    puts("\nCommands may be shortened; :l is :load, :r is :reload. ^D ends the session.");
}

// ---- All --------------------------------------------------------------------------------------

static const command table[] = {
    {"add", "CLAUSE", add, "add a clause; clauses typed here replace those of files"},
    {"forget", "[NAME...]", forget, "let the names (or all) denote new variables"},
    {"goals", "", goals, "the goals that wait, for what, and who would bind it"},
    {"help", "", help, "this list"},
    {"list", "[P/N]", list, "the source of a predicate; what is loaded"},
    {"load", "FILE...", load, "load files; their definitions replace earlier ones"},
    {"quit", "", quit, "end the session"},
    {"reload", "", reload, "load all files again; goals that wait stay"},
    {"reset", "", reset, "forget all variables and goals"},
    {"run", "", run, "run a goal that is being stepped to its end"},
    {"step", "[N|GOAL]", step, "reduce one generation (or N), and show the goals"},
    {"trace", "[OUT.paf] [GOAL]", trace, "run the goal, or the next one, by itself and record it"},
    {"variables", "", variables, "the variables and their values"},
    {"why", "", why, "why goals wait: who made the variable, who could bind it, and where"},
    {NULL, NULL, NULL, NULL},
};

const char *const fl_prompt_commands[] = {":add",   ":forget", ":goals",     ":help",  ":list",
                                          ":load",  ":quit",   ":reload",    ":reset", ":run",
                                          ":step",  ":trace",  ":variables", ":why",  NULL};

// What is typed most has its first letter to itself.
static bool is_meant_by_letter(const command *c)
{
    return strcmp(c->name, "load") == 0 || strcmp(c->name, "reload") == 0;
}

static void report_unknown(fl_prompt *p, const char *name, size_t length)
{
    char *typed = base_format(":%.*s", (int)length, name);
    uint32_t n = 0;
    while (fl_prompt_commands[n])
        n++;
    const char *near = nearest_of(typed, fl_prompt_commands, n);
    if (near)
        fl_prompt_error(p, "there is no command %s; did you mean %s?", typed, near);
    else
        fl_prompt_error(p, "there is no command %s; :help lists them", typed);
    free(typed);
}

// The command of that name, or the only one that it begins. NULL: reported.
static const command *find(fl_prompt *p, const char *name, size_t length)
{
    const command *found = NULL;
    char others[200] = "";
    unsigned n = 0;
    if (length == 0) {
        fl_prompt_error(p, "write the name of a command after `:`; :help lists them");
        return NULL;
    }
    for (const command *c = table; c->name; c++) {
        if (strncmp(c->name, name, length) != 0)
            continue;
        if (strlen(c->name) == length)
            return c;
        if (length == 1 && is_meant_by_letter(c))
            return c;
        found = c;
        snprintf(others + strlen(others), sizeof others - strlen(others), "%s:%s",
                 n++ > 0 ? " or " : "", c->name);
    }
    if (n == 1)
        return found;
    if (n > 1)
        fl_prompt_error(p, ":%.*s may be %s", (int)length, name, others);
    else
        report_unknown(p, name, length);
    return NULL;
}

void fl_prompt_command(fl_prompt *p, const char *line)
{
    const char *name = skip_blanks(line) + 1;
    size_t length = 0;
    while (isalpha((unsigned char)name[length]))
        length++;
    const command *c = find(p, name, length);
    if (!c)
        return;
    const char *arguments = skip_blanks(name + length);
    size_t n = strlen(arguments);
    while (n > 0 && isspace((unsigned char)arguments[n - 1]))
        n--;
    if (n > 0 && strspn(arguments, ".") == n)
        n = 0; // a full stop out of habit
    char *copy = base_copy_bytes(arguments, n);
    c->run(p, copy);
    free(copy);
}
