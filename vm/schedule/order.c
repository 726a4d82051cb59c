// SPDX-License-Identifier: MIT
//
// Turns, and what follows them.
#include "vm/schedule/team.h"

enum {
    CROWD = 256,          // goals that were suspended since a turn ended
    LONGEST_TURN = 16,    // quanta
    DEEPEST = 8,
    RIVALS = 8,
    MANY = 1024,          // goals that a turn creates
    QUANTA_OF_ONE = 32,   // in a row, while others are held
    FIRST_PATIENCE = 4,   // quanta without a boost
    LONGEST_PATIENCE = 256,
    GROWS_TO = 4,         // times as many goals
};

void vm_order_init(vm_order *o)
{
    o->turn = 1;
    o->crowd = CROWD;
    o->patience = FIRST_PATIENCE;
}

static bool is_above(uint32_t a, uint32_t b) // positions in the stack
{
    return (int32_t)(a - b) > 0;
}

// Says which goal it is: records are used again.
static uint64_t key_of(const vm_goal *goal)
{
    uint64_t key = (uintptr_t)goal ^ (uintptr_t)goal->predicate;
    for (uint32_t i = 0; i < goal->nargs; i++)
        key = (key ^ goal->args[i]) * 0x9e3779b97f4a7c15u;
    return key;
}

// ---- Held goals -------------------------------------------------------------------------------

static void set_floor(vm_order *o)
{
    uint32_t floor = o->stack.first;
    if (o->held.n > 0 && is_above(o->held.at[o->held.n - 1].floor, floor))
        floor = o->held.at[o->held.n - 1].floor;
    o->stack.floor = floor;
}

// From now on suspended goals are counted, and quanta.
static void note_change(vm_worker *w)
{
    vm_order *o = &w->order;
    o->since = VM_GET_COUNT(w->quantum.number);
    o->crowd = VM_GET_COUNT(w->suspended) + CROWD;
}

static void hold(vm_worker *w, vm_goal *goal, uint32_t floor)
{
    vm_order *o = &w->order;
    VM_PUSH(o->held, (vm_held){.goal = goal, .floor = floor});
    o->places += !goal;
    set_floor(o);
    note_change(w);
}

// The last held goal goes on; NULL: it was only a place.
static vm_goal *unhold(vm_order *o)
{
    vm_goal *goal = o->held.at[--o->held.n].goal;
    o->held.at[o->held.n].goal = NULL;
    o->places -= !goal;
    set_floor(o);
    return goal;
}

static void insert_held(vm_order *o, uint32_t at, vm_goal *goal)
{
    VM_PUSH(o->held, (vm_held){0});
    memmove(o->held.at + at + 1, o->held.at + at, (o->held.n - 1 - at) * sizeof *o->held.at);
    o->held.at[at] = (vm_held){.goal = goal,
                               .floor = at > 0 ? o->held.at[at - 1].floor : o->stack.first};
    set_floor(o);
}

static vm_goal *remove_held(vm_order *o, uint32_t at)
{
    vm_goal *goal = o->held.at[at].goal;
    o->places -= !goal;
    memmove(o->held.at + at, o->held.at + at + 1, (o->held.n - 1 - at) * sizeof *o->held.at);
    o->held.at[--o->held.n].goal = NULL;
    set_floor(o);
    return goal;
}

// ---- Woken goals -------------------------------------------------------------------------------

static uint32_t alive(const vm_order *o, int64_t suspended)
{
    uint32_t n = vm_order_count(o);
    return n + (suspended > 0 ? (uint32_t)suspended : 0);
}

// Are there ever more goals if the oldest of those that were woken goes first?
static bool grow_ever_more(const vm_order *o, int64_t suspended)
{
    return vm_queue_count(&o->woken) >= VM_WOKEN_MANY &&
           alive(o, suspended) > GROWS_TO * (o->few + VM_WOKEN_MANY);
}

// Where there are ever more, a goal that is woken goes on the stack: it runs before those that are there. So
// a search goes into the depth; but a server that reads a list is itself on the stack meanwhile, and takes
// what is asked in the order of the list.
void vm_order_wake(vm_worker *w, vm_goal *goal)
{
    vm_order *o = &w->order;
    if (VM_GET_COUNT(w->quantum.number) == 0 && vm_queue_count(&o->woken) == 0)
        o->few = alive(o, VM_GET_COUNT(w->suspended));
    o->woke = VM_GET_COUNT(w->quantum.number);
    vm_queue_push(grow_ever_more(o, VM_GET_COUNT(w->suspended)) ? &o->stack : &o->woken, goal);
}

vm_goal *vm_order_pop_woken(vm_order *o, int64_t suspended)
{
    return grow_ever_more(o, suspended) ? vm_queue_newest(&o->woken) : vm_queue_oldest(&o->woken);
}

// ---- The next goal ----------------------------------------------------------------------------

// A goal goes on that was held.
static void resume(vm_worker *w)
{
    w->order.base = w->order.stack.end;
    w->order.visit = 1;
    vm_set_streak(&w->quantum, (vm_streak){0, STREAK_RESUMED});
}

// What was lifted for the last of the held goals becomes the oldest again.
static void put_back(vm_order *o)
{
    vm_queue *q = &o->stack;
    if (!o->held.at[o->held.n - 1].lifted)
        return;
    for (uint32_t n = q->end - q->floor; n > 0; n--)
        vm_queue_push_oldest(q, vm_queue_newest(q));
}

// Goals pile up that wait. Those that were held or woken may be the ones that they wait for.
static vm_goal *leave_crowd(vm_worker *w)
{
    vm_order *o = &w->order;
    vm_goal *goal = NULL;
    bool lifted = o->held.n > 0 && o->held.at[o->held.n - 1].lifted;
    while (o->held.n > 0 && !goal) {
        if (!o->held.at[o->held.n - 1].goal && vm_queue_count(&o->woken) > 0)
            break;
        put_back(o);
        goal = unhold(o);
    }
    if (goal && lifted) {
        resume(w);
    } else if (goal) {
        resume(w);
        o->turn = 4 * o->turn < LONGEST_TURN ? 4 * o->turn : LONGEST_TURN;
    } else if ((goal = vm_queue_oldest(&o->woken))) {
        if (o->held.n == 0)
            hold(w, NULL, o->stack.end);
        o->held.at[o->held.n - 1].floor = o->stack.end;
        set_floor(o);
    }
    note_change(w);
    return goal;
}

vm_goal *vm_order_next(vm_worker *w)
{
    vm_order *o = &w->order;
    vm_goal *goal = NULL;
    vm_set_streak(&w->quantum, (vm_streak){0});
    if (vm_is_crowded(w))
        goal = leave_crowd(w);
    if (!goal)
        goal = vm_order_pop(o, VM_GET_COUNT(w->suspended));
    while (!goal && o->held.n > 0) {
        goal = unhold(o);
        if (goal) {
            o->turn = o->turn > 1 ? o->turn / 2 : 1;
            resume(w);
        } else {
            goal = vm_order_pop(o, VM_GET_COUNT(w->suspended));
        }
        note_change(w);
    }
    if (vm_order_count(o) == 0) {
        o->patience = FIRST_PATIENCE;
        o->boosted = VM_GET_COUNT(w->quantum.number);
    }
    return goal;
}

// ---- When a quantum is over -------------------------------------------------------------------

// Takes out the goal held there. Where the goals above it were lifted its place stays: they are put back
// if they make a crowd, also when the goal is done.
static vm_goal *take_guest(vm_order *o, uint32_t at)
{
    if (!o->held.at[at].lifted)
        return remove_held(o, at);
    vm_goal *guest = o->held.at[at].goal;
    o->held.at[at].goal = NULL;
    o->places++;
    return guest;
}

// The goal held there has some quanta before `goal` goes on.
static vm_goal *invite(vm_worker *w, vm_goal *goal, uint32_t at)
{
    vm_order *o = &w->order;
    o->guest_from = at;
    o->guest_floor = o->held.at[at].floor;
    vm_goal *guest = take_guest(o, at);
    hold(w, goal, o->stack.end);
    vm_set_streak(&w->quantum, (vm_streak){0, STREAK_GUEST});
    return guest;
}

// The guest did nothing but run, so its host is the last that was held. What the guest created runs
// before the host goes on. If there is nothing else, and both have been busy for long, then they and all
// others that are held right below have equal turns: the guest stays.
static vm_goal *end_visit(vm_worker *w, vm_goal *guest)
{
    vm_order *o = &w->order;
    uint32_t last = o->held.n > 0 ? (uint32_t)o->held.n - 1 : 0; // the host may be given away
    if (o->visit == QUANTA_OF_ONE && o->guest_floor == o->stack.end &&
        vm_queue_count(&o->woken) == 0) {
        vm_set_streak(&w->quantum, (vm_streak){0, STREAK_RESUMED});
        return guest;
    }
    if (o->guest_from < last && o->held.at[o->guest_from].lifted && !o->held.at[o->guest_from].goal) {
        o->held.at[o->guest_from].goal = guest;
        o->places--;
    } else {
        insert_held(o, o->guest_from < last ? o->guest_from : last, guest);
    }
    return vm_order_next(w);
}

static bool find_held(const vm_order *o, uint32_t from, uint32_t *ret_at)
{
    for (uint32_t i = 0; i < o->held.n; i++) {
        *ret_at = (uint32_t)((from + i) % o->held.n);
        if (o->held.at[*ret_at].goal)
            return true;
    }
    return false;
}

// Is the oldest goal of the stack the one that was it when the last quantum ended? If not, this quantum made
// it: the goal that runs may be what it needs.
static bool has_old(const vm_order *o)
{
    return vm_queue_count(&o->stack) > 0 && o->oldest == key_of(vm_queue_at(&o->stack, o->stack.first));
}

// Some goals had no quantum for a long time: the oldest of the stack, or one that is held.
static vm_goal *boost(vm_worker *w, vm_goal *goal)
{
    vm_order *o = &w->order;
    uint32_t at, n = o->boosts++;
    o->boosted = VM_GET_COUNT(w->quantum.number);
    o->patience = 2 * o->patience < LONGEST_PATIENCE ? 2 * o->patience : LONGEST_PATIENCE;
    bool old = has_old(o);
    if ((n % 2 == 1 || !old) && find_held(o, n / 2, &at))
        return invite(w, goal, at);
    if (!old)
        return goal;
    vm_goal *oldest = vm_queue_oldest(&o->stack);
    hold(w, goal, o->stack.end);
    o->held.at[o->held.n - 1].lifted = true;
    vm_set_streak(&w->quantum, (vm_streak){0});
    return oldest;
}

// The first of those held right below the goal that runs, or of all.
static vm_goal *let_visit(vm_worker *w, vm_goal *goal)
{
    vm_order *o = &w->order;
    uint32_t at = 0;
    if (o->visits++ % 2 == 0)
        while (at < o->held.n && o->held.at[at].floor != o->stack.end)
            at++;
    if (!find_held(o, at, &at))
        return goal;
    o->visit = 2 * o->visit < QUANTA_OF_ONE ? 2 * o->visit : QUANTA_OF_ONE;
    return invite(w, goal, at);
}

// goal ran without others. What it created in this quantum, and one older goal, run before it goes on.
static vm_goal *end_turn(vm_worker *w, vm_goal *goal, vm_streak streak)
{
    vm_order *o = &w->order;
    uint32_t base = o->base;
    bool opens = is_above(base, o->stack.floor);
    if (opens || o->stack.end != base || vm_queue_count(&o->woken) > 0) {
        hold(w, goal, base - opens);
        return vm_order_next(w);
    }
    return streak.quanta < QUANTA_OF_ONE ? goal : let_visit(w, goal);
}

// Does the goal only run, for long, while others wait right below it?
static bool is_busy(const vm_order *o, vm_streak streak)
{
    return streak.quanta >= QUANTA_OF_ONE && o->held.n > 0 &&
           o->held.at[o->held.n - 1].floor == o->stack.end && vm_queue_count(&o->woken) == 0;
}

static vm_goal *let_woken_run(vm_worker *w, vm_goal *goal)
{
    vm_order *o = &w->order;
    if (vm_queue_count(&o->woken) == 0)
        return goal;
    hold(w, goal, o->stack.end);
    return vm_order_next(w);
}

// goal makes others that wait. It goes on when those have run that they may wait for.
static vm_goal *leave_behind(vm_worker *w, vm_goal *goal)
{
    vm_order *o = &w->order;
    if (o->held.n > 0 || vm_queue_count(&o->woken) > 0)
        vm_order_push(o, goal);
    else
        vm_queue_push_oldest(&o->stack, goal);
    return vm_order_next(w);
}

// In quanta. The more goals are held, the longer: so their number grows with the logarithm of the
// work only. But what a goal creates is not to pile up, and goals that do nothing but run, which may be
// rivals, all begin early.
static uint32_t turn_of(const vm_order *o)
{
    if (o->stack.end - o->base >= MANY)
        return 1;
    bool only_runs = o->stack.end == o->last_end && o->woken.end == o->last_woken;
    uint32_t doubled = (uint32_t)o->held.n / (only_runs ? RIVALS : 1);
    return o->turn << (doubled < DEEPEST ? doubled : DEEPEST);
}

vm_goal *vm_order_after_quantum(vm_worker *w, vm_goal *goal)
{
    vm_order *o = &w->order;
    vm_streak streak = vm_get_streak(&w->quantum);
    uint32_t number = VM_GET_COUNT(w->quantum.number);
    if (streak.quanta < 2 && streak.kind == STREAK_OWN)
        o->base = is_above(o->last_end, o->stack.end) ? o->stack.end : o->last_end;
    if (is_above(o->base, o->stack.end))
        o->base = o->stack.end;
    if (is_above(o->stack.floor, o->base))
        o->base = o->stack.floor;
    if (!goal)
        goal = vm_order_next(w);
    else if (vm_is_crowded(w) && streak.kind != STREAK_GUEST)
        goal = leave_behind(w, goal);
    else if (streak.kind == STREAK_GUEST)
        goal = streak.quanta < o->visit ? goal : end_visit(w, goal);
    else if (number - o->boosted >= o->patience)
        goal = boost(w, goal);
    else if (is_busy(o, streak))
        goal = let_visit(w, goal);
    else if (number - o->since > turn_of(o))
        goal = streak.quanta > 1 ? end_turn(w, goal, streak) : let_woken_run(w, goal);
    o->oldest = vm_queue_count(&o->stack) > 0 ? key_of(vm_queue_at(&o->stack, o->stack.first)) : 0;
    o->last_end = o->stack.end;
    o->last_woken = o->woken.end;
    if (vm_queue_count(&o->woken) < VM_WOKEN_MANY)
        o->few = alive(o, VM_GET_COUNT(w->suspended));
    return goal;
}

// ---- All goals --------------------------------------------------------------------------------

uint32_t vm_order_count(const vm_order *o)
{
    return vm_queue_count(&o->stack) + vm_queue_count(&o->woken) +
           (uint32_t)o->held.n - o->places;
}

void vm_order_push_last(vm_order *o, vm_goal *goal)
{
    insert_held(o, 0, goal);
}

// ---- For other workers ------------------------------------------------------------------------

enum {
    QUIET = 64,     // quanta in which no goal was woken: those that run do not exchange anything
    LOOKED_AT = 8,  // goals of each kind
    OLD = 2,        // quanta
    SELDOM = 8,     // quanta between looks that ask for another one, to see which goals are old
};

// A goal that is still there after some quanta shows that its worker has much else to do. What is made and
// done within a quantum is small, and belongs together with the goal that made it.

// Of the goals of the stack below `end`.
static void take_samples(vm_order *o, uint32_t end)
{
    vm_noted *noted = &o->noted;
    for (noted->n = 0; noted->n < VM_SAMPLES && (end - o->stack.first) >> noted->n; noted->n++) {
        uint32_t at = o->stack.first + (1u << noted->n) - 1;
        noted->at[noted->n] = at;
        noted->key[noted->n] = key_of(vm_queue_at(&o->stack, at));
    }
}

static void note_goals(vm_worker *w)
{
    vm_order *o = &w->order;
    uint32_t number = VM_GET_COUNT(w->quantum.number);
    w->soon |= number - o->noted.number > SELDOM;
    o->noted.number = number;
    o->noted.woken_end = o->woken.end;
    take_samples(o, o->stack.end);
}

static bool is_within(const vm_queue *q, uint32_t position)
{
    return position - q->first < vm_queue_count(q);
}

// Where the old goals of the stack end. If a goal is where it was, so are those below it.
static uint32_t end_of_old(const vm_order *o)
{
    for (uint32_t i = o->noted.n; i > 0; i--) {
        uint32_t at = o->noted.at[i - 1];
        if (is_within(&o->stack, at) && key_of(vm_queue_at(&o->stack, at)) == o->noted.key[i - 1])
            return at + 1;
    }
    return o->stack.first;
}

static void take_held(vm_worker *w, vm_fits fits, vm_goals *goals)
{
    vm_order *o = &w->order;
    for (uint32_t i = 0; i < o->held.n && goals->n == 0; i++)
        if (o->held.at[i].goal && fits(w, o->held.at[i].goal))
            VM_PUSH(*goals, take_guest(o, i));
}

static uint32_t count_work(vm_worker *w, vm_goal *const *goals, uint32_t n)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++)
        found += goals[i] && w->team->works(w, goals[i]);
    return found;
}

// Does this worker have something to do if it gives goals away? One look at those it would run next.
static bool keeps_some(vm_worker *w)
{
    const vm_order *o = &w->order;
    vm_goal *next[3 * LOOKED_AT];
    uint32_t n = 0;
    if (w->team->together || (w->quantum.given && w->team->works(w, w->quantum.given)))
        return true;
    for (uint32_t i = 0; i < LOOKED_AT; i++) {
        if (i < vm_queue_count(&o->stack))
            next[n++] = vm_queue_at(&o->stack, o->stack.end - 1 - i);
        if (i < o->held.n)
            next[n++] = o->held.at[o->held.n - 1 - i].goal;
        if (i < vm_queue_count(&o->woken))
            next[n++] = vm_queue_at(&o->woken, o->woken.first + i);
    }
    return count_work(w, next, n) > 1; // one may be given
}

void vm_order_take_gift(vm_worker *w, uint32_t n, vm_fits fits, vm_goals *goals)
{
    vm_order *o = &w->order;
    bool quiet = VM_GET_COUNT(w->quantum.number) - o->woke > QUIET;
    uint32_t ready = vm_order_count(o), half = (ready + 1) / 2;
    if (ready == 0 || (ready == 1 && !quiet && !w->team->together) || !keeps_some(w))
        return;
    bool all = w->team->together, any_age = all || w->trust > 0; // the last gifts were long
    if (any_age || VM_GET_COUNT(w->quantum.number) - o->noted.number >= OLD) {
        uint32_t end = any_age ? o->stack.end : end_of_old(o);
        vm_queue_take_some(&o->stack, end, n < half ? n : half, fits, w, goals);
        set_floor(o);
        take_samples(o, is_above(end, o->stack.first) ? end : o->stack.first);
        if (goals->n == 0 && (quiet || all))
            take_held(w, fits, goals);
        if (goals->n == 0)
            vm_queue_take_some(&o->woken, any_age ? o->woken.end : o->noted.woken_end, n, fits, w,
                               goals);
    }
    if (goals->n == 0)
        note_goals(w);
}

// Older goals are bigger, as a rule. So they are left for a gift.
bool vm_order_try(vm_worker *w, vm_fits fits)
{
    vm_order *o = &w->order;
    bool noted = VM_GET_COUNT(w->quantum.number) - o->noted.number >= OLD;
    uint32_t end = noted && w->quantum.given ? end_of_old(o) : o->stack.first;
    for (uint32_t at = end, n = 0; at != o->stack.first && n < LOOKED_AT; at--, n++) {
        if (!fits(w, vm_queue_at(&o->stack, at - 1)))
            continue;
        vm_goal *goal = vm_queue_take_at(&o->stack, at - 1);
        set_floor(o);
        o->trial = (vm_trial){(uint32_t)o->held.n, o->stack.end, w->quantum.given};
        hold(w, w->quantum.given, o->stack.end);
        w->quantum.given = goal;
        vm_set_streak(&w->quantum, (vm_streak){0});
        return true;
    }
    note_goals(w);
    return false;
}

bool vm_order_still_tries(const vm_order *o)
{
    const vm_trial *trial = &o->trial;
    return trial->at < o->held.n && o->held.at[trial->at].goal == trial->held &&
           o->held.at[trial->at].floor == trial->floor;
}
