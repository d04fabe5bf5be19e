/* Alarms: the texts of step report flags. */
#ifndef ASHI_MEASURE_ALARM_H
#define ASHI_MEASURE_ALARM_H

#include "ashlar/world.h"

/* The subject of an alarm, so that it can be named. */
typedef enum ashi_alarm_subject {
    ASHI_SUBJECT_NONE,
    ASHI_SUBJECT_BODY,    /* the report's worst body */
    ASHI_SUBJECT_SOLVE,   /* where the solver's error is largest: two shapes or a joint */
    ASHI_SUBJECT_CONTACT, /* the flagged one */
    ASHI_SUBJECT_SPRING,  /* a force, or a contact that is a spring */
    ASHI_SUBJECT_JOINT    /* the worst one */
} ashi_alarm_subject;

typedef struct ashi_alarm {
    ash_flag flag;
    const char *name, *meaning, *advice;
    ashi_alarm_subject place;
} ashi_alarm;

/* Null for an unknown flag. */
const ashi_alarm *ashi_alarm_of(ash_flag flag);

#endif
