/* The value of a compiled expression. The compiler guarantees that the stack neither overflows nor underflows. */
#include "scene/expression/operations.h"

#include "base/alloc.h"

#include <math.h>

/* An operation on two values. */
static double combine(ashi_operation_kind kind, double a, double b)
{
    switch (kind) {
    case ASHI_DO_ADD:
        return a + b;
    case ASHI_DO_SUBTRACT:
        return a - b;
    case ASHI_DO_MULTIPLY:
        return a * b;
    case ASHI_DO_DIVIDE:
        return a / b;
    case ASHI_DO_MODULO:
        return ashi_modulo(a, b);
    case ASHI_DO_POWER:
        return ashi_power(a, b);
    case ASHI_DO_LESS:
        return a < b;
    case ASHI_DO_LESS_OR_SAME:
        return a <= b;
    case ASHI_DO_GREATER:
        return a > b;
    case ASHI_DO_GREATER_OR_SAME:
        return a >= b;
    case ASHI_DO_SAME:
        return a == b;
    case ASHI_DO_OTHER:
        return a != b;
    case ASHI_DO_AND:
        return a != 0 && b != 0;
    default:
        return a != 0 || b != 0;
    }
}

double ashi_expression_evaluate(const ashi_expression *expression, const double *values)
{
    double stack[ASHI_DEEPEST_EXPRESSION], *top = stack; /* behind the topmost value */
    for (uint32_t i = 0; i < expression->count; i++) {
        const ashi_operation *operation = &expression->operations[i];
        switch ((ashi_operation_kind)operation->kind) {
        case ASHI_DO_NUMBER:
            *top++ = operation->number;
            break;
        case ASHI_DO_VARIABLE:
            *top++ = values[operation->reference];
            break;
        case ASHI_DO_NEGATE:
            top[-1] = -top[-1];
            break;
        case ASHI_DO_NOT:
            top[-1] = top[-1] == 0;
            break;
        case ASHI_DO_CHOOSE: /* if the condition is NaN, so is the result */
            top -= 2;
            top[-1] = isnan(top[-1]) ? top[-1] : top[-1] != 0 ? top[0] : top[1];
            break;
        case ASHI_DO_CALL:
            top -= operation->count - 1;
            top[-1] = ashi_functions[operation->reference].call(top - 1, operation->count);
            break;
        default:
            top--;
            top[-1] = combine((ashi_operation_kind)operation->kind, top[-1], top[0]);
        }
    }
    return stack[0];
}

bool ashi_expression_uses(const ashi_expression *expression, uint32_t variable)
{
    for (uint32_t i = 0; i < expression->count; i++)
        if (expression->operations[i].kind == ASHI_DO_VARIABLE && expression->operations[i].reference == variable)
            return true;
    return false;
}

bool ashi_expression_is_condition(const ashi_expression *expression)
{
    uint16_t last = expression->operations[expression->count - 1].kind;
    return last == ASHI_DO_NOT || (last >= ASHI_DO_LESS && last <= ASHI_DO_OR);
}

void ashi_expression_destroy(ashi_expression *expression)
{
    ashi_dealloc(expression);
}
