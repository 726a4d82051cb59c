// SPDX-License-Identifier: MIT
//
// Workers of one run: what they give each other, when they sleep and wake. The engine runs them
// (vm/engine/workers.c).
#define GC_THREADS
#include "vm/schedule/team.h"

#include "vm/memory.h"
#include "vm/states.h"
#include "vm/term/heap.h"

#include <gc.h>
#include <unistd.h>

#ifndef VM_HUNGRY_ROUNDS // before a worker goes to sleep
#define VM_HUNGRY_ROUNDS 16
#endif

static uint32_t count_of(const uint32_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static void set_count(uint32_t *counter, uint32_t n)
{
    __atomic_store_n(counter, n, __ATOMIC_RELAXED);
}

static bool must_leave(const vm_team *t)
{
    return __atomic_load_n(&t->ended, __ATOMIC_RELAXED) ||
           __atomic_load_n(&t->outcome, __ATOMIC_ACQUIRE) != 0;
}

// ---- Letters ----------------------------------------------------------------------------------

// The receiver says that it sleeps before it looks into its mailbox for the last time.
static void wake_if_asleep(vm_team *t, vm_worker *to)
{
    if (__atomic_load_n(&to->asleep, __ATOMIC_SEQ_CST) == 0)
        return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_signal(&to->woken);
    pthread_mutex_unlock(&t->lock);
}

void vm_team_send(vm_worker *w, uint32_t to, vm_mail *mail)
{
    vm_worker *receiver = w->team->workers[to];
    VM_SET_COUNT(w->letters, VM_GET_COUNT(w->letters) + 1);
    if (to < w->number)
        w->partner = to;
    vm_mailbox_put(&receiver->mail, mail);
    wake_if_asleep(w->team, receiver);
}

vm_mail *vm_team_take_mail(vm_worker *w)
{
    vm_mail *first = vm_mailbox_take(&w->mail);
    for (vm_mail *mail = first; mail; mail = mail->next)
        VM_SET_COUNT(w->letters, VM_GET_COUNT(w->letters) + 1);
    return first;
}

// ---- Gifts --------------------------------------------------------------------------------------

enum {
    WORTH = 512,            // reductions that make a gift worth while,
    GRAIN = 128,            // and more for each letter
    SHORT = 16384,          // reductions of a gift that is short
    TRUST = 2,              // gifts after one that is long
    LEFT_BEHIND = 4096,     // reductions that a giver is to have left to do
    BUSY = 64,              // reductions: one letter in so many is too much
    WINDOW = 8 * 4096,      // reductions in which letters are counted,
    MANY = 256,             // or letters
    FIRST_REST = 32,        // quanta before a worker that retreated gets another gift
    MOST_RETREATS = 7,
    LONGEST_PATIENCE = 256, // quanta
    LARGEST_GIFT = 128,      // goals
    LONGEST_VAIN = 32,       // quanta between looks for a gift that find none,
    SOON = 2,                // or that were not finished
};

static void set_hungry(vm_worker *w)
{
    __atomic_store_n(&w->hungry, 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&w->team->hungry, 1, __ATOMIC_SEQ_CST);
}

// Who ends the hunger of a worker: the giver, or the worker itself.
static bool end_hunger(vm_worker *w)
{
    uint32_t one = 1;
    if (count_of(&w->hungry) == 0 || !__atomic_compare_exchange_n(&w->hungry, &one, 0, false,
                                                                  __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        return false;
    __atomic_sub_fetch(&w->team->hungry, 1, __ATOMIC_SEQ_CST);
    return true;
}

static bool is_awake(const vm_worker *w)
{
    return !count_of(&w->asleep) && !count_of(&w->absent);
}

static bool may_work(const vm_team *t, const vm_worker *w)
{
    return count_of(&w->hungry) &&
           (t->together || is_awake(w) || t->n - count_of(&t->idle) < t->processors);
}

// One that is awake is there sooner.
static vm_worker *find_hungry(vm_worker *w)
{
    vm_team *t = w->team;
    vm_worker *asleep = NULL;
    for (uint32_t i = 0; i < t->n; i++) {
        vm_worker *other = t->workers[i];
        if (other == w || !may_work(t, other))
            continue;
        if (is_awake(other))
            return other;
        if (!asleep)
            asleep = other;
    }
    return asleep;
}

// Learns from what the last gift to this receiver was worth. False: it is better to wait.
static bool learn(vm_worker *w, vm_worker *receiver)
{
    uint32_t had = count_of(&receiver->gifts);
    if (w->team->together || had == 0 || count_of(&receiver->judged) == had)
        return true;
    set_count(&receiver->judged, had);
    uint64_t made = VM_GET_COUNT(receiver->worth.reductions);
    uint64_t letters = VM_GET_COUNT(receiver->worth.letters);
    bool good = made >= WORTH + letters * GRAIN;
    uint32_t retreats = count_of(&receiver->retreats);
    if (retreats > 0) {
        w->patience = FIRST_REST << (retreats < MOST_RETREATS ? retreats : MOST_RETREATS);
        w->size = 1;
        return false;
    }
    w->patience = good ? 1 : 2 * w->patience < LONGEST_PATIENCE ? 2 * w->patience : LONGEST_PATIENCE;
    w->trust = made >= SHORT ? TRUST : w->trust > 0 ? w->trust - 1 : 0;
    if (made < SHORT)
        w->size = 2 * w->size < LARGEST_GIFT ? 2 * w->size : LARGEST_GIFT;
    else if (w->size > 1)
        w->size /= 2;
    return good;
}

static void put_off(vm_worker *w)
{
    w->next_gift = VM_GET_COUNT(w->quantum.number) + w->patience + w->dry;
}

static void wait_for_next_look(vm_worker *w)
{
    if (w->soon) {
        w->next_gift = VM_GET_COUNT(w->quantum.number) + SOON;
        return;
    }
    w->vain = 2 * w->vain < LONGEST_VAIN ? 2 * w->vain + 1 : LONGEST_VAIN;
    w->next_gift += w->vain;
}

// False: the system has no thread for it, so nobody will give it anything.
static bool begin_if_absent(vm_worker *w)
{
    vm_team *t = w->team;
    pthread_mutex_lock(&t->lock);
    if (count_of(&w->absent) && !must_leave(t)) {
        end_hunger(w);
        w->threadless = !t->start(w);
        w->has_thread = !w->threadless;
        set_count(&w->absent, 0);
        set_count(&t->idle, count_of(&t->idle) - w->has_thread);
    }
    bool begun = !w->threadless; // it may have been another giver who tried
    pthread_mutex_unlock(&t->lock);
    return begun;
}

static void keep(vm_worker *w, const vm_goals *goals)
{
    for (size_t i = goals->n; i > 0; i--)
        vm_push_oldest(w, goals->at[i - 1]);
}

// A thread costs the others time until the run is over. So before one begins, the giver tries a goal that it
// could give: it must not be done when the giver looks again.
static bool is_worth_thread(vm_worker *w)
{
    if (w->team->together || w->levels || w->kind != ORDER_OWN || w->trial == TRIAL_PASSED)
        return true;
    if (w->trial == TRIAL_RUNS && vm_order_still_tries(&w->order)) {
        w->trial = TRIAL_PASSED;
        return true;
    }
    w->soon = false;
    w->trial = w->trial == TRIAL_NONE && vm_order_try(w, w->team->fits) ? TRIAL_RUNS : TRIAL_NONE;
    w->soon |= w->trial == TRIAL_RUNS;
    wait_for_next_look(w);
    return false;
}

static void give(vm_worker *w)
{
    vm_mail *mail = vm_alloc(sizeof *mail); // before anything changes
    vm_worker *receiver = find_hungry(w);
    bool good = !receiver || learn(w, receiver);
    put_off(w);
    if (!receiver || !good || (count_of(&receiver->absent) && !is_worth_thread(w)))
        return;
    mail->kind = MAIL_GIFT;
    w->soon = false;
    vm_take_gift(w, w->size, w->team->fits, &mail->goals);
    if (mail->goals.n == 0) {
        wait_for_next_look(w);
        return;
    }
    w->trial = TRIAL_NONE;
    if (!begin_if_absent(receiver)) {
        keep(w, &mail->goals);
        return;
    }
    w->vain = 0;
    w->gave_at = VM_GET_COUNT(w->reductions) + 1;
    end_hunger(receiver); // by itself, if another letter came
    vm_team_send(w, receiver->number, mail);
}

static vm_exchange exchanged(const vm_worker *w, vm_exchange since)
{
    return (vm_exchange){VM_GET_COUNT(w->reductions) - since.reductions,
                         VM_GET_COUNT(w->letters) - since.letters};
}

// Sets the worth of the gift that is over.
static void appraise(vm_worker *w)
{
    vm_exchange worth = exchanged(w, w->begun);
    VM_SET_COUNT(w->worth.reductions, worth.reductions);
    VM_SET_COUNT(w->worth.letters, worth.letters);
    if (!count_of(&w->away) && worth.reductions >= WORTH + worth.letters * GRAIN)
        set_count(&w->retreats, 0);
}

// A worker that gave and has nothing left soon after moved its work instead of sharing it.
static void note_what_was_left(vm_worker *w)
{
    if (w->gave_at == 0)
        return;
    if (VM_GET_COUNT(w->reductions) - w->gave_at < LEFT_BEHIND)
        w->dry = 2 * w->dry < LONGEST_PATIENCE ? 2 * w->dry + 1 : LONGEST_PATIENCE;
    else
        w->dry /= 2;
    w->gave_at = 0;
}

static bool may_retreat(const vm_worker *w)
{
    return w->number > 0 && !w->team->together && !count_of(&w->away);
}

bool vm_team_is_chatty(const vm_worker *w, uint64_t reductions)
{
    uint64_t letters = VM_GET_COUNT(w->letters) - w->counted.letters;
    return may_retreat(w) && letters >= MANY &&
           letters * BUSY > reductions - w->counted.reductions;
}

static void retreat_if_it_pays(vm_worker *w)
{
    vm_exchange window = exchanged(w, w->counted);
    if (!may_retreat(w) || (window.reductions < WINDOW && window.letters < MANY))
        return;
    w->counted = (vm_exchange){VM_GET_COUNT(w->reductions), VM_GET_COUNT(w->letters)};
    if (window.letters * BUSY > window.reductions) {
        set_count(&w->away, 1);
        set_count(&w->retreats, count_of(&w->retreats) + 1);
    } else if (window.letters * 4 * BUSY < window.reductions) {
        set_count(&w->retreats, 0);
    }
}

void vm_team_forward(vm_worker *w)
{
    if (!count_of(&w->away) || (vm_own_count(w) == 0 && !w->quantum.given))
        return;
    vm_mail *mail = vm_alloc(sizeof *mail);
    mail->kind = MAIL_GOAL;
    vm_take_all(w, &mail->goals);
    vm_team_send(w, w->partner, mail);
}

void vm_team_quantum_over(vm_worker *w)
{
    retreat_if_it_pays(w);
    VM_SET_COUNT(w->ready, vm_own_count(w));
    vm_state_note_ready(VM_GET_COUNT(w->ready));
    if (count_of(&w->team->hungry) > 0 && !count_of(&w->away) && VM_GET_COUNT(w->ready) > 0 &&
        (int32_t)(VM_GET_COUNT(w->quantum.number) - w->next_gift) >= 0)
        give(w);
}

void vm_team_unpack(vm_worker *w, const vm_mail *gift)
{
    set_count(&w->gifts, count_of(&w->gifts) + 1);
    w->begun = (vm_exchange){VM_GET_COUNT(w->reductions), VM_GET_COUNT(w->letters)};
    if (count_of(&w->away))
        w->counted = w->begun;
    set_count(&w->away, 0);
    for (size_t i = 0; i < gift->goals.n; i++)
        vm_push(w, gift->goals.at[i]);
}

// ---- Idle workers ---------------------------------------------------------------------------

static void relax(uint32_t round)
{
    for (uint32_t i = 0; i < 1u << (round < 8 ? round : 8); i++) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#else
        __asm__ volatile("" ::: "memory");
#endif
    }
}

static bool all_boxes_are_empty(const vm_team *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (vm_has_mail(&t->workers[i]->mail))
            return false;
    return true;
}

static void wake_all(vm_team *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        pthread_cond_signal(&t->workers[i]->woken);
}

static void *sleep_until_called(void *data)
{
    vm_worker *w = data;
    __atomic_store_n(&w->asleep, 1, __ATOMIC_SEQ_CST);
    while (!must_leave(w->team) && !__atomic_load_n(&w->mail.newest, __ATOMIC_SEQ_CST))
        pthread_cond_wait(&w->woken, &w->team->lock);
    __atomic_store_n(&w->asleep, 0, __ATOMIC_RELAXED);
    return NULL;
}

// Until there is mail; the collector need not stop this thread meanwhile.
static void idle(vm_worker *w)
{
    vm_team *t = w->team;
    pthread_mutex_lock(&t->lock);
    set_count(&t->idle, count_of(&t->idle) + 1);
    if (count_of(&t->idle) == t->n && all_boxes_are_empty(t) && !must_leave(t)) {
        __atomic_store_n(&t->ended, true, __ATOMIC_RELAXED);
        wake_all(t);
    }
    vm_state_enter(STATE_IDLE);
    GC_do_blocking(sleep_until_called, w);
    set_count(&t->idle, count_of(&t->idle) - 1);
    pthread_mutex_unlock(&t->lock);
}

bool vm_team_wait(vm_worker *w)
{
    vm_team *t = w->team;
    vm_state_enter(STATE_LOOKING);
    VM_SET_COUNT(w->ready, 0);
    vm_state_note_ready(0);
    retreat_if_it_pays(w);
    appraise(w);
    note_what_was_left(w);
    set_hungry(w);
    for (uint32_t i = 0; i < VM_HUNGRY_ROUNDS && !vm_has_mail(&w->mail) && !must_leave(t); i++)
        relax(i);
    if (!vm_has_mail(&w->mail) && !must_leave(t))
        idle(w);
    end_hunger(w);
    vm_state_enter(STATE_BUSY);
    return !must_leave(t);
}

// ---- Threads --------------------------------------------------------------------------------

static uint32_t processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint32_t)n : 1;
}

vm_team *vm_team_create(vm_worker **workers, uint32_t n, bool together, vm_fits fits,
                        vm_fits works)
{
    vm_team *t = vm_alloc(sizeof *t);
    t->n = n;
    t->workers = workers;
    t->together = together;
    t->fits = fits;
    t->works = works;
    t->processors = processors();
    pthread_mutex_init(&t->lock, NULL);
    pthread_mutex_init(&t->serial, NULL);
    for (uint32_t i = 0; i < n; i++) {
        vm_worker *w = workers[i];
        pthread_cond_init(&w->woken, NULL);
        w->team = t;
        w->number = i;
        w->patience = w->size = 1;
    }
    vm_threads = n > 1;
    return t;
}

void vm_team_end(vm_worker *w, uint32_t outcome)
{
    vm_team *t = w->team;
    pthread_mutex_lock(&t->lock);
    if (t->outcome == 0) {
        t->ended_by = w;
        __atomic_store_n(&t->outcome, outcome, __ATOMIC_RELEASE);
    }
    wake_all(t);
    pthread_mutex_unlock(&t->lock);
}

bool vm_team_is_over(const vm_worker *w)
{
    return must_leave(w->team);
}

void vm_team_begin(vm_team *t, bool (*start)(vm_worker *w))
{
    t->start = start;
    for (uint32_t i = 1; i < t->n; i++)
        t->workers[i]->absent = t->workers[i]->hungry = 1;
    t->idle = t->hungry = t->n - 1;
}

vm_worker *vm_team_end_of_thread(vm_team *t)
{
    vm_worker *found = NULL;
    pthread_mutex_lock(&t->lock);
    for (uint32_t i = 1; i < t->n && !found; i++)
        if (t->workers[i]->has_thread)
            found = t->workers[i];
    if (found)
        found->has_thread = false;
    pthread_mutex_unlock(&t->lock);
    return found;
}

void vm_team_release(vm_worker *w)
{
    if (w->in_serial)
        pthread_mutex_unlock(&w->team->serial);
}

void vm_team_count(const vm_team *t, uint64_t *ret_letters, uint64_t *ret_gifts)
{
    uint64_t ends = 0;
    *ret_gifts = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        ends += VM_GET_COUNT(t->workers[i]->letters); // sent or received
        *ret_gifts += count_of(&t->workers[i]->gifts);
    }
    *ret_letters = ends / 2;
}

uint64_t vm_team_ready(const vm_team *t)
{
    uint64_t ready = t->n - count_of(&t->idle);
    for (uint32_t i = 0; i < t->n; i++)
        ready += VM_GET_COUNT(t->workers[i]->ready);
    return ready;
}
