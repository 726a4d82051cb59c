// SPDX-License-Identifier: MIT
//
// A measured run as its detectors see it: the replay, and phases.
//
// A *phase* is what a team did until a meeting: from the last meeting of each of its threads, or
// the beginning of its region, until the waits of this one. Of ranks it ends with a collective
// call that all take part in. A *segment* is the part of a phase at one place.
#ifndef IOTREE_MEASURED_RUN_H
#define IOTREE_MEASURED_RUN_H

#include "base/table.h"
#include "iotree/findings/findings.h"
#include "iotree/findings/source_text.h"
#include "iotree/prices/replay.h"
#include "profiler/regions.h"

typedef struct {
    uint32_t phase, place;
    uint32_t from, to; // activities r->by_place[from .. to - 1]
} segment;

typedef struct {
    ARRAY_OF(segment) list; // by phase
    uint32_t *first;        // of phase p: list.at[first[p]] ...
    uint32_t n;             // phases
} phases;

// What a cause is, and so how the run changes without it.
typedef enum {
    EVEN_THREADS,  // a construct's work is the same for all threads of the team, in each phase
    EVEN_RANKS,    // computation is the same for all ranks, in each phase
    SHARE_SERIAL,  // a serial stretch is shared by the team
    SHARE_REGION,  // a region of one thread is shared by a team
    NO_TURNS,      // nobody waits for a lock, critical section or ordered part
    NO_BARRIER,    // no barrier, or no collective call whose result is not needed yet
    NO_TASKWAIT,   // a task that is waited for at once is not
    NO_DEPENDENCE, // tasks of a group need no other tasks, and all threads work on them
    LARGER_TASKS,
    LARGER_CHUNKS,
    FEWER_REGIONS,
    SENT_EARLIER,  // receives have their messages when they begin
    POSTED_EARLIER, // sends have their receives
    WAITED_LATER,  // what follows a wait is done before it
    ROOT_EARLIER,  // nobody waits for the root of a broadcast
    ROOT_LATER,    // the root of a reduction does not wait for the others
    ANY_ORDER,     // receives take what came first
    SERVED_AS_THEY_COME, // the same of a rank that answers each message: nobody waits for his turn
    JOINED_LATER,  // a thread that was made just before is joined after what follows
    NOT_IN_STEP,   // a thread does not wait until another one is done with what it handed on
    SENT_AS_TREE,
    ONE_CALL,      // one call in place of a row of calls
    MORE_AT_ONCE,  // many items in a message
    CAUSES
} cause_kind;

typedef struct {
    cause_kind kind;
    uint32_t clause; // the construct; of a wait where it is waited
    uint32_t other;  // of a serial stretch the construct after it, of a message its source, of a
                     // taskwait the tasks; or IOT_NONE
    uint32_t later;  // of a taskwait: the tasks made after it; of tasks and regions that are too small:
                     // others of the same recursion, or in turn with them; else IOT_NONE
    int64_t weight;  // nanoseconds, at most what it may save on one place, roughly
    uint32_t count;  // phases, waits, tasks ...
    uint32_t example;        // activity
    uint32_t place;          // that has most, by a vote of the phases
    int64_t vote;
    double most, mean;       // nanoseconds of it and of the average
    double share;            // of what is too small: the part of its time that is work
    int64_t overhead;        // nanoseconds: the rest of it
    uint32_t team;
    uint32_t source;         // an activity that the example waits for, or IOT_NONE
    bool small;              // the constructs cost more than what is in them
    int64_t since, until;    // of turns: the first wait, the end of the last turn
    bool implied;            // a barrier is the end of a loop or of sections
    uint32_t meeting;        // the first one at a barrier
    bool again;              // there is another one
    ARRAY_OF(float) rests;   // by phase: what the longest has beyond the mean
    int64_t elapsed_without;
    bool gone;               // it saves nothing, or says the same as another one
} cause;

// What one place does between two regions; or in a region whose team it is alone.
typedef struct {
    uint32_t place, from, to;
    uint32_t before, after; // clauses of the regions' forks, or IOT_NONE
    uint32_t team;          // threads of the larger team of the two
    bool nested;            // within another region
    int64_t time;
} stretch;

// Calls of MPI that follow each other at a place, with next to nothing computed between (rows.c).
typedef struct {
    uint32_t from, to;    // activities r->by_place[from .. to - 1]
    uint32_t clauses[2];  // of the calls; the second may be IOT_NONE
    uint32_t calls;
    bool hands_out;       // each message is answered with another one to the same rank
    bool with_rows;       // what it has to do with are calls of rows, too
} row;

typedef struct measured_run {
    const iot *a;
    const trace *t;
    const replay *r;
    phases threads, ranks;
    uint32_t first_group;   // phases of threads from here on are groups (thread_groups.c)
    uint32_t *rank_clauses; // by phase of ranks: the computation that the slowest rank did most
    uint32_t *teams;        // by place: threads of the largest team that it is in
    uint32_t largest_team;
    uint32_t *fork_teams;   // by activity that is a fork: threads of its team
    ARRAY_OF(stretch) lone; // regions of one thread
    uint32_t *tasks_made;   // by activity
    uint32_t *threads_made; // by activity
    uint32_t *made_last;    // by activity: the clause of the last task it made, or IOT_NONE
    uint32_t *after;        // by activity: the next one at its place, or IOT_NONE
    uint32_t *same;         // by clause: the first one of its kind and name at its line
    uint32_t *clauses;      // by activity: its clause, as `same` has it, or that of the construct which
                            // executes it
    bool executions;        // constructs execute routines or loops that are measured, too
    uint32_t *lock_group;   // by clause: of waits for a lock that is taken at several lines the first one,
                            // else itself
    uint32_t *region_group; // by clause: the fork of the regions that are too small together and have its
                            // line, or IOT_NONE
    uint32_t *task_group;   // by clause of tasks: the first one of those that need each other
    ARRAY_OF(cause) causes;
    base_index index;
    int64_t *both;          // by pair of causes: what the run takes without both; -1: not known
    source_text *texts;     // by source
    uint8_t *barriers;      // by clause: is it a barrier of the text? (measured_proposals.c)
    bool *have_text;
    ARRAY_OF(row) rows;
    uint8_t *in_row;        // bits by activity
    uint32_t *row_group;    // by clause: a clause of the same exchange (iot_row_group)
} measured_run;

// phases.c
void iot_each_stretch(const measured_run *m, void (*f)(void *data, const stretch *s), void *data);
// Finds the teams of forks, and the regions with a team of one thread: there `before` is the clause
// of the region's fork, `after` IOT_NONE.
void iot_find_teams(measured_run *m);
bool iot_line_has(const trace *t, uint32_t source, uint32_t line, const char *word);
// The nearest line of the function, further on or further back, that calls one of this name; beyond the
// function's end or beginning that of another iteration. 0: none.
uint32_t iot_line_that_calls(const trace *t, const iot_location *around, const text_function *within,
                             const char *name, bool further_on);
// Is the result of the MPI_Allreduce used in the loop around it, or in another function?
bool iot_needs_result(measured_run *m, const iot_location *call);
// Does the line, or a function called in it, assign to the variable that the call sends?
bool iot_line_makes(measured_run *m, const iot_location *work, const iot_location *call);
// Receives of a clause that follow each other at a place: each from another rank, or with the same
// tag and nothing but computation in between.
void iot_each_batch(const measured_run *m, uint32_t clause,
                    void (*f)(void *data, const uint32_t *receives, uint32_t n), void *data);
// Receives of a clause at a place after each of which it sends to the rank that the message was from.
void iot_each_service(const measured_run *m, uint32_t clause,
                      void (*f)(void *data, const uint32_t *receives, uint32_t n), void *data);
// Three and more sends of a clause to different ranks that follow each other at a place.
void iot_each_chain_of_sends(const measured_run *m, uint32_t clause,
                             void (*f)(void *data, const uint32_t *sends, uint32_t n), void *data);

// dependences.c
void iot_find_task_groups(measured_run *m);
// Each group whose longest chains allow less than the team could do at a time, with the time of the
// chains beyond that.
void iot_each_task_group(const measured_run *m,
                         void (*f)(void *data, uint32_t group, int64_t weight), void *data);
void iot_find_phases(measured_run *m);
// The wait at which the phase ends, if the clause is the code of a region itself; else IOT_NONE.
uint32_t iot_end_of_phase(const measured_run *m, uint32_t clause, uint32_t phase);
void iot_free_phases(measured_run *m);
// in_step.c
// Does the place wait for the answer to what it has just handed to a thread that waited for that, and does
// nothing meanwhile? *ret_other: that thread's wait; *ret_work: what both could do at the same time.
bool iot_is_in_step(const measured_run *m, uint32_t wait, uint32_t *ret_other, int64_t *ret_work);
// Does the text take nothing of the other thread after the wait?
bool iot_wait_brings_nothing(const measured_run *m, uint32_t clause);
// same_locks.c
void iot_find_same_locks(measured_run *m);
// small_regions.c
// Joins causes of regions that are too small and are begun in turn, as two loops of a time step, and finds
// m->region_group.
void iot_join_small_regions(measured_run *m);
// thread_groups.c
// Adds each group of threads that the program made to the phases: what each did, from its beginning on.
void iot_add_thread_groups(measured_run *m);
static inline bool iot_is_group(const measured_run *m, uint32_t phase)
{
    return phase >= m->first_group;
}
// Do the threads of the group wait for nobody, but for next to none of their time?
bool iot_is_alone_in_group(const measured_run *m, uint32_t phase);
// Are all threads of the group there as long, at work or waiting at the construct? Then who waits less
// does more: they take what there is to do from a common place. One with a part of its own ends when that
// is done.
bool iot_takes_over(const measured_run *m, uint32_t phase, uint32_t clause);
// rows.c
void iot_find_rows(measured_run *m);
void iot_free_rows(measured_run *m);
// The same of all clauses that exchange something in rows.
uint32_t iot_row_group(const measured_run *m, uint32_t clause);
bool iot_is_call_of_group(const measured_run *m, uint32_t activity, uint32_t group);

// measured_causes.c
bool iot_is_execution(const measured_run *m, uint32_t activity); // of a routine, loop or I/O statement
uint32_t iot_last_source(const measured_run *m, uint32_t wait);
// measured_proposals.c: fills m->causes with what may be one.
void iot_propose_causes(measured_run *m);
// Does the place wait here for the only thread that it has made, and made just before?
bool iot_joins_at_once(const measured_run *m, uint32_t join);
// measured_edits.c: the cause of this number.
void iot_edit_cause(const void *measured, uint32_t number, const replay *r, replay_edit *edit);
// measured_texts.c: place, sentence and advice of the candidate. False: nothing in the text is to
// blame.
const source_text *iot_text_of(measured_run *m, uint32_t source);
bool iot_describe_cause(measured_run *m, const cause *c, candidate *to);

static inline uint32_t clause_of(const measured_run *m, uint32_t activity)
{
    return m->clauses[activity];
}

// The same of all waits for one lock.
static inline uint32_t lock_of(const measured_run *m, uint32_t activity)
{
    return m->lock_group[m->clauses[activity]];
}

static inline trace_kind kind_of_clause(const measured_run *m, uint32_t clause)
{
    return trace_get_predicate(m->t, trace_get_clause(m->t, clause)->predicate)->kind;
}

static inline trace_kind kind_of(const measured_run *m, uint32_t activity)
{
    return kind_of_clause(m, clause_of(m, activity));
}

static inline const char *name_of_clause(const measured_run *m, uint32_t clause)
{
    const trace_predicate *p =
        trace_get_predicate(m->t, trace_get_clause(m->t, clause)->predicate);
    return trace_string(m->t, p->name, NULL);
}

static inline int64_t waited(const measured_run *m, uint32_t activity)
{
    int64_t took = replay_end(m->r, activity) - replay_start(m->r, activity);
    int64_t rest = m->r->costs[activity];
    return m->r->waits[activity] && took > rest ? took - rest : 0;
}

// What the wait was for: the first activity after it that nobody else may do meanwhile.
static inline uint32_t held_after(const measured_run *m, uint32_t wait)
{
    uint32_t next = m->after[wait];
    for (int i = 0; i < 4 && next != IOT_NONE; i++, next = m->after[next])
        if (trace_kind_role(kind_of(m, next), m->r->waits[next]) == TRACE_ROLE_ALONE)
            return next;
    return IOT_NONE;
}

// What a rank does outside of MPI.
static inline bool computes(const measured_run *m, uint32_t activity)
{
    trace_role role = trace_kind_role(kind_of(m, activity), m->r->waits[activity]);
    trace_kind kind = kind_of(m, activity);
    return !m->r->waits[activity] && kind != TRACE_KIND_TRANSFER && role != TRACE_ROLE_CALL &&
           !(kind >= TRACE_KIND_MPI_CALL && kind <= TRACE_KIND_MPI_FILE);
}

bool iot_is_main_call(const measured_run *m, uint32_t activity, const char *name);

enum {
    EVENT_COST = 30,   // nanoseconds: what recording an event adds to an activity
    TURN_COST = 150,   // taking and leaving a lock that others want, too, with its events
    TEAM_COST = 2000,  // what a thread does at most to join a team and to leave it
    TEAM_COST_WITH_WORK = 250, // the same if the activity of the region has its work, too
    FORK_COST = 350,   // what the runtime adds to the serial part before a region
    LOOP_COST = 250,   // to a loop
    TASK_COST = 150,   // making a task
    EDGE_COST = 110,   // of the activity before a turn: leaving the turn before, with its events
    CHUNK_COST = 600,  // handing out a chunk that others want, too
    START = 8000000,   // a program that is loaded and begins, or ends
};

// Of the stretch, nanoseconds in which the program is loaded, or ends: nobody can share them. How much of
// loading a busy machine takes is not recorded.
static inline int64_t loading_in(const measured_run *m, const stretch *s)
{
    bool outside = s->before == IOT_NONE || s->after == IOT_NONE;
    return !outside ? 0 : m->r->disturbed ? 3 * (int64_t)START : START;
}

#endif
