/* What every test includes: cmocka in the order it wants, and comparisons of numbers. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

/* How many of n random trials to make: an eighth, a twentieth where sanitizers or coverage slow each down, and all of
 * them in a build with ASHLAR_ALL_TRIALS (`make test-long`). Where memory fails at every allocation in turn, slow
 * builds try every STRIDE-th.
 */
#if defined(ASHLAR_SLOW_BUILD)
enum { SLOW_BUILD = 1, STRIDE = 7 };
#define TRIALS(n) ((n) / 20)
#else
enum { SLOW_BUILD = 0, STRIDE = 1 };
#if defined(ASHLAR_ALL_TRIALS)
#define TRIALS(n) (n)
#else
#define TRIALS(n) ((n) / 8)
#endif
#endif

/* Fails, with both numbers shown, unless |value - expected| <= tolerance. NaN fails. */
#define assert_near(value, expected, tolerance)                                                                        \
    do {                                                                                                               \
        double near_value_ = (value), near_expected_ = (expected), near_tolerance_ = (tolerance);                      \
        if (!(fabs(near_value_ - near_expected_) <= near_tolerance_))                                                  \
            fail_msg("%s is %.17g, expected %.17g within %g (off by %g)", #value, near_value_, near_expected_,         \
                     near_tolerance_, near_value_ - near_expected_);                                                   \
    } while (0)

#define assert_below(value, limit)                                                                                     \
    do {                                                                                                               \
        double below_value_ = (value), below_limit_ = (limit);                                                         \
        if (!(below_value_ <= below_limit_))                                                                           \
            fail_msg("%s is %.17g, limit %g", #value, below_value_, below_limit_);                                     \
    } while (0)

#endif
