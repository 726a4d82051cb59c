// SPDX-License-Identifier: MIT
//
// A program tells by the libraries that it needs, and by its sections, what it uses.
#include "kpx-bridge/log/uses.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

#include "kpx-bridge/log/sites.h"

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static void take_library(kpx_uses *uses, const char *name)
{
    uses->openmp = uses->openmp || begins_with(name, "libomp.") || begins_with(name, "libgomp.") ||
                   begins_with(name, "libiomp");
    uses->mpi = uses->mpi || begins_with(name, "libmpi");
    uses->fortran = uses->fortran || begins_with(name, "libgfortran.");
}

static void take_needed(kpx_uses *uses, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 0; i < n; i++) {
        GElf_Dyn entry;
        const char *name = gelf_getdyn(data, (int)i, &entry) && entry.d_tag == DT_NEEDED
                               ? elf_strptr(elf, header->sh_link, entry.d_un.d_val)
                               : NULL;
        if (name)
            take_library(uses, name);
    }
}

static void take_sections(kpx_uses *uses, Elf *elf)
{
    Elf_Scn *section = NULL;
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (header.sh_type == SHT_DYNAMIC)
            take_needed(uses, elf, section, &header);
        else if (name && strcmp(name, KPX_SITES) == 0)
            uses->sites = true;
    }
}

kpx_uses kpx_uses_of(const char *path)
{
    kpx_uses uses = {0};
    elf_version(EV_CURRENT);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    Elf *elf = file >= 0 ? elf_begin(file, ELF_C_READ, NULL) : NULL;
    if (elf && elf_kind(elf) == ELF_K_ELF)
        take_sections(&uses, elf);
    if (elf)
        elf_end(elf);
    if (file >= 0)
        close(file);
    return uses;
}
