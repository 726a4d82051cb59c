// SPDX-License-Identifier: MIT
//
// Puts hooks into one function: finds its DO loops in GIMPLE, then changes jumps and labels.
#include "plugin.h"

#include "stringpool.h"

#include "attribs.h"
#include "function.h"
#include "gimple-iterator.h"
#include "gimple-predict.h"
#include "gimplify.h"
#include "hash-map.h"
#include "hash-set.h"
#include "langhooks.h"
#include <predict.h>
#include "tree-eh.h"

namespace {

// A DO statement as it is in GIMPLE before its control flow is:
//
//     anchor:  what finds out how often (its place in the source is the DO statement's)
//     start:   [if (done) goto exit; else goto first; first:]
//              body
//              goto start          <- the place of the DO statement
//     exit:
//
// or a GIMPLE_OMP_FOR, which has no labels.
struct do_loop {
    do_loop *outer;
    tree site, rotation; // rotation: the variable that counts iterations
    location_t place;
    bool shared; // within an OpenMP construct, which becomes a function of its own
    tree exit;   // label or NULL_TREE
    gimple *back;
    gimple *exit_stmt; // with the label
    tree first;        // count behind this label; NULL_TREE: right at the start
    gimple *counted;   // the GIMPLE_OMP_FOR in whose body to count: the inner one of DO SIMD
};

// What a loop is found in.
struct surroundings {
    gbind *bind; // its variables are declared here; NULL: in nothing that declares any
    bool shared; // in an OpenMP construct
};

class instrumenter {
  public:
    explicit instrumenter(tree function) : decl(function) {}
    void run();

  private:
    tree decl;
    tree frame = NULL_TREE; // variable: the function's frame
    const char *name = NULL;
    auto_vec<do_loop *> loops;
    hash_map<tree, do_loop *> owner;     // of a label: the innermost loop around it
    hash_map<gimple *, do_loop *> start; // by the label's statement, or GIMPLE_OMP_FOR
    hash_map<gimple *, do_loop *> anchor;
    hash_map<gimple *, do_loop *> exits; // by the statement of the exit label
    hash_map<tree, do_loop *> firsts;    // by the label behind which to count
    hash_set<tree> early;                // labels that are jumped to before they are met

    // ---- Finding
    typedef hash_map<tree, gimple *> back_map;
    void find(gimple_seq seq, do_loop *current, surroundings in);
    void find_below(gimple *stmt, do_loop *current, surroundings in);
    do_loop *loop_that_starts(gimple_stmt_iterator at, back_map &backs, do_loop *outer,
                              surroundings in);
    do_loop *omp_loop(gimple *stmt, do_loop *outer, surroundings in);
    do_loop *new_loop(kpx_source_scan *source, uint32_t number, location_t place, do_loop *outer,
                      surroundings in);
    void find_anchor(gimple_stmt_iterator at, do_loop *l);
    bool find_first(gimple_stmt_iterator at, do_loop *l, unsigned last_line);
    void note_jumps(gimple *stmt);

    // ---- Changing
    void change(gimple_seq *seq, do_loop *current, bool shared);
    void change_below(gimple *stmt, do_loop *current, bool shared);
    void change_jumps(gimple_stmt_iterator *at, do_loop *current, bool shared);
    tree around(tree label, do_loop *current, bool shared, gimple_seq *jumps);
    gimple_seq leaves(do_loop *from, tree label, bool shared);
    void hook(gimple_seq *seq, tree site, unsigned which, tree rotation, bool shared,
              location_t place);
    void count(gimple_seq *seq, do_loop *l);
    void enter_loop(gimple_seq *seq, do_loop *l);
    void leave_loop(gimple_seq *seq, do_loop *l, bool shared);

    // ---- Routines
    bool is_routine() const;
    tree routine_site(unsigned flags);
    void wrap(tree site);
};

bool same_place(location_t a, location_t b)
{
    if (LOCATION_LOCUS(a) <= BUILTINS_LOCATION || LOCATION_LOCUS(b) <= BUILTINS_LOCATION)
        return false;
    expanded_location x = expand_location(a), y = expand_location(b);
    return x.line == y.line && x.column == y.column && strcmp(x.file, y.file) == 0;
}

tree jump_target(gimple *stmt)
{
    if (gimple_code(stmt) != GIMPLE_GOTO)
        return NULL_TREE;
    tree label = gimple_goto_dest(stmt);
    return TREE_CODE(label) == LABEL_DECL ? label : NULL_TREE;
}

gimple_seq *body_of(gimple *stmt)
{
    switch (gimple_code(stmt)) {
    case GIMPLE_OMP_PARALLEL:
    case GIMPLE_OMP_TASK:
    case GIMPLE_OMP_FOR:
    case GIMPLE_OMP_SECTIONS:
    case GIMPLE_OMP_SECTION:
    case GIMPLE_OMP_SINGLE:
    case GIMPLE_OMP_MASTER:
    case GIMPLE_OMP_MASKED:
    case GIMPLE_OMP_ORDERED:
    case GIMPLE_OMP_CRITICAL:
    case GIMPLE_OMP_TASKGROUP:
        return gimple_omp_body_ptr(stmt);
    default:
        return NULL;
    }
}

// A variable of what a bind holds, as an OpenMP construct needs it to take it along.
tree variable(gbind *bind, tree type, const char *name)
{
    tree made = create_tmp_var_raw(type, name);
    DECL_CONTEXT(made) = current_function_decl;
    DECL_SEEN_IN_BIND_EXPR_P(made) = 1;
    gimple_bind_append_vars(bind, made);
    return made;
}

// Whether a condition's label is `exit`, or comes next and is followed by a jump to it.
bool leads_to(gimple *condition, tree label, tree exit)
{
    if (label == exit)
        return true;
    gimple *next = condition->next;
    return next && next->next && gimple_code(next) == GIMPLE_LABEL &&
           gimple_label_label(as_a<glabel *>(next)) == label && jump_target(next->next) == exit;
}

// ---- Finding --------------------------------------------------------------------------------

do_loop *instrumenter::new_loop(kpx_source_scan *source, uint32_t number, location_t place,
                                do_loop *outer, surroundings in)
{
    if (!in.bind)
        return NULL;
    tree site = kpx_loop_site(source, number);
    if (!site)
        return NULL; // a loop within the statement itself, as of an array
    do_loop *l = XCNEW(do_loop);
    l->outer = outer;
    l->site = site;
    l->rotation = variable(in.bind, long_unsigned_type_node, "kpx_rotation");
    suppress_warning(l->rotation);
    l->place = place;
    l->shared = in.shared;
    loops.safe_push(l);
    return l;
}

// Whether the test that ends the loop comes before its body, `at` being its start: counting has to
// wait for it. False: not found yet, and what the body is made of has not begun.
bool instrumenter::find_first(gimple_stmt_iterator at, do_loop *l, unsigned last_line)
{
    for (; !gsi_end_p(at); gsi_next(&at)) {
        gimple *stmt = gsi_stmt(at);
        if (gimple_code(stmt) == GIMPLE_BIND) {
            if (find_first(gsi_start(*gimple_bind_body_ptr(as_a<gbind *>(stmt))), l, last_line))
                return true;
            continue;
        }
        location_t place = gimple_location(stmt);
        if (stmt == l->back || (LOCATION_LOCUS(place) > BUILTINS_LOCATION &&
                                (unsigned)expand_location(place).line > last_line))
            return true;
        if (gimple_code(stmt) != GIMPLE_COND)
            continue;
        gcond *test = as_a<gcond *>(stmt);
        if (leads_to(stmt, gimple_cond_true_label(test), l->exit))
            l->first = gimple_cond_false_label(test);
        else if (leads_to(stmt, gimple_cond_false_label(test), l->exit))
            l->first = gimple_cond_true_label(test);
        else
            continue;
        firsts.put(l->first, l);
        return true;
    }
    return false;
}

// The first of the statements before the start that belong to the DO statement.
void instrumenter::find_anchor(gimple_stmt_iterator at, do_loop *l)
{
    gimple *found = gsi_stmt(at);
    const int line = expand_location(l->place).line;
    for (gsi_prev(&at); !gsi_end_p(at); gsi_prev(&at)) {
        gimple *stmt = gsi_stmt(at);
        location_t place = gimple_location(stmt);
        bool known = LOCATION_LOCUS(place) > BUILTINS_LOCATION;
        if (start.get(stmt) || exits.get(stmt) || (known && expand_location(place).line != line))
            break;
        if (same_place(place, l->place) && !jump_target(stmt))
            found = stmt;
    }
    anchor.put(found, l);
}

do_loop *instrumenter::loop_that_starts(gimple_stmt_iterator at, back_map &backs, do_loop *outer,
                                        surroundings in)
{
    gimple **back = backs.get(gimple_label_label(as_a<glabel *>(gsi_stmt(at))));
    if (!back || LOCATION_LOCUS(gimple_location(*back)) <= BUILTINS_LOCATION)
        return NULL;
    expanded_location place = expand_location(gimple_location(*back));
    kpx_source_scan *source = kpx_scan_of(place.file);
    uint32_t number = kpx_loop_at(source->scan, place.line, place.column);
    if (number == UINT32_MAX)
        return NULL;
    do_loop *l = new_loop(source, number, gimple_location(*back), outer, in);
    if (!l)
        return NULL;
    l->back = *back;
    gimple *next = (*back)->next;
    if (next && gimple_code(next) == GIMPLE_LABEL) {
        tree label = gimple_label_label(as_a<glabel *>(next));
        if (DECL_ARTIFICIAL(label)) {
            l->exit = label;
            l->exit_stmt = next;
            exits.put(next, l);
        }
    }
    find_anchor(at, l);
    // A loop that is tested before it begins is tested at its end from then on; one that is left by
    // nothing but EXIT has no test at all.
    if (l->exit && !early.contains(l->exit) &&
        source->scan->loops.at[number].kind != KPX_DO_FOREVER)
        find_first(at, l, source->scan->loops.at[number].header_line);
    start.put(gsi_stmt(at), l);
    return l;
}

// OpenMP loops have the place of the directive; the DO statement comes next.
do_loop *instrumenter::omp_loop(gimple *stmt, do_loop *outer, surroundings in)
{
    int kind = gimple_omp_for_kind(stmt);
    location_t directive = EXPR_LOCATION(gimple_omp_for_incr(stmt, 0));
    if ((kind != GF_OMP_FOR_KIND_FOR && kind != GF_OMP_FOR_KIND_SIMD) ||
        LOCATION_LOCUS(directive) <= BUILTINS_LOCATION)
        return NULL;
    expanded_location place = expand_location(directive);
    kpx_source_scan *source = kpx_scan_of(place.file);
    for (uint32_t i = 0; i < source->scan->loops.n; i++) {
        const kpx_do_loop *l = &source->scan->loops.at[i];
        if (l->kind != KPX_DO_COUNTED || l->header_line < (uint32_t)place.line)
            continue;
        do_loop *made = new_loop(source, i, directive, outer, {in.bind, true});
        if (made)
            made->counted = stmt;
        else if (outer && outer->counted && outer->site == source->sites[i])
            outer->counted = stmt;
        return made;
    }
    return NULL;
}

void instrumenter::note_jumps(gimple *stmt)
{
    if (gimple_code(stmt) != GIMPLE_COND)
        return;
    gcond *c = as_a<gcond *>(stmt);
    early.add(gimple_cond_true_label(c));
    early.add(gimple_cond_false_label(c));
}

void instrumenter::find_below(gimple *stmt, do_loop *current, surroundings in)
{
    switch (gimple_code(stmt)) {
    case GIMPLE_BIND:
        in.bind = as_a<gbind *>(stmt);
        find(gimple_bind_body(in.bind), current, in);
        return;
    case GIMPLE_TRY:
        find(gimple_try_eval(stmt), current, in);
        find(gimple_try_cleanup(stmt), current, in);
        return;
    default:
        break;
    }
    gimple_seq *body = body_of(stmt);
    if (!body)
        return;
    do_loop *l = gimple_code(stmt) == GIMPLE_OMP_FOR ? omp_loop(stmt, current, in) : NULL;
    if (l)
        start.put(stmt, l);
    bool own = gimple_code(stmt) == GIMPLE_OMP_PARALLEL || gimple_code(stmt) == GIMPLE_OMP_TASK;
    find(*body, l ? l : current, {own ? NULL : in.bind, true});
}

void instrumenter::find(gimple_seq seq, do_loop *current, surroundings in)
{
    back_map backs; // by label: the last jump back to it
    hash_set<tree> met;
    for (gimple_stmt_iterator i = gsi_start(seq); !gsi_end_p(i); gsi_next(&i)) {
        gimple *stmt = gsi_stmt(i);
        tree label = jump_target(stmt);
        if (gimple_code(stmt) == GIMPLE_LABEL)
            met.add(gimple_label_label(as_a<glabel *>(stmt)));
        else if (label && met.contains(label))
            backs.put(label, stmt);
    }
    for (gimple_stmt_iterator i = gsi_start(seq); !gsi_end_p(i); gsi_next(&i)) {
        gimple *stmt = gsi_stmt(i);
        if (gimple_code(stmt) == GIMPLE_LABEL) {
            do_loop *l = loop_that_starts(i, backs, current, in);
            current = l ? l : current;
            owner.put(gimple_label_label(as_a<glabel *>(stmt)), current);
        } else if (current && stmt == current->back) {
            current = current->outer;
        } else {
            note_jumps(stmt);
            find_below(stmt, current, in);
        }
    }
}

// ---- Hooks ----------------------------------------------------------------------------------

tree hook_type(void)
{
    tree type = build_function_type_list(void_type_node, ptr_type_node, const_ptr_type_node,
                                         long_unsigned_type_node, NULL_TREE);
    return build_pointer_type(type);
}

void put(gimple_seq *seq, gimple *stmt, location_t place)
{
    gimple_set_location(stmt, place);
    gimple_seq_add_stmt(seq, stmt);
}

// Fortran's front end does not declare it.
tree frame_builtin(void)
{
    tree known = builtin_decl_explicit(BUILT_IN_DWARF_CFA);
    if (known)
        return known;
    tree made = build_fn_decl("__builtin_dwarf_cfa",
                              build_function_type_list(ptr_type_node, NULL_TREE));
    set_decl_built_in_function(made, BUILT_IN_NORMAL, BUILT_IN_DWARF_CFA);
    TREE_NOTHROW(made) = 1;
    set_builtin_decl(BUILT_IN_DWARF_CFA, made, true);
    return made;
}

gimple *frame_address(tree variable)
{
    gimple *call = gimple_build_call(frame_builtin(), 0);
    gimple_call_set_lhs(call, variable);
    return call;
}

// if (site.hook) site.hook(&site, frame, rotation);
void instrumenter::hook(gimple_seq *seq, tree site, unsigned which, tree rotation, bool shared,
                        location_t place)
{
    gbind *bind = gimple_build_bind(NULL_TREE, NULL, NULL_TREE);
    gimple_seq body = NULL;
    tree word = variable(bind, long_unsigned_type_node, "kpx_word");
    tree call_label = create_artificial_label(UNKNOWN_LOCATION);
    tree end_label = create_artificial_label(UNKNOWN_LOCATION);
    put(&body, gimple_build_assign(word, kpx_site_hook(site, which)), place);
    put(&body, gimple_build_cond(NE_EXPR, word, build_zero_cst(long_unsigned_type_node), call_label,
                               end_label),
        place);
    put(&body, gimple_build_label(call_label), UNKNOWN_LOCATION);
    put(&body, gimple_build_predict(PRED_COLD_LABEL, NOT_TAKEN), place);
    tree pointer = variable(bind, hook_type(), "kpx_hook");
    put(&body, gimple_build_assign(pointer, NOP_EXPR, word), place);
    tree address = frame;
    if (shared || !frame) { // a function of its own by then
        address = variable(bind, ptr_type_node, "kpx_frame");
        put(&body, frame_address(address), place);
    }
    put(&body, gimple_build_call(pointer, 3, build_fold_addr_expr(site), address, rotation), place);
    put(&body, gimple_build_label(end_label), UNKNOWN_LOCATION);
    gimple_bind_set_body(bind, body);
    gimple_seq_add_stmt(seq, bind);
}

void instrumenter::count(gimple_seq *seq, do_loop *l)
{
    put(seq, gimple_build_assign(l->rotation, PLUS_EXPR, l->rotation,
                                 build_one_cst(long_unsigned_type_node)),
        l->place);
}

void instrumenter::enter_loop(gimple_seq *seq, do_loop *l)
{
    tree zero = build_zero_cst(long_unsigned_type_node);
    put(seq, gimple_build_assign(l->rotation, zero), l->place);
    hook(seq, l->site, 0, zero, l->shared, l->place);
}

void instrumenter::leave_loop(gimple_seq *seq, do_loop *l, bool shared)
{
    hook(seq, l->site, 1, l->rotation, shared, l->place);
}

// ---- Changing -------------------------------------------------------------------------------

// What a jump to `label` (NULL_TREE: out of the function) from within `from` leaves, innermost
// first. Those who jump to a loop's exit meet its hook there.
gimple_seq instrumenter::leaves(do_loop *from, tree label, bool shared)
{
    gimple_seq seq = NULL;
    do_loop **known = label ? owner.get(label) : NULL;
    do_loop *target = known ? *known : NULL;
    for (do_loop *l = from; l; l = l->outer) {
        bool inside = false;
        for (do_loop *t = target; t && !inside; t = t->outer)
            inside = t == l;
        if (inside)
            break;
        if (!label || l->exit != label)
            leave_loop(&seq, l, shared);
    }
    return seq;
}

// Where a conditional jump to `label` is to go instead.
tree instrumenter::around(tree label, do_loop *current, bool shared, gimple_seq *jumps)
{
    gimple_seq seq = leaves(current, label, shared);
    if (!seq)
        return label;
    tree detour = create_artificial_label(UNKNOWN_LOCATION);
    put(jumps, gimple_build_label(detour), UNKNOWN_LOCATION);
    gimple_seq_add_seq(jumps, seq);
    put(jumps, gimple_build_goto(label), UNKNOWN_LOCATION);
    return detour;
}

void instrumenter::change_jumps(gimple_stmt_iterator *at, do_loop *current, bool shared)
{
    gimple *stmt = gsi_stmt(*at);
    gimple_seq jumps = NULL;
    switch (gimple_code(stmt)) {
    case GIMPLE_GOTO:
        if (jump_target(stmt) && !(current && stmt == current->back))
            gsi_insert_seq_before(at, leaves(current, jump_target(stmt), shared), GSI_SAME_STMT);
        return;
    case GIMPLE_RETURN:
        gsi_insert_seq_before(at, leaves(current, NULL_TREE, shared), GSI_SAME_STMT);
        return;
    case GIMPLE_CALL:
        if (gimple_call_flags(stmt) & ECF_NORETURN)
            gsi_insert_seq_before(at, leaves(current, NULL_TREE, shared), GSI_SAME_STMT);
        return;
    case GIMPLE_COND: {
        gcond *c = as_a<gcond *>(stmt);
        gimple_cond_set_true_label(c, around(gimple_cond_true_label(c), current, shared, &jumps));
        gimple_cond_set_false_label(c,
                                    around(gimple_cond_false_label(c), current, shared, &jumps));
        break;
    }
    case GIMPLE_SWITCH: {
        gswitch *s = as_a<gswitch *>(stmt);
        for (unsigned i = 0; i < gimple_switch_num_labels(s); i++) {
            tree label = gimple_switch_label(s, i);
            CASE_LABEL(label) = around(CASE_LABEL(label), current, shared, &jumps);
        }
        break;
    }
    default:
        return;
    }
    gsi_insert_seq_after(at, jumps, GSI_CONTINUE_LINKING);
}

void instrumenter::change_below(gimple *stmt, do_loop *current, bool shared)
{
    switch (gimple_code(stmt)) {
    case GIMPLE_BIND:
        change(gimple_bind_body_ptr(as_a<gbind *>(stmt)), current, shared);
        return;
    case GIMPLE_TRY:
        change(gimple_try_eval_ptr(stmt), current, shared);
        change(gimple_try_cleanup_ptr(stmt), current, shared);
        return;
    default:
        break;
    }
    gimple_seq *body = body_of(stmt);
    if (!body)
        return;
    if (do_loop **l = start.get(stmt))
        current = *l;
    change(body, current, true);
    if (current && current->counted == stmt) {
        gimple_seq counting = NULL;
        count(&counting, current);
        gimple_stmt_iterator i = gsi_start(*body);
        gsi_insert_seq_before(&i, counting, GSI_SAME_STMT);
    }
}

void instrumenter::change(gimple_seq *seq, do_loop *current, bool shared)
{
    gimple_stmt_iterator next;
    for (gimple_stmt_iterator i = gsi_start(*seq); !gsi_end_p(i); i = next) {
        gimple *stmt = gsi_stmt(i);
        next = i;
        gsi_next(&next);
        bool is_back = current && stmt == current->back;
        gimple_seq before = NULL, behind = NULL;
        if (do_loop **l = anchor.get(stmt))
            enter_loop(&before, *l);
        if (gimple_code(stmt) == GIMPLE_LABEL) {
            tree label = gimple_label_label(as_a<glabel *>(stmt));
            if (do_loop **l = exits.get(stmt))
                leave_loop(&behind, *l, shared);
            if (do_loop **l = start.get(stmt)) {
                current = *l;
                if (!current->first)
                    count(&behind, current);
            }
            if (do_loop **l = firsts.get(label))
                count(&behind, *l);
        } else if (gimple_code(stmt) == GIMPLE_OMP_FOR) {
            if (do_loop **l = start.get(stmt)) {
                enter_loop(&before, *l);
                leave_loop(&behind, *l, shared);
            }
        }
        if (before)
            gsi_insert_seq_before(&i, before, GSI_SAME_STMT);
        if (is_back)
            current = current->outer;
        else
            change_jumps(&i, current, shared);
        if (behind)
            gsi_insert_seq_after(&i, behind, GSI_CONTINUE_LINKING);
        change_below(stmt, current, shared);
    }
}

// ---- Routines -------------------------------------------------------------------------------

bool instrumenter::is_routine() const
{
    if (lookup_attribute("no_instrument_function", DECL_ATTRIBUTES(decl)) ||
        lookup_attribute("naked", DECL_ATTRIBUTES(decl)))
        return false;
    if (!kpx_is_compiling_fortran())
        return !DECL_ARTIFICIAL(decl) && !DECL_DECLARED_INLINE_P(decl);
    if (strncmp(name, "kpx_", 4) == 0 &&
        strcmp(lbasename(expand_location(DECL_SOURCE_LOCATION(decl)).file), "kpx.f90") == 0)
        return false; // what begins and ends measuring
    // The system's entry, what entries share, and what the compiler makes for types.
    return strcmp(name, "main") != 0 && strncmp(name, "master.", 7) != 0 &&
           strncmp(name, "__", 2) != 0;
}

tree instrumenter::routine_site(unsigned flags)
{
    expanded_location place = expand_location(DECL_SOURCE_LOCATION(decl));
    kpx_site_text text = {};
    text.kind = KPX_SITE_ROUTINE;
    text.flags = flags;
    text.file = place.file;
    text.line = text.routine_line = place.line;
    text.last_line = place.line;
    text.routine = name;
    if (DECL_STRUCT_FUNCTION(decl))
        text.last_line = expand_location(DECL_STRUCT_FUNCTION(decl)->function_end_locus).line;
    if (kpx_is_compiling_fortran()) {
        const kpx_unit *u = kpx_unit_at(kpx_scan_of(place.file)->scan, name, place.line);
        static const char *const types[] = {"program", "subroutine", "function", "entry"};
        if (u) {
            text.routine = u->name;
            text.line = text.routine_line = u->line;
            text.last_line = u->last_line;
            text.extra = types[u->kind];
        }
    } else {
        text.extra = "function";
    }
    return kpx_make_site(text);
}

// The body between the hooks, however it is left. As the compiler does it for
// -finstrument-functions.
void instrumenter::wrap(tree site)
{
    gimple_seq cleanup = NULL, body = NULL, all = NULL;
    tree zero = build_zero_cst(long_unsigned_type_node);
    location_t place = DECL_SOURCE_LOCATION(decl);
    put(&body, frame_address(frame), place);
    if (site) {
        hook(&body, site, 0, zero, false, place);
        hook(&cleanup, site, 1, zero, false, place);
        gimple_seq_add_stmt(&body, gimple_build_try(gimple_body(decl), cleanup, GIMPLE_TRY_FINALLY));
    } else {
        gimple_seq_add_seq(&body, gimple_body(decl));
    }
    gimple_seq_add_stmt(&all, gimple_build_bind(NULL_TREE, body, NULL_TREE));
    gimple_set_body(decl, all);
}

void instrumenter::run()
{
    if (!gimple_body(decl) || !DECL_NAME(decl))
        return;
    name = kpx_is_compiling_fortran() ? IDENTIFIER_POINTER(DECL_NAME(decl))
                                      : xstrdup(lang_hooks.decl_printable_name(decl, 1));
    bool routine = kpx_options.routines && is_routine(), excepted = kpx_is_excepted(name);
    if (routine && excepted) {
        routine_site(KPX_SITE_UNSEEN); // the report has a line for it
        routine = false;
    }
    if (kpx_options.loops && !excepted && kpx_is_compiling_fortran())
        find(gimple_body(decl), NULL, {NULL, false});
    if (!routine && loops.is_empty())
        return;
    frame = create_tmp_var(ptr_type_node, "kpx_frame");
    if (!loops.is_empty()) {
        gimple_seq body = gimple_body(decl);
        change(&body, NULL, false);
        gimple_set_body(decl, body);
    }
    wrap(routine ? routine_site(0) : NULL_TREE);
    for (do_loop *l : loops)
        free(l);
}

} // namespace

bool kpx_is_compiling_fortran(void)
{
    return strncmp(lang_hooks.name, "GNU Fortran", 11) == 0;
}

void kpx_instrument(tree function)
{
    instrumenter(function).run();
}
