// SPDX-License-Identifier: MIT
//
// From a log to a trace, with all messages about what the log lacks. The work is done by the rooms
// below: log/ reads and matches, timeline/ and totals/ make the two parts of a trace.
#include "kpx-bridge/command/convert.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "kpx-bridge/fortran/call_sites.h"
#include "kpx-bridge/log/clocks.h"
#include "kpx-bridge/log/faults.h"
#include "kpx-bridge/log/names.h"
#include "kpx-bridge/timeline/events.h"
#include "kpx-bridge/timeline/executions.h"
#include "kpx-bridge/timeline/mpi.h"
#include "kpx-bridge/totals/counters.h"
#include "kpx-bridge/totals/mpi_totals.h"
#include "kpx-bridge/totals/sampled.h"

static const char *name_of(const kpx_process_log *p)
{
    return p->program ? kpx_base_name(p->program) : "program";
}

// When the timeline of the thread's executions ended early.
static uint64_t end_of_executions(const kpx_process_log *p, const kpx_thread_log *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        kpx_store_at(i);
        if (t->events[i].kind == KPX_SITES_FULL && t->events[i].time > p->begin)
            return t->events[i].time - p->begin;
    }
    return 0;
}

// Reports dropped events, and the limit that would have kept them. Truncated files have complaints
// of their own.
static void tell_losses(const kpx_process_log *p, FILE *out)
{
    uint64_t lost = 0, most = 0, unwritten = 0, first = UINT64_MAX;
    for (uint32_t i = 0; i < p->threads.n; i++) {
        const kpx_thread_log *t = &p->threads.at[i];
        if (t->capped) {
            lost += t->seen - t->n;
            most = t->seen - t->looks > most ? t->seen - t->looks : most;
        } else if (t->unwritten) {
            unwritten += t->seen - t->n;
        }
        uint64_t end = t->lost > 0 ? end_of_executions(p, t) : UINT64_MAX;
        first = end < first ? end : first;
    }
    if (lost > 0)
        fprintf(out,
                "kpx-bridge: %" PRIu64 " events were dropped; --events %" PRIu64
                " would have kept them\n",
                lost, most);
    if (unwritten > 0)
        fprintf(out, "kpx-bridge: %" PRIu64 " events could not be written to the log\n", unwritten);
    if (first < UINT64_MAX)
        fprintf(out,
                "kpx-bridge: the timeline of routines, loops and I/O ends after %.3f s; the totals "
                "are complete\n",
                (double)first / 1e9);
}

static bool has_regions(const kpx_process_log *p)
{
    for (uint32_t i = 0; i < p->threads.n; i++)
        for (uint32_t k = 0; k < p->threads.at[i].n; k++) {
            kpx_store_at(k);
            if (p->threads.at[i].events[k].kind == KPX_PARALLEL_BEGIN)
                return true;
        }
    return false;
}

// Regions were chosen, and no process entered one of them.
static bool all_missed(const kpx_logs *logs)
{
    bool chosen = false;
    for (uint32_t i = 0; i < logs->processes.n; i++) {
        if (logs->processes.at[i].chosen && has_regions(&logs->processes.at[i]))
            return false;
        chosen = chosen || logs->processes.at[i].chosen;
    }
    return chosen;
}

// Whether the last call of the process was MPI_Abort, which does not return.
static bool is_aborted(const kpx_process_log *p)
{
    for (uint32_t i = 0; i < p->threads.n; i++) {
        const kpx_thread_log *t = &p->threads.at[i];
        if (t->n > 0 && kpx_is_abort(&t->events[t->n - 1]))
            return true;
    }
    return false;
}

// A process that became another program has a later log of the same number.
static bool ended_well(const kpx_logs *logs, const kpx_process_log *p)
{
    bool became = false;
    for (uint32_t i = 0; i < logs->processes.n; i++) {
        const kpx_process_log *other = &logs->processes.at[i];
        became = became || (other->pid == p->pid && other->id > p->id);
    }
    return (p->end || became) && !is_aborted(p);
}

// What ended the process: a fault that it noted or, if it is the only one, what the command's status says.
static char *cause_of_end(const kpx_logs *logs, const kpx_process_log *p, int status)
{
    if (kpx_has_fault(p))
        return kpx_tell_fault(p);
    return logs->processes.n == 1 && !p->end ? kpx_signal_of_status(status) : NULL;
}

static void tell_bad_end(const kpx_logs *logs, const kpx_process_log *p, int status, FILE *out)
{
    uint64_t last = p->begin;
    for (uint32_t i = 0; i < p->threads.n; i++) {
        const kpx_thread_log *t = &p->threads.at[i];
        last = t->n > 0 && t->events[t->n - 1].time > last ? t->events[t->n - 1].time : last;
    }
    last = p->stopped > last ? p->stopped : last;
    char *rank = p->rank >= 0 ? base_format("rank %d, ", p->rank) : base_copy("");
    char *cause = is_aborted(p) ? NULL : cause_of_end(logs, p, status);
    fprintf(out, "kpx-bridge: %sprocess %u %s%s%s after %.3f s; its events until then are used\n", rank,
            p->pid, is_aborted(p) ? "called MPI_Abort" : "ended abnormally", cause ? ", by " : "",
            cause ? cause : "", (double)(last - p->begin) / 1e9);
    free(cause);
    free(rank);
}

// Whether an earlier process has the same complaint.
static bool is_told(const kpx_logs *logs, const kpx_process_log *p, const char *complaint)
{
    for (const kpx_process_log *q = logs->processes.at; q < p; q++) {
        const char *other = kpx_symbols_complaint(q->symbols);
        if (other && strcmp(other, complaint) == 0)
            return true;
    }
    return false;
}

static void tell_of(const kpx_logs *logs, const kpx_process_log *p, bool missed, int status, FILE *out)
{
    tell_losses(p, out);
    const char *missing = kpx_symbols_complaint(p->symbols);
    if (missing && !is_told(logs, p, missing))
        fprintf(out, "kpx-bridge: %s\n", missing);
    if (p->chosen && !missed && !has_regions(p))
        fprintf(out, "kpx-bridge: process %u entered none of the chosen regions\n", p->pid);
    if (!ended_well(logs, p) && p->described)
        tell_bad_end(logs, p, status, out);
}

// Reports ranks that others know of and that left no log.
static void tell_missing(const kpx_logs *logs, FILE *out)
{
    int ranks = 0, there = 0;
    for (uint32_t i = 0; i < logs->processes.n; i++) {
        const kpx_process_log *p = &logs->processes.at[i];
        ranks = p->ranks > ranks ? p->ranks : ranks;
        there += p->rank >= 0;
    }
    if (there < ranks)
        fprintf(out, "kpx-bridge: %d of %d ranks left no log\n", ranks - there, ranks);
}

// Also brings the machines to one clock.
static void tell_messages(kpx_logs *logs, const kpx_messages *messages, FILE *out)
{
    char *clocks = kpx_agree_clocks(logs, messages);
    if (clocks)
        fprintf(out, "kpx-bridge: %s\n", clocks);
    free(clocks);
    if (messages->unmatched > 0)
        fprintf(out, "kpx-bridge: %" PRIu64 " received messages have no recorded send\n",
                messages->unmatched);
}

// ---- What recording cost -----------------------------------------------------------------------

enum {
    LEAST_COST = 3,  // per cent: what is told
    CLOCK_IN = 2,    // an event takes so many times as long as reading the clock
    LOOK = 2000,     // nanoseconds that a look at the processor time takes
    LOOK_AGAIN = 300, // that takes only the time itself
    LEAST_USED = 50000000, // nanoseconds: of shorter runs it says little
};

// Processor time of all threads that the log is of, one after the other.
static uint64_t processor_time(const kpx_thread_log *t)
{
    uint64_t sum = 0, ran = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        const kpx_event *e = &t->events[i];
        kpx_store_at(i);
        sum += e->kind == KPX_THREAD_NEXT ? ran : 0;
        ran = e->kind == KPX_PROCESSOR_TIME ? e->a : e->kind == KPX_THREAD_NEXT ? 0 : ran;
    }
    return sum + ran;
}

static double cost_of(const kpx_process_log *p, const kpx_thread_log *t)
{
    double looks = (double)t->looks, events = (double)t->n - looks;
    return events * CLOCK_IN * (double)p->clock / 1000 + looks * (p->by_cpu ? LOOK_AGAIN : LOOK);
}

// By what recording an event takes on that machine. Of short runs looks say nothing.
static void tell_cost(const kpx_logs *logs, FILE *out)
{
    double cost = 0, used = 0;
    for (uint32_t i = 0; i < logs->processes.n; i++) {
        const kpx_process_log *p = &logs->processes.at[i];
        for (uint32_t k = 0; k < p->threads.n; k++) {
            cost += cost_of(p, &p->threads.at[k]);
            used += (double)processor_time(&p->threads.at[k]);
        }
    }
    double share = used > 0 ? 100 * cost / used : 0;
    if (used > LEAST_USED && share >= LEAST_COST)
        fprintf(out, "kpx-bridge: recording took about %.0f %% of the processor time\n",
                share < 100 ? share : 100);
}

// ---- Routines, loops, I/O ----------------------------------------------------------------------

static bool has_log(const kpx_logs *logs, const kpx_process_counters *p)
{
    for (uint32_t i = 0; logs && i < logs->processes.n; i++)
        if (logs->processes.at[i].sites == p->id)
            return true;
    return false;
}

// logged: there is a log, which says how the process ended.
static void tell_unlogged(const kpx_process_counters *p, FILE *out)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < p->threads.n; k++)
        n += p->threads.at[k].head.unlogged;
    if (n > 0)
        fprintf(out,
                "kpx-bridge: %" PRIu64 " threads are not on the timeline; the totals have them\n",
                n);
}

static void tell_table(const kpx_process_counters *p, const kpx_table *t, bool logged, FILE *out)
{
    if (t->beyond > 0)
        fprintf(out,
                "kpx-bridge: %" PRIu64 " executions were nested deeper than %u: they were counted, "
                "not timed\n",
                t->beyond, KPX_FRAMES);
    if (t->io_lost > 0)
        fprintf(out,
                "kpx-bridge: %" PRIu64 " executions of I/O statements were not counted: the table "
                "was full\n",
                t->io_lost);
    if (!t->ended && t->thread == 0 && !logged)
        fprintf(out,
                "kpx-bridge: process %" PRId64 " ended abnormally; its measurements until then are "
                "used\n",
                p->list.pid);
}

// The totals of the counters, or NULL. *ret_ended: all processes ended normally.
static kpx_totals *measured_totals(const kpx_counters *measured, const kpx_logs *logs, FILE *out,
                                   bool *ret_ended)
{
    bool cpu = false;
    if (!measured)
        return NULL;
    for (uint32_t i = 0; i < measured->complaints.n; i++)
        fprintf(out, "kpx-bridge: %s\n", measured->complaints.at[i]);
    for (uint32_t i = 0; i < measured->processes.n; i++) {
        const kpx_process_counters *p = &measured->processes.at[i];
        for (uint32_t k = 0; k < p->threads.n; k++) {
            tell_table(p, &p->threads.at[k].head, has_log(logs, p), out);
            cpu = cpu || p->threads.at[k].head.clock;
            *ret_ended = *ret_ended && p->threads.at[k].head.ended;
        }
        tell_unlogged(p, out);
    }
    char *strangers = measured->processes.n > 0 ? kpx_suppressed_strangers(measured) : NULL;
    if (strangers)
        fprintf(out, "kpx-bridge: %s\n", strangers);
    free(strangers);
    if (cpu)
        fputs("kpx-bridge: with --clock cpu routines, loops and I/O have totals but no timeline\n", out);
    char *left_out = logs ? kpx_left_out(logs, measured) : NULL;
    if (left_out)
        fprintf(out, "kpx-bridge: %s\n", left_out);
    free(left_out);
    return measured->processes.n > 0 ? kpx_counter_totals(measured) : NULL;
}

// ---- All ----------------------------------------------------------------------------------------

enum { MOST_FAULTS = 8 }; // told in the trace

// For the message of the trace: what ended the processes that did not end themselves; NULL: none.
static char *tell_ends(const kpx_logs *logs, int status)
{
    char *all = NULL;
    for (uint32_t i = 0, told = 0; logs && i < logs->processes.n && told < MOST_FAULTS; i++) {
        const kpx_process_log *p = &logs->processes.at[i];
        char *cause = ended_well(logs, p) || is_aborted(p) ? NULL : cause_of_end(logs, p, status);
        if (!cause)
            continue;
        char *who = p->rank >= 0 ? base_format("rank %d", p->rank) : base_format("process %u", p->pid);
        char *longer = base_format("%s%s%s was ended by %s", all ? all : "", all ? "; " : "", who, cause);
        free(all), free(who), free(cause);
        all = longer;
        told++;
    }
    return all;
}

// Events, if there are any.
static bool convert_events(kpx_activities *m, kpx_logs *logs, const kpx_counters *measured,
                           kpx_statistics *statistics, int status, FILE *complaints)
{
    bool ended = true;
    for (uint32_t i = 0; i < logs->complaints.n; i++)
        fprintf(complaints, "kpx-bridge: %s\n", logs->complaints.at[i]);
    kpx_correct_calls(logs);
    kpx_messages *messages = kpx_match_messages(logs);
    tell_messages(logs, messages, complaints);
    bool missed = all_missed(logs);
    kpx_convert_events(m, logs, measured, messages, statistics);
    kpx_tell_progress(m, -1);
    kpx_messages_free(messages);
    for (uint32_t i = 0; i < logs->processes.n; i++) {
        tell_of(logs, &logs->processes.at[i], missed, status, complaints);
        ended = ended && ended_well(logs, &logs->processes.at[i]);
    }
    tell_missing(logs, complaints);
    tell_cost(logs, complaints);
    return ended;
}

// ---- Nothing ------------------------------------------------------------------------------------

static bool is_executed(const kpx_totals *t)
{
    for (uint32_t i = 0; i < kpx_totals_nitems(t); i++)
        if (kpx_totals_sum(t, i).times > 0)
            return true;
    return false;
}

// ` (--region a, b)`, or an empty text if the options are unknown.
static char *describe_regions(const kpx_record_options *asked)
{
    char *text = base_copy("");
    for (const char *at = asked && asked->regions ? asked->regions : ""; *at;) {
        size_t n = strcspn(at, "\n");
        char *longer = base_format("%s%s%.*s", text, *text ? ", " : " (--region ", (int)n, at);
        free(text);
        text = longer;
        at += n + (at[n] == '\n');
    }
    char *all = base_format("%s%s", text, *text ? ")" : "");
    free(text);
    return all;
}

static char *missed_regions(const kpx_conversion *c)
{
    char *regions = describe_regions(c->asked);
    char *text = base_format("none of the chosen regions was entered%s", regions);
    free(regions);
    return text;
}

static char *missed_items(const kpx_conversion *c)
{
    const char *only = c->asked ? c->asked->measure.only : NULL;
    const char *except = c->asked ? c->asked->measure.except : NULL;
    if (only || except)
        return base_format("nothing chosen by%s%s%s%s was executed", only ? " --only " : "",
                           only ? only : "", except ? " --except " : "", except ? except : "");
    return base_format("nothing that could be measured was executed%s",
                       c->asked && c->asked->paused ? " after kpx_start()" : "");
}

// Whether something other than routines, loops and I/O was recorded.
static bool is_of_others(const kpx_logs *logs)
{
    for (uint32_t i = 0; logs && i < logs->processes.n; i++)
        if (logs->processes.at[i].sites == KPX_NO_SITES || logs->processes.at[i].openmp ||
            logs->processes.at[i].rank >= 0)
            return true;
    return false;
}

// No recorded program has the parts that the user wanted to record.
static char *missed_programs(const kpx_record_options *asked)
{
    const char *parts[] = {
        asked->openmp ? "that begins a parallel region of OpenMP" : NULL,
        asked->mpi ? "that calls MPI_Init" : NULL,
        asked->threads ? "that makes a thread or waits" : NULL,
        asked->measure.routines || asked->measure.loops ? "that `kpx-bridge build` has compiled"
                                                        : NULL,
        asked->measure.io ? "of gfortran that reads or writes" : NULL,
    };
    char *text = base_copy("");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i])
            continue;
        char *longer =
            base_format("%s%s%s", text, *text ? " or " : "there was no program ", parts[i]);
        free(text);
        text = longer;
    }
    char *all = base_format("%s (one linked with -static cannot be recorded)", text);
    free(text);
    return all;
}

// Why recorders could not write into the folder of the log: they have no other place to say so.
// NULL: they could, or it is unknown.
static char *find_obstacle(const char *folder)
{
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    int reason = file < 0 ? errno : posix_fallocate(file, 0, KPX_HEADER_SIZE);
    if (file >= 0)
        close(file);
    bool unknown = reason == EOPNOTSUPP || reason == EISDIR; // the file system has no such files
    return reason && !unknown ? base_format("%s: cannot write: %s", folder, strerror(reason))
                              : NULL;
}

// A signal ended the command before it did anything that is recorded, or no program in it does.
static char *ended_early(const kpx_conversion *c)
{
    char *signal = kpx_signal_of_status(kpx_recorded_status(c->log));
    char *text = signal ? base_format("the command was ended by %s before it did anything that is recorded", signal)
                        : missed_programs(c->asked);
    free(signal);
    return text;
}

// Why there is no trace; logs and totals may be NULL.
static char *find_reason(const kpx_conversion *c, const kpx_logs *logs, const kpx_totals *totals)
{
    if (totals)
        return missed_items(c);
    if (!logs && c->asked) {
        char *obstacle = find_obstacle(c->log);
        return obstacle ? obstacle : ended_early(c);
    }
    if (!logs)
        return NULL;
    if (all_missed(logs))
        return missed_regions(c);
    return base_copy(logs->processes.at[0].paused ? "the program never called kpx_start()"
                                                  : "no events that can be drawn");
}

static char *say_nothing(const kpx_conversion *c, const kpx_logs *logs, const kpx_totals *totals)
{
    char *reason = find_reason(c, logs, totals);
    char *text = base_format("%s%snothing was recorded%s%s", c->name ? c->name : "",
                             c->name ? ": " : "", reason ? ": " : "", reason ? reason : "");
    free(reason);
    return text;
}

// ---- The trace ----------------------------------------------------------------------------------

static void tell_output(const kpx_activities *m, const kpx_totals *totals, const char *output,
                        FILE *out)
{
    uint32_t places = kpx_nplaces(m), items = totals ? kpx_totals_nitems(totals) : 0;
    fprintf(out, "kpx-bridge: %s: ", output);
    if (kpx_nactivities(m) > 0)
        fprintf(out, "%" PRIu32 " place%s, %" PRIu32 " activities%s", places,
                places == 1 ? "" : "s", kpx_nactivities(m), items ? ", " : "");
    if (items > 0)
        fprintf(out, "%" PRIu32 " total%s", items, items == 1 ? "" : "s");
    fputc('\n', out);
}

// ends: what ended processes, or NULL.
static bool write_all(kpx_activities *m, const char *program, const kpx_statistics *statistics, bool cpu,
                      const char *output, bool ended, int status, const char *ends, char **ret_statistics,
                      FILE *complaints, char **ret_error)
{
    const char *open = kpx_open_calls(m) ? kpx_open_calls(m) : "";
    if (*open)
        fprintf(complaints, "kpx-bridge: %s\n", open);
    char *message = base_format("%s%s%s", ends ? ends : "", ends && *open ? "; " : "", open);
    bool good = kpx_write(m, output, program, statistics, ended, status, message, ret_error);
    free(message);
    kpx_tell_progress(m, -1);
    if (good && ret_statistics)
        *ret_statistics = kpx_statistics_text(statistics, program, cpu);
    if (good && kpx_clock_faults(m) > 0)
        fprintf(complaints,
                "kpx-bridge: %" PRIu32 " timestamps were inconsistent and have been adjusted\n",
                kpx_clock_faults(m));
    return good;
}

// Functions where samples were become totals, unless routines were measured.
static kpx_totals *add_samples(kpx_totals *totals, const kpx_counters *measured, const char *program,
                               const kpx_logs *logs, const char *folder, FILE *complaints)
{
    if (measured && kpx_totals_observed(totals, KPX_UNIT)) {
        fputs("kpx-bridge: routines were measured: samples are not used\n", complaints);
        return totals;
    }
    totals = totals ? totals : kpx_totals_create(program, KPX_CLOCK_CPU);
    uint64_t taken = kpx_add_samples(totals, logs, folder);
    fprintf(complaints, "kpx-bridge: %" PRIu64 " samples of recorded programs\n", taken);
    return totals;
}

// Makes the trace of the events and totals; one of them may be NULL. The activities take the
// totals.
static kpx_converted convert_all(const kpx_conversion *c, kpx_logs *logs,
                                 const kpx_counters *measured, kpx_totals *totals, bool ended,
                                 char **ret_statistics, FILE *complaints, char **ret_error)
{
    kpx_activities *m = kpx_activities_create();
    kpx_set_progress(m, c->progress);
    kpx_statistics statistics = {0};
    int status = kpx_recorded_status(c->log);
    char *program = base_copy(logs ? name_of(kpx_logs_worker(logs)) : kpx_totals_program(totals));
    char *output = c->output ? base_copy(c->output) : base_format("%s.paf", program);
    if (logs)
        kpx_set_machine(m, &(trace_machine){kpx_logs_processors(logs), kpx_logs_threads(logs),
                                            logs->processes.at[0].clock});
    if (logs)
        ended = convert_events(m, logs, measured, &statistics, status, complaints) && ended;
    bool ranks = logs && kpx_has_ranks(logs), cpu = logs && kpx_logs_by_cpu(logs);
    kpx_converted done = KPX_NOTHING_RECORDED;
    bool executed = totals && is_executed(totals);
    bool events = kpx_nactivities(m) > 0 && (ranks || !all_missed(logs));
    if (!events && !executed) {
        *ret_error = !logs && measured->complaints.n > 0
                         ? base_format("nothing was recorded that can be read")
                         : say_nothing(c, logs, is_of_others(logs) ? NULL : totals);
    } else {
        if (totals && !executed && measured->complaints.n == 0) {
            char *missed = missed_items(c);
            fprintf(complaints, "kpx-bridge: %s\n", missed);
            free(missed);
        }
        if (ranks) {
            kpx_totals_clock clock = cpu ? KPX_CLOCK_CPU : KPX_CLOCK_ELAPSED;
            totals = totals ? totals : kpx_totals_create(program, clock);
            kpx_add_mpi_totals(totals, logs);
        }
        done = KPX_CONVERTED;
    }
    if (done == KPX_CONVERTED && logs && kpx_has_samples(c->log))
        totals = add_samples(totals, measured, program, logs, c->log, complaints);
    if (done == KPX_CONVERTED && logs) // writing takes as much memory again
        kpx_logs_drop_events(logs);
    if (totals)
        kpx_add_totals(m, totals);
    char *ends = tell_ends(logs, status);
    if (done == KPX_CONVERTED && !write_all(m, program, &statistics, cpu || c->cpu, output, ended, status, ends,
                                            ret_statistics, complaints, ret_error))
        done = KPX_NOT_WRITTEN;
    free(ends);
    if (done == KPX_CONVERTED)
        tell_output(m, totals, output, complaints);
    free(output);
    free(program);
    kpx_statistics_free(&statistics);
    kpx_activities_destroy(m);
    return done;
}

// Of a log whose trace was written. has_reason: no file of events could be used, and why was told.
static kpx_converted tell_unusable(const kpx_logs *logs, const kpx_counters *measured,
                                   bool has_reason, FILE *complaints)
{
    uint32_t n = (logs ? logs->unusable : has_reason) + (measured ? measured->unusable : 0);
    if (n > 0)
        fprintf(complaints, "kpx-bridge: %u file%s of the log could not be used\n", n,
                n == 1 ? "" : "s");
    return n > 0 ? KPX_CONVERTED_IN_PART : KPX_CONVERTED;
}

// The complaint (malloc'ed) if more memory would be needed than may be taken; else NULL.
static char *say_needed(const char *log)
{
    uint64_t events = kpx_logs_count_events(log), limit = base_memory_limit();
    uint64_t disk = events * KPX_DISK_OF_EVENT, there = kpx_store_disk();
    uint64_t need = disk <= there ? kpx_memory_to_make(events) : events * KPX_MEMORY_OF_EVENT;
    if (limit == 0 || need <= limit)
        return NULL;
    char *less = disk <= there ? base_copy("")
                               : base_format("; with %" PRIu64 " MB of disk space beside it, %" PRIu64 " MB",
                                             disk >> 20, kpx_memory_to_make(events) >> 20);
    char *text = base_format("%s: the trace of its %" PRIu64 " events would take about %" PRIu64
                             " MB of memory to make%s, and %" PRIu64 " MB are allowed (--memory)",
                             log, events, need >> 20, less, limit >> 20);
    free(less);
    return text;
}

kpx_converted kpx_convert(const kpx_conversion *c, char **ret_statistics, FILE *complaints,
                          char **ret_error)
{
    bool ended = true;
    kpx_converted done = KPX_NOTHING_RECORDED;
    kpx_store_beside(c->output ? c->output : ".");
    *ret_error = say_needed(c->log);
    if (*ret_error)
        return KPX_NOT_WRITTEN;
    kpx_logs *logs = kpx_logs_read(c->log, ret_error);
    kpx_counters *measured = kpx_counters_read(c->log);
    kpx_totals *totals = measured_totals(measured, logs, complaints, &ended);
    if (logs || totals) {
        bool has_reason = *ret_error;
        if (has_reason)
            fprintf(complaints, "kpx-bridge: %s\n", *ret_error);
        free(*ret_error);
        *ret_error = NULL;
        done = convert_all(c, logs, measured, totals, ended, ret_statistics, complaints, ret_error);
        if (done == KPX_CONVERTED)
            done = tell_unusable(logs, measured, has_reason, complaints);
    } else if (!*ret_error) {
        *ret_error = say_nothing(c, NULL, NULL);
    }
    if (logs)
        kpx_logs_destroy(logs);
    kpx_counters_destroy(measured);
    return done;
}
