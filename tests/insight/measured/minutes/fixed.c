// SPDX-License-Identifier: MIT
// Speeches are heard, written out, and entered in their order.
#include <poll.h>
#include <stdio.h>

enum { SPEECHES = 40 };
static unsigned book;

static unsigned hear(int n)
{
    poll(NULL, 0, 3);
    return (unsigned)n * 2654435761u;
}

static unsigned write_out(unsigned words)
{
    poll(NULL, 0, 7);
    return words ^ words >> 11;
}

int main(void)
{
    #pragma omp parallel for num_threads(4) ordered schedule(static, 1)
    for (int n = 0; n < SPEECHES; n++) {
        unsigned text = write_out(hear(n));
        #pragma omp ordered
        {
            book = book * 33 + text;
            poll(NULL, 0, 1);
        }
    }
    printf("%u\n", book);
    return 0;
}
