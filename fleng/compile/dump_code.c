// SPDX-License-Identifier: MIT
//
// The code of the program as text: -dump=code. The text of each clause and the registers of its
// variables precede its code; each instruction is followed by its meaning.
#include "fleng/compile/dump.h"

#include "fleng/compile/template.h"
#include "vm/code.h"
#include "vm/memory.h"

typedef struct {
    const fl_program *program;
    const vm_program *code;
    bool stamped;
    FILE *out;
    const vm_predicate **chains_at; // by position: whose selection begins there
    const vm_predicate **entry_at;
    const vm_clause **clause_at;
    const vm_clause *clause; // that the code belongs to; NULL: selection
    vm_code_names names;
} code_dump;

static const fl_template *template_of(const vm_clause *c)
{
    return c->info;
}

// The variable that the register holds, in the code of a clause.
static const char *name_register(void *data, uint32_t reg)
{
    const code_dump *d = data;
    const fl_template *made = d->clause ? template_of(d->clause) : NULL;
    for (uint32_t v = 0; made && v < made->clause->nvariables; v++)
        if (made->register_of[v] == reg && *made->clause->variables[v].name != '_')
            return made->clause->variables[v].name;
    return NULL;
}

static void legend(const code_dump *d)
{
    fprintf(d->out, "%% Code for %s runs.\n",
            d->stamped ? "stamped (-time=ideal, -trace, -profile)" : "plain");
    fputs("% A line is: position, instruction, operands; what it does. `>` marks the target of a "
          "jump.\n"
          "% r2:X is register 2, which holds the variable X; ->40 is position 40; registers from 0 "
          "on\n"
          "% hold the arguments of the goal. A clause that cannot commit continues after the TRY "
          "(or\n"
          "% test) that led to it, in the selection among the clauses of the predicate.\n",
          d->out);
}

static void print_predicate(const code_dump *d, const vm_predicate *p)
{
    fprintf(d->out, "\n%s%s%s/%u\n", p->module ? p->module : "", p->module ? ":" : "", p->name,
            p->arity);
    if (p->small)
        fputs("  % takes few reductions\n", d->out);
    for (uint32_t i = 0; i < p->arity && i < 64; i++)
        if (!p->small && p->needs >> i & 1)
            fprintf(d->out, "  %% waits for argument %u\n", i + 1);
}

static void print_registers(const code_dump *d, const vm_clause *c)
{
    const fl_clause *written = template_of(c)->clause;
    const uint32_t *register_of = template_of(c)->register_of;
    uint32_t n = 0;
    for (uint32_t v = 0; v < written->nvariables; v++)
        if (register_of[v] != UINT32_MAX && *written->variables[v].name != '_')
            fprintf(d->out, "%s r%u:%s", n++ ? "" : "  % registers", register_of[v],
                    written->variables[v].name);
    if (n > 0)
        fputs("\n", d->out);
}

static void begin_clause(code_dump *d, const vm_clause *c)
{
    d->clause = c;
    const fl_clause *written = template_of(c)->clause;
    if (c->number == 0) {
        fputs("\n% Where the run begins: the goal of -e, or main\n", d->out);
    } else {
        if (c->number == 1)
            print_predicate(d, c->predicate);
        fprintf(d->out, "  %% clause %u, %s:%u\n", c->number, d->code->sources[c->source], c->line);
        fl_print_clause(written, "  % ", d->out);
    }
    print_registers(d, c);
}

static void index_positions(code_dump *d)
{
    const vm_program *code = d->code;
    d->chains_at = vm_alloc((code->ncode + 1) * sizeof *d->chains_at);
    d->entry_at = vm_alloc((code->ncode + 1) * sizeof *d->entry_at);
    d->clause_at = vm_alloc((code->ncode + 1) * sizeof *d->clause_at);
    for (uint32_t i = 0; i < code->npredicates; i++) {
        const vm_predicate *p = code->predicates[i];
        if (p->builtin)
            continue;
        d->entry_at[p->code] = p;
        if (!p->made)
            d->chains_at[p->chains] = p;
    }
    for (uint32_t i = 0; i < code->nclauses; i++)
        d->clause_at[code->clauses[i]->code] = code->clauses[i];
}

void fl_dump_code(const fl_program *p, const vm_program *code, bool stamped, FILE *out)
{
    code_dump d = {.program = p, .code = code, .stamped = stamped, .out = out};
    d.names = (vm_code_names){name_register, &d, vm_jump_targets(code)};
    index_positions(&d);
    legend(&d);
    for (uint32_t at = 0; at < code->ncode;) {
        const vm_predicate *entry = d.entry_at[at];
        if (d.clause_at[at])
            begin_clause(&d, d.clause_at[at]);
        if (d.chains_at[at] && !d.clause_at[at]) { // else there is none
            d.clause = NULL;
            fputs("  % selection\n", out);
        }
        if (entry && entry->made)
            fprintf(out, "  %% of the goal %s/%u made for an assignment above\n", entry->name,
                    entry->arity);
        else if (entry && *entry->name != '$')
            fprintf(out, "  %% entry of %s/%u\n", entry->name, entry->arity);
        at += vm_disassemble(code, at, &d.names, out);
    }
}
