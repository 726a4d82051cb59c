// SPDX-License-Identifier: MIT
//
// PageRank of a graph, by MPI: each process has a part of the pages and their links. After each
// step the ranks of pages are exchanged, in one of two ways:
//
//   all      every process gets all ranks of all others (MPI_Allgather)
//   needed   every process gets only the ranks that its links come from (MPI_Alltoallv)
//
//   pagerank [all|needed] [PAGES [STEPS]]      a graph that is generated
//   pagerank [all|needed] FILE [STEPS]         lines "FROM TO", pages numbered from 0
//
// Prints the sum of the ranks and the pages with the highest ones, the same in both ways.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS_OF_A_PAGE = 8, SHOWN = 3, NEAR = 64 };
static const double DAMPING = 0.85;

typedef struct {
    int from, to;
} link;

typedef struct {
    int pages, share, first, n; // share: pages of a process; this one has n of them from `first`
    int rank, processes;
    link *links; // that lead to its pages
    int nlinks, capacity;
    int *out;      // by page: links that leave it
    double *ranks; // by page, those that are needed here
    double *own;   // of its pages
    // Of `needed`: pages whose ranks are sent and received, those of one process after the other.
    int *sent, *sent_n, *sent_at, *received, *received_n, *received_at;
    double *outgoing, *incoming;
} graph;

static void *allocate(size_t n, size_t size)
{
    void *at = calloc(n ? n : 1, size);
    if (!at) {
        fputs("pagerank: out of memory\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return at;
}

// ---- The graph ----------------------------------------------------------------------------------

static void add_link(graph *g, int from, int to)
{
    g->out[from]++;
    if (to < g->first || to >= g->first + g->n)
        return;
    if (g->nlinks == g->capacity) {
        g->capacity = g->capacity ? 2 * g->capacity : 1024;
        g->links = realloc(g->links, (size_t)g->capacity * sizeof *g->links);
        if (!g->links)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    g->links[g->nlinks++] = (link){from, to};
}

static void share_pages(graph *g, int pages)
{
    g->pages = pages;
    g->share = (pages + g->processes - 1) / g->processes;
    g->first = g->rank * g->share < pages ? g->rank * g->share : pages;
    g->n = pages - g->first < g->share ? pages - g->first : g->share;
    g->out = allocate((size_t)pages, sizeof *g->out);
}

// Most links lead to pages nearby, as in a web of sites, and some to the first few pages.
static void generate(graph *g, int pages)
{
    unsigned long long state = 88172645463325252ull;
    share_pages(g, pages);
    for (int from = 0; from < pages; from++)
        for (int i = 0; i < LINKS_OF_A_PAGE; i++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            int far = (int)(state >> 32 & 0x7fffffff);
            add_link(g, from, i == 0 ? far % (far % 16 + 1) % pages : (from + far % NEAR) % pages);
        }
}

static int read_graph(graph *g, const char *path)
{
    FILE *file = fopen(path, "r");
    int from, to, pages = 0;
    if (!file)
        return 0;
    while (fscanf(file, "%d %d", &from, &to) == 2)
        if (from >= 0 && to >= 0 && from < 1 << 28 && to < 1 << 28)
            pages = from >= pages || to >= pages ? (from > to ? from : to) + 1 : pages;
    share_pages(g, pages);
    rewind(file);
    while (fscanf(file, "%d %d", &from, &to) == 2)
        if (from >= 0 && to >= 0 && from < pages && to < pages)
            add_link(g, from, to);
    fclose(file);
    return pages > 0;
}

// ---- The exchange -------------------------------------------------------------------------------

static int offsets(const int *n, int *at, int processes)
{
    int sum = 0;
    for (int i = 0; i < processes; i++) {
        at[i] = sum;
        sum += n[i];
    }
    return sum;
}

// Each process tells the others, once, which ranks it needs of them.
static void agree_on_needed(graph *g)
{
    char *needed = allocate((size_t)g->pages, 1);
    size_t n = (size_t)g->processes;
    int *all[] = {g->sent_n = allocate(n, sizeof(int)), g->sent_at = allocate(n, sizeof(int)),
                  g->received_n = allocate(n, sizeof(int)),
                  g->received_at = allocate(n, sizeof(int))};
    (void)all;
    for (int i = 0; i < g->nlinks; i++)
        needed[g->links[i].from] = 1;
    g->received = allocate((size_t)g->pages, sizeof(int));
    int k = 0;
    for (int page = 0; page < g->pages; page++)
        if (needed[page] && (page < g->first || page >= g->first + g->n)) {
            g->received[k++] = page;
            g->received_n[page / g->share]++;
        }
    MPI_Alltoall(g->received_n, 1, MPI_INT, g->sent_n, 1, MPI_INT, MPI_COMM_WORLD);
    int nsent = offsets(g->sent_n, g->sent_at, g->processes);
    int nreceived = offsets(g->received_n, g->received_at, g->processes);
    g->sent = allocate((size_t)nsent, sizeof(int));
    MPI_Alltoallv(g->received, g->received_n, g->received_at, MPI_INT, g->sent, g->sent_n,
                  g->sent_at, MPI_INT, MPI_COMM_WORLD);
    g->outgoing = allocate((size_t)nsent, sizeof(double));
    g->incoming = allocate((size_t)nreceived, sizeof(double));
    free(needed);
}

static void exchange_all(graph *g)
{
    MPI_Allgather(g->own, g->share, MPI_DOUBLE, g->ranks, g->share, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void exchange_needed(graph *g)
{
    int last = g->processes - 1, nsent = g->sent_at[last] + g->sent_n[last];
    int nreceived = g->received_at[last] + g->received_n[last];
    for (int i = 0; i < nsent; i++)
        g->outgoing[i] = g->own[g->sent[i] - g->first];
    MPI_Alltoallv(g->outgoing, g->sent_n, g->sent_at, MPI_DOUBLE, g->incoming, g->received_n,
                  g->received_at, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < nreceived; i++)
        g->ranks[g->received[i]] = g->incoming[i];
    memcpy(g->ranks + g->first, g->own, (size_t)g->n * sizeof *g->own);
}

// ---- The ranks ----------------------------------------------------------------------------------

// What pages without links have is shared by all.
static double dangling(const graph *g)
{
    double own = 0, sum;
    for (int i = 0; i < g->n; i++)
        own += g->out[g->first + i] ? 0 : g->own[i];
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void step(graph *g, double shared)
{
    double base = (1 - DAMPING + DAMPING * shared) / g->pages;
    for (int i = 0; i < g->n; i++)
        g->own[i] = base;
    for (int i = 0; i < g->nlinks; i++)
        g->own[g->links[i].to - g->first] +=
            DAMPING * g->ranks[g->links[i].from] / g->out[g->links[i].from];
}

static void print_ranks(const graph *g)
{
    double sum = 0;
    for (int i = 0; i < g->pages; i++)
        sum += g->ranks[i];
    printf("sum %.6f\n", sum);
    for (int k = 0; k < SHOWN && k < g->pages; k++) {
        int best = 0;
        for (int i = 1; i < g->pages; i++)
            best = g->ranks[i] > g->ranks[best] ? i : best;
        printf("page %d %.6f\n", best, g->ranks[best]);
        g->ranks[best] = -1;
    }
}

static void compute(graph *g, int needed, int steps)
{
    g->own = allocate((size_t)g->share, sizeof(double));
    g->ranks = allocate((size_t)g->share * (size_t)g->processes, sizeof(double));
    if (needed)
        agree_on_needed(g);
    for (int i = 0; i < g->n; i++)
        g->own[i] = 1.0 / g->pages;
    for (int i = 0; i < steps; i++) {
        if (needed)
            exchange_needed(g);
        else
            exchange_all(g);
        step(g, dangling(g));
    }
    exchange_all(g);
    if (g->rank == 0)
        print_ranks(g);
}

int main(int argc, char **argv)
{
    graph g = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g.processes);
    const char *way = argc > 1 ? argv[1] : "all", *what = argc > 2 ? argv[2] : "20000";
    int needed = !strcmp(way, "needed"), steps = argc > 3 ? atoi(argv[3]) : 20;
    int pages = what[strspn(what, "0123456789")] ? 0 : atoi(what);
    if ((!needed && strcmp(way, "all") != 0) || steps < 1)
        pages = -1;
    else if (pages > 0)
        generate(&g, pages);
    if (pages < 0 || (pages == 0 && !read_graph(&g, what))) {
        if (g.rank == 0)
            fputs("usage: pagerank [all|needed] [PAGES|FILE [STEPS]]\n", stderr);
        MPI_Finalize();
        return 2;
    }
    compute(&g, needed, steps);
    MPI_Finalize();
    return 0;
}
