/* Alarms: what a step report flags, in words. */
#ifndef ASHI_MEASURE_ALARM_H
#define ASHI_MEASURE_ALARM_H

#include "ashlar/world.h"

/* What the place of an alarm is, so that it can be named. */
typedef enum ashi_alarm_place {
    ASHI_PLACE_NONE,
    ASHI_PLACE_BODY,    /* the report's worst body */
    ASHI_PLACE_SOLVE,   /* where the solver's error is largest: two shapes or a joint */
    ASHI_PLACE_CONTACT, /* the flagged one */
    ASHI_PLACE_SPRING,  /* a force, or a contact that is a spring */
    ASHI_PLACE_JOINT    /* the worst one */
} ashi_alarm_place;

typedef struct ashi_alarm {
    ash_flag flag;
    const char *name, *meaning, *advice;
    ashi_alarm_place place;
} ashi_alarm;

/* Null for a number that is no flag. */
const ashi_alarm *ashi_alarm_of(ash_flag flag);

#endif
