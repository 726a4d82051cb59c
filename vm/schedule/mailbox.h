// SPDX-License-Identifier: MIT
//
// What workers send each other (private to vm/). Anybody puts letters into a worker's box, by one
// compare-and-swap each; the worker takes all of them at once. Letters of one sender keep their order.
//
//     senders -->  [ newest ] -> [ ... ] -> [ oldest ]      the worker turns the list around
#ifndef VM_MAILBOX_H
#define VM_MAILBOX_H

#include "vm/schedule/queue.h"

typedef enum {
    MAIL_GIFT, // goals, the oldest first
    MAIL_GOAL, // goal, or goals, which need variables of the receiver
    MAIL_BIND, // variable, value, where, goal: a copy of the goal that was reducing
    MAIL_HOOK, // variable, goal, generation, home: it waits for the variable, too
    MAIL_WAKE, // goal, generation: what it waits for is bound
} vm_mail_kind;

typedef struct vm_mail {
    struct vm_mail *next;
    uint32_t kind, home;
    vm_goal *goal;
    vm_goals goals;
    struct vm_var *variable;
    union {
        vm_word value;
        uint64_t generation;
    };
    vm_origin where;
} vm_mail;

typedef struct {
    char apart[64]; // senders and receiver do not share a cache line with anything else
    vm_mail *newest;
    char apart2[64 - sizeof(vm_mail *)];
} vm_mailbox;

static inline bool vm_has_mail(const vm_mailbox *box)
{
    return __atomic_load_n(&box->newest, __ATOMIC_RELAXED) != NULL;
}

static inline void vm_mailbox_put(vm_mailbox *box, vm_mail *mail)
{
    mail->next = __atomic_load_n(&box->newest, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&box->newest, &mail->next, mail, true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED)) {
    }
}

// All letters, the oldest first; NULL: there is none.
static inline vm_mail *vm_mailbox_take(vm_mailbox *box)
{
    vm_mail *rest = vm_has_mail(box) ? __atomic_exchange_n(&box->newest, NULL, __ATOMIC_ACQUIRE) : NULL;
    vm_mail *first = NULL;
    while (rest) {
        vm_mail *next = rest->next;
        rest->next = first;
        first = rest;
        rest = next;
    }
    return first;
}

#endif
