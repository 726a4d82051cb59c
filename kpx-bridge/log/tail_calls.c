// SPDX-License-Identifier: MIT
//
// Calls that are jumps. An optimising compiler makes a jump of a call at the end of a function; the
// called function then returns to the caller of the function. Entries for call sites in the debug
// information say which call is where, and whether it is a jump.
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "kpx-bridge/log/symbols_private.h"

enum { MOST_FUNCTIONS = 16 }; // on the way to the routine

typedef ARRAY_OF(Dwarf_Die) die_list;

bool kpx_is_name_of(const char *name, const char *callee)
{
    size_t n = strlen(callee);
    if ((name[0] == 'p' || name[0] == 'P') && strncasecmp(name + 1, callee, n) == 0)
        name++;
    if (strncasecmp(name, callee, n) != 0)
        return false;
    const char *rest = name + n;
    return *rest == '\0' || strcmp(rest, "_") == 0 || strcmp(rest, "__") == 0 ||
           strncasecmp(rest, "_f08", 4) == 0;
}

static const char *name_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *linkage =
        dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    return linkage ? linkage : dwarf_diename(die);
}

static bool is_call_site(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);
    return tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site;
}

static Dwarf_Addr address_in(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Addr address;
    return dwarf_formaddr(dwarf_attr(die, name, &attribute), &address) == 0 ? address : 0;
}

// The return address of a call site. A jump may have only its own address.
static Dwarf_Addr return_address(Dwarf_Die *site)
{
    Dwarf_Addr address = address_in(site, DW_AT_call_return_pc);
    if (address == 0 && dwarf_tag(site) == DW_TAG_GNU_call_site)
        address = address_in(site, DW_AT_low_pc);
    if (address == 0 && (address = address_in(site, DW_AT_call_pc)) != 0)
        address++;
    return address;
}

static bool is_jump(Dwarf_Die *site)
{
    Dwarf_Attribute attribute;
    bool jump = false;
    return (dwarf_formflag(dwarf_attr(site, DW_AT_call_tail_call, &attribute), &jump) == 0 ||
            dwarf_formflag(dwarf_attr(site, DW_AT_GNU_tail_call, &attribute), &jump) == 0) &&
           jump;
}

static bool called_by(Dwarf_Die *site, Dwarf_Die *ret)
{
    Dwarf_Attribute attribute;
    return dwarf_formref_die(dwarf_attr(site, DW_AT_call_origin, &attribute), ret) ||
           dwarf_formref_die(dwarf_attr(site, DW_AT_abstract_origin, &attribute), ret);
}

// All call sites of a function, including those of inlined functions.
static void find_sites(Dwarf_Die *function, die_list *ret)
{
    die_list open = {0};
    Dwarf_Die child;
    if (dwarf_child(function, &child) == 0)
        ARRAY_PUSH(open, child);
    while (open.n > 0) {
        Dwarf_Die die = open.at[--open.n];
        if (dwarf_siblingof(&die, &child) == 0)
            ARRAY_PUSH(open, child);
        if (is_call_site(&die))
            ARRAY_PUSH(*ret, die);
        else if (dwarf_tag(&die) != DW_TAG_subprogram && dwarf_child(&die, &child) == 0)
            ARRAY_PUSH(open, child);
    }
    free(open.at);
}

// The function with code for a function that another file declares.
static bool find_function(Dwarf *dwarf, Dwarf_Die *declared, Dwarf_Die *ret)
{
    Dwarf_Off offset = 0, next;
    size_t header;
    Dwarf_Addr entry;
    const char *name = name_of(declared);
    *ret = *declared;
    if (dwarf_entrypc(ret, &entry) == 0)
        return true;
    while (name && dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        bool more = dwarf_offdie(dwarf, offset + header, &unit) && dwarf_child(&unit, ret) == 0;
        for (; more; more = dwarf_siblingof(ret, ret) == 0) {
            const char *other = dwarf_tag(ret) == DW_TAG_subprogram ? name_of(ret) : NULL;
            if (other && strcmp(other, name) == 0 && dwarf_entrypc(ret, &entry) == 0)
                return true;
        }
        offset = next;
    }
    return false;
}

static bool is_known(const die_list *list, Dwarf_Die *die)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (dwarf_dieoffset(&list->at[i]) == dwarf_dieoffset(die))
            return true;
    return false;
}

// The address after the jump to `callee` at the end of `function`, perhaps through other functions;
// 0: there is none.
static Dwarf_Addr find_jump(Dwarf *dwarf, Dwarf_Die *function, const char *callee)
{
    die_list functions = {0};
    Dwarf_Addr found = 0;
    Dwarf_Die called;
    if (find_function(dwarf, function, &called))
        ARRAY_PUSH(functions, called);
    for (uint32_t i = 0; i < functions.n && i < MOST_FUNCTIONS && found == 0; i++) {
        die_list sites = {0};
        find_sites(&functions.at[i], &sites);
        for (uint32_t k = sites.n; k > 0 && found == 0; k--) {
            Dwarf_Die *site = &sites.at[k - 1], definition;
            if (!is_jump(site) || !called_by(site, &called))
                continue;
            const char *name = name_of(&called);
            if (name && kpx_is_name_of(name, callee))
                found = return_address(site);
            else if (find_function(dwarf, &called, &definition) && !is_known(&functions, &definition))
                ARRAY_PUSH(functions, definition);
        }
        free(sites.at);
    }
    free(functions.at);
    return found;
}

// The function that the call at `address` calls.
static bool find_called(const kpx_image *in, uint64_t address, Dwarf_Die *ret)
{
    const kpx_line_entry *line = kpx_line_at(in, address - 1);
    Dwarf_Die unit, *scopes = NULL;
    bool found = false;
    int n = line && dwarf_offdie(in->dwarf, line->unit, &unit)
                ? dwarf_getscopes(&unit, address - 1, &scopes)
                : 0;
    for (int i = 0; i < n && !found; i++) {
        if (dwarf_tag(&scopes[i]) != DW_TAG_subprogram)
            continue;
        die_list sites = {0};
        find_sites(&scopes[i], &sites);
        for (uint32_t k = 0; k < sites.n && !found; k++)
            found = return_address(&sites.at[k]) == address && called_by(&sites.at[k], ret);
        free(sites.at);
        break;
    }
    free(scopes);
    return found;
}

uint64_t kpx_symbols_call(kpx_symbols *s, uint64_t address, const char *callee)
{
    uint64_t at;
    const kpx_mapping *mapping;
    Dwarf_Die called;
    const kpx_image *in = kpx_image_at(s, address, &at, &mapping);
    if (!in || !in->dwarf || !find_called(in, at + 1, &called))
        return address;
    const char *name = name_of(&called);
    if (!name || kpx_is_name_of(name, callee))
        return address;
    uint64_t jump = find_jump(in->dwarf, &called, callee);
    uint64_t moved = jump - in->base - mapping->offset + mapping->from;
    return jump != 0 && moved > mapping->from && moved <= mapping->to ? moved : address;
}
