/* Expressions of named variables, such as "-20*q - 2*qd" (docs/expressions.md).
 *
 * A text is compiled once into a list of operations on a stack, whose size and depth are bounded. Evaluating makes no
 * allocation, takes time in proportion to the list, and gives the same bits on every machine. */
#ifndef ASHI_SCENE_EXPRESSION_H
#define ASHI_SCENE_EXPRESSION_H

#include "ashlar/base.h"

#define ASHI_LONGEST_EXPRESSION 4096 /* bytes of text */
#define ASHI_MOST_OPERATIONS    1024
#define ASHI_DEEPEST_EXPRESSION 64 /* brackets in brackets, and values on the stack */

typedef struct ashi_expression ashi_expression;

/* Compiles the text. Its variables are called by `names`, optionally preceded by '$': a letter or '_', then letters,
 * digits, '_' and '.'. A variable hides a constant of its name. On failure `column` of the diagnostic is the byte in
 * the text, from 1, and `expected` says what would have been right there. */
ash_status ashi_expression_compile(const char *text, const char *const *names, uint32_t count,
                                   ashi_expression **expression, ash_diagnostic *diagnostic);

/* Its value for these values of the variables, in the order of their names. May be infinite or NaN: 1/0, sqrt(-1). */
double ashi_expression_evaluate(const ashi_expression *expression, const double *values);

/* Whether its value can depend on the variable with this number. */
bool ashi_expression_uses(const ashi_expression *expression, uint32_t variable);

/* Whether it says yes or no: its last operation is a comparison, &&, || or !. */
bool ashi_expression_is_condition(const ashi_expression *expression);

/* Null is ignored. */
void ashi_expression_destroy(ashi_expression *expression);

/* Whether the text is a name that a variable can have. */
bool ashi_expression_is_name(const char *text);

/* The functions and constants, as the documentation lists them; null beyond the last. */
const char *ashi_expression_function(uint32_t index);
const char *ashi_expression_constant(uint32_t index);

#endif
