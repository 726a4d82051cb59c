// SPDX-License-Identifier: MIT
//
// Finds the clause that made a variable, and its name there.
#include "fleng/explain/variable_origin.h"

#include "fleng/compile/template.h"
#include "fleng/reader/collected.h"
#include "vm/look.h"

fl_variable_origin fl_find_variable_origin(fl_namer *n, const vm_var *v)
{
    fl_variable_origin found = {.name = "_"};
    vm_origin origin;
    if (!vm_get_origin(v, &origin))
        return found;
    found.builtin = origin.clause == VM_NO_CLAUSE;
    if (found.builtin)
        found.name = vm_atom_text(origin.index);
    if (origin.clause < n->code->nclauses &&
        origin.index < n->code->clauses[origin.clause]->nnames) {
        found.clause = ((const fl_template *)n->code->clauses[origin.clause]->info)->clause;
        found.variable = origin.index;
        found.name = n->code->clauses[origin.clause]->names[origin.index];
    }
    return found;
}

// ---- Names --------------------------------------------------------------------------------------

const char *fl_name_variable(void *data, const vm_var *v)
{
    fl_namer *namer = data;
    const char *known = (const char *)fl_look_up_address(&namer->by_variable, v);
    if (known)
        return known;
    const char *name = namer->plain ? "_" : fl_find_variable_origin(namer, v).name;
    uintptr_t same = fl_look_up(&namer->counts, name, strlen(name)) + 1;
    fl_enter(&namer->counts, name, strlen(name), same);
    if (namer->plain)
        name = fl_format("_%u", ++namer->n);
    else if (strcmp(name, "_") == 0)
        name = fl_format("_%u", (unsigned)same);
    else if (same > 1)
        name = fl_format("%s_%u", name, (unsigned)same);
    fl_call_variable(namer, v, name);
    return name;
}

void fl_call_variable(fl_namer *namer, const vm_var *v, const char *name)
{
    fl_enter_address(&namer->by_variable, v, (uintptr_t)name); // which keeps the variable
}
