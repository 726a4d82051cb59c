// SPDX-License-Identifier: MIT
//
// The state of the compiler while it emits the code of a clause.
//
// Registers hold the arguments of the goal first, then, in order of need, the parts that the head
// takes from them, numbers that guards compute and terms that the body builds. A variable of the
// clause keeps the register of its first occurrence; registers of temporaries are free again after
// their body item.
#ifndef FLENG_EMIT_H
#define FLENG_EMIT_H

#include "fleng/compile/template.h"
#include "fleng/reader/collected.h"
#include "fleng/reader/messages.h"
#include "fleng/reader/read_value.h"
#include "fleng/reader/terms.h"

typedef ARRAY_OF(uint32_t) fl_words;

// Code that is seldom run, kept for the end of the clause. `labels` are the operands to be set to
// its beginning; it continues at `join`.
typedef struct {
    fl_words code, labels;
    uint32_t join;
} fl_slow_path;

// An assignment that a goal of a predicate made for it will do.
typedef struct {
    vm_predicate *predicate;
    uint32_t item;
    fl_words variables; // of the expression: arguments from the second on
} fl_deferred;

typedef struct {
    bool plain; // for plain runs, else for stamped ones
    fl_words code;
    ARRAY_OF(vm_word) constants;
    uint32_t registers; // most used by any clause
    bool has_priorities; // some goals have one: in plain runs SPAWN_AT creates all queued goals
    fl_messages *messages;
    const fl_source *sources;

    bool beginning; // the current clause is the beginning of the run
    uint32_t npredicates;         // of the text, and built-ins
    ARRAY_OF(vm_predicate *) made; // by the compiler; they have the next numbers
    fl_words calls; // operands to be set to the entry of the predicate before them

    // the current clause
    const fl_clause *clause;
    uint32_t clause_id;
    uint32_t next_register, most_registers;
    uint32_t *register_of; // by variable
    bool *known;           // by variable: its register holds it
    bool *pending;         // by variable: a goal that has not run yet is to bind it (plain)
    uint32_t *node_of;     // by variable: its node in the template (stamped)
    ARRAY_OF(fl_slow_path) slow_paths;
    ARRAY_OF(fl_deferred) deferred;

    // its template
    ARRAY_OF(fl_node) nodes;
    fl_words children, item_first;
    uint32_t nstructs;
} fl_emitter;

enum { FL_NO_REGISTER = UINT32_MAX };

static inline void fl_emit(fl_emitter *e, uint32_t word)
{
    FL_PUSH(e->code, word);
}

#define FL_EMIT(e, ...)                                                                            \
    do {                                                                                           \
        const uint32_t words_[] = {__VA_ARGS__};                                                   \
        for (size_t i_ = 0; i_ < sizeof words_ / sizeof *words_; i_++)                             \
            fl_emit(e, words_[i_]);                                                                \
    } while (0)

// Reserves n consecutive registers.
uint32_t fl_registers(fl_emitter *e, uint32_t n);
uint32_t fl_constant(fl_emitter *e, vm_word w);
vm_word fl_functor_of(const fl_term *t); // FL_STRUCT
uint32_t fl_add_node(fl_emitter *e, fl_node node); // to the template

// A term of the clause as a pattern. It does not tell which occurrence of a variable is the first.
vm_pattern *fl_pattern(const fl_clause *c, const fl_term *t);
// Is the item a `:=`?
bool fl_is_assignment(const fl_item *item);
// Has the item a priority of its own?  Then its goal goes through the queue.
bool fl_is_queued(const fl_item *item);
uint32_t fl_emit_priority(fl_emitter *e, const fl_priority *p); // the instruction to create it with
// Emits the code of the head and returns its patterns. `switched`: the argument that SWITCH looked
// at, or FL_NO_REGISTER. *ret_known: the beginning of the code that relies on SWITCH's finding.
vm_pattern **fl_emit_head(fl_emitter *e, uint32_t switched, uint32_t *ret_known);
// Fills made->shape, once the body is emitted: the variables have their nodes.
void fl_note_shape(fl_emitter *e, bool below_otherwise, fl_template *made);
void fl_emit_guards(fl_emitter *e, const fl_guards *guards);
void fl_emit_guard(fl_emitter *e, const fl_guard *guard);

// Emits code that builds the term; returns the register that will hold it. *ret_node is its node in
// the template; ret_node is NULL in guards and for plain runs, where nothing is numbered.
uint32_t fl_emit_term(fl_emitter *e, const fl_term *t, uint32_t *ret_node);
// Is it a variable whose register does not hold it yet?
bool fl_is_unknown(const fl_emitter *e, const fl_term *t);
void fl_emit_variable(fl_emitter *e, uint32_t var); // makes a new one
void fl_emit_body_plain(fl_emitter *e);

// Plain: may the item, a goal of a built-in, run before the other goals of the body? Else what it
// waits for is not there.
bool fl_is_ready(fl_emitter *e, const fl_item *item);
void fl_note_run(fl_emitter *e, const fl_item *item); // it was called: what it binds is there

// Has the item, an assignment, a goal with code of its own?  Then it is the last of e->deferred,
// and its code follows that of the clause.
bool fl_defer(fl_emitter *e, uint32_t index);
void fl_emit_deferred(fl_emitter *e);

// Code for plain runs that computes with small integers. Everything else takes a slow path, whose
// address must be put into the operands that are added to *slow.
bool fl_is_computable(const fl_emitter *e, const fl_term *t); // by such code, at this point
bool fl_is_deep(const fl_term *t); // too deep for such code
// reg := value. inner: nothing but the operation or comparison that follows uses the value.
void fl_compute(fl_emitter *e, const fl_term *t, uint32_t reg, fl_words *slow, bool inner);
// Moves the code emitted since `from`, a slow path, to the end of the clause. The slow path then
// continues here.
void fl_move_slow_path(fl_emitter *e, uint32_t from, const fl_words *slow);
void fl_emit_slow_paths(fl_emitter *e); // at the end of the clause

#endif
