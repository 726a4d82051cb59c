/* An observatory's night: frames of the camera (made up here) are cleaned, searched for stars, and
 * the stars of all frames are matched and listed. Every stage is parallel over frames or rows.
 *
 *   camera    frames with noise, a gradient of the sky, and stars; the moon rises in the end
 *   dark      the mean of the first frames, subtracted from all
 *   flat      the sensitivity of each column
 *   search    local maxima above the noise, each fitted with a few rounds of a Gaussian
 *   match     stars of each frame to those of the reference
 *   report    magnitudes and the scatter of positions
 */
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 96,
    HEIGHT = 64,
    FRAMES = 32,
    MOST_STARS = 256,
    DARKS = 4,
    ROUNDS = 60,
};

typedef struct {
    float pixel[HEIGHT][WIDTH];
} frame;

typedef struct {
    double x, y, flux, width;
    int matched;
} star;

typedef struct {
    star list[MOST_STARS];
    int n;
} catalogue;

typedef struct {
    frame *frames;
    catalogue *found;
    float dark[HEIGHT][WIDTH];
    float flat[WIDTH];
    double noise[FRAMES];
} night;

/* ---- Camera ---------------------------------------------------------------------------------- */

static uint32_t mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static float noise_at(int f, int y, int x)
{
    uint32_t bits = mix((uint32_t)f * 7919u + (uint32_t)y * 131u + (uint32_t)x);
    return (float)(bits & 1023) / 1023.0f - 0.5f;
}

static void add_star(frame *f, int cy, int cx, float brightness)
{
    for (int y = cy - 2; y <= cy + 2; y++)
        for (int x = cx - 2; x <= cx + 2; x++) {
            if (y < 0 || y >= HEIGHT || x < 0 || x >= WIDTH)
                continue;
            int r2 = (y - cy) * (y - cy) + (x - cx) * (x - cx);
            f->pixel[y][x] += brightness * expf(-0.5f * (float)r2);
        }
}

static void expose(frame *f, int number)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            f->pixel[y][x] = 10 + noise_at(number, y, x) + 0.01f * (float)y;
    /* clouds leave towards the second half of the night, and more stars are seen */
    int stars = number < FRAMES / 2 ? 12 : 120;
    for (int s = 0; s < stars; s++) {
        uint32_t at = mix((uint32_t)s * 2654435761u);
        add_star(f, (int)(at % HEIGHT), (int)(at / HEIGHT % WIDTH), 20 + (float)(at >> 28));
    }
}

static void camera(night *n)
{
#pragma omp parallel for schedule(dynamic) num_threads(2)
    for (int f = 0; f < FRAMES; f++)
        expose(&n->frames[f], f);
}

/* ---- Calibration ----------------------------------------------------------------------------- */

static void find_dark(night *n)
{
#pragma omp parallel for num_threads(2)
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            float sum = 0;
            for (int f = 0; f < DARKS; f++)
                sum += noise_at(f, y, x) + 8;
            n->dark[y][x] = sum / DARKS;
        }
}

static void find_flat(night *n)
{
#pragma omp parallel for num_threads(2)
    for (int x = 0; x < WIDTH; x++) {
        double sum = 0;
        for (int f = 0; f < FRAMES; f++)
            for (int y = 0; y < HEIGHT; y++)
                sum += n->frames[f].pixel[y][x];
        n->flat[x] = (float)(sum / (FRAMES * HEIGHT) / 10);
    }
}

static double clean(frame *f, const night *n)
{
    double sum = 0, squares = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            float v = (f->pixel[y][x] - n->dark[y][x]) / (n->flat[x] + 0.01f);
            f->pixel[y][x] = v;
            sum += v;
            squares += (double)v * v;
        }
    double mean = sum / (WIDTH * HEIGHT);
    return sqrt(fabs(squares / (WIDTH * HEIGHT) - mean * mean));
}

static void clean_all(night *n)
{
#pragma omp parallel for num_threads(2)
    for (int f = 0; f < FRAMES; f++)
        n->noise[f] = clean(&n->frames[f], n);
}

/* ---- Search ---------------------------------------------------------------------------------- */

static int is_peak(const frame *f, int y, int x, double limit)
{
    float v = f->pixel[y][x];
    if (v < limit)
        return 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if ((dy || dx) && f->pixel[y + dy][x + dx] > v)
                return 0;
    return 1;
}

/* A few rounds of weighted moments with a window that shrinks to the star. */
static star fit(const frame *f, int cy, int cx)
{
    star s = { cx, cy, 0, 1.5, -1 };
    for (int round = 0; round < ROUNDS; round++) {
        double sum = 0, sx = 0, sy = 0, sr = 0;
        for (int y = cy - 2; y <= cy + 2; y++)
            for (int x = cx - 2; x <= cx + 2; x++) {
                double dx = x - s.x, dy = y - s.y, r2 = dx * dx + dy * dy;
                double w = exp(-r2 / (2 * s.width * s.width)) * fmax(f->pixel[y][x], 0);
                sum += w;
                sx += w * x;
                sy += w * y;
                sr += w * r2;
            }
        if (sum <= 0)
            break;
        s.x = sx / sum;
        s.y = sy / sum;
        s.width = fmax(0.5, sqrt(sr / sum));
        s.flux = sum;
    }
    return s;
}

static void search(const frame *f, double noise, catalogue *found)
{
    found->n = 0;
    for (int y = 3; y < HEIGHT - 3; y++)
        for (int x = 3; x < WIDTH - 3; x++)
            if (found->n < MOST_STARS && is_peak(f, y, x, 2 + noise))
                found->list[found->n++] = fit(f, y, x);
}

static void search_all(night *n)
{
#pragma omp parallel for schedule(dynamic) num_threads(2)
    for (int f = 0; f < FRAMES; f++)
        search(&n->frames[f], n->noise[f] * 0.1, &n->found[f]);
}

/* ---- Match and report ----------------------------------------------------------------- */

static void match(catalogue *c, const catalogue *reference)
{
    for (int i = 0; i < c->n; i++) {
        double best = 2;
        for (int k = 0; k < reference->n; k++) {
            double dx = c->list[i].x - reference->list[k].x, dy = c->list[i].y - reference->list[k].y;
            double r2 = dx * dx + dy * dy;
            if (r2 < best) {
                best = r2;
                c->list[i].matched = k;
            }
        }
    }
}

static void match_all(night *n)
{
#pragma omp parallel for schedule(dynamic) num_threads(2)
    for (int f = 0; f < FRAMES - 1; f++)
        match(&n->found[f], &n->found[FRAMES - 1]);
}

static void report(const night *n)
{
    int stars = 0, matched = 0;
    double flux = 0;
    for (int f = 0; f < FRAMES; f++)
        for (int i = 0; i < n->found[f].n; i++) {
            stars++;
            matched += n->found[f].list[i].matched >= 0;
            flux += n->found[f].list[i].flux;
        }
    printf("%d stars, %d matched, flux %.3f\n", stars, matched, stars > 0 ? flux / stars : 0);
}

int main(void)
{
    night *n = calloc(1, sizeof *n);
    n->frames = calloc(FRAMES, sizeof *n->frames);
    n->found = calloc(FRAMES, sizeof *n->found);
    camera(n);
    find_dark(n);
    find_flat(n);
    clean_all(n);
    search_all(n);
    match_all(n);
    report(n);
    free(n->found);
    free(n->frames);
    free(n);
    return 0;
}
