// SPDX-License-Identifier: MIT
//
// Letters between the workers of a run: written and carried out.
#include "vm/engine/mail.h"

#include "vm/engine/bind.h"
#include "vm/engine/builtin.h"
#include "vm/memory.h"
#include "vm/schedule/team.h"

static vm_mail *new_mail(vm_mail_kind kind, vm_goal *goal)
{
    vm_mail *mail = vm_alloc(sizeof *mail);
    mail->kind = kind;
    mail->goal = goal;
    return mail;
}

void vm_send_goal(vm_machine *m, uint32_t to, vm_goal *goal)
{
    vm_team_send(&m->worker, to, new_mail(MAIL_GOAL, goal));
}

void vm_send_hook(vm_machine *m, uint32_t to, vm_var *v, vm_goal *goal, uint64_t generation,
                  uint32_t home)
{
    vm_mail *mail = new_mail(MAIL_HOOK, goal);
    mail->variable = v;
    mail->generation = generation;
    mail->home = home;
    vm_team_send(&m->worker, to, mail);
}

void vm_send_wake(vm_machine *m, uint32_t to, vm_goal *goal, uint64_t generation)
{
    vm_mail *mail = new_mail(MAIL_WAKE, goal);
    mail->generation = generation;
    vm_team_send(&m->worker, to, mail);
}

static void send_binding(vm_machine *m, vm_wish wish, vm_goal *by, vm_origin where)
{
    vm_word value = vm_load(&wish.variable->value);
    vm_mail *mail = new_mail(MAIL_BIND, by);
    mail->variable = wish.variable;
    mail->value = wish.value;
    mail->where = where;
    // One that is bound by now is the business of any worker, of this one, too.
    vm_team_send(&m->worker, vm_tag(value) == TAG_UNBOUND ? vm_owner(value) : m->worker.number, mail);
}

void vm_send_bindings(vm_machine *m, vm_goal *by, vm_origin where)
{
    for (uint32_t i = 0; i < m->abroad.n; i++) {
        send_binding(m, m->abroad.at[i], by, where);
        m->abroad.at[i] = (vm_wish){0}; // else the list would keep the value alive, perhaps a stream
    }
    m->abroad.n = 0;
}

// ---- Carried out ------------------------------------------------------------------------------

static vm_outcome bind(vm_machine *m, const vm_mail *mail)
{
    m->reduction.goal = mail->goal;
    if (!vm_unify(m, vm_ref(mail->variable), mail->value)) {
        m->end.failure.goal = mail->goal;
        m->end.failure.where = mail->where;
        return VM_FAILED;
    }
    vm_send_bindings(m, mail->goal, mail->where);
    m->reduction.goal = NULL; // else its arguments would stay alive
    return VM_CONTINUE;
}

static void wake_all(vm_machine *m, const vm_mail *mail)
{
    if (mail->goal)
        vm_wake(&m->worker, mail->goal);
    for (size_t i = 0; i < mail->goals.n; i++)
        vm_wake(&m->worker, mail->goals.at[i]);
}

static vm_outcome carry_out(vm_machine *m, const vm_mail *mail)
{
    switch ((vm_mail_kind)mail->kind) {
    case MAIL_GIFT:
        vm_team_unpack(&m->worker, mail);
        return VM_CONTINUE;
    case MAIL_GOAL:
        wake_all(m, mail);
        return VM_CONTINUE;
    case MAIL_BIND:
        return bind(m, mail);
    case MAIL_HOOK:
        if (!vm_hook(m, mail->variable, mail->goal, mail->generation, mail->home))
            vm_send_wake(m, mail->home, mail->goal, mail->generation);
        return VM_CONTINUE;
    case MAIL_WAKE:
        vm_wake_suspended(m, mail->goal, mail->generation);
        return VM_CONTINUE;
    }
    return VM_CONTINUE;
}

vm_outcome vm_read_mail(vm_machine *m)
{
    vm_outcome outcome = VM_CONTINUE;
    for (vm_mail *mail = vm_team_take_mail(&m->worker); mail && outcome == VM_CONTINUE;
         mail = mail->next)
        outcome = carry_out(m, mail);
    return outcome;
}
