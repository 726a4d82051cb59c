// Smoothing of an image, a task for every pixel.
#include <stdio.h>
#include <stdlib.h>

enum { W = 100, H = 100 };

static float pixel(const float *in, int x, int y)
{
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int i = (y + dy + H) % H * W + (x + dx + W) % W;
            sum += in[i];
        }
    return sum / 9;
}

static void smooth(const float *in, float *out)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
#pragma omp task firstprivate(x, y) shared(in, out)
            out[y * W + x] = pixel(in, x, y);
        }
}

int main(void)
{
    float *a = malloc(W * H * sizeof *a), *b = malloc(W * H * sizeof *b);
    for (int i = 0; i < W * H; i++)
        a[i] = (float)(i * 31 % 255);
    smooth(a, b);
    smooth(b, a);
    double sum = 0;
    for (int i = 0; i < W * H; i++)
        sum += a[i];
    printf("%.2f\n", sum / (W * H));
    return 0;
}
