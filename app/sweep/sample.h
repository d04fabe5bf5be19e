/* Points in the unit cube, and the random quantities that are made of their coordinates. */
#ifndef CLI_SWEEP_SAMPLE_H
#define CLI_SWEEP_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

/* How the points of a sweep lie. Each coordinate is in (0, 1), and depends on nothing but these numbers. */
typedef enum cli_sampling {
    CLI_SAMPLE_LATIN,  /* Latin hypercube: each of `count` equal slices of a coordinate has one point */
    CLI_SAMPLE_SOBOL,  /* Sobol's sequence with the direction numbers of Joe & Kuo (2008), shifted by the seed */
    CLI_SAMPLE_RANDOM, /* independent */
    CLI_SAMPLINGS
} cli_sampling;

#define CLI_SOBOL_DIMENSIONS 21

/* The word on the command line. */
const char *cli_sampling_name(cli_sampling sampling);

/* Coordinate `dimension` of point `index` of `count`. */
double cli_sample(cli_sampling sampling, uint64_t seed, uint32_t index, uint32_t count, uint32_t dimension);

typedef enum cli_distribution_kind {
    CLI_UNIFORM,       /* from a to b */
    CLI_NORMAL,        /* of mean a and standard deviation b */
    CLI_LOG_UNIFORM,   /* whose logarithm is uniform, from a to b */
    CLI_LOG_NORMAL,    /* whose natural logarithm is normal, of mean a and deviation b */
    CLI_TRIANGULAR,    /* from a over its mode b to c */
    CLI_EXPONENTIAL,   /* of mean a */
    CLI_WHOLE_UNIFORM, /* whole numbers from a to b */
    CLI_CHOICE,        /* one of `count` words */
    CLI_DISTRIBUTIONS
} cli_distribution_kind;

typedef struct cli_distribution {
    cli_distribution_kind kind;
    double a, b, c;
    uint32_t count; /* of a choice */
} cli_distribution;

/* "normal(1,0.1)"; of a choice `words` is where its words begin, with commas between them. False, with what is expected
 * in `message`, when it is none. */
bool cli_distribution_read(const char *text, cli_distribution *distribution, const char **words, char *message,
                           unsigned size);

/* The quantile for u in (0, 1); of a choice the number of the word. */
double cli_distribution_value(const cli_distribution *distribution, double u);

#endif
