// SPDX-License-Identifier: MIT
//
// Compresses a picture as JPEG does: colours, blocks, cosine transform, quantisation, lengths of codes. Strips
// of the picture are done one after the other, as they would be read. `before`: each step of a strip is a
// parallel region, and differences between neighbouring blocks are computed between the regions. `after`: one
// region; where a step goes on with a thread's own blocks nobody waits, and one thread computes the differences
// while the others begin the next strip. The answer is the same.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 256, HEIGHT = 1024, BLOCK = 8, AREA = 64, COLOURS = 3 };
enum { ACROSS = WIDTH / BLOCK, STRIPS = HEIGHT / BLOCK, BLOCKS = ACROSS * STRIPS };

static unsigned char picture[HEIGHT][WIDTH][COLOURS];
static float light[BLOCKS][COLOURS][AREA], waves[BLOCKS][COLOURS][AREA];
static int levels[BLOCKS][COLOURS][AREA];
static float cosines[BLOCK][BLOCK];

static void draw(void)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            picture[y][x][0] = (unsigned char)(x * y / 64);
            picture[y][x][1] = (unsigned char)(x * x / 97 + 3 * y);
            picture[y][x][2] = (unsigned char)((x / 32 + y / 32) % 2 ? 220 : 40);
        }
    for (int u = 0; u < BLOCK; u++)
        for (int x = 0; x < BLOCK; x++)
            cosines[u][x] = (float)(cos((2 * x + 1) * u * M_PI / 16) * (u ? 0.5 : 0.353553391));
}

static void convert(int b)
{
    for (int i = 0; i < AREA; i++) {
        const unsigned char *p = picture[b / ACROSS * BLOCK + i / BLOCK][b % ACROSS * BLOCK + i % BLOCK];
        float red = p[0], green = p[1], blue = p[2];
        light[b][0][i] = 0.299f * red + 0.587f * green + 0.114f * blue;
        light[b][1][i] = 0.564f * (blue - light[b][0][i]);
        light[b][2][i] = 0.713f * (red - light[b][0][i]);
    }
}

static void shift(int b)
{
    for (int i = 0; i < AREA; i++)
        light[b][0][i] -= 128;
}

static void transform(int b)
{
    float rows[AREA];
    for (int c = 0; c < COLOURS; c++) {
        for (int y = 0; y < BLOCK; y++)
            for (int u = 0; u < BLOCK; u++) {
                float sum = 0;
                for (int x = 0; x < BLOCK; x++)
                    sum += light[b][c][y * BLOCK + x] * cosines[u][x];
                rows[y * BLOCK + u] = sum;
            }
        for (int u = 0; u < BLOCK; u++)
            for (int v = 0; v < BLOCK; v++) {
                float sum = 0;
                for (int y = 0; y < BLOCK; y++)
                    sum += rows[y * BLOCK + u] * cosines[v][y];
                waves[b][c][v * BLOCK + u] = sum;
            }
    }
}

static void quantise(int b)
{
    for (int c = 0; c < COLOURS; c++)
        for (int i = 0; i < AREA; i++)
            levels[b][c][i] = (int)lrintf(waves[b][c][i] / (float)(8 + 3 * (i / BLOCK + i % BLOCK)));
}

static int bits_of(int level)
{
    return level ? 32 - __builtin_clz((unsigned)abs(level)) : 0;
}

// All levels of the block but the first of each colour.
static long lengths(int b)
{
    long bits = 0;
    for (int c = 0; c < COLOURS; c++)
        for (int i = 1, zeros = 0; i < AREA; i++) {
            zeros = levels[b][c][i] ? 0 : zeros + 1;
            bits += levels[b][c][i] ? 4 + 2 * bits_of(levels[b][c][i]) : zeros == 16 ? 11 : 0;
        }
    return bits;
}

// The first ones are differences to the block before.
static long differences(int strip)
{
    long bits = 0;
    for (int b = strip * ACROSS; b < (strip + 1) * ACROSS; b++)
        for (int c = 0; c < COLOURS; c++)
            bits += 3 + 2 * bits_of(levels[b][c][0] - (b > 0 ? levels[b - 1][c][0] : 0));
    return bits;
}

static long compress_before(void)
{
    long bits = 0;
    for (int s = 0; s < STRIPS; s++) {
        int from = s * ACROSS, to = from + ACROSS;
#pragma omp parallel for num_threads(2) // colours
        for (int b = from; b < to; b++)
            convert(b);
#pragma omp parallel for num_threads(2) // blocks
        for (int b = from; b < to; b++)
            shift(b);
#pragma omp parallel for num_threads(2) // transform
        for (int b = from; b < to; b++)
            transform(b);
#pragma omp parallel for num_threads(2) // quantise
        for (int b = from; b < to; b++)
            quantise(b);
#pragma omp parallel for num_threads(2) reduction(+ : bits) // codes
        for (int b = from; b < to; b++)
            bits += lengths(b);
        bits += differences(s);
    }
    return bits;
}

// Loops with the same iterations and static schedules give each thread the same blocks.
static long compress_after(void)
{
    long bits = 0;
#pragma omp parallel num_threads(2) reduction(+ : bits) // all
    for (int s = 0; s < STRIPS; s++) {
        int from = s * ACROSS, to = from + ACROSS;
#pragma omp for schedule(static) nowait
        for (int b = from; b < to; b++)
            convert(b);
#pragma omp for schedule(static) nowait
        for (int b = from; b < to; b++)
            shift(b);
#pragma omp for schedule(static) nowait
        for (int b = from; b < to; b++)
            transform(b);
#pragma omp for schedule(static) nowait
        for (int b = from; b < to; b++)
            quantise(b);
#pragma omp for schedule(static)
        for (int b = from; b < to; b++)
            bits += lengths(b);
#pragma omp single nowait
        bits += differences(s);
    }
    return bits;
}

int main(int argc, char **words)
{
    draw();
    printf("%ld\n", argc > 1 && strcmp(words[1], "after") == 0 ? compress_after() : compress_before());
}
