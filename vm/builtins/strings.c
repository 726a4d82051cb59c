// SPDX-License-Identifier: MIT
//
// Built-in predicates: text. Strings are UTF-8; positions, lengths and elements are characters.
#include "base/utf8.h"
#include "vm/builtins/arguments.h"
#include "vm/engine/arith.h"
#include "vm/engine/builtin.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

static vm_word string_of(const base_text *t)
{
    return vm_make_string(t->n ? t->at : "", t->n);
}

// ---- Conversions ----------------------------------------------------------------------------

// A conversion works from its left argument if that is bound, else from its right one. VM_DONE:
// *ret_left tells which, *ret is the bound one.
static vm_result need_either(vm_machine *m, vm_word *args, bool *ret_left, vm_word *ret)
{
    vm_word left = vm_deref(m, args[0]);
    *ret_left = !vm_is_var(left);
    *ret = left;
    if (*ret_left)
        return VM_DONE;
    *ret = vm_deref(m, args[1]);
    if (!vm_is_var(*ret))
        return VM_DONE;
    vm_wait(m, left);
    return vm_wait(m, *ret);
}

static vm_result string_value(vm_machine *m, vm_word w, const vm_string **ret)
{
    if (!vm_is_box(w, BOX_STRING))
        return vm_error(m, w, "a string is expected");
    *ret = (const vm_string *)vm_as_box(w);
    return VM_DONE;
}

vm_result vm_atom_string(vm_machine *m, vm_word *args)
{
    bool left;
    vm_word value;
    const vm_string *s;
    NEED(need_either(m, args, &left, &value));
    if (left) {
        if (vm_tag(value) != TAG_ATOM)
            return vm_error(m, value, "an atom is expected");
        uint32_t atom = vm_atom_number(value);
        return vm_return(m, args[1], vm_make_string(vm_atom_text(atom), vm_atom_length(atom)));
    }
    NEED(string_value(m, value, &s));
    return vm_return(m, args[0], vm_atom(vm_atom_intern(s->text, s->length)));
}

static size_t digits(const char *text, size_t at, size_t end)
{
    while (at < end && isdigit((unsigned char)text[at]))
        at++;
    return at;
}

bool vm_number_from(const char *text, size_t length, vm_word *ret)
{
    size_t at = 0, end = length;
    while (at < end && isspace((unsigned char)text[at]))
        at++;
    while (end > at && isspace((unsigned char)text[end - 1]))
        end--;
    size_t sign = at < end && (text[at] == '-' || text[at] == '+');
    size_t whole = digits(text, at + sign, end), stop = whole;
    if (whole == at + sign)
        return false;
    if (stop + 1 < end && text[stop] == '.' && isdigit((unsigned char)text[stop + 1]))
        stop = digits(text, stop + 1, end);
    if (stop + 1 < end && (text[stop] == 'e' || text[stop] == 'E')) {
        size_t from = stop + 1 + (text[stop + 1] == '-' || text[stop + 1] == '+');
        size_t to = digits(text, from, end);
        stop = to > from ? to : stop;
    }
    if (stop != end)
        return false;
    base_text copy = VM_TEXT;
    at += sign && text[at] == '+';
    text_add(&copy, text + at, end - at);
    text_add_char(&copy, '\0');
    if (stop == whole) {
        *ret = vm_make_integer(copy.at, 10);
        return true;
    }
    double d = strtod(copy.at, NULL);
    *ret = vm_heap_float(d);
    return isfinite(d);
}

vm_result vm_number_string(vm_machine *m, vm_word *args)
{
    bool left;
    vm_word value, number;
    const vm_string *s;
    NEED(need_either(m, args, &left, &value));
    if (left) {
        if (!vm_is_number(value))
            return vm_error(m, value, "a number is expected");
        base_text t = VM_TEXT;
        vm_text_add_term(&t, value, &vm_write_options);
        return vm_return(m, args[1], string_of(&t));
    }
    NEED(string_value(m, value, &s));
    if (!vm_number_from(s->text, s->length, &number))
        return vm_error(m, value, "the text of a number is expected");
    return vm_return(m, args[0], number);
}

vm_result vm_term_string(vm_machine *m, vm_word *args)
{
    bool left;
    vm_word value;
    const vm_string *s;
    NEED(need_either(m, args, &left, &value));
    if (left) {
        base_text t = VM_TEXT;
        NEED(vm_need_ground(m, vm_progress(m), args[0]));
        vm_text_add_term(&t, value, &vm_quote_options);
        return vm_return(m, args[1], string_of(&t));
    }
    NEED(string_value(m, value, &s));
    if (!m->program->read_term)
        return vm_error(m, value, "terms cannot be read here");
    base_text t = VM_TEXT; // with the full stop that a term in a file has
    text_add(&t, s->text, s->length);
    text_add_string(&t, " .");
    const char *at = t.at;
    vm_word term, more;
    if (m->program->read_term(m, &at, t.at + t.n, &term) != 1 ||
        m->program->read_term(m, &at, t.at + t.n, &more) != 0)
        return vm_error(m, value, "the text of one term is expected");
    return vm_return(m, args[0], term);
}

static vm_result codes_to_text(vm_machine *m, const vm_items *codes, base_text *t)
{
    for (uint32_t i = 0; i < codes->n; i++) {
        int64_t code;
        NEED(vm_need_small(m, codes->at[i], &code));
        if (!utf8_allowed(code))
            return vm_error(m, vm_int(code), "the code of a character is expected");
        text_add_code(t, (uint32_t)code);
    }
    return VM_DONE;
}

// Of a plain run. Later ones go on where the attempt before had to wait.
static bool is_first_attempt(vm_machine *m)
{
    return !m->stamped && *vm_progress(m) == NULL;
}

enum { SHORT_TEXT = 500 }; // bytes

// Plain runs: the string of a short list that is there and has nothing but codes of ASCII; 0: none.
static vm_word short_string(vm_word codes)
{
    char text[SHORT_TEXT];
    size_t n = 0;
    for (codes = vm_end_of(codes); vm_tag(codes) == TAG_CONS; codes = vm_end_of(vm_tail(codes))) {
        vm_word code = vm_end_of(vm_head(codes));
        if (n == SHORT_TEXT || vm_tag(code) != TAG_INT || (uint64_t)vm_int_value(code) >= 0x80)
            return 0;
        text[n++] = (char)vm_int_value(code);
    }
    return codes == VM_NIL ? vm_make_string(text, n) : 0;
}

// Plain runs: from the first to the last, without another copy.
static vm_word list_of_codes(vm_machine *m, const vm_string *s)
{
    vm_word list = VM_NIL, *end = &list;
    for (size_t at = 0; at < s->length; end = vm_words(*end) + 1)
        *end = vm_heap_cons(m, vm_int(utf8_next(s->text, s->length, &at)), VM_NIL);
    return list;
}

vm_result vm_string_codes(vm_machine *m, vm_word *args)
{
    vm_word string = vm_deref(m, args[0]);
    vm_items items = {0};
    base_text t = VM_TEXT;
    vm_word made = vm_is_var(string) && is_first_attempt(m) ? short_string(args[1]) : 0;
    if (made)
        return vm_return(m, string, made);
    if (vm_is_var(string)) {
        vm_result codes = vm_need_list(m, vm_progress(m), args[1], &items);
        if (codes == VM_DONE)
            codes = codes_to_text(m, &items, &t);
        if (codes == VM_WAIT)
            vm_wait(m, string);
        return codes == VM_DONE ? vm_return(m, string, string_of(&t)) : codes;
    }
    const vm_string *s;
    NEED(string_value(m, string, &s));
    if (!m->stamped)
        return vm_return(m, args[1], list_of_codes(m, s));
    for (size_t at = 0; at < s->length;)
        VM_PUSH(items, vm_int(utf8_next(s->text, s->length, &at)));
    return vm_return(m, args[1], vm_list_from(m, items.at, items.n, VM_NIL));
}

// ---- Strings --------------------------------------------------------------------------------

vm_result vm_string_concat(vm_machine *m, vm_word *args)
{
    const vm_string *a, *b;
    NEED(vm_need_string(m, args[0], &a));
    NEED(vm_need_string(m, args[1], &b));
    return vm_return(m, args[2], vm_string_append(a, b));
}

enum { MOST_JOINED = 1 << 20 }; // strings that are joined at once; a longer list may have no end

// A list that is ground: the number of items, and where the next one is found.
static vm_result need_ground_list(vm_machine *m, vm_word w, vm_word *ret)
{
    NEED(vm_need_ground(m, vm_progress(m), w));
    *ret = vm_end_of(w);
    return VM_DONE;
}

// The next item of a ground list; VM_DONE and 0 at its end.
static vm_result next_item(vm_machine *m, vm_word *list, vm_word *ret)
{
    *ret = 0;
    if (*list == VM_NIL)
        return VM_DONE;
    if (vm_tag(*list) != TAG_CONS)
        return vm_error(m, *list, "a list is expected");
    *ret = vm_end_of(vm_head(*list));
    *list = vm_end_of(vm_tail(*list));
    return VM_DONE;
}

// The length of the strings of a list with separators; false: something is not there, or no string.
static bool joined_length(vm_word list, size_t separator, size_t *ret)
{
    size_t n = 0;
    uint64_t items = 0;
    for (list = vm_end_of(list); vm_tag(list) == TAG_CONS; list = vm_end_of(vm_tail(list))) {
        vm_word item = vm_end_of(vm_head(list));
        if (!vm_is_box(item, BOX_STRING) || ++items > MOST_JOINED)
            return false;
        n += ((const vm_string *)vm_as_box(item))->length + separator;
    }
    *ret = items > 0 ? n - separator : 0;
    return list == VM_NIL;
}

static char *copy_of(char *to, const vm_string *s)
{
    memcpy(to, s->text, s->length);
    return to + s->length;
}

static vm_word joined(vm_word list, const vm_string *separator, size_t length)
{
    vm_string *s = vm_heap_string(length);
    char *at = s->text;
    for (list = vm_end_of(list); vm_tag(list) == TAG_CONS;) {
        at = copy_of(at, (const vm_string *)vm_as_box(vm_end_of(vm_head(list))));
        list = vm_end_of(vm_tail(list));
        if (list != VM_NIL)
            at = copy_of(at, separator);
    }
    return vm_heap_box(s);
}

vm_result vm_string_join(vm_machine *m, vm_word *args)
{
    const vm_string *separator, *s;
    vm_word list, item;
    base_text t = VM_TEXT;
    size_t length;
    NEED(vm_need_string(m, args[1], &separator));
    if (is_first_attempt(m) && joined_length(args[0], separator->length, &length))
        return vm_return(m, args[2], joined(args[0], separator, length));
    NEED(need_ground_list(m, args[0], &list));
    for (bool first = true;; first = false) {
        NEED(next_item(m, &list, &item));
        if (!item)
            return vm_return(m, args[2], string_of(&t));
        NEED(string_value(m, item, &s));
        if (!first)
            text_add(&t, separator->text, separator->length);
        text_add(&t, s->text, s->length);
    }
}

// The text of a piece that is no list.
static vm_result add_piece(vm_machine *m, base_text *t, vm_word piece)
{
    if (vm_is_box(piece, BOX_STRING)) {
        const vm_string *s = (const vm_string *)vm_as_box(piece);
        text_add(t, s->text, s->length);
        return VM_DONE;
    }
    if (!vm_is_number(piece) && vm_tag(piece) != TAG_ATOM)
        return vm_error(m, piece, "a string, an atom, a number or a list of these is expected");
    vm_text_add_term(t, piece, &vm_write_options);
    return VM_DONE;
}

vm_result vm_string_build(vm_machine *m, vm_word *args)
{
    vm_word list, item;
    base_text t = VM_TEXT;
    vm_items outer = {0}; // what is left of the lists around this one
    NEED(need_ground_list(m, args[0], &list));
    for (;;) {
        NEED(next_item(m, &list, &item));
        if (!item && outer.n == 0)
            return vm_return(m, args[1], string_of(&t));
        if (!item) {
            list = outer.at[--outer.n];
        } else if (vm_tag(item) == TAG_CONS) {
            VM_PUSH(outer, list);
            list = item;
        } else if (item != VM_NIL) {
            NEED(add_piece(m, &t, item));
        }
    }
}

vm_result vm_string_length(vm_machine *m, vm_word *args)
{
    const vm_string *s;
    NEED(vm_need_string(m, args[0], &s));
    return vm_return(m, args[1], vm_int((int64_t)vm_string_count(s)));
}

static vm_result sub_string(vm_machine *m, vm_word *args, vm_word *after, vm_word *sub)
{
    const vm_string *s;
    int64_t begin, length;
    NEED(vm_need_string(m, args[0], &s));
    NEED(vm_need_small(m, args[1], &begin));
    NEED(vm_need_small(m, args[2], &length));
    int64_t count = (int64_t)vm_string_count(s);
    if (begin < 0 || length < 0 || begin > count || length > count - begin)
        return vm_error(m, vm_heap_box((void *)s), "no %lld characters follow the first %lld",
                        (long long)length, (long long)begin);
    if (after && !vm_unify(m, *after, vm_int(count - begin - length)))
        return VM_FAIL;
    size_t from = vm_string_offset(s, (size_t)begin);
    size_t bytes = vm_string_offset(s, (size_t)(begin + length)) - from;
    return vm_return(m, *sub, vm_make_string(s->text + from, bytes));
}

vm_result vm_sub_string(vm_machine *m, vm_word *args)
{
    return sub_string(m, args, NULL, &args[3]);
}

vm_result vm_sub_string_after(vm_machine *m, vm_word *args)
{
    return sub_string(m, args, &args[3], &args[4]);
}

vm_result vm_split(vm_machine *m, vm_word *args)
{
    const vm_string *s, *separator;
    NEED(vm_need_string(m, args[0], &s));
    NEED(vm_need_string(m, args[1], &separator));
    if (separator->length == 0)
        return vm_error(m, args[1], "a separator of at least one character is expected");
    vm_items parts = {0};
    const char *at = s->text, *end = s->text + s->length;
    for (;;) {
        const char *next = memmem(at, (size_t)(end - at), separator->text, separator->length);
        VM_PUSH(parts, vm_make_string(at, (size_t)((next ? next : end) - at)));
        if (!next)
            break;
        at = next + separator->length;
    }
    return vm_return(m, args[2], vm_list_from(m, parts.at, parts.n, VM_NIL));
}

// ---- Elements -------------------------------------------------------------------------------

// The character of number args[1]: it stands in bytes [*ret_at, *ret_end).
static vm_result need_character(vm_machine *m, vm_word *args, const vm_string **ret_s,
                                size_t *ret_at, size_t *ret_end, uint32_t *ret_code)
{
    int64_t index;
    NEED(vm_need_string(m, args[0], ret_s));
    NEED(vm_need_small(m, args[1], &index));
    const vm_string *s = *ret_s;
    size_t at = index < 0 ? s->length : vm_string_offset(s, (size_t)index);
    if (at == s->length)
        return vm_error(m, vm_int(index), "the index of a character (from 0) is expected");
    *ret_at = at;
    *ret_code = utf8_next(s->text, s->length, &at);
    *ret_end = at;
    return VM_DONE;
}

vm_result vm_string_element(vm_machine *m, vm_word *args)
{
    const vm_string *s = NULL;
    size_t at, end;
    uint32_t code = 0;
    NEED(need_character(m, args, &s, &at, &end, &code));
    if (!vm_unify(m, args[2], vm_int(code)))
        return VM_FAIL;
    return m->reduction.goal->predicate->arity != 4 ? VM_DONE
                                                    : vm_return(m, args[3], vm_heap_box((void *)s));
}

vm_result vm_set_string_element(vm_machine *m, vm_word *args)
{
    const vm_string *s = NULL;
    size_t at = 0, end = 0;
    uint32_t code;
    NEED(need_character(m, args, &s, &at, &end, &code));
    vm_items element = {0};
    VM_PUSH(element, args[2]);
    base_text t = VM_TEXT;
    text_add(&t, s->text, at);
    NEED(codes_to_text(m, &element, &t));
    text_add(&t, s->text + end, s->length - end);
    return vm_return(m, args[3], string_of(&t));
}

// new_string(S, N, Bits): as new_string/2; elements have 8 bits.
vm_result vm_new_string_bits(vm_machine *m, vm_word *args)
{
    int64_t bits;
    NEED(vm_need_small(m, args[2], &bits));
    if (bits != 8)
        return vm_error(m, vm_int(bits), "elements of 8 bits are expected: there are no others");
    return vm_new_string(m, args);
}

vm_result vm_new_string(vm_machine *m, vm_word *args)
{
    vm_word size;
    base_text t = VM_TEXT;
    NEED(vm_need(m, args[1], &size));
    if (vm_tag(size) == TAG_INT && vm_int_value(size) >= 0 && vm_int_value(size) <= INT32_MAX) {
        size_t n = (size_t)vm_int_value(size);
        vm_string *s = vm_heap_string(n);
        memset(s->text, 0, n);
        return vm_return(m, args[0], vm_heap_box(s));
    }
    if (vm_tag(size) != TAG_CONS && size != VM_NIL)
        return vm_error(m, size, "a length or a list of codes is expected");
    vm_items items = {0};
    NEED(vm_need_list(m, vm_progress(m), args[1], &items));
    NEED(codes_to_text(m, &items, &t));
    return vm_return(m, args[0], string_of(&t));
}
