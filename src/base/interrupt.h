/* Long work that can be abandoned. Its threads ask from time to time whether to stop. Once abandoned, the answer stays
 * yes until the next work begins, so that all threads stop. */
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

/* Whether to stop. */
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

/* Whether the work was abandoned, without asking again. */
static inline bool ashi_interrupt_was_given(ashi_interruption *interrupt)
{
    return interrupt != NULL && atomic_load(&interrupt->given);
}

#endif
