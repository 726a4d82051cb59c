// SPDX-License-Identifier: MIT
//
// From lines to goals, and from goals to entries of the session.
#include "fleng/prompt/prompt.h"

#include "fleng/reader/source.h"
#include "vm/memory.h"
#include "vm/session.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    EXIT_FAILURE_OF_GOAL = 1,
    EXIT_ERROR = 2,
    EXIT_INTERRUPTED = 130,
    PATIENCE = 3,      // interrupts that may go unheard
    LOOK_EVERY = 256,  // generations, for the time
    SHOW_EVERY = 2,    // seconds, while an entry runs
};

// ---- Messages ---------------------------------------------------------------------------------

void fl_prompt_fails(fl_prompt *p, int status)
{
    if (p->status == 0)
        p->status = status;
}

void fl_prompt_complain(fl_prompt *p, const fl_messages *messages)
{
    char *text = fl_messages_text(messages, p->colour);
    fflush(stdout);
    fputs(text, stderr);
    free(text);
    fl_prompt_fails(p, EXIT_ERROR);
}

void fl_prompt_error(fl_prompt *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fputs(p->colour ? "\033[1mfleng: \033[31merror:\033[0m " : "fleng: error: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    fl_prompt_fails(p, EXIT_ERROR);
}

// ---- Interrupts -------------------------------------------------------------------------------

static volatile sig_atomic_t unheard;

// Between goals it only breaks off the reading of a line. A goal that does not hear of several is
// given up, and with it the session.
static void on_interrupt(int number)
{
    vm_interrupt(number);
    fl_lines_interrupt();
    if (++unheard > PATIENCE) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

static void hear_interrupts(void)
{
    unheard = 0;
    vm_clear_interrupt();
    fl_lines_clear_interrupt();
}

static void catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = on_interrupt}; // without SA_RESTART: read() returns
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

// ---- Entries ----------------------------------------------------------------------------------

static void report_failure(fl_prompt *p, vm_ending ending)
{
    const char *message;
    fflush(stdout);
    if (ending == END_INTERRUPTED) {
        fprintf(stderr, "fleng: interrupted; the goal is undone\n");
        fl_prompt_fails(p, EXIT_INTERRUPTED);
        return;
    }
    fl_report_context report = fl_session_report(p->session, stderr, p->colour);
    fl_report_run_end(&report, ending, &message);
    fprintf(stderr, "  (the goal is undone)\n");
    fl_prompt_fails(p, EXIT_FAILURE_OF_GOAL);
}

void fl_prompt_ended(fl_prompt *p, vm_ending ending)
{
    p->stepping = false;
    if (vm_flush_output(p->session->machine))
        putchar('\n');
    switch (ending) {
    case END_NORMAL:
    case END_DEADLOCK:
        fl_show_values(p);
        fl_show_waiting(p);
        break;
    case END_HALTED:
        p->quit = p->halted = true;
        p->status = vm_halt_status(p->session->machine);
        break;
    default:
        report_failure(p, ending);
        fl_session_undo(p->session);
    }
    hear_interrupts();
}

// What a goal that takes its time has bound so far.
static void show_meanwhile(fl_prompt *p)
{
    time_t now = time(NULL);
    if (!p->terminal || now - p->shown < SHOW_EVERY)
        return;
    p->shown = now;
    if (vm_flush_output(p->session->machine))
        putchar('\n');
    fl_show_values(p);
    fflush(stdout);
}

void fl_prompt_finish(fl_prompt *p)
{
    vm_ending ending;
    fflush(stdout);
    p->shown = time(NULL);
    for (unsigned n = 1; fl_session_step(p->session, &ending); n++)
        if (n % LOOK_EVERY == 0)
            show_meanwhile(p);
    fl_prompt_ended(p, ending);
}

// ---- Goals ------------------------------------------------------------------------------------

// A variable alone asks for its value.
static bool show_asked(fl_prompt *p, const fl_sentence *goal)
{
    if (goal->term->kind != FL_VAR)
        return false;
    const char *name = goal->variables[0].name;
    const fl_session_variable *v = fl_session_find(p->session, name);
    if (v)
        fl_show_variable(p, v);
    else
        fl_prompt_error(p, "no goal has mentioned %s yet", name);
    return true;
}

static bool is_foreign(const fl_term *t)
{
    return fl_is_struct(t, ":-", 1) || fl_is_struct(t, ":-", 2);
}

void fl_prompt_take(fl_prompt *p, fl_source *source, const fl_sentence *goal, const char *text,
                    size_t length)
{
    fl_messages *messages = fl_messages_create();
    fl_sentence asked = *goal; // `?- G` is a goal G
    if (fl_is_struct(goal->term, "?-", 1)) {
        size_t prefix = strspn(text, " \t\n") + 2;
        asked.term = goal->term->args[0];
        goal = &asked;
        text += prefix;
        length -= prefix;
    }
    if (is_foreign(goal->term)) {
        uint32_t line, column;
        fl_term_start(goal->term, &line, &column);
        fl_error(messages, source, line, column,
                 "type goals here; clauses come from files (:load) or one by one (:add)");
        fl_prompt_complain(p, messages);
    } else if (show_asked(p, goal)) {
        // done
    } else if (p->trace) {
        char *path = p->trace;
        p->trace = NULL;
        fl_prompt_record(p, path, goal, text, length);
        free(path);
    } else if (p->stepping) {
        fl_step_begin(p, source, goal);
    } else if (fl_session_enter(p->session, source, goal, messages)) {
        fl_prompt_finish(p);
    } else {
        fl_prompt_complain(p, messages);
    }
    fl_messages_destroy(messages);
}

size_t fl_prompt_read(fl_prompt *p, const char *text, size_t length, bool whole,
                      fl_goal_reader take)
{
    char name[32];
    snprintf(name, sizeof name, "goal %u", p->ngoals + 1);
    fl_source *source = fl_source_from_text(name, text, length);
    fl_reader reader;
    fl_reader_begin(&reader, source, source->text, source->text + length, NULL);
    reader.stop_optional = true;
    for (size_t used = 0; !p->quit;) {
        fl_sentence goal;
        fl_messages *messages = fl_messages_create();
        reader.lexer.messages = messages;
        int result = fl_reader_next(&reader, &goal);
        bool wait = result < 0 && reader.unfinished && !whole;
        if (result < 0 && !wait)
            fl_prompt_complain(p, messages);
        fl_messages_destroy(messages);
        if (wait)
            return used;
        p->ngoals += result != 0 && used == 0;
        if (result <= 0)
            break; // what follows an error on its line is not tried
        size_t end = (size_t)(reader.lexer.at - source->text);
        take(p, source, &goal, source->text + used, end - used);
        used = end;
    }
    return length;
}

// ---- Lines ------------------------------------------------------------------------------------

static void add_line(fl_prompt *p, const char *line, size_t length)
{
    text_add(&p->text, line, length);
    text_add_char(&p->text, '\n');
}

static bool is_command(const char *line)
{
    line += strspn(line, " \t");
    bool alone = line[0] == ':' && !line[1 + strspn(line + 1, " \t\r")];
    return alone || (line[0] == ':' && isalpha((unsigned char)line[1]));
}

// A word that other prompts know as a command, and no program defines. True: reported.
static bool is_foreign_command(fl_prompt *p, const char *line)
{
    static const char *const words[][2] = {{"help", "help"}, {"quit", "quit"}, {"exit", "quit"}};
    line += strspn(line, " \t");
    size_t n = strcspn(line, " \t\r.");
    if (line[n + strspn(line + n, " \t\r.")])
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *word = words[i][0];
        if (strlen(word) != n || strncmp(word, line, n) != 0 ||
            fl_find(p->session->program, NULL, word, 0))
            continue;
        fl_prompt_error(p, "undefined predicate %s/0; the command is :%s", word, words[i][1]);
        return true;
    }
    return false;
}

static bool is_blank(const char *line)
{
    return line[strspn(line, " \t\r")] == '\0';
}

// A comma at the end says that more will follow, without reading all that was typed so far once
// more. If it stands in a comment, the reader decides.
static bool surely_goes_on(const fl_prompt *p)
{
    size_t end = p->text.n;
    while (end > 0 && isspace((unsigned char)p->text.at[end - 1]))
        end--;
    if (end == 0 || p->text.at[end - 1] != ',')
        return false;
    size_t begin = end;
    while (begin > 0 && p->text.at[begin - 1] != '\n' && p->text.at[begin - 1] != '%')
        begin--;
    return begin == 0 || p->text.at[begin - 1] == '\n';
}

static void take_line(fl_prompt *p, const char *line, size_t length)
{
    if (p->text.n == 0 && is_command(line)) {
        fl_prompt_command(p, line);
        return;
    }
    if (p->text.n == 0 && is_blank(line)) {
        if (p->stepping && p->terminal && p->session->entered)
            fl_step_on(p, 1);
        return;
    }
    if (p->text.n == 0 && is_foreign_command(p, line))
        return;
    add_line(p, line, length);
    if (surely_goes_on(p))
        return;
    size_t used = fl_prompt_read(p, p->text.at, p->text.n, false, fl_prompt_take);
    p->text.n -= used;
    if (p->text.n > 0)
        memmove(p->text.at, p->text.at + used, p->text.n);
}

static void read_all(fl_prompt *p)
{
    const char *line;
    size_t length;
    while (!p->quit) {
        fflush(stdout);
        const char *prompt = p->text.n > 0 ? "|  " : p->stepping ? "step> " : "?- ";
        fl_line_result result = fl_lines_read(p->lines, prompt, &line, &length);
        hear_interrupts();
        if (result == LINE_END)
            break;
        if (result == LINE_INTERRUPTED) {
            p->text.n = 0;
            if (!p->terminal)
                fl_prompt_fails(p, EXIT_INTERRUPTED);
            p->quit = !p->terminal;
            continue;
        }
        take_line(p, line, length);
    }
    while (p->text.n > 0 && isspace((unsigned char)p->text.at[p->text.n - 1]))
        p->text.n--;
    if (p->text.n > 0 && !p->quit)
        fl_prompt_read(p, p->text.at, p->text.n, true, fl_prompt_take);
    if (p->session->entered && !p->quit) // goals that were to be stepped
        fl_prompt_finish(p);
}

static void greet(const fl_prompt *p)
{
    puts("Fleng " FLENG_VERSION ". Type a goal, as in X = 1, Y := X + 2; or :help");
    if (!fl_lines_can_edit(p->lines))
        puts("(Built without libedit: no history, no completion.)");
}

int fl_prompt_run(const fl_options *o)
{
    fl_prompt p = {.terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)};
    p.colour = isatty(STDERR_FILENO);
    vm_memory_limit(fl_memory_limit(o));
    p.session = fl_session_create(o->argc, o->argv);
    p.lines = fl_lines_create(p.terminal, fl_prompt_complete, &p);
    catch_interrupts();
    if (p.terminal)
        greet(&p);
    read_all(&p);
    fl_session_destroy(p.session);
    fl_lines_destroy(p.lines);
    free(p.text.at);
    free(p.trace);
    fl_prompt_forget_typed(&p);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "fleng: standard output: cannot write: %s\n", strerror(errno));
        clearerr(stdout); // it is told once
        return p.status ? p.status : EXIT_FAILURE_OF_GOAL;
    }
    return p.terminal && !p.halted ? 0 : p.status;
}
