// SPDX-License-Identifier: MIT
#include "vm/engine/clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// The system takes the processor's counter as its clock only if the counters of all processors
// agree and never change their speed.
static bool is_counter_trusted(void)
{
    char name[8] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, name, sizeof name - 1);
    close(fd);
    return n > 0 && strcmp(name, "tsc\n") == 0;
}

vm_clock vm_clock_begin(void)
{
    vm_clock c = {.counter = is_counter_trusted(), .nanoseconds = vm_nanoseconds()};
    c.began = vm_ticks_of(c.counter);
    return c;
}

double vm_clock_tick(const vm_clock *c)
{
    int64_t ticks = vm_clock_now(c), nanoseconds = vm_nanoseconds() - c->nanoseconds;
    return c->counter && ticks > 0 ? (double)nanoseconds / (double)ticks : 1;
}
