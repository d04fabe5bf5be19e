/* Signals: what loads and motors are multiplied by at a time. */
#ifndef ASHI_MODEL_SIGNAL_H
#define ASHI_MODEL_SIGNAL_H

#include "ashlar/force.h"

double ashi_signal_value(const ash_signal *signal, double time);
/* Its derivative; at a corner of a table that after it. 1/s */
double ashi_signal_rate(const ash_signal *signal, double time);
/* Its second derivative, corners of tables left out. 1/s2 */
double ashi_signal_bend(const ash_signal *signal, double time);

#endif
