// SPDX-License-Identifier: MIT
//
// Details of a reduction of Fleng; details_measured.c has those of measured activities.
#include "paf/model/details.h"
#include "paf/model/real_times.h"
#include "iotree/simulate.h"
#include "base/search.h"
#include "paf/say/numbers.h"

#include <inttypes.h>

#define MOST_FACTS 8  // listed of each kind
#define TERM_CELLS 10 // of a term in a fact
#define GOAL_CELLS 14 // of the title

static int64_t created(const trace *t, uint32_t reduction)
{
    uint32_t goal = trace_reduction_goal(t, reduction);
    uint32_t parent = goal == TRACE_NONE ? TRACE_NONE : trace_goal_parent(t, goal);
    return parent == TRACE_NONE ? 0 : trace_time(t, parent);
}

// The reduction that decided when this one could happen. Either it made the last binding that the
// commit read, and *ret_variable is the variable, or it is the parent, and *ret_variable is
// TRACE_NONE. IOT_NONE for the first reduction.
static uint32_t reduction_decider(const trace *t, uint32_t reduction, uint32_t *ret_variable)
{
    *ret_variable = TRACE_NONE;
    if (reduction == 0 || reduction >= trace_nreductions(t))
        return IOT_NONE;
    const uint32_t *reads;
    uint32_t n = trace_reads(t, reduction, &reads), maker = IOT_NONE;
    int64_t latest = -1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t binding = trace_cell_binding(t, reads[i]);
        if (binding == TRACE_NONE)
            continue;
        uint32_t by = trace_binding_maker(t, binding);
        int64_t time = trace_time(t, by);
        if (time > latest || (time == latest && by < maker)) {
            latest = time;
            maker = by;
            *ret_variable = reads[i];
        }
    }
    if (maker != IOT_NONE && maker != 0 && latest >= created(t, reduction))
        return maker;
    *ret_variable = TRACE_NONE;
    return trace_goal_parent(t, trace_reduction_goal(t, reduction));
}

uint32_t paf_decider(const paf_model *m, uint32_t reduction, uint32_t *ret_variable)
{
    if (!trace_is_measured(m->t))
        return reduction_decider(m->t, reduction, ret_variable);
    *ret_variable = TRACE_NONE;
    return paf_decider_measured(m->t, reduction);
}

const iot_node *paf_node_of_reduction(const paf_model *m, uint32_t reduction,
                                      const paf_tree **ret_tree, uint32_t *ret_node)
{
    uint32_t process = iot_process_of(m->a, reduction);
    if (process == IOT_NONE)
        return NULL;
    const paf_tree *tree = g_hash_table_lookup(m->trees, GUINT_TO_POINTER(process));
    if (!tree || !tree->tree)
        return NULL;
    for (uint32_t i = 0; i < tree->nnodes; i++) {
        const iot_node *node = iot_tree_node(tree->tree, i);
        if (node->reduction != reduction)
            continue;
        if (ret_tree)
            *ret_tree = tree;
        if (ret_node)
            *ret_node = i;
        return node;
    }
    return NULL;
}

// ---------------------------------------------------------------------------------------------
// Facts

static const char *module_name(const paf_model *m, uint32_t reduction)
{
    uint32_t process = iot_process_of(m->a, reduction);
    if (process == IOT_NONE)
        return NULL;
    return iot_get_module(m->a, iot_get_process(m->a, process)->module)->name;
}

// "from searcher", "from another node" (a process of its own module), "own" (its own process).
static char *whom(const paf_model *m, const char *how, uint32_t self, uint32_t other)
{
    uint32_t mine = iot_process_of(m->a, self), theirs = iot_process_of(m->a, other);
    if (theirs == IOT_NONE)
        return g_strdup_printf("%s the start", how);
    if (mine == theirs)
        return g_strdup("own");
    if (mine != IOT_NONE &&
        iot_get_process(m->a, mine)->module == iot_get_process(m->a, theirs)->module)
        return g_strdup_printf("%s another %s", how, module_name(m, other));
    return g_strdup_printf("%s %s", how, module_name(m, other));
}

static void clear_fact(gpointer data)
{
    paf_fact *fact = data;
    g_free(fact->term);
    g_free(fact->whom);
    g_free(fact->when);
    g_free(fact->brief);
}

static void add_fact(GArray *facts, uint32_t *more, paf_fact fact)
{
    // The last-arriving one is never left out.
    if (facts->len < MOST_FACTS) {
        g_array_append_val(facts, fact);
        return;
    }
    (*more)++;
    paf_fact *end = &g_array_index(facts, paf_fact, facts->len - 1);
    paf_fact drop = fact;
    if (fact.last && !end->last) {
        drop = *end;
        *end = fact;
    }
    clear_fact(&drop);
}

static void set_times(const trace *t, iot_clock clock, paf_fact *fact, const char *how,
                      int64_t available, int64_t read)
{
    char *a = paf_moment_by(t, clock, available), *r = paf_moment_by(t, clock, read);
    fact->when = g_strdup_printf("%s%s · read %s", how, a, r);
    fact->brief = g_strdup_printf("%s · read %s", a, r);
    g_free(a);
    g_free(r);
}

static void set_time(const trace *t, iot_clock clock, paf_fact *fact, const char *how, int64_t time)
{
    char *at = paf_moment_by(t, clock, time);
    fact->when = g_strdup_printf("%s%s", how, at);
    fact->brief = g_strdup(fact->when);
    g_free(at);
}

static paf_fact input_fact(const paf_model *m, iot_clock clock, const iot_input *in,
                           uint32_t process, bool last)
{
    int64_t available = paf_input_available(m, clock, process, in);
    paf_fact fact = {.last = last, .go = IOT_NONE};
    if (in->binding == IOT_NONE) {
        uint32_t goal = iot_get_process(m->a, process)->goal;
        char *term = paf_term_text(m->t, trace_goal_arg(m->t, goal, in->argument - 1),
                                   in->available, TERM_CELLS);
        fact.term = g_strdup_printf("arg%" PRIu32 " = %s", in->argument, term);
        fact.whom = g_strdup("argument");
        set_time(m->t, clock, &fact, "since ", available);
        g_free(term);
        return fact;
    }
    fact.go = trace_binding_maker(m->t, in->binding);
    fact.term = paf_binding_text(m->t, in->binding, in->time, TERM_CELLS);
    fact.whom = whom(m, "from", in->reader, fact.go);
    set_times(m->t, clock, &fact, "available ", available, paf_input_read(m, clock, in));
    return fact;
}

// Who reads a binding first outside the process that made it; IOT_NONE: nobody.
static uint32_t first_reader(const paf_model *m, uint32_t binding, uint32_t *ret_others)
{
    uint32_t first, n = paf_links_of_binding(m, binding, &first), reader = IOT_NONE;
    *ret_others = n > 0 ? n - 1 : 0;
    for (uint32_t i = 0; i < n; i++) {
        const iot_input *in = paf_link_input(m, m->by_binding[first + i]);
        if (reader == IOT_NONE || in->reader < reader)
            reader = in->reader;
    }
    return reader;
}

// How many reads are looked through for one within the process.
#define MOST_READS 2000000u

static bool reads_binding(const trace *t, uint32_t reduction, uint32_t binding, uint32_t *left)
{
    const uint32_t *lists[2];
    uint32_t n[2] = {trace_reads(t, reduction, &lists[0]), trace_followed(t, reduction, &lists[1])};
    for (int list = 0; list < 2; list++)
        for (uint32_t i = 0; i < n[list] && *left > 0; i++, (*left)--)
            if (trace_cell_binding(t, lists[list][i]) == binding)
                return true;
    *left -= *left > 0;
    return false;
}

// Who reads it first within the process that made it, or IOT_NONE. *ret_sure: all were asked.
static uint32_t own_reader(const paf_model *m, uint32_t binding, bool *ret_sure)
{
    uint32_t maker = trace_binding_maker(m->t, binding), process = iot_process_of(m->a, maker);
    uint32_t left = MOST_READS;
    *ret_sure = true;
    if (process == IOT_NONE)
        return IOT_NONE;
    const uint32_t *members;
    uint32_t n = iot_members(m->a, process, &members);
    size_t first; // who reads it was reduced after its maker, or with it
    FIRST_NOT(first, n, i, trace_time(m->t, members[i]) < trace_time(m->t, maker));
    for (uint32_t i = (uint32_t)first; i < n && left > 0; i++)
        if (reads_binding(m->t, members[i], binding, &left))
            return members[i];
    *ret_sure = left > 0;
    return IOT_NONE;
}

static void append(char **text, const char *more)
{
    char *longer = g_strdup_printf("%s · %s", *text, more);
    g_free(*text);
    *text = longer;
}

// How much later the binding could come without a longer span.
static void add_slack(const paf_model *m, paf_fact *fact, uint32_t binding)
{
    int64_t slack = iot_slack(m->a, binding);
    char *amount = paf_moment(m->t, slack);
    char *more = slack > 0 ? g_strdup_printf("slack %s", amount) : g_strdup("no slack");
    append(&fact->when, more);
    append(&fact->brief, more);
    g_free(amount);
    g_free(more);
}

static paf_fact output_fact(const paf_model *m, iot_clock clock, uint32_t binding)
{
    uint32_t maker = trace_binding_maker(m->t, binding), others;
    int64_t time = trace_time(m->t, maker);
    paf_fact fact = {.term = paf_binding_text(m->t, binding, time, TERM_CELLS)};
    fact.go = first_reader(m, binding, &others);
    if (fact.go == IOT_NONE) {
        bool sure;
        fact.go = own_reader(m, binding, &sure);
        if (fact.go != IOT_NONE) {
            fact.whom = g_strdup("own");
            set_times(m->t, clock, &fact, "@", paf_binding_made(m, clock, binding),
                      paf_reduced(m, clock, fact.go));
            return fact;
        }
        fact.whom = g_strdup(sure ? "read by nobody" : "to no other process");
        set_time(m->t, clock, &fact, "@", paf_binding_made(m, clock, binding));
        return fact;
    }
    char *to = whom(m, "to", maker, fact.go);
    char *more = paf_number(others);
    fact.whom = others ? g_strdup_printf("%s +%s", to, more) : g_strdup(to);
    g_free(more);
    set_times(m->t, clock, &fact, "@", paf_binding_made(m, clock, binding),
              paf_reduced(m, clock, fact.go));
    if (!trace_is_measured(m->t) && clock == IOT_VIRTUAL_TIME)
        add_slack(m, &fact, binding);
    g_free(to);
    return fact;
}

// ---------------------------------------------------------------------------------------------
// Of a node

static void add_node_facts(paf_details *details, const paf_model *m, const paf_tree *tree,
                           const iot_node *node)
{
    const iot_input *inputs;
    const iot_output *outputs;
    iot_inputs(m->a, tree->process, &inputs);
    iot_outputs(m->a, tree->process, &outputs);
    for (uint32_t i = 0; i < node->ninputs; i++) {
        uint32_t index = iot_tree_inputs(tree->tree)[node->first_input + i];
        add_fact(details->needs, &details->more_needs,
                 input_fact(m, details->clock, &inputs[index], tree->process,
                            index == node->last_input));
    }
    for (uint32_t i = 0; i < node->noutputs; i++) {
        uint32_t index = iot_tree_outputs(tree->tree)[node->first_output + i];
        add_fact(details->gives, &details->more_gives,
                 output_fact(m, details->clock, outputs[index].binding));
    }
}

static void explain_node(paf_details *details, const paf_model *m, const paf_tree *tree,
                         uint32_t index)
{
    iot_clock clock = details->clock;
    const iot_node *node = iot_tree_node(tree->tree, index);
    const iot_input *inputs;
    uint32_t n = iot_inputs(m->a, tree->process, &inputs);
    if (node->last_input == IOT_NONE || node->last_input >= n) {
        details->sentence = g_strdup("It needed nothing from outside its process.");
        return;
    }
    const iot_input *in = &inputs[node->last_input];
    int64_t available = paf_input_available(m, clock, tree->process, in);
    int64_t given = paf_node_by(clock, tree, index).output_from;
    char *came = paf_moment_by(m->t, clock, available), *out = paf_moment_by(m->t, clock, given);
    char *later = paf_duration_by(m->t, clock, given - available);
    char *from = in->binding == IOT_NONE
                     ? g_strdup("as an argument")
                     : whom(m, "from", in->reader, trace_binding_maker(m->t, in->binding));
    bool own = in->lag <= 1;
    char *read = paf_moment_by(m->t, clock, paf_input_read(m, clock, in));
    details->sentence =
        own ? g_strdup_printf("Its last input came %s at %s; the answer, at %s, took %s.", from,
                              came, out, later)
            : g_strdup_printf("Its last input came %s at %s and lay unread until %s; the answer "
                              "was given at %s.",
                              from, came, read, out);
    if (in->binding != IOT_NONE)
        details->why = trace_binding_maker(m->t, in->binding);
    g_free(read);
    g_free(from);
    g_free(later);
    g_free(out);
    g_free(came);
}

// ---------------------------------------------------------------------------------------------
// Of a plain reduction

static void add_reduction_facts(paf_details *details, const paf_model *m, uint32_t reduction)
{
    const uint32_t *reads;
    uint32_t n = trace_reads(m->t, reduction, &reads), last;
    reduction_decider(m->t, reduction, &last);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t binding = trace_cell_binding(m->t, reads[i]);
        if (binding == TRACE_NONE)
            continue;
        uint32_t maker = trace_binding_maker(m->t, binding);
        int64_t time = trace_time(m->t, reduction);
        paf_fact fact = {.term = paf_binding_text(m->t, binding, time, TERM_CELLS),
                         .whom = whom(m, "from", reduction, maker),
                         .last = reads[i] == last,
                         .go = maker};
        set_times(m->t, details->clock, &fact, "available ", paf_reduced(m, details->clock, maker),
                  paf_reduced(m, details->clock, reduction));
        add_fact(details->needs, &details->more_needs, fact);
    }
    uint32_t end = reduction + 1 < trace_nreductions(m->t)
                       ? trace_first_binding(m->t, reduction + 1)
                       : trace_nbindings(m->t);
    for (uint32_t b = trace_first_binding(m->t, reduction); b < end; b++)
        add_fact(details->gives, &details->more_gives, output_fact(m, details->clock, b));
}

static void explain_reduction(paf_details *details, const paf_model *m, uint32_t reduction)
{
    uint32_t variable;
    details->why = reduction_decider(m->t, reduction, &variable);
    if (details->why == IOT_NONE || details->why == 0) {
        details->why = IOT_NONE;
        details->sentence = g_strdup("It could be reduced from the start.");
        return;
    }
    char *by = paf_predicate_name(
        m->t, trace_goal_predicate(m->t, trace_reduction_goal(m->t, details->why)));
    iot_clock clock = details->clock;
    int64_t made = paf_goal_created(m, clock, trace_reduction_goal(m->t, reduction));
    int64_t waited = paf_reduced(m, clock, details->why) - made;
    char *steps = paf_duration_by(m->t, clock, waited), *at = paf_moment_by(m->t, clock, made);
    if (variable == TRACE_NONE) {
        details->sentence =
            g_strdup_printf("It was reduced as soon as %s created it, at %s.", by, at);
    } else {
        uint32_t name = trace_cell_name(m->t, variable);
        details->sentence =
            g_strdup_printf("Created at %s, it waited %s for %s, which %s gave.", at, steps,
                            name == TRACE_NONE ? "a value" : trace_name(m->t, name), by);
    }
    g_free(at);
    g_free(steps);
    g_free(by);
}

// ---------------------------------------------------------------------------------------------

// "worker 1 · began at 12.3 ms · took 1.2 µs"; "" without real time.
static char *real_words(const trace *t, uint32_t reduction)
{
    if (!iot_has_real_time(t) || trace_is_measured(t))
        return g_strdup("");
    int64_t start = trace_start(t, reduction);
    char *began = paf_moment_by(t, IOT_REAL_TIME, start);
    char *took = paf_duration_by(t, IOT_REAL_TIME, trace_end(t, reduction) - start);
    char *text = g_strdup_printf("worker %" PRIu32 " · began at %s · took %s",
                                 trace_place(t, reduction), began, took);
    g_free(began);
    g_free(took);
    return text;
}

static char *make_subtitle(const paf_model *m, uint32_t reduction)
{
    uint32_t shown = iot_reduction_clause(m->t, reduction);
    const trace_clause *clause = trace_get_clause(m->t, shown);
    const char *module = module_name(m, reduction);
    char *number = paf_number(reduction);
    GString *s = g_string_new(module ? module : "start");
    g_string_append_printf(s, " · reduction %s", number);
    if (shown != trace_reduction_clause(m->t, reduction)) {
        char *caller = iot_clause_text(m->t, shown);
        g_string_append_printf(s, " · built-in, called by %s", caller);
        free(caller);
    } else if (clause->number) {
        g_string_append_printf(s, " · clause %" PRIu32, clause->number);
    } else {
        g_string_append(s, " · built-in");
    }
    g_free(number);
    char *real = real_words(m->t, reduction);
    g_string_append_printf(s, "%s%s", *real ? " · " : "", real);
    g_free(real);
    return g_string_free(s, FALSE);
}

paf_details *paf_details_create(const paf_model *m, iot_clock clock, uint32_t reduction)
{
    paf_details *details = g_new0(paf_details, 1);
    details->clock = paf_model_has_real(m) ? clock : IOT_VIRTUAL_TIME;
    details->needs = g_array_new(FALSE, FALSE, sizeof(paf_fact));
    details->gives = g_array_new(FALSE, FALSE, sizeof(paf_fact));
    g_array_set_clear_func(details->needs, clear_fact);
    g_array_set_clear_func(details->gives, clear_fact);
    details->why = IOT_NONE;
    details->clause = trace_reduction_clause(m->t, reduction);
    uint32_t process = iot_process_of(m->a, reduction);
    details->module = process == IOT_NONE ? IOT_NONE : iot_get_process(m->a, process)->module;
    uint32_t goal = trace_reduction_goal(m->t, reduction);
    details->title = goal == TRACE_NONE
                         ? g_strdup("start")
                         : paf_goal_text(m->t, goal, trace_time(m->t, reduction), GOAL_CELLS);
    if (trace_is_measured(m->t) && goal != TRACE_NONE) {
        paf_details_measured(details, m, reduction);
        return details;
    }
    details->subtitle = make_subtitle(m, reduction);
    const paf_tree *tree = NULL;
    uint32_t index;
    const iot_node *node = paf_node_of_reduction(m, reduction, &tree, &index);
    if (node) {
        add_node_facts(details, m, tree, node);
        explain_node(details, m, tree, index);
    } else {
        add_reduction_facts(details, m, reduction);
    }
    if (!details->sentence || details->why == IOT_NONE) {
        g_free(details->sentence);
        details->sentence = NULL;
        explain_reduction(details, m, reduction);
    }
    return details;
}

void paf_details_destroy(paf_details *details)
{
    if (!details)
        return;
    g_free(details->title);
    g_free(details->subtitle);
    g_free(details->sentence);
    g_array_unref(details->needs);
    g_array_unref(details->gives);
    g_free(details);
}

char *paf_reduction_tip(const paf_model *m, uint32_t reduction)
{
    uint32_t goal = trace_reduction_goal(m->t, reduction);
    if (goal == TRACE_NONE)
        return g_strdup("the start of the run");
    if (trace_is_measured(m->t))
        return paf_tip_measured(m, reduction);
    char *text = paf_goal_text(m->t, goal, trace_time(m->t, reduction), GOAL_CELLS);
    char *place = paf_reduction_place(m->t, reduction);
    char *made = paf_moment(m->t, created(m->t, reduction));
    char *done = paf_moment(m->t, trace_time(m->t, reduction));
    char *waited = paf_duration(m->t, trace_time(m->t, reduction) -
                                    trace_cost(m->t, reduction) - created(m->t, reduction));
    const trace_clause *clause = trace_get_clause(m->t, trace_reduction_clause(m->t, reduction));
    GString *s = g_string_new(text);
    g_string_append_printf(s, "\n%s", place);
    if (clause->number)
        g_string_append_printf(s, " · clause %" PRIu32, clause->number);
    g_string_append_printf(s, "\ncreated %s · reduced %s · waited %s", made, done, waited);
    char *real = real_words(m->t, reduction);
    g_string_append_printf(s, "%s%s", *real ? "\n" : "", real);
    g_free(real);
    const iot_node *node = paf_node_of_reduction(m, reduction, NULL, NULL);
    if (node) {
        char *ins = paf_count(node->ninputs, "input", "inputs");
        char *outs = paf_count(node->noutputs, "output", "outputs");
        g_string_append_printf(s, "\n%s · %s%s", ins, outs, node->join ? " · a join" : "");
        g_free(ins);
        g_free(outs);
    }
    g_free(waited);
    g_free(done);
    g_free(made);
    g_free(place);
    g_free(text);
    return g_string_free(s, FALSE);
}
