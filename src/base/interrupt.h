/* Long work that may be given up. Its threads ask now and then whether to stop. Once given up, the answer stays yes
 * until the next work begins, so that all threads stop. */
#ifndef ASHI_BASE_INTERRUPT_H
#define ASHI_BASE_INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct ashi_interruption {
    bool (*asked)(void *user); /* null: never */
    void *user;
    atomic_bool given;
} ashi_interruption;

static inline void ashi_interrupt_arm(ashi_interruption *interrupt)
{
    atomic_store(&interrupt->given, false);
}

/* Whether to give up. */
static inline bool ashi_interrupt_asks(ashi_interruption *interrupt)
{
    if (interrupt == NULL || interrupt->asked == NULL)
        return false;
    if (atomic_load(&interrupt->given))
        return true;
    bool given = interrupt->asked(interrupt->user);
    if (given)
        atomic_store(&interrupt->given, true);
    return given;
}

/* Whether it was given up, without asking again. */
static inline bool ashi_interrupt_was_given(ashi_interruption *interrupt)
{
    return interrupt != NULL && atomic_load(&interrupt->given);
}

#endif
