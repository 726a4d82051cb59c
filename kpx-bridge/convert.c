// SPDX-License-Identifier: MIT
#include "kpx-bridge/convert.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kpx-bridge/clocks.h"
#include "kpx-bridge/converter.h"
#include "kpx-bridge/measured.h"
#include "kpx-bridge/mpi_totals.h"

static const char *name_of(const kpx_process_log *p)
{
    return p->program ? kpx_base_name(p->program) : "program";
}

// Events that were not kept, and how many would have had to be.
static void tell_losses(const kpx_process_log *p, FILE *out)
{
    uint64_t lost = 0, most = 0;
    for (uint32_t i = 0; i < p->threads.n; i++) {
        const kpx_thread_log *t = &p->threads.at[i];
        lost += t->seen - t->n;
        most = t->seen > most ? t->seen : most;
    }
    if (lost > 0)
        fprintf(out,
                "kpx-bridge: %" PRIu64 " events were not kept; --events %" PRIu64
                " would have been enough\n",
                lost, most);
}

static bool has_regions(const kpx_process_log *p)
{
    for (uint32_t i = 0; i < p->threads.n; i++)
        for (uint32_t k = 0; k < p->threads.at[i].n; k++)
            if (p->threads.at[i].events[k].kind == KPX_PARALLEL_BEGIN)
                return true;
    return false;
}

// The call that the process made last and did not come back from.
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

static void tell_bad_end(const kpx_process_log *p, FILE *out)
{
    uint64_t last = p->begin;
    for (uint32_t i = 0; i < p->threads.n; i++) {
        const kpx_thread_log *t = &p->threads.at[i];
        last = t->n > 0 && t->events[t->n - 1].time > last ? t->events[t->n - 1].time : last;
    }
    char *rank = p->rank >= 0 ? kpx_text("rank %d, ", p->rank) : kpx_copy("");
    fprintf(out, "kpx-bridge: %sprocess %u %s after %.3f s; what it recorded until then is used\n",
            rank, p->pid, is_aborted(p) ? "called MPI_Abort" : "did not end in good order",
            (double)(last - p->begin) / 1e9);
    free(rank);
}

static void tell_of(const kpx_logs *logs, const kpx_process_log *p, FILE *out)
{
    tell_losses(p, out);
    const char *missing = kpx_symbols_complaint(p->symbols);
    if (missing)
        fprintf(out, "kpx-bridge: %s\n", missing);
    if (p->chosen && !has_regions(p))
        fprintf(out, "kpx-bridge: none of the chosen regions was entered by process %u\n", p->pid);
    if (!ended_well(logs, p))
        tell_bad_end(p, out);
}

// Ranks that the others tell of and that left no log.
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

// Machines are brought to one clock here, too.
static void tell_messages(kpx_logs *logs, const kpx_messages *messages, FILE *out)
{
    char *clocks = kpx_agree_clocks(logs, messages);
    if (clocks)
        fprintf(out, "kpx-bridge: %s\n", clocks);
    free(clocks);
    if (messages->unmatched > 0)
        fprintf(out, "kpx-bridge: of %" PRIu64 " messages that were received the sending was not "
                     "recorded\n", messages->unmatched);
}

// ---- Routines, loops, I/O ----------------------------------------------------------------------

static void tell_table(const kpx_measured_process *p, const kpx_table *t, FILE *out)
{
    if (t->beyond > 0)
        fprintf(out, "kpx-bridge: %" PRIu64 " executions were nested deeper than %u and were counted, "
                     "not timed\n", t->beyond, KPX_FRAMES);
    if (t->io_lost > 0)
        fprintf(out, "kpx-bridge: %" PRIu64 " executions of I/O statements found no place in a table\n",
                t->io_lost);
    if (!t->ended && t->thread == 0)
        fprintf(out, "kpx-bridge: process %" PRId64 " did not end in good order; what was measured "
                     "until then is used\n", p->list.pid);
}

// The totals of what was measured, or NULL. *ret_ended: all processes ended in good order.
static kpx_totals *measured_totals(const char *log, FILE *out, bool *ret_ended)
{
    kpx_measured_log *measured = kpx_measured_read(log);
    kpx_totals *totals = NULL;
    if (!measured)
        return NULL;
    for (uint32_t i = 0; i < measured->complaints.n; i++)
        fprintf(out, "kpx-bridge: %s\n", measured->complaints.at[i]);
    for (uint32_t i = 0; i < measured->processes.n; i++) {
        const kpx_measured_process *p = &measured->processes.at[i];
        for (uint32_t k = 0; k < p->threads.n; k++) {
            tell_table(p, &p->threads.at[k].head, out);
            *ret_ended = *ret_ended && p->threads.at[k].head.ended;
        }
    }
    char *strangers = measured->processes.n > 0 ? kpx_suppressed_strangers(measured) : NULL;
    if (strangers)
        fprintf(out, "kpx-bridge: %s\n", strangers);
    free(strangers);
    if (measured->processes.n > 0)
        totals = kpx_measured_totals(measured);
    kpx_measured_destroy(measured);
    return totals;
}

// ---- All ----------------------------------------------------------------------------------------

// Events, if there are any.
static bool convert_events(kpx_model *m, kpx_logs *logs, kpx_statistics *statistics,
                           FILE *complaints)
{
    bool ended = true;
    for (uint32_t i = 0; i < logs->complaints.n; i++)
        fprintf(complaints, "kpx-bridge: %s\n", logs->complaints.at[i]);
    kpx_messages *messages = kpx_match_messages(logs);
    tell_messages(logs, messages, complaints);
    kpx_convert_events(m, logs, messages, statistics);
    kpx_messages_free(messages);
    for (uint32_t i = 0; i < logs->processes.n; i++) {
        tell_of(logs, &logs->processes.at[i], complaints);
        ended = ended && ended_well(logs, &logs->processes.at[i]);
    }
    tell_missing(logs, complaints);
    return ended;
}

static bool write_all(kpx_model *m, const char *program, const kpx_statistics *statistics,
                      const char *output, bool ended, char **ret_statistics, FILE *complaints,
                      char **ret_error)
{
    bool good = kpx_write(m, output, program, statistics, ended, 0, "", ret_error);
    if (good && ret_statistics)
        *ret_statistics = kpx_statistics_text(statistics, program);
    if (good && kpx_clock_faults(m) > 0)
        fprintf(complaints, "kpx-bridge: %" PRIu32 " times do not fit together and were adapted\n",
                kpx_clock_faults(m));
    return good;
}

bool kpx_convert(const char *log, const char *output, char **ret_statistics, FILE *complaints,
                 char **ret_error)
{
    bool ended = true, good = false;
    kpx_logs *logs = kpx_logs_read(log, ret_error);
    kpx_totals *totals = measured_totals(log, complaints, &ended);
    if (!logs && !totals)
        return false;
    if (!logs) {
        free(*ret_error);
        *ret_error = NULL;
    }
    kpx_model *m = kpx_model_create();
    kpx_statistics statistics = {0};
    char *program = kpx_copy(logs ? name_of(&logs->processes.at[0]) : kpx_totals_program(totals));
    if (logs)
        ended = convert_events(m, logs, &statistics, complaints) && ended;
    bool empty = kpx_nactivities(m) == 0 && !totals;
    if (!empty && logs && kpx_has_ranks(logs)) {
        totals = totals ? totals : kpx_totals_create(program, KPX_CLOCK_ELAPSED);
        kpx_add_mpi_totals(totals, logs);
    }
    if (totals)
        kpx_add_totals(m, totals);
    if (empty)
        *ret_error = kpx_text("%s: nothing was recorded that makes a picture%s", log,
                              logs->processes.at[0].paused ? ": the program never called kpx_start()"
                                                           : "");
    else
        good = write_all(m, program, &statistics, output, ended, ret_statistics, complaints,
                         ret_error);
    free(program);
    kpx_statistics_free(&statistics);
    kpx_model_destroy(m);
    if (logs)
        kpx_logs_destroy(logs);
    return good;
}
