/* Signals: the time-dependent factors of loads and motors. */
#ifndef ASHI_MODEL_SIGNAL_H
#define ASHI_MODEL_SIGNAL_H

#include "ashlar/force.h"

double ashi_signal_value(const ash_signal *signal, double time);
/* Its derivative, 1/s; at a corner of a table the one after it. */
double ashi_signal_rate(const ash_signal *signal, double time);
/* Its second derivative, 1/s2; corners of tables are ignored. */
double ashi_signal_bend(const ash_signal *signal, double time);

#endif
