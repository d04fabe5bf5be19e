/* Methods inside the library. */
#ifndef ASHI_MODEL_METHOD_H
#define ASHI_MODEL_METHOD_H

#include "ashlar/method.h"

/* Whether every field has a value that ash_method_set would take; the diagnostic names the first that has not. */
bool ashi_method_is_valid(const ash_method *method, ash_diagnostic *diagnostic);
bool ashi_method_has_same_fields(const ash_method *a, const ash_method *b);

#endif
