// SPDX-License-Identifier: MIT
//
// Writes an archive of OTF2 as a tool would that records MPI and OpenMP: two ranks of two threads
// each.
//
//   write_otf2 FOLDER          FOLDER/traces.otf2
//
// The clock has 1000 ticks in a second, so a tick is a millisecond:
//
//   rank 0   main 0-200: MPI_Send 30-32 to rank 1 (tag 7, 4096 bytes) ... MPI_Allreduce 60-100
//            parallel 110-160: thread 0 works 112-120, then waits at the barrier; thread 1 works
//            112-150 thread 1 takes a lock at 118, which thread 0 had from 114 to 118
//   rank 1   main 0-200: MPI_Recv 10-40 ... MPI_Allreduce 90-100
//            parallel 110-160: as rank 0, without the lock; thread 0 creates a task that thread 1
//            runs
#include <stdlib.h>

#include <otf2/otf2.h>

enum { RANKS = 2, THREADS = 2, TAG = 7, BYTES = 4096, LOCK = 3 };
enum {
    NAME_EMPTY,
    NAME_MACHINE,
    NAME_NODE,
    NAME_MASTER,
    NAME_WORKER,
    NAME_MPI,
    NAME_TEAM,
    NAME_FILE,
    NAME_PROCESS,
    NAMES_OF_REGIONS = NAME_PROCESS + RANKS
};
enum { MAIN, SEND, RECEIVE, REDUCE, PARALLEL, LOOP, BARRIER, CRITICAL, TASK, TASKWAIT, REGIONS };
enum { GROUP_WORLD, GROUP_ALL, GROUP_TEAM, COMM_WORLD = 0, COMM_TEAM };

static const struct {
    const char *name;
    OTF2_RegionRole role;
    OTF2_Paradigm paradigm;
    uint32_t line;
} regions[REGIONS] = {
    {"main", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER, 5},
    {"MPI_Send", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI, 0},
    {"MPI_Recv", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI, 0},
    {"MPI_Allreduce", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_PARADIGM_MPI, 0},
    {"!$omp parallel @code.c:20", OTF2_REGION_ROLE_PARALLEL, OTF2_PARADIGM_OPENMP, 20},
    {"!$omp for @code.c:22", OTF2_REGION_ROLE_LOOP, OTF2_PARADIGM_OPENMP, 22},
    {"!$omp implicit barrier @code.c:30", OTF2_REGION_ROLE_IMPLICIT_BARRIER, OTF2_PARADIGM_OPENMP,
     30},
    {"!$omp critical @code.c:24", OTF2_REGION_ROLE_CRITICAL, OTF2_PARADIGM_OPENMP, 24},
    {"!$omp task @code.c:26", OTF2_REGION_ROLE_TASK, OTF2_PARADIGM_OPENMP, 26},
    {"!$omp taskwait @code.c:28", OTF2_REGION_ROLE_TASK_WAIT, OTF2_PARADIGM_OPENMP, 28},
};

static OTF2_FlushType flush_before(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static OTF2_TimeStamp flush_after(void *data, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)data, (void)type, (void)location;
    return 0;
}

static OTF2_FlushCallbacks flushes = {flush_before, flush_after};

static void check(OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS)
        exit(1);
}

static void enter(OTF2_EvtWriter *w, OTF2_TimeStamp t, OTF2_RegionRef region)
{
    check(OTF2_EvtWriter_Enter(w, NULL, t, region));
}

static void leave(OTF2_EvtWriter *w, OTF2_TimeStamp t, OTF2_RegionRef region)
{
    check(OTF2_EvtWriter_Leave(w, NULL, t, region));
}

static void write_calls(OTF2_EvtWriter *w, uint32_t rank)
{
    enter(w, 0, MAIN);
    if (rank == 0) {
        enter(w, 30, SEND);
        check(OTF2_EvtWriter_MpiSend(w, NULL, 31, 1, COMM_WORLD, TAG, BYTES));
        leave(w, 32, SEND);
    } else {
        enter(w, 10, RECEIVE);
        check(OTF2_EvtWriter_MpiRecv(w, NULL, 40, 0, COMM_WORLD, TAG, BYTES));
        leave(w, 40, RECEIVE);
    }
    enter(w, rank ? 90 : 60, REDUCE);
    check(OTF2_EvtWriter_MpiCollectiveBegin(w, NULL, rank ? 90 : 60));
    check(OTF2_EvtWriter_MpiCollectiveEnd(w, NULL, 100, OTF2_COLLECTIVE_OP_ALLREDUCE, COMM_WORLD,
                                          OTF2_COLLECTIVE_ROOT_NONE, 8, 8));
    leave(w, 100, REDUCE);
}

// Thread 0 has the lock from 114 to 118; thread 1 comes to it at 116.
static void write_lock(OTF2_EvtWriter *w, uint32_t thread)
{
    enter(w, thread ? 116 : 113, CRITICAL);
    check(OTF2_EvtWriter_ThreadAcquireLock(w, NULL, thread ? 118 : 114, OTF2_PARADIGM_OPENMP, LOCK,
                                           thread + 1));
    check(OTF2_EvtWriter_ThreadReleaseLock(w, NULL, thread ? 130 : 118, OTF2_PARADIGM_OPENMP, LOCK,
                                           thread + 1));
    leave(w, thread ? 130 : 118, CRITICAL);
}

// Thread 0 creates a task at 114 and waits for it from 116 on; thread 1 runs it from 115 to 140.
static void write_task(OTF2_EvtWriter *w, uint32_t thread)
{
    if (thread == 0) {
        check(OTF2_EvtWriter_ThreadTaskCreate(w, NULL, 114, COMM_TEAM, 0, 1));
        enter(w, 116, TASKWAIT);
        leave(w, 141, TASKWAIT);
    } else {
        check(OTF2_EvtWriter_ThreadTaskSwitch(w, NULL, 115, COMM_TEAM, 0, 1));
        enter(w, 115, TASK);
        leave(w, 140, TASK);
        check(OTF2_EvtWriter_ThreadTaskComplete(w, NULL, 140, COMM_TEAM, 0, 1));
    }
}

static void write_team(OTF2_EvtWriter *w, uint32_t rank, uint32_t thread)
{
    if (thread == 0) {
        enter(w, 110, PARALLEL);
        check(OTF2_EvtWriter_ThreadFork(w, NULL, 110, OTF2_PARADIGM_OPENMP, THREADS));
    }
    check(OTF2_EvtWriter_ThreadTeamBegin(w, NULL, 111, COMM_TEAM));
    enter(w, 112, LOOP);
    if (rank == 0)
        write_lock(w, thread);
    else
        write_task(w, thread);
    leave(w, thread ? 150 : rank ? 142 : 120, LOOP);
    enter(w, thread ? 150 : rank ? 142 : 120, BARRIER);
    leave(w, 151, BARRIER);
    check(OTF2_EvtWriter_ThreadTeamEnd(w, NULL, 152, COMM_TEAM));
    if (thread == 0) {
        check(OTF2_EvtWriter_ThreadJoin(w, NULL, 155, OTF2_PARADIGM_OPENMP));
        leave(w, 160, PARALLEL);
    }
}

static void write_events(OTF2_Archive *archive, uint64_t counts[RANKS * THREADS])
{
    check(OTF2_Archive_OpenEvtFiles(archive));
    for (uint32_t i = 0; i < RANKS * THREADS; i++) {
        OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(archive, i);
        uint32_t rank = i / THREADS, thread = i % THREADS;
        if (thread == 0)
            write_calls(w, rank);
        write_team(w, rank, thread);
        if (thread == 0)
            leave(w, 200, MAIN);
        check(OTF2_EvtWriter_GetNumberOfEvents(w, &counts[i]));
        check(OTF2_Archive_CloseEvtWriter(archive, w));
    }
    check(OTF2_Archive_CloseEvtFiles(archive));
}

static void write_names(OTF2_GlobalDefWriter *w)
{
    static const char *const names[] = {"",
                                        "machine",
                                        "node",
                                        "Master thread",
                                        "OMP thread 1",
                                        "MPI",
                                        "team",
                                        "/home/somebody/code.c",
                                        "MPI Rank 0",
                                        "MPI Rank 1"};
    for (uint32_t i = 0; i < NAMES_OF_REGIONS; i++)
        check(OTF2_GlobalDefWriter_WriteString(w, i, names[i]));
    for (uint32_t i = 0; i < REGIONS; i++)
        check(OTF2_GlobalDefWriter_WriteString(w, NAMES_OF_REGIONS + i, regions[i].name));
    for (uint32_t i = 0; i < REGIONS; i++)
        check(OTF2_GlobalDefWriter_WriteRegion(
            w, i, NAMES_OF_REGIONS + i, NAMES_OF_REGIONS + i, NAME_EMPTY, regions[i].role,
            regions[i].paradigm, OTF2_REGION_FLAG_NONE,
            regions[i].line ? NAME_FILE : OTF2_UNDEFINED_STRING, regions[i].line, regions[i].line));
}

static void write_definitions(OTF2_Archive *archive, const uint64_t counts[RANKS * THREADS])
{
    OTF2_GlobalDefWriter *w = OTF2_Archive_GetGlobalDefWriter(archive);
    uint64_t masters[RANKS] = {0, THREADS}, ranks[RANKS] = {0, 1}, threads[THREADS] = {0, 1};
    check(OTF2_GlobalDefWriter_WriteClockProperties(w, 1000, 0, 200, OTF2_UNDEFINED_TIMESTAMP));
    write_names(w);
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(w, 0, NAME_MACHINE, NAME_NODE,
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t i = 0; i < RANKS; i++)
        check(OTF2_GlobalDefWriter_WriteLocationGroup(w, i, NAME_PROCESS + i,
                                                      OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                      OTF2_UNDEFINED_LOCATION_GROUP));
    for (uint32_t i = 0; i < RANKS * THREADS; i++)
        check(OTF2_GlobalDefWriter_WriteLocation(w, i, i % THREADS ? NAME_WORKER : NAME_MASTER,
                                                 OTF2_LOCATION_TYPE_CPU_THREAD, counts[i],
                                                 i / THREADS));
    check(OTF2_GlobalDefWriter_WriteGroup(w, GROUP_WORLD, NAME_MPI, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, RANKS, masters));
    check(OTF2_GlobalDefWriter_WriteGroup(w, GROUP_ALL, NAME_EMPTY, OTF2_GROUP_TYPE_COMM_GROUP,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, RANKS, ranks));
    check(OTF2_GlobalDefWriter_WriteGroup(w, GROUP_TEAM, NAME_TEAM, OTF2_GROUP_TYPE_COMM_GROUP,
                                          OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, THREADS,
                                          threads));
    check(OTF2_GlobalDefWriter_WriteComm(w, COMM_WORLD, NAME_MPI, GROUP_ALL, OTF2_UNDEFINED_COMM,
                                         OTF2_COMM_FLAG_NONE));
    check(OTF2_GlobalDefWriter_WriteComm(w, COMM_TEAM, NAME_TEAM, GROUP_TEAM, OTF2_UNDEFINED_COMM,
                                         OTF2_COMM_FLAG_NONE));
    check(OTF2_Archive_CloseGlobalDefWriter(archive, w));
}

int main(int argc, char **argv)
{
    uint64_t counts[RANKS * THREADS];
    if (argc != 2)
        return 2;
    OTF2_Archive *archive =
        OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE, 1024 * 1024, 4 * 1024 * 1024,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive)
        return 1;
    check(OTF2_Archive_SetFlushCallbacks(archive, &flushes, NULL));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    write_events(archive, counts);
    write_definitions(archive, counts);
    check(OTF2_Archive_OpenDefFiles(archive));
    for (uint32_t i = 0; i < RANKS * THREADS; i++)
        check(OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, i)));
    check(OTF2_Archive_CloseDefFiles(archive));
    return OTF2_Archive_Close(archive) == OTF2_SUCCESS ? 0 : 1;
}
