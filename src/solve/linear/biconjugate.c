/* Biconjugate gradients: ways and their shadows. */
#include "solve/linear/biconjugate.h"

#define NOTHING 1e-12 /* r A r over r r: what is left is out of reach, to least squares */

static double dot(const double *a, const double *b, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

void ashi_biconjugate_init(ashi_biconjugate *b, double *memory, uint32_t count)
{
    *b = (ashi_biconjugate){.count = count,
                            .left = memory,
                            .shadow = memory + count,
                            .direction = memory + 2 * (uint64_t)count,
                            .shadow_direction = memory + 3 * (uint64_t)count};
}

void ashi_biconjugate_begin(ashi_biconjugate *b, const double *reply)
{
    for (uint32_t i = 0; i < b->count; i++) {
        b->direction[i] = b->left[i];
        b->shadow[i] = b->shadow_direction[i] = reply[i];
    }
    b->size = dot(b->shadow, b->left, b->count);
}

double ashi_biconjugate_length(const ashi_biconjugate *b, const double *gain)
{
    double curvature = dot(b->shadow_direction, gain, b->count);
    return curvature > 0 && b->size > NOTHING * dot(b->left, b->left, b->count) ? b->size / curvature : 0;
}

void ashi_biconjugate_turn(ashi_biconjugate *b, double length, const double *shadow_gain)
{
    double before = b->size;
    for (uint32_t i = 0; i < b->count; i++)
        b->shadow[i] -= length * shadow_gain[i];
    b->size = dot(b->shadow, b->left, b->count);
    for (uint32_t i = 0; i < b->count; i++) {
        b->direction[i] = b->left[i] + b->size / before * b->direction[i];
        b->shadow_direction[i] = b->shadow[i] + b->size / before * b->shadow_direction[i];
    }
}
