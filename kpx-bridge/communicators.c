// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "kpx-bridge/messages.h"

kpx_communicators kpx_find_communicators(const kpx_process_log *p)
{
    kpx_communicators c = {0};
    for (uint32_t i = 0; i < p->threads.n; i++)
        for (uint32_t k = 0; k < p->threads.at[i].n; k++) {
            const kpx_event *e = &p->threads.at[i].events[k];
            if (e->kind == KPX_MPI_NEIGHBOUR)
                KPX_PUSH(c.neighbours, ((kpx_neighbour){e->value, (uint32_t)e->a}));
            if (e->kind != KPX_MPI_COMM || e->value > 1u << 20)
                continue;
            while (c.identities.n <= e->value) {
                KPX_PUSH(c.identities, 0);
                KPX_PUSH(c.ranks, 0);
                KPX_PUSH(c.sizes, 0);
                KPX_PUSH(c.sides, 0);
            }
            c.identities.at[e->value] = e->b;
            c.ranks.at[e->value] = (uint32_t)(e->a >> 32);
            c.sizes.at[e->value] = (uint32_t)e->a;
            c.sides.at[e->value] = e->flags & 3;
        }
    return c;
}

void kpx_communicators_free(kpx_communicators *c)
{
    free(c->identities.at);
    free(c->ranks.at);
    free(c->sizes.at);
    free(c->sides.at);
    free(c->neighbours.at);
}
