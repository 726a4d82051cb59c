// SPDX-License-Identifier: MIT
//
// `paf iotree`: the IO-Trees of a module's processes, as text and as JSON.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "iotree/simulate.h"
#include "paf/commands/command.h"

#define DEFAULT_LIMIT  1000000 // inputs listed for one process
#define MOST_NAMED     20u      // modules named to who asks for another
#define DEEPEST_INDENT 100     // levels

static const char help[] =
    "usage: paf iotree [OPTION...] FILE.paf\n"
    "The IO-Trees of processes: what each needed before what it gave. A line is a node,\n"
    "{[inputs], [outputs]}; it needs the inputs of the lines above it that are indented less, "
    "too.\n"
    "\n"
    "      --of P/N       each process that a goal of this predicate starts\n"
    "      --module M     the processes of this module (default: of all)\n"
    "  -p, --partition P  modules, as NAME=p/2,q/3 NAME2=r/1 ... (x=#12: the goal numbered 12),\n"
    "                     or a file of such lines\n"
    "      --from T, --to T  only the outputs made then, and the nodes above them; with --clock real\n"
    "                        in nanoseconds\n"
    "      --limit N      list at most N inputs of a process (default: 1000000)\n"
    "      --depth N      show at most N cells of a term (default: whole terms, but 20 of\n"
    "                     one that contains itself)\n"
    "  -v, --verbose      with members of processes, clauses and lines of nodes\n"
    "      --clock CLOCK  times of nodes: virtual (default), or real: when the reductions that read\n"
    "                     and made them ended in the run (--json: nanoseconds)\n"
    "      --slack        how much later each output could come without a longer span\n"
    "      --json         as JSON\n"
    "      --memory SIZE  that may be taken, as in 500M or 2G\n"
    "  -h, --help         this text\n"
    "\n"
    "Exit status: 0; 1 the file is damaged or nothing matches; 2 usage.\n";

typedef struct {
    const char *partition, *module, *of, *clock;
    int64_t from, to, limit, depth;
    bool verbose, slack, json;
} iotree_options;

// The processes shown, with their trees.
typedef struct {
    const iot *a;
    const trace *t;
    const iotree_options *o;
    iot_clock clock; // of the times that are shown
    uint32_t cells; // shown of a term
    uint32_t *processes;
    iot_tree **trees;
    uint32_t n;
    bool complete;
    iot_names *names;
} display;

// ---------------------------------------------------------------------------------------------
// Goals of a process: main may have begun with several

// The first goal of the process after this one, reduced or not; IOT_NONE begins and ends.
static uint32_t next_first_goal(const display *d, const iot_process *p, uint32_t goal)
{
    if (iot_starts_process(d->a, p->goal))
        return goal == IOT_NONE ? p->goal : IOT_NONE;
    for (uint32_t g = goal + 1; g < trace_first_goal(d->t, 1); g++) { // IOT_NONE + 1 is 0
        if (!iot_starts_process(d->a, g))
            return g;
    }
    return IOT_NONE;
}

static char *goals_text(const display *d, const iot_process *p)
{
    base_text text = {0};
    const char *gap = "";
    for (uint32_t g = IOT_NONE; (g = next_first_goal(d, p, g)) != IOT_NONE; gap = ", ") {
        char *goal = iot_goal_text(d->t, d->names, g, p->created, d->cells);
        text_add_format(&text, "%s%s", gap, goal);
        free(goal);
    }
    return text_finish(&text);
}

// ---------------------------------------------------------------------------------------------
// Names of what will be shown

static trace_value input_value(const display *d, const iot_input *in)
{
    if (in->binding != IOT_NONE)
        return trace_binding_value(d->t, in->binding);
    uint32_t goal = iot_get_process(d->a, iot_process_of(d->a, in->reader))->goal;
    return trace_goal_arg(d->t, goal, in->argument - 1);
}

static void name_input(display *d, const iot_input *in)
{
    if (in->binding != IOT_NONE)
        iot_names_add_variable(d->names, trace_binding_variable(d->t, in->binding));
    iot_names_add(d->names, input_value(d, in), in->time, d->cells);
}

static void name_process(display *d, uint32_t i)
{
    const iot_process *p = iot_get_process(d->a, d->processes[i]);
    const iot_input *inputs;
    const iot_output *outputs;
    iot_inputs(d->a, d->processes[i], &inputs);
    iot_outputs(d->a, d->processes[i], &outputs);
    for (uint32_t g = IOT_NONE; (g = next_first_goal(d, p, g)) != IOT_NONE;) {
        uint32_t arity = trace_get_predicate(d->t, trace_goal_predicate(d->t, g))->arity;
        for (uint32_t j = 0; j < arity; j++)
            iot_names_add(d->names, trace_goal_arg(d->t, g, j), p->created, d->cells);
    }
    const iot_tree *tree = d->trees[i];
    for (uint32_t k = 0; k < iot_tree_nnodes(tree); k++) {
        const iot_node *node = iot_tree_node(tree, k);
        for (uint32_t j = 0; j < node->ninputs; j++)
            name_input(d, &inputs[iot_tree_inputs(tree)[node->first_input + j]]);
        for (uint32_t j = 0; j < node->noutputs; j++) {
            const iot_output *out = &outputs[iot_tree_outputs(tree)[node->first_output + j]];
            iot_names_add_variable(d->names, trace_binding_variable(d->t, out->binding));
            iot_names_add(d->names, trace_binding_value(d->t, out->binding), out->time, d->cells);
        }
    }
    const uint32_t *unused;
    uint32_t n = iot_tree_unused(tree, &unused);
    for (uint32_t j = 0; !d->o->json && j < n; j++)
        name_input(d, &inputs[unused[j]]);
}

// ---------------------------------------------------------------------------------------------
// Times, by the clock asked for

static int64_t end_of(const display *d, uint32_t reduction)
{
    return reduction == IOT_NONE ? 0 : trace_end(d->t, reduction);
}

static int64_t creation(const display *d, const iot_process *p)
{
    return d->clock == IOT_REAL_TIME ? end_of(d, trace_goal_parent(d->t, p->goal)) : p->created;
}

static int64_t input_time(const display *d, const iot_input *in)
{
    return d->clock == IOT_REAL_TIME ? end_of(d, in->reader) : in->time;
}

static int64_t input_available(const display *d, const iot_input *in)
{
    if (d->clock == IOT_VIRTUAL_TIME)
        return in->available;
    if (in->binding != IOT_NONE)
        return end_of(d, trace_binding_maker(d->t, in->binding));
    return creation(d, iot_get_process(d->a, iot_process_of(d->a, in->reader)));
}

static int64_t output_time(const display *d, const iot_output *out)
{
    return d->clock == IOT_REAL_TIME ? end_of(d, trace_binding_maker(d->t, out->binding)) : out->time;
}

// Real time with all its digits: "3.284512 ms".
static void print_moment(const display *d, int64_t time)
{
    if (d->clock == IOT_REAL_TIME)
        printf("%lld.%06lld ms", (long long)(time / 1000000), (long long)(time % 1000000));
    else
        printf("%lld", (long long)time);
}

// ---------------------------------------------------------------------------------------------
// Text

static char *input_variable(const display *d, const iot_input *in)
{
    return in->binding == IOT_NONE
               ? base_format("arg%u", in->argument)
               : base_copy(iot_name(d->names, trace_binding_variable(d->t, in->binding)));
}

static void print_input(const display *d, const iot_input *in)
{
    char *variable = input_variable(d, in);
    char *term = iot_term(d->t, d->names, input_value(d, in), in->time, d->cells);
    printf("%s=%s @", variable, term);
    print_moment(d, input_time(d, in));
    printf(" %s(available ", paf_style_begin(STYLE_DIM));
    print_moment(d, input_available(d, in));
    printf(")%s", paf_style_end(STYLE_DIM));
    free(variable);
    free(term);
}

static void print_output(const display *d, const iot_output *out)
{
    char *term =
        iot_term(d->t, d->names, trace_binding_value(d->t, out->binding), out->time, d->cells);
    printf("%s=%s @", iot_name(d->names, trace_binding_variable(d->t, out->binding)), term);
    print_moment(d, output_time(d, out));
    if (d->o->slack)
        printf(" %s(slack %lld)%s", paf_style_begin(STYLE_DIM),
               (long long)iot_slack(d->a, out->binding), paf_style_end(STYLE_DIM));
    free(term);
}

static void print_clause(const display *d, uint32_t reduction)
{
    uint32_t line = iot_reduction_line(d->t, reduction, NULL);
    uint32_t own = trace_reduction_clause(d->t, reduction);
    uint32_t shown = iot_reduction_clause(d->t, reduction);
    char *clause = iot_clause_text(d->t, shown);
    printf(" %sclause %s", paf_style_begin(STYLE_DIM), clause);
    if (line)
        printf(" line %u", line);
    if (shown != own) {
        char *builtin = iot_clause_text(d->t, own);
        printf(", through %s", builtin);
        free(builtin);
    }
    fputs(paf_style_end(STYLE_DIM), stdout);
    free(clause);
}

// A chain of a million nodes would be mostly blanks: far down the depth is told instead.
static void print_indent(uint32_t depth)
{
    printf("%*s", 2 * (int)(depth < DEEPEST_INDENT ? depth : DEEPEST_INDENT), "");
    if (depth > DEEPEST_INDENT)
        printf("%s(depth %u)%s ", paf_style_begin(STYLE_DIM), depth, paf_style_end(STYLE_DIM));
}

static void print_tree(const display *d, uint32_t i)
{
    const iot_input *inputs;
    const iot_output *outputs;
    const iot_tree *tree = d->trees[i];
    iot_inputs(d->a, d->processes[i], &inputs);
    iot_outputs(d->a, d->processes[i], &outputs);
    for (uint32_t k = 0; k < iot_tree_nnodes(tree); k++) {
        const iot_node *node = iot_tree_node(tree, k);
        print_indent(node->depth);
        fputs("{[", stdout);
        for (uint32_t j = 0; j < node->ninputs; j++) {
            fputs(j ? ", " : "", stdout);
            print_input(d, &inputs[iot_tree_inputs(tree)[node->first_input + j]]);
        }
        fputs("], [", stdout);
        for (uint32_t j = 0; j < node->noutputs; j++) {
            fputs(j ? ", " : "", stdout);
            print_output(d, &outputs[iot_tree_outputs(tree)[node->first_output + j]]);
        }
        printf("]}%s%s%s", paf_style_begin(STYLE_NOTE), node->join ? " join" : "",
               paf_style_end(STYLE_NOTE));
        if (d->o->verbose)
            print_clause(d, node->reduction);
        putchar('\n');
    }
}

static void print_unused(const display *d, uint32_t i)
{
    const iot_input *inputs;
    const uint32_t *unused;
    uint32_t n = iot_tree_unused(d->trees[i], &unused);
    iot_inputs(d->a, d->processes[i], &inputs);
    if (!n)
        return;
    printf("needed by no output: ");
    for (uint32_t j = 0; j < n && j < d->o->limit; j++) {
        fputs(j ? ", " : "", stdout);
        print_input(d, &inputs[unused[j]]);
    }
    if (n > d->o->limit)
        printf(", and %lld more", (long long)(n - d->o->limit));
    putchar('\n');
}

// The module is named if several may be shown.
static void print_title(const display *d, const iot_process *p)
{
    char *goals = goals_text(d, p);
    printf("%s%s%s created @", paf_style_begin(STYLE_STRONG), goals, paf_style_end(STYLE_STRONG));
    print_moment(d, creation(d, p));
    if (!d->o->module && !d->o->of)
        printf(" in %s", iot_get_module(d->a, p->module)->name);
    if (d->o->verbose)
        printf(", %u member%s", p->members, p->members == 1 ? "" : "s");
    putchar('\n');
    free(goals);
}

static void print_text(const display *d)
{
    for (uint32_t i = 0; i < d->n; i++) {
        fputs(i ? "\n" : "", stdout);
        print_title(d, iot_get_process(d->a, d->processes[i]));
        print_tree(d, i);
        print_unused(d, i);
    }
}

// ---------------------------------------------------------------------------------------------
// JSON

static json_t *input_json(const display *d, const iot_input *in)
{
    json_t *o = json_object();
    json_object_set_new(o, "variable", paf_json_take(input_variable(d, in)));
    json_object_set_new(
        o, "term", paf_json_take(iot_term(d->t, d->names, input_value(d, in), in->time, d->cells)));
    json_object_set_new(o, "time", json_integer(input_time(d, in)));
    json_object_set_new(o, "available", json_integer(input_available(d, in)));
    return o;
}

static json_t *output_json(const display *d, const iot_output *out)
{
    uint32_t variable = trace_binding_variable(d->t, out->binding);
    trace_value value = trace_binding_value(d->t, out->binding);
    json_t *o = json_object();
    json_object_set_new(o, "variable", paf_json_text(iot_name(d->names, variable)));
    json_object_set_new(o, "term",
                        paf_json_take(iot_term(d->t, d->names, value, out->time, d->cells)));
    json_object_set_new(o, "time", json_integer(output_time(d, out)));
    if (d->o->slack)
        json_object_set_new(o, "slack", json_integer(iot_slack(d->a, out->binding)));
    return o;
}

static json_t *node_json(const display *d, uint32_t i, const iot_node *node)
{
    const iot_input *inputs;
    const iot_output *outputs;
    const iot_tree *tree = d->trees[i];
    iot_inputs(d->a, d->processes[i], &inputs);
    iot_outputs(d->a, d->processes[i], &outputs);
    json_t *o = json_object(), *in = json_array(), *out = json_array();
    for (uint32_t j = 0; j < node->ninputs; j++) {
        uint32_t input = iot_tree_inputs(tree)[node->first_input + j];
        json_array_append_new(in, input_json(d, &inputs[input]));
    }
    for (uint32_t j = 0; j < node->noutputs; j++) {
        uint32_t output = iot_tree_outputs(tree)[node->first_output + j];
        json_array_append_new(out, output_json(d, &outputs[output]));
    }
    uint32_t clause = iot_reduction_clause(d->t, node->reduction);
    json_object_set_new(o, "parent",
                        node->parent == IOT_NONE ? json_null() : json_integer(node->parent));
    json_object_set_new(o, "inputs", in);
    json_object_set_new(o, "outputs", out);
    json_object_set_new(o, "clause", paf_json_take(iot_clause_text(d->t, clause)));
    json_object_set_new(o, "line", json_integer(iot_reduction_line(d->t, node->reduction, NULL)));
    json_object_set_new(o, "join", json_boolean(node->join));
    return o;
}

// Printed piece by piece: a process may have a million nodes.
static void put_json(const char *before, json_t *value)
{
    fputs(before, stdout);
    json_dumpf(value, stdout, JSON_ENCODE_ANY);
    json_decref(value);
}

static void print_process_json(const display *d, uint32_t i)
{
    const iot_process *p = iot_get_process(d->a, d->processes[i]);
    const iot_tree *tree = d->trees[i];
    const uint32_t *unused;
    put_json("{\"module\": ", paf_json_text(iot_get_module(d->a, p->module)->name));
    put_json(", \"goal\": ", paf_json_take(goals_text(d, p)));
    put_json(", \"created\": ", json_integer(creation(d, p)));
    put_json(", \"members\": ", json_integer(p->members));
    fputs(", \"nodes\": [", stdout);
    for (uint32_t k = 0; k < iot_tree_nnodes(tree); k++)
        put_json(k ? ", " : "", node_json(d, i, iot_tree_node(tree, k)));
    put_json("], \"unused_inputs\": ", json_integer(iot_tree_unused(tree, &unused)));
    putchar('}');
}

static void print_json(const display *d)
{
    printf("{\"format\": %d, ", PAF_JSON_FORMAT);
    if (d->o->clock)
        printf("\"clock\": \"%s\", ", d->clock == IOT_REAL_TIME ? "real" : "virtual");
    fputs("\"processes\": [", stdout);
    for (uint32_t i = 0; i < d->n; i++) {
        fputs(i ? ", " : "", stdout);
        print_process_json(d, i);
    }
    puts(d->complete ? "]}" : "], \"complete\": false}");
}

// ---------------------------------------------------------------------------------------------
// The command

static bool read_options(int argc, char **argv, iotree_options *o, int *ret_status)
{
    const paf_option options[] = {
        {"of", 0, PAF_OPTION_TEXT, {.text = &o->of}, 0},
        {"module", 0, PAF_OPTION_TEXT, {.text = &o->module}, 0},
        {"partition", 'p', PAF_OPTION_TEXT, {.text = &o->partition}, 0},
        {"from", 0, PAF_OPTION_NUMBER, {.number = &o->from}, 0},
        {"to", 0, PAF_OPTION_NUMBER, {.number = &o->to}, 0},
        {"limit", 0, PAF_OPTION_NUMBER, {.number = &o->limit}, 0},
        {"depth", 0, PAF_OPTION_NUMBER, {.number = &o->depth}, 1},
        {"clock", 0, PAF_OPTION_TEXT, {.text = &o->clock}, 0},
        {"slack", 0, PAF_OPTION_FLAG, {.flag = &o->slack}, 0},
        {"verbose", 'v', PAF_OPTION_FLAG, {.flag = &o->verbose}, 0},
        {"json", 0, PAF_OPTION_FLAG, {.flag = &o->json}, 0},
        {0},
    };
    const paf_usage usage = {"iotree", help, options, 1, 1};
    if (!paf_read_options(&usage, argc, argv, ret_status))
        return false;
    *ret_status = COMMAND_USAGE;
    if (!paf_is_clock("iotree", o->clock))
        return false;
    if (o->of && (o->module || o->partition)) {
        paf_complain("iotree", "--of stands for --module and --partition: give one or the "
                               "other");
        return false;
    }
    if (o->of && !paf_is_indicator(o->of)) {
        paf_complain("iotree", "--of: `%s` is not PREDICATE/N", o->of);
        return false;
    }
    if (o->from > o->to) {
        paf_complain("iotree", "--from must not be after --to");
        return false;
    }
    *ret_status = COMMAND_OK;
    return true;
}

// --of p/n is --module x --partition x=p/n. NULL: the trace lacks it.
static iot_partition *partition_of(const trace *t, const char *of)
{
    char *text = base_format("x=%s", of), *error = NULL;
    iot_partition *p = iot_partition_parse(t, text, &error);
    if (!p)
        paf_complain("iotree", "--of: %s", error);
    free(error);
    free(text);
    return p;
}

static bool choose_processes(display *d)
{
    uint32_t n = iot_nprocesses(d->a);
    d->processes = base_allocate(n, sizeof *d->processes);
    d->trees = base_allocate(n, sizeof(iot_tree *));
    const char *module = d->o->of ? "x" : d->o->module;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t m = iot_get_process(d->a, i)->module;
        if (!module || !strcmp(iot_get_module(d->a, m)->name, module))
            d->processes[d->n++] = i;
    }
    return d->n > 0;
}

// The steps of the window. By real time: those in which the process made what it made then.
static void find_steps(const display *d, uint32_t process, int64_t *ret_from, int64_t *ret_to)
{
    *ret_from = d->o->from;
    *ret_to = d->o->to;
    if (d->clock != IOT_REAL_TIME || (d->o->from <= 0 && d->o->to == INT64_MAX))
        return;
    const iot_output *outputs;
    uint32_t n = iot_outputs(d->a, process, &outputs);
    *ret_from = *ret_to = iot_span(d->a) + 1; // nothing was made then
    bool found = false;
    for (uint32_t i = 0; i < n; i++) {
        int64_t made = output_time(d, &outputs[i]);
        if (made < d->o->from || made > d->o->to)
            continue;
        *ret_from = found && *ret_from < outputs[i].time ? *ret_from : outputs[i].time;
        *ret_to = found && *ret_to > outputs[i].time ? *ret_to : outputs[i].time;
        found = true;
    }
}

static void build_trees(display *d)
{
    for (uint32_t i = 0; i < d->n; i++) {
        bool complete;
        int64_t from, to;
        find_steps(d, d->processes[i], &from, &to);
        d->trees[i] = iot_tree_build(d->a, d->processes[i], from, to, (uint64_t)d->o->limit, &complete);
        d->complete &= complete;
    }
    d->names = iot_names_create(d->t);
    for (uint32_t i = 0; i < d->n; i++)
        name_process(d, i);
    iot_names_finish(d->names);
}

// Are the trees of a module that is known to be recorded in full?
static bool is_recorded(const trace *t, const iotree_options *o)
{
    const char *at = trace_part(t);
    size_t length = o->module && !o->partition ? strlen(o->module) : 0;
    while (at && *at) {
        size_t n = strcspn(at, ",");
        if (length > 0 && n == length && strncmp(at, o->module, n) == 0)
            return true;
        at += n + (at[n] == ',');
    }
    return !trace_part(t);
}

static bool has_module(const iot *a, const char *name)
{
    for (uint32_t i = 0; i < iot_nmodules(a); i++)
        if (!strcmp(iot_get_module(a, i)->name, name))
            return true;
    return false;
}

// A module that is none is told what there are.
static void say_no_process(const display *d)
{
    const char *module = d->o->module;
    if (d->o->of || !module || has_module(d->a, module)) {
        const char *whose = d->o->of ? d->o->of : module;
        paf_complain("iotree", whose ? "no process of %s" : "no process", whose);
        return;
    }
    base_text names = {0};
    uint32_t n = iot_nmodules(d->a);
    for (uint32_t i = 0; i < n && i < MOST_NAMED; i++)
        text_add_format(&names, "%s%s", i ? ", " : "", iot_get_module(d->a, i)->name);
    if (n > MOST_NAMED)
        text_add_format(&names, " and %u more", n - MOST_NAMED);
    paf_complain("iotree", "no module %s: there %s %s", module, n == 1 ? "is" : "are",
                 text_finish(&names));
    free(names.at);
}

static int show(const trace *t, const iot *a, const iotree_options *o)
{
    int status = COMMAND_OK;
    display d = {.a = a, .t = t, .o = o, .complete = true};
    d.clock = paf_choose_clock("iotree", t, o->clock ? o->clock : "virtual");
    if (o->from > iot_end(a, d.clock)) {
        paf_complain("iotree", "--from %lld: the run ends at %lld", (long long)o->from,
                     (long long)iot_end(a, d.clock));
        return COMMAND_NOTHING;
    }
    d.cells = o->depth && o->depth < UINT32_MAX ? (uint32_t)o->depth : UINT32_MAX;
    if (!choose_processes(&d)) {
        say_no_process(&d);
        status = COMMAND_NOTHING;
    }
    build_trees(&d);
    if (d.n > 0 && !is_recorded(t, o))
        paf_complain("iotree", "recorded in full: %s; the trees of other modules may lack inputs",
                     trace_part(t));
    if (iot_is_cut(a))
        paf_complain("iotree", "bindings passed on so much that not all of it is listed as inputs");
    if (d.n > 0 && trace_is_older_definition(t))
        paf_complain("iotree", "a file of version %u: in its trees a `=` needs the value that it passes on",
                     trace_version(t));
    if (!d.complete)
        paf_complain("iotree",
                     "more than %lld inputs in a process: only its earlier outputs "
                     "are shown (see --limit, --from, --to)",
                     (long long)o->limit);
    if (o->json)
        print_json(&d);
    else
        print_text(&d);
    for (uint32_t i = 0; i < d.n; i++)
        iot_tree_destroy(d.trees[i]);
    iot_names_destroy(d.names);
    free(d.processes);
    free(d.trees);
    return status;
}

int paf_command_iotree(int argc, char **argv)
{
    iotree_options o = {.from = 0, .to = INT64_MAX, .limit = DEFAULT_LIMIT};
    int status;
    if (!read_options(argc, argv, &o, &status))
        return status;
    trace *t = paf_open_trace("iotree", argv[optind], &status);
    if (!t)
        return status;
    if (!paf_expect_history("iotree", argv[optind], t)) {
        trace_close(t);
        return COMMAND_NOTHING;
    }
    iot_partition *p = o.of ? partition_of(t, o.of) : paf_read_partition("iotree", t, o.partition);
    if (p) {
        iot *a = iot_analyse(t, p, NULL, NULL);
        int shown = show(t, a, &o);
        status = shown ? shown : status;
        iot_destroy(a);
    } else {
        status = o.of ? COMMAND_NOTHING : COMMAND_USAGE;
    }
    iot_partition_destroy(p);
    trace_close(t);
    return status;
}
