// SPDX-License-Identifier: MIT
//
// The buffers form a ring: the producer fills one, the consumer empties those before it.
#include "profiler/write/stream.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

void trace_stream_init(stream *s, void (*consume)(void *, uint64_t *, size_t), void *data)
{
    *s = (stream){.consume = consume, .data = data};
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
}

static void consume(stream *s, stream_buffer *b)
{
    if (b->n > 0)
        s->consume(s->data, b->words, b->n);
    b->n = 0;
}

// The consumer. `turn` goes round the buffers as `filling` does, behind it.
static void *consume_all(void *data)
{
    stream *s = data;
    unsigned turn = 0;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (s->nfilled == 0 && !s->ended)
            pthread_cond_wait(&s->changed, &s->lock);
        if (s->nfilled == 0)
            break;
        pthread_mutex_unlock(&s->lock);
        consume(s, &s->buffers[turn]);
        turn = (turn + 1) % STREAM_BUFFERS;
        pthread_mutex_lock(&s->lock);
        s->nfilled--;
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

// Signals are for the program's own threads.
static void start_thread(stream *s)
{
    sigset_t all, before;
    s->tried = true;
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    s->threaded = pthread_create(&s->thread, NULL, consume_all, s) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Begins to fill a buffer that is empty.
static void fill(stream *s, unsigned buffer)
{
    stream_buffer *b = &s->buffers[buffer];
    s->filling = buffer;
    s->room = (tw_room){b->words, b->words ? b->words + b->capacity : NULL};
}

static bool is_empty(const stream *s)
{
    return s->room.at == s->buffers[s->filling].words;
}

// Hands the buffer over; the next one is empty then.
static void pass_on(stream *s)
{
    stream_buffer *b = &s->buffers[s->filling];
    b->n = b->words ? (size_t)(s->room.at - b->words) : 0;
    if (!s->threaded) {
        consume(s, b);
        fill(s, s->filling);
        return;
    }
    pthread_mutex_lock(&s->lock);
    s->nfilled++;
    pthread_cond_broadcast(&s->changed);
    while (s->nfilled == STREAM_BUFFERS)
        pthread_cond_wait(&s->changed, &s->lock);
    pthread_mutex_unlock(&s->lock);
    fill(s, (s->filling + 1) % STREAM_BUFFERS);
}

uint64_t *trace_stream_room_slowly(stream *s, size_t n)
{
    if (!is_empty(s)) {
        if (!s->tried)
            start_thread(s);
        pass_on(s);
    }
    stream_buffer *b = &s->buffers[s->filling];
    if (n <= b->capacity)
        return b->words;
    size_t usual = s->filling > 0 ? STREAM_WORDS : STREAM_FIRST, capacity = n > usual ? n : usual;
    bool possible = capacity <= SIZE_MAX / 2 / sizeof *b->words;
    uint64_t *words = possible ? malloc(capacity * sizeof *words) : NULL;
    if (!words)
        return NULL;
    free(b->words);
    *b = (stream_buffer){.words = words, .capacity = capacity};
    fill(s, s->filling);
    return words;
}

void trace_stream_drain(stream *s)
{
    if (!is_empty(s))
        pass_on(s);
    if (!s->threaded)
        return;
    pthread_mutex_lock(&s->lock);
    while (s->nfilled > 0)
        pthread_cond_wait(&s->changed, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

void trace_stream_finish(stream *s)
{
    if (s->threaded) {
        pthread_mutex_lock(&s->lock);
        s->ended = true;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->thread, NULL);
    }
    for (unsigned i = 0; i < STREAM_BUFFERS; i++)
        free(s->buffers[i].words);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
}
