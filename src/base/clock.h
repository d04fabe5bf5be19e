/* Time that never runs backwards. */
#ifndef ASHI_BASE_CLOCK_H
#define ASHI_BASE_CLOCK_H

/* Seconds since some fixed instant. */
double ashi_seconds(void);

#endif
