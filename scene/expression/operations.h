/* The elements of expressions: operations, and the names of functions and constants. */
#ifndef ASHI_SCENE_OPERATIONS_H
#define ASHI_SCENE_OPERATIONS_H

#include "scene/expression/expression.h"

typedef enum ashi_operation_kind {
    ASHI_DO_NUMBER, /* puts `number` on the stack */
    ASHI_DO_VARIABLE,
    ASHI_DO_NEGATE,
    ASHI_DO_NOT,
    ASHI_DO_ADD,
    ASHI_DO_SUBTRACT,
    ASHI_DO_MULTIPLY,
    ASHI_DO_DIVIDE,
    ASHI_DO_MODULO,
    ASHI_DO_POWER,
    ASHI_DO_LESS,
    ASHI_DO_LESS_OR_SAME,
    ASHI_DO_GREATER,
    ASHI_DO_GREATER_OR_SAME,
    ASHI_DO_SAME,
    ASHI_DO_OTHER,
    ASHI_DO_AND,
    ASHI_DO_OR,
    ASHI_DO_CHOOSE, /* of three: the second if the first is not 0, else the third */
    ASHI_DO_CALL    /* a function of the `count` topmost values */
} ashi_operation_kind;

typedef struct ashi_operation {
    uint16_t kind;
    uint16_t count;     /* of a call: its arguments */
    uint32_t reference; /* the variable, or the function in ashi_functions */
    double number;
} ashi_operation;

struct ashi_expression {
    uint32_t count;
    ashi_operation operations[]; /* the values before the operation that takes them */
};

typedef struct ashi_function {
    const char *name;
    double (*call)(const double *arguments, uint32_t count);
    uint16_t fewest, most; /* arguments */
} ashi_function;

typedef struct ashi_constant {
    const char *name;
    double value;
} ashi_constant;

#define ASHI_MOST_ARGUMENTS 16
extern const ashi_function ashi_functions[]; /* a null name ends them */
extern const ashi_constant ashi_constants[];

/* Floored: the result has the sign of b. */
double ashi_modulo(double a, double b);
double ashi_power(double base, double exponent);

#endif
