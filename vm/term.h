// SPDX-License-Identifier: MIT
//
// Terms: one tagged word each, and how they are made.
//
//   63                                    3 2  0
//   [ address of a variable              ] 000   TAG_REF
//   [ 61-bit signed integer              ] 001   TAG_INT
//   [ address of {head, tail}            ] 010   TAG_CONS
//   [ address of {functor, args...}      ] 011   TAG_STRUCT
//   [ atom number                        ] 100   TAG_ATOM
//   [ address of a box: {kind, ...}      ] 101   TAG_BOX    big integer, double, string, vector
//   [ address of a suspension record     ] 110   TAG_UNBOUND   only as the value of an unbound variable
//   [ vm_origin ][ owner ][ 1 ] 110   likewise, nobody waits for it (VM_UNBOUND)
//
// A variable is a word in memory: `value` of a vm_var or, in plain runs, an argument's place in a
// cons or structure. While unbound it has TAG_UNBOUND and the first suspension record of the goals
// that wait for it, or VM_UNBOUND and, in an argument's place, where the variable was created; in a
// list of suspension records that is the end of the list. Then it is the term it was bound to, for
// good:
//
//     unbound, no records --suspend--> unbound, with records
//              |                                  |
//              +------------- bind ---------------+--> bound (its goals are resumed, never changes)
//
// While a worker of a real run binds a variable, the value is VM_BUSY. Only a worker that would
// bind the variable, or add a suspension record to it, tells this from TAG_UNBOUND
// (vm/engine/real.h).
//
// Stamped runs (ideal machine, traced or not) use the longer form of a variable, and give every
// compound a number (`cell`) in one more word behind its arguments. Code that only follows `value`
// and reads arguments with vm_field works on both; vm_var.origin is there only for a variable that
// has memory of its own (vm_get_origin knows both).
#ifndef VM_TERM_H
#define VM_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uintptr_t vm_word;

enum {
    TAG_REF = 0,
    TAG_INT = 1,
    TAG_CONS = 2,
    TAG_STRUCT = 3,
    TAG_ATOM = 4,
    TAG_BOX = 5,
    TAG_UNBOUND = 6,
    TAG_MASK = 7,
};

#define VM_INT_MAX ((int64_t)0x0fffffffffffffff)
#define VM_INT_MIN (-VM_INT_MAX - 1)

static inline unsigned vm_tag(vm_word w)
{
    return (unsigned)(w & TAG_MASK);
}

static inline void *vm_pointer(vm_word w)
{
    return (void *)(w & ~(vm_word)TAG_MASK);
}

static inline vm_word vm_int(int64_t i) // i within VM_INT_MIN..VM_INT_MAX
{
    return ((vm_word)i << 3) | TAG_INT;
}

static inline int64_t vm_int_value(vm_word w)
{
    return (int64_t)w >> 3;
}

static inline vm_word vm_atom(uint32_t number)
{
    return ((vm_word)number << 3) | TAG_ATOM;
}

static inline uint32_t vm_atom_number(vm_word w)
{
    return (uint32_t)(w >> 3);
}

// Atoms are interned for the life of the process.
uint32_t vm_atom_intern(const char *text, size_t length);
vm_word vm_atom_from(const char *text); // NUL-terminated
const char *vm_atom_text(uint32_t number); // NUL-terminated
size_t vm_atom_length(uint32_t number);

enum { ATOM_NIL, ATOM_TRUE, ATOM_DOT, ATOM_FIXED }; // numbers of `[]`, `true`, `.`
#define VM_NIL ((vm_word)TAG_ATOM)

// A functor word is name and arity: arity in the upper 32 bits, atom number in the lower.
static inline vm_word vm_functor(uint32_t name, uint32_t arity)
{
    return ((vm_word)arity << 32) | name;
}

static inline uint32_t vm_functor_name(vm_word functor)
{
    return (uint32_t)functor;
}

static inline uint32_t vm_functor_arity(vm_word functor)
{
    return (uint32_t)(functor >> 32);
}

// Where a variable was created: clause number and the variable's place in the clause's names. One
// made by a built-in has the clause VM_NO_CLAUSE and, as index, the atom number of its name.
#define VM_NO_CLAUSE UINT32_MAX
typedef struct {
    uint32_t clause;
    uint32_t index;
} vm_origin;

// Plain runs allocate only the first two fields.
typedef struct vm_var {
    vm_word value;
    vm_origin origin;
    // stamped runs only
    int64_t time;  // when it was bound
    uint32_t cell; // number in the trace
    uint32_t mark; // last reduction that listed it (removes duplicates); real: body item that bound it
    // real stamped runs only
    struct vm_stamp *maker; // of the binding
    uint64_t number;        // instead of `cell`
} vm_var;

#define VM_PLAIN_VAR_SIZE (offsetof(vm_var, time))
#define VM_IDEAL_VAR_SIZE (offsetof(vm_var, maker))

// The value of an unbound variable for which nobody waits, and which has memory of its own. With
// several workers it also says who made the variable: its owner, who alone binds it (vm/engine/bind.h).
//
//      63                                     14        4 3  0
//     +---------------------------------------+----------+----+
//     | address of the vm_origin / 4, or 0    | owner    |1110|
//     +---------------------------------------+----------+----+
#define VM_UNBOUND ((vm_word)8 | TAG_UNBOUND) // of worker 0
#define VM_BUSY    ((vm_word)TAG_UNBOUND)

enum { VM_OWNER_SHIFT = 4, VM_OWNER_BITS = 10, VM_ORIGIN_SHIFT = VM_OWNER_SHIFT + VM_OWNER_BITS - 2 };
#define VM_OWNERS     ((vm_word)1 << VM_OWNER_BITS)
#define VM_OWNER_MASK ((VM_OWNERS << VM_OWNER_SHIFT) - 1)

static inline vm_word vm_unbound_of(uint32_t owner)
{
    return (vm_word)owner << VM_OWNER_SHIFT | VM_UNBOUND;
}

// The same for a place; unbound: as the owner writes it. The origin lies in the program's code or is
// static: the word does not keep it.
static inline vm_word vm_unbound_place(const vm_origin *origin, vm_word unbound)
{
    return (vm_word)origin << VM_ORIGIN_SHIFT | unbound;
}

// Is it the value of an unbound variable for which nobody waits?
static inline bool vm_is_unawaited(vm_word value)
{
    return (value & 15) == VM_UNBOUND;
}

static inline const vm_origin *vm_origin_of_place(vm_word value) // unawaited; NULL: no place
{
    return (const vm_origin *)(value >> VM_ORIGIN_SHIFT & ~(vm_word)3);
}

// Words that workers bind while others read them: a reader that sees a term also sees what it is
// made of. On the usual processors this is a plain load.
static inline vm_word vm_load(const vm_word *place)
{
    return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

static inline vm_var *vm_as_var(vm_word w) // TAG_REF
{
    return (vm_var *)w;
}

static inline bool vm_is_bound(const vm_var *v)
{
    return vm_tag(vm_load(&v->value)) != TAG_UNBOUND;
}

static inline bool vm_is_var(vm_word w)
{
    return vm_tag(w) == TAG_REF;
}

// The end of a chain of bound variables: no variable, or an unbound one. Records nothing.
static inline vm_word vm_end_of(vm_word w)
{
    while (vm_is_var(w)) {
        vm_word value = vm_load(&vm_as_var(w)->value);
        if (vm_tag(value) == TAG_UNBOUND)
            break;
        w = value;
    }
    return w;
}

static inline vm_word vm_ref(vm_var *v)
{
    return (vm_word)v;
}

// TAG_CONS: words[0] head, [1] tail, stamped: [2] cell number.
// TAG_STRUCT: words[0] functor, [1..arity] arguments, stamped: [arity+1] cell number.
static inline vm_word *vm_words(vm_word w)
{
    return (vm_word *)vm_pointer(w);
}

// What an argument of a compound holds. In plain runs a place that is still to be bound may be the
// variable itself (TAG_UNBOUND in the place): then it is a reference to that place.
static inline vm_word vm_field(vm_word *place)
{
    vm_word w = vm_load(place);
    return vm_tag(w) == TAG_UNBOUND ? (vm_word)place : w;
}

static inline vm_word vm_head(vm_word cons)
{
    return vm_field(vm_words(cons));
}

static inline vm_word vm_tail(vm_word cons)
{
    return vm_field(vm_words(cons) + 1);
}

static inline vm_word vm_struct_arg(vm_word structure, uint32_t i) // from 0
{
    return vm_field(vm_words(structure) + 1 + i);
}

// BOX_BIG: an integer outside VM_INT_MIN..VM_INT_MAX (term/big.h).
typedef enum { BOX_BIG, BOX_FLOAT, BOX_STRING, BOX_VECTOR } vm_box_kind;

typedef struct {
    vm_box_kind kind;
} vm_box;

typedef struct {
    vm_box box;
    double value;
} vm_float;

typedef struct {
    vm_box box;
    uint32_t recorder_number; // the recorder's room, 0 to begin with (vm/recorder.h)
    size_t length; // bytes
    char *text;    // UTF-8: `own`, which ends with a NUL, or a part of a buffer, which need not
    uint8_t kind;  // what is known of its characters (term/text.c); 0: nothing yet
    char own[];
} vm_string;

// A persistent vector after Baker ("Shallow binding makes functional arrays fast"): the newest
// version owns the elements, an older one says in what it differs from the next newer one.
//
//     v0 --(i, old)--> v1 --(j, old)--> v2 [elements]
typedef struct vm_vector {
    vm_box box;
    uint32_t lock; // of all versions (make.c)
    uint64_t cell; // stamped: number in the trace
    size_t length;
    vm_word *elements;       // newest version; NULL in an older one
    struct vm_vector *newer; // older version: differs from newer at index
    size_t index;
    vm_word old;
    size_t walked;           // older version: how far reads of it went
} vm_vector;

// Of two strings by their bytes: -1, 0 or 1.
int vm_string_order(vm_word a, vm_word b);

static inline vm_box *vm_as_box(vm_word w) // TAG_BOX
{
    return (vm_box *)vm_pointer(w);
}

static inline bool vm_is_box(vm_word w, vm_box_kind kind)
{
    return vm_tag(w) == TAG_BOX && vm_as_box(w)->kind == kind;
}

// Arguments of a compound (cons, structure, vector), from 0; -1 arguments: not a compound.
int64_t vm_arguments(vm_word w);
vm_word vm_argument(vm_word w, uint32_t i);

// ---- Making terms: constants of a program, terms that are read, results of built-ins -----------
//
// A machine that makes compounds and variables gives them what its run needs (numbers in a stamped
// one). NULL: as a plain run has them; the compiler does so.

typedef struct vm_machine vm_machine;

vm_word vm_make_integer(const char *digits, int base); // any size; digits may begin with '-'
vm_word vm_make_float(double d);
vm_word vm_make_string(const char *text, size_t length);
vm_word vm_make_cons(vm_machine *m, vm_word head, vm_word tail);
vm_word vm_make_struct(vm_machine *m, vm_word functor, const vm_word *args);
vm_word vm_make_vector(vm_machine *m, const vm_word *elements, size_t n);
vm_word vm_make_variable(vm_machine *m, vm_origin origin);
vm_word vm_vector_get(const vm_vector *v, size_t index); // from 0; any version, by any worker
char *vm_integer_digits(vm_word integer, int base); // collected memory

#endif
