// SPDX-License-Identifier: MIT
//
// The trie of a set follows Okasaki and Gill, "Fast mergeable integer maps". Recursion descends by
// the bits of a key, so it is at most 32 deep.
#include "iotree/tree/input_sets.h"

#define TRIED  64u // entries of a set tried for a chain to continue
#define PLACES 4u  // places of an input before it begins a chain of its own

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

void iot_sets_init(input_sets *s, uint32_t ninputs)
{
    memset(s, 0, sizeof *s);
    s->first_place = base_allocate(ninputs, sizeof *s->first_place);
    s->stamp = base_allocate(ninputs, sizeof *s->stamp);
    ARRAY_PUSH(s->nodes, (set_node){0}); // 0 is the empty set, and no place
    ARRAY_PUSH(s->places, (chain_place){0});
}

void iot_sets_free(input_sets *s)
{
    for (size_t i = 0; i < s->chains.n; i++)
        free(s->chains.at[i].inputs.at);
    free(s->chains.at);
    free(s->nodes.at);
    free(s->places.at);
    free(s->first_place);
    free(s->stamp);
}

// ---------------------------------------------------------------------------------------------
// The trie

static input_set new_node(input_sets *s, set_node n)
{
    if (s->nodes.n == UINT32_MAX)
        base_bug("too many sets of inputs");
    ARRAY_PUSH(s->nodes, n);
    return (input_set)(s->nodes.n - 1);
}

static input_set entry(input_sets *s, uint32_t chain, uint32_t length)
{
    uint64_t hash = mix((uint64_t)chain << 32 | length);
    return new_node(s, (set_node){.hash = hash, .key = chain, .left = length});
}

static input_set branch(input_sets *s, uint32_t key, uint32_t bit, input_set left, input_set right)
{
    uint64_t hash = s->nodes.at[left].hash + s->nodes.at[right].hash;
    return new_node(s, (set_node){hash, bit, key, left, right});
}

// Two sets whose keys differ below the bits they have in common.
static input_set join(input_sets *s, uint32_t key_a, input_set a, uint32_t key_b, input_set b)
{
    uint32_t bit = (key_a ^ key_b) & -(key_a ^ key_b), key = key_a & (bit - 1);
    return key_a & bit ? branch(s, key, bit, b, a) : branch(s, key, bit, a, b);
}

static bool belongs(const set_node *n, uint32_t key)
{
    return (key & (n->bit - 1)) == n->key;
}

// The branch with one side replaced; the same branch if nothing changed.
static input_set replace(input_sets *s, input_set set, bool right, input_set child)
{
    set_node n = s->nodes.at[set];
    if (child == (right ? n.right : n.left))
        return set;
    return right ? branch(s, n.key, n.bit, n.left, child) : branch(s, n.key, n.bit, child, n.right);
}

// made: an entry of this chain and length that can be used, or 0.
static input_set insert(input_sets *s, input_set set, uint32_t chain, uint32_t length,
                        input_set made)
{
    if (!set)
        return made ? made : entry(s, chain, length);
    set_node n = s->nodes.at[set];
    if (!n.bit && n.key == chain)
        return n.left >= length ? set : made ? made : entry(s, chain, length);
    if (n.bit && belongs(&n, chain)) {
        bool right = chain & n.bit;
        return replace(s, set, right, insert(s, right ? n.right : n.left, chain, length, made));
    }
    return join(s, chain, made ? made : entry(s, chain, length), n.key, set);
}

static input_set merge_branches(input_sets *s, input_set a, input_set b)
{
    set_node x = s->nodes.at[a], y = s->nodes.at[b];
    if (x.bit == y.bit && x.key == y.key) {
        input_set left = iot_set_merge(s, x.left, y.left),
                  right = iot_set_merge(s, x.right, y.right);
        if (left == x.left && right == x.right)
            return a;
        if (left == y.left && right == y.right)
            return b;
        return branch(s, x.key, x.bit, left, right);
    }
    if (x.bit < y.bit && belongs(&x, y.key)) {
        bool right = y.key & x.bit;
        return replace(s, a, right, iot_set_merge(s, right ? x.right : x.left, b));
    }
    if (y.bit < x.bit && belongs(&y, x.key)) {
        bool right = x.key & y.bit;
        return replace(s, b, right, iot_set_merge(s, a, right ? y.right : y.left));
    }
    return join(s, x.key, a, y.key, b);
}

input_set iot_set_merge(input_sets *s, input_set a, input_set b)
{
    if (a == b || !b)
        return a;
    if (!a)
        return b;
    if (!s->nodes.at[b].bit)
        return insert(s, a, s->nodes.at[b].key, s->nodes.at[b].left, b);
    if (!s->nodes.at[a].bit)
        return insert(s, b, s->nodes.at[a].key, s->nodes.at[a].left, a);
    return merge_branches(s, a, b);
}

static uint32_t length_of(const input_sets *s, input_set set, uint32_t chain)
{
    while (set && s->nodes.at[set].bit)
        set = chain & s->nodes.at[set].bit ? s->nodes.at[set].right : s->nodes.at[set].left;
    return set && s->nodes.at[set].key == chain ? s->nodes.at[set].left : 0;
}

bool iot_set_same(const input_sets *s, input_set a, input_set b)
{
    if (a == b)
        return true;
    if (!a || !b)
        return false;
    const set_node *x = &s->nodes.at[a], *y = &s->nodes.at[b];
    if (x->hash != y->hash || x->bit != y->bit || x->key != y->key)
        return false;
    if (!x->bit)
        return x->left == y->left;
    return iot_set_same(s, x->left, y->left) && iot_set_same(s, x->right, y->right);
}

uint64_t iot_set_hash(const input_sets *s, input_set set)
{
    return set ? s->nodes.at[set].hash : 0;
}

// ---------------------------------------------------------------------------------------------
// Places

bool iot_set_has(const input_sets *s, input_set set, uint32_t input)
{
    for (uint32_t p = s->first_place[input]; p; p = s->places.at[p].next) {
        if (length_of(s, set, s->places.at[p].chain) >= s->places.at[p].position)
            return true;
    }
    return false;
}

static bool can_continue(const input_sets *s, uint32_t chain, uint32_t length, uint32_t predicate,
                         bool shared)
{
    const input_chain *c = &s->chains.at[chain];
    return c->inputs.n == length && length && c->predicate == predicate && c->shared == shared;
}

// A chain that the set holds whole, or IOT_NONE: not every one is tried.
static uint32_t whole_chain(const input_sets *s, input_set set, uint32_t predicate, bool shared,
                            uint32_t hint)
{
    if (hint != IOT_NONE && can_continue(s, hint, length_of(s, set, hint), predicate, shared))
        return hint;
    input_set stack[40];
    unsigned n = 0, tried = 0;
    if (set)
        stack[n++] = set;
    while (n && tried++ < TRIED) {
        const set_node *node = &s->nodes.at[stack[--n]];
        if (node->bit) {
            stack[n++] = node->left;
            stack[n++] = node->right;
        } else if (can_continue(s, node->key, node->left, predicate, shared)) {
            return node->key;
        }
    }
    return IOT_NONE;
}

static uint32_t new_chain(input_sets *s, uint32_t predicate, bool shared)
{
    ARRAY_PUSH(s->chains, (input_chain){.predicate = predicate, .shared = shared});
    return (uint32_t)s->chains.n - 1;
}

// Puts the input at the end of the chain.
static uint32_t append(input_sets *s, uint32_t chain, uint32_t input)
{
    input_chain *c = &s->chains.at[chain];
    ARRAY_PUSH(c->inputs, input);
    uint32_t position = (uint32_t)c->inputs.n;
    ARRAY_PUSH(s->places, (chain_place){chain, position, s->first_place[input]});
    s->first_place[input] = (uint32_t)s->places.n - 1;
    return position;
}

input_set iot_set_add(input_sets *s, input_set set, uint32_t input, uint32_t predicate,
                      uint32_t *hint)
{
    uint32_t nplaces = 0;
    if (iot_set_has(s, set, input))
        return set;
    for (uint32_t p = s->first_place[input]; p; p = s->places.at[p].next, nplaces++) {
        const chain_place *place = &s->places.at[p];
        if (length_of(s, set, place->chain) + 1 == place->position) {
            *hint = place->chain;
            return insert(s, set, place->chain, place->position, 0);
        }
    }
    // The first place of a chain serves every later reader, so that places stay few.
    bool shared = nplaces > 0;
    uint32_t chain = nplaces < PLACES ? whole_chain(s, set, predicate, shared, *hint) : IOT_NONE;
    if (chain == IOT_NONE)
        chain = new_chain(s, predicate, shared);
    uint32_t length = append(s, chain, input);
    *hint = chain;
    return insert(s, set, chain, length, 0);
}

// ---------------------------------------------------------------------------------------------
// Differences

static void list_chain(input_sets *s, uint32_t chain, uint32_t from, uint32_t to, input_set without,
                       input_list *list)
{
    for (uint32_t i = from; i < to; i++) {
        uint32_t input = s->chains.at[chain].inputs.at[i];
        list->steps++;
        // With one place only, being beyond what `without` holds of this chain says it all.
        bool once = !s->places.at[s->first_place[input]].next;
        if (!once && (s->stamp[input] == s->now || iot_set_has(s, without, input)))
            continue;
        s->stamp[input] = s->now;
        ARRAY_PUSH(*list, input);
    }
}

// The elements of subtrie a that are not in b, its counterpart in the other set.
static void walk(input_sets *s, input_set a, input_set b, input_set without, input_list *list)
{
    list->steps++;
    if (!a || a == b)
        return;
    set_node x = s->nodes.at[a];
    if (!x.bit) {
        uint32_t held = length_of(s, b, x.key);
        if (held < x.left)
            list_chain(s, x.key, held, x.left, without, list);
        return;
    }
    // A branch of b above a's has all of a's keys on one side.
    while (b && s->nodes.at[b].bit && s->nodes.at[b].bit < x.bit)
        b = x.key & s->nodes.at[b].bit ? s->nodes.at[b].right : s->nodes.at[b].left;
    if (b && s->nodes.at[b].bit == x.bit) {
        set_node y = s->nodes.at[b];
        bool same = y.key == x.key;
        walk(s, x.left, same ? y.left : 0, without, list);
        walk(s, x.right, same ? y.right : 0, without, list);
        return;
    }
    walk(s, x.left, b, without, list);
    walk(s, x.right, b, without, list);
}

void iot_set_difference(input_sets *s, input_set a, input_set b, input_list *list)
{
    s->now++;
    walk(s, a, b, b, list);
}
