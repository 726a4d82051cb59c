// SPDX-License-Identifier: MIT
//
// A program with OpenMP that ends as its argument says.
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static double x[64];

static void work(void)
{
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 64; i++)
        x[i] += i;
}

static void end_within(void (*end)(int))
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            end(7);
#pragma omp barrier
    }
}

static void crash(int unused)
{
    (void)unused;
    raise(SIGSEGV);
}

static void leave_another(void)
{
    if (fork() == 0) {
        work();
        exit(3);
    }
    wait(NULL);
}

static volatile sig_atomic_t in_handler;

// As if the signal had come in the middle of an allocation, where another one would wait for ever.
void *malloc(size_t size)
{
    extern void *__libc_malloc(size_t);
    if (in_handler)
        abort();
    return __libc_malloc(size);
}

static void leave(int unused)
{
    (void)unused;
    in_handler = 1;
    _exit(7);
}

static void leave_in_handler(void)
{
    signal(SIGUSR1, leave);
    raise(SIGUSR1);
}

static void change_place(void)
{
    for (int i = 0; i < 64; i++)
        close(i);
    exit(chdir("/") == 0 ? 7 : 1);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    work();
    if (strcmp(how, "crash") == 0)
        crash(0);
    else if (strcmp(how, "crash-within") == 0)
        end_within(crash);
    else if (strcmp(how, "exit-within") == 0)
        end_within(exit);
    else if (strcmp(how, "leave-within") == 0)
        end_within(_exit);
    else if (strcmp(how, "quick") == 0)
        quick_exit(7);
    else if (strcmp(how, "abort") == 0)
        abort();
    else if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    else if (strcmp(how, "become") == 0)
        execl("/proc/self/exe", "endings", "exit-within", (char *)NULL);
    else if (strcmp(how, "become-another") == 0) // which records nothing
        execlp("sh", "sh", "-c", "exit 7", (char *)NULL);
    else if (strcmp(how, "become-nothing") == 0)
        raise(execl("/nowhere", "nowhere", (char *)NULL) == 0 ? SIGKILL : SIGSEGV);
    else if (strcmp(how, "fork") == 0)
        leave_another();
    else if (strcmp(how, "leave-in-handler") == 0)
        leave_in_handler();
    else if (strcmp(how, "close") == 0)
        change_place();
    return 7;
}
