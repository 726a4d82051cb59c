// SPDX-License-Identifier: MIT
//
// How a program for tests knows that one of its threads waits. A thread that is about to wait stores its
// number, gettid(), and another one calls until_asleep() before it ends the wait. So the wait takes place
// on a machine under any load.
#ifndef TESTS_BRIDGE_ASLEEP_H
#define TESTS_BRIDGE_ASLEEP_H
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The state is the letter after the name in parentheses. S: the thread sleeps in the kernel.
static int is_asleep(int thread)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    FILE *file = fopen(path, "r");
    const char *state = file && fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
    if (file)
        fclose(file);
    return state && strncmp(state, ") S", 3) == 0;
}

// Looks twice: on its way the thread may sleep for a moment.
__attribute__((noinline)) static void until_asleep(const int *thread)
{
    for (int looks = 0; looks < 2;) {
        usleep(150000); // sleep
        looks = __atomic_load_n(thread, __ATOMIC_ACQUIRE) && is_asleep(*thread) ? looks + 1 : 0;
    }
}

static void about_to_wait(int *thread)
{
    __atomic_store_n(thread, gettid(), __ATOMIC_RELEASE);
}
#endif
