// SPDX-License-Identifier: MIT
//
// A thread goes on with the log of one that has ended before the thread's first event, and with no other
// log: times in a log never go backwards. It records as the recorders do, into a log of its own.
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kpx-bridge/log/read_log.h"
#include "kpx-bridge/recorder/recorder.h"

static char folder[] = "/tmp/take-over-XXXXXX";

// Records two events, the first of them at this time (0: now).
static void *record(void *time)
{
    uint64_t at = time ? *(uint64_t *)time : kpx_now();
    kpx_put_at(at, KPX_BLOCK_BEGIN, 1, 0, 0, 0);
    kpx_put_at(kpx_now(), KPX_BLOCK_END, 1, 0, 0, 0);
    return NULL;
}

static void run(uint64_t *time)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, record, time) != 0 || pthread_join(thread, NULL) != 0)
        exit(2);
}

static int check_log(void)
{
    char *error = NULL;
    kpx_logs *logs = kpx_logs_read(folder, &error);
    int failed = 0;
    if (!logs || logs->processes.n != 1)
        return puts("FAILED: no log"), 1;
    if (logs->processes.at[0].threads.n != 2)
        failed = printf("FAILED: %zu logs, not 2\n", logs->processes.at[0].threads.n);
    for (size_t i = 0; i < logs->complaints.n; i++)
        failed = printf("FAILED: %s\n", logs->complaints.at[i]);
    kpx_logs_destroy(logs);
    return failed > 0;
}

static void remove_log(void)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    char path[512];
    while (directory && (entry = readdir(directory))) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(path);
    }
    if (directory)
        closedir(directory);
    rmdir(folder);
}

int main(int argc, char **argv)
{
    if (argc > 1) { // the library has read its environment
        uint64_t early = kpx_now();
        run(NULL);
        run(&early); // its event began before the first thread ended: another log
        run(NULL);   // goes on with one of the two
        return 0;
    }
    if (!mkdtemp(folder) || setenv("KPX_LOG", folder, 1) != 0)
        return 2;
    char command[4096];
    snprintf(command, sizeof command, "'%s' record", argv[0]);
    int failed = system(command) != 0 || check_log();
    remove_log();
    return failed;
}
