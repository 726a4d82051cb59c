// SPDX-License-Identifier: MIT
#include "iotree/tree/reqset.h"

#define TRIED  64u // entries of a set tried for a chain to continue
#define PLACES 4u  // places of an input before it begins a chain of its own

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

void req_init(req_store *s, uint32_t ninputs)
{
    memset(s, 0, sizeof *s);
    s->first_place = iot_alloc(ninputs, sizeof *s->first_place);
    s->stamp = iot_alloc(ninputs, sizeof *s->stamp);
    s->nodes = iot_alloc(16, sizeof *s->nodes);
    s->capacity = 16;
    s->nnodes = 1;
    s->places = iot_alloc(16, sizeof *s->places);
    s->place_capacity = 16;
    s->nplaces = 1;
}

void req_free(req_store *s)
{
    for (uint32_t i = 0; i < s->nchains; i++)
        free(s->chains[i].inputs);
    free(s->chains);
    free(s->nodes);
    free(s->places);
    free(s->first_place);
    free(s->stamp);
}

// ---------------------------------------------------------------------------------------------
// The trie. Little-endian Patricia trees after Okasaki and Gill: recursion goes down the bits of a
// key, so never deeper than 32.

static req_set new_node(req_store *s, req_node n)
{
    if (s->nnodes == UINT32_MAX)
        abort();
    ROOM(s->nodes, s->nnodes, s->capacity);
    s->nodes[s->nnodes] = n;
    return (req_set)s->nnodes++;
}

static req_set entry(req_store *s, uint32_t chain, uint32_t length)
{
    uint64_t hash = mix((uint64_t)chain << 32 | length);
    return new_node(s, (req_node){.hash = hash, .key = chain, .left = length});
}

static req_set branch(req_store *s, uint32_t key, uint32_t bit, req_set left, req_set right)
{
    uint64_t hash = s->nodes[left].hash + s->nodes[right].hash;
    return new_node(s, (req_node){hash, bit, key, left, right});
}

// Two sets whose keys differ below the bits they have in common.
static req_set join(req_store *s, uint32_t key_a, req_set a, uint32_t key_b, req_set b)
{
    uint32_t bit = (key_a ^ key_b) & -(key_a ^ key_b), key = key_a & (bit - 1);
    return key_a & bit ? branch(s, key, bit, b, a) : branch(s, key, bit, a, b);
}

static bool belongs(const req_node *n, uint32_t key)
{
    return (key & (n->bit - 1)) == n->key;
}

// The branch with one side replaced; the same branch if nothing changed.
static req_set replace(req_store *s, req_set set, bool right, req_set child)
{
    req_node n = s->nodes[set];
    if (child == (right ? n.right : n.left))
        return set;
    return right ? branch(s, n.key, n.bit, n.left, child) : branch(s, n.key, n.bit, child, n.right);
}

// made: an entry of this chain and length that can be used, or 0.
static req_set insert(req_store *s, req_set set, uint32_t chain, uint32_t length, req_set made)
{
    if (!set)
        return made ? made : entry(s, chain, length);
    req_node n = s->nodes[set];
    if (!n.bit && n.key == chain)
        return n.left >= length ? set : made ? made : entry(s, chain, length);
    if (n.bit && belongs(&n, chain)) {
        bool right = chain & n.bit;
        return replace(s, set, right, insert(s, right ? n.right : n.left, chain, length, made));
    }
    return join(s, chain, made ? made : entry(s, chain, length), n.key, set);
}

static req_set merge_branches(req_store *s, req_set a, req_set b)
{
    req_node x = s->nodes[a], y = s->nodes[b];
    if (x.bit == y.bit && x.key == y.key) {
        req_set left = req_merge(s, x.left, y.left), right = req_merge(s, x.right, y.right);
        if (left == x.left && right == x.right)
            return a;
        if (left == y.left && right == y.right)
            return b;
        return branch(s, x.key, x.bit, left, right);
    }
    if (x.bit < y.bit && belongs(&x, y.key)) {
        bool right = y.key & x.bit;
        return replace(s, a, right, req_merge(s, right ? x.right : x.left, b));
    }
    if (y.bit < x.bit && belongs(&y, x.key)) {
        bool right = x.key & y.bit;
        return replace(s, b, right, req_merge(s, a, right ? y.right : y.left));
    }
    return join(s, x.key, a, y.key, b);
}

req_set req_merge(req_store *s, req_set a, req_set b)
{
    if (a == b || !b)
        return a;
    if (!a)
        return b;
    if (!s->nodes[b].bit)
        return insert(s, a, s->nodes[b].key, s->nodes[b].left, b);
    if (!s->nodes[a].bit)
        return insert(s, b, s->nodes[a].key, s->nodes[a].left, a);
    return merge_branches(s, a, b);
}

static uint32_t length_of(const req_store *s, req_set set, uint32_t chain)
{
    while (set && s->nodes[set].bit)
        set = chain & s->nodes[set].bit ? s->nodes[set].right : s->nodes[set].left;
    return set && s->nodes[set].key == chain ? s->nodes[set].left : 0;
}

bool req_same(const req_store *s, req_set a, req_set b)
{
    if (a == b)
        return true;
    if (!a || !b)
        return false;
    const req_node *x = &s->nodes[a], *y = &s->nodes[b];
    if (x->hash != y->hash || x->bit != y->bit || x->key != y->key)
        return false;
    if (!x->bit)
        return x->left == y->left;
    return req_same(s, x->left, y->left) && req_same(s, x->right, y->right);
}

uint64_t req_hash(const req_store *s, req_set set)
{
    return set ? s->nodes[set].hash : 0;
}

// ---------------------------------------------------------------------------------------------
// Places

bool req_has(const req_store *s, req_set set, uint32_t input)
{
    for (uint32_t p = s->first_place[input]; p; p = s->places[p].next) {
        if (length_of(s, set, s->places[p].chain) >= s->places[p].position)
            return true;
    }
    return false;
}

static bool can_continue(const req_store *s, uint32_t chain, uint32_t length, uint32_t predicate,
                         bool shared)
{
    const req_chain *c = &s->chains[chain];
    return c->n == length && c->n && c->predicate == predicate && c->shared == shared;
}

// A chain that the set holds whole, or IOT_NONE: not every one is tried.
static uint32_t whole_chain(const req_store *s, req_set set, uint32_t predicate, bool shared,
                            uint32_t hint)
{
    if (hint != IOT_NONE && can_continue(s, hint, length_of(s, set, hint), predicate, shared))
        return hint;
    req_set stack[40];
    unsigned n = 0, tried = 0;
    if (set)
        stack[n++] = set;
    while (n && tried++ < TRIED) {
        const req_node *node = &s->nodes[stack[--n]];
        if (node->bit) {
            stack[n++] = node->left;
            stack[n++] = node->right;
        } else if (can_continue(s, node->key, node->left, predicate, shared)) {
            return node->key;
        }
    }
    return IOT_NONE;
}

static uint32_t new_chain(req_store *s, uint32_t predicate, bool shared)
{
    ROOM(s->chains, s->nchains, s->chain_capacity);
    s->chains[s->nchains] = (req_chain){.predicate = predicate, .shared = shared};
    return s->nchains++;
}

// Puts the input at the end of the chain.
static uint32_t append(req_store *s, uint32_t chain, uint32_t input)
{
    req_chain *c = &s->chains[chain];
    ROOM(c->inputs, c->n, c->capacity);
    c->inputs[c->n++] = input;
    ROOM(s->places, s->nplaces, s->place_capacity);
    s->places[s->nplaces] = (req_place){chain, c->n, s->first_place[input]};
    s->first_place[input] = s->nplaces++;
    return c->n;
}

req_set req_add(req_store *s, req_set set, uint32_t input, uint32_t predicate, uint32_t *hint)
{
    uint32_t nplaces = 0;
    if (req_has(s, set, input))
        return set;
    for (uint32_t p = s->first_place[input]; p; p = s->places[p].next, nplaces++) {
        const req_place *place = &s->places[p];
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

static void list_chain(req_store *s, uint32_t chain, uint32_t from, uint32_t to, req_set without,
                       req_list *list)
{
    for (uint32_t i = from; i < to; i++) {
        uint32_t input = s->chains[chain].inputs[i];
        list->steps++;
        // With one place only, being beyond what `without` holds of this chain says it all.
        bool once = !s->places[s->first_place[input]].next;
        if (!once && (s->stamp[input] == s->now || req_has(s, without, input)))
            continue;
        s->stamp[input] = s->now;
        ROOM(list->inputs, list->n, list->capacity);
        list->inputs[list->n++] = input;
    }
}

// What the subtrie a holds beyond b, its counterpart in the other set.
static void walk(req_store *s, req_set a, req_set b, req_set without, req_list *list)
{
    list->steps++;
    if (!a || a == b)
        return;
    req_node x = s->nodes[a];
    if (!x.bit) {
        uint32_t held = length_of(s, b, x.key);
        if (held < x.left)
            list_chain(s, x.key, held, x.left, without, list);
        return;
    }
    // A branch of b that stands higher than a's holds a's keys on one side.
    while (b && s->nodes[b].bit && s->nodes[b].bit < x.bit)
        b = x.key & s->nodes[b].bit ? s->nodes[b].right : s->nodes[b].left;
    if (b && s->nodes[b].bit == x.bit) {
        req_node y = s->nodes[b];
        bool same = y.key == x.key;
        walk(s, x.left, same ? y.left : 0, without, list);
        walk(s, x.right, same ? y.right : 0, without, list);
        return;
    }
    walk(s, x.left, b, without, list);
    walk(s, x.right, b, without, list);
}

void req_difference(req_store *s, req_set a, req_set b, req_list *list)
{
    s->now++;
    walk(s, a, b, b, list);
}
