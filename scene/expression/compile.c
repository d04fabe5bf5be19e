/* Expressions from text, by recursive descent:
 *
 *   choice:  either ["?" choice ":" choice]
 *   either:  operators in levels, each from the left: || / && / == != / < <= > >= / + - / * / %
 *   signed:  ("-" | "+" | "!") signed, or power
 *   power:   value ["^" signed], so that -2^2 is -4, 2^-1 is 0.5 and 2^3^2 is 2^9
 *   value:   number, name, name "(" choice {"," choice} ")", or "(" choice ")"
 *
 * Both sides of a choice are evaluated: nothing in an expression has effects or traps, and the list needs no jumps. */
#include "scene/expression/operations.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct compiler {
    const char *text, *at; /* at: the next relevant byte */
    const char *const *names;
    uint32_t name_count;
    ashi_operation operations[ASHI_MOST_OPERATIONS];
    uint32_t count, on_stack, nesting;
    ash_diagnostic *diagnostic;
} compiler;

static bool compile_choice(compiler *c);
static bool compile_signed(compiler *c);

/* Reports an error at this byte; returns false. */
static bool fail(compiler *c, const char *where, const char *code, const char *message, const char *expected)
{
    ashi_fail(c->diagnostic, ASH_BAD_DATA, code, "%s", message);
    ashi_expect(c->diagnostic, "%s", expected);
    if (c->diagnostic != NULL)
        c->diagnostic->column = (int)(where - c->text) + 1;
    return false;
}

static void skip_blanks(compiler *c)
{
    while (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r')
        c->at++;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t name_length(const char *text)
{
    size_t length = 0;
    if (!is_letter(*text))
        return 0;
    while (is_letter(text[length]) || is_digit(text[length]) || (text[length] == '.' && is_letter(text[length + 1])))
        length++;
    return length;
}

bool ashi_expression_is_name(const char *text)
{
    return *text != 0 && text[name_length(text)] == 0;
}

/* Reports the text at this place, whole characters only. */
static bool fail_here(compiler *c, const char *expected)
{
    char message[120];
    size_t length = name_length(c->at);
    if (*c->at == 0)
        return fail(c, c->at, "expression.syntax", "the expression ends too early", expected);
    if (length == 0)
        for (length = 1; ((unsigned char)c->at[length] & 0xC0) == 0x80 && length < 4;)
            length++;
    snprintf(message, sizeof message, "\"%.*s\" cannot stand here", (int)(length < 40 ? length : 40), c->at);
    return fail(c, c->at, "expression.syntax", message, expected);
}

/* Takes the operator when it comes next. */
static bool take(compiler *c, const char *operator)
{
    skip_blanks(c);
    size_t length = strlen(operator);
    if (strncmp(c->at, operator, length) != 0)
        return false;
    c->at += length;
    return true;
}

/* `taken` values are removed from the stack and one is added. */
static bool emit(compiler *c, ashi_operation operation, uint32_t taken)
{
    c->on_stack += 1 - taken;
    if (c->count == ASHI_MOST_OPERATIONS || c->on_stack > ASHI_DEEPEST_EXPRESSION) {
        char limit[80];
        snprintf(limit, sizeof limit, "at most %d operations, and %d values that wait for one", ASHI_MOST_OPERATIONS,
                 ASHI_DEEPEST_EXPRESSION);
        return fail(c, c->at, "expression.size", "the expression is too long", limit);
    }
    c->operations[c->count++] = operation;
    return true;
}

static bool compile_number(compiler *c)
{
    char digits[64];
    const char *end = c->at;
    while (is_digit(*end) || *end == '.')
        end++;
    if ((*end == 'e' || *end == 'E') && (is_digit(end[1]) || ((end[1] == '-' || end[1] == '+') && is_digit(end[2]))))
        for (end += 2; is_digit(*end);)
            end++;
    size_t length = (size_t)(end - c->at);
    ashi_operation operation = {.kind = ASHI_DO_NUMBER};
    snprintf(digits, sizeof digits, "%.*s", (int)(length < sizeof digits ? length : 0), c->at);
    if (!ashi_parse_number(digits, &operation.number)) {
        char message[120];
        snprintf(message, sizeof message, "\"%.*s\" is no number", (int)(length < 60 ? length : 60), c->at);
        return fail(c, c->at, "expression.number", message, "a number such as 2, 0.5 or 1e-3");
    }
    if (is_letter(*end)) {
        c->at = end;
        return fail_here(c, "an operator: 2 times x is 2*x");
    }
    c->at = end;
    return emit(c, operation, 0);
}

static bool is_named(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && name[length] == 0;
}

/* Reports an unknown name, with a hint and a list of allowed names. */
static bool fail_name(compiler *c, const char *name, bool is_call)
{
    enum { MOST = 128 };
    const char *known[MOST];
    uint32_t count = 0;
    for (uint32_t i = 0; !is_call && i < c->name_count && count < MOST / 2; i++)
        known[count++] = c->names[i];
    for (uint32_t i = 0; !is_call && ashi_constants[i].name != NULL; i++)
        known[count++] = ashi_constants[i].name;
    for (uint32_t i = 0; is_call && ashi_functions[i].name != NULL; i++)
        known[count++] = ashi_functions[i].name;
    char wanted[64], hint[96], message[240], expected[200] = "";
    snprintf(wanted, sizeof wanted, "%.*s", (int)(name_length(name) < 60 ? name_length(name) : 60), name);
    snprintf(message, sizeof message, "there is no %s \"%s\"%s", is_call ? "function" : "variable", wanted,
             ashi_did_you_mean(wanted, known, count, hint, sizeof hint));
    size_t used = 0;
    for (uint32_t i = 0; i < count && used + strlen(known[i]) + 8 < sizeof expected; i++)
        used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s", i > 0 ? ", " : "", known[i]);
    return fail(c, name, "expression.unknown-name", message, expected);
}

static bool compile_call(compiler *c, const char *name, size_t length)
{
    ashi_operation operation = {.kind = ASHI_DO_CALL};
    const ashi_function *function = ashi_functions;
    while (function->name != NULL && !is_named(function->name, name, length))
        function++;
    if (function->name == NULL)
        return fail_name(c, name, true);
    operation.reference = (uint32_t)(function - ashi_functions);
    if (take(c, ")"))
        c->at--; /* no argument at all */
    else
        do {
            if (operation.count == ASHI_MOST_ARGUMENTS)
                return fail(c, c->at, "expression.arguments", "these are too many arguments", "at most 16");
            operation.count++;
            if (!compile_choice(c))
                return false;
        } while (take(c, ","));
    if (!take(c, ")"))
        return fail_here(c, "an operator, ',' or ')'");
    if (operation.count < function->fewest || operation.count > function->most) {
        char message[80], expected[40];
        snprintf(message, sizeof message, "%s cannot take %u arguments", function->name, operation.count);
        snprintf(expected, sizeof expected, function->most > function->fewest ? "%u or more" : "%u", function->fewest);
        return fail(c, name, "expression.arguments", message, expected);
    }
    return emit(c, operation, operation.count);
}

static bool compile_name(compiler *c)
{
    const char *name = c->at;
    bool variable_only = *name == '$';
    if (variable_only)
        name++;
    size_t length = name_length(name);
    if (length == 0) {
        c->at = name;
        return fail_here(c, "the name of a variable after \"$\"");
    }
    c->at = name + length;
    if (!variable_only && take(c, "("))
        return compile_call(c, name, length);
    for (uint32_t i = 0; i < c->name_count; i++)
        if (is_named(c->names[i], name, length))
            return emit(c, (ashi_operation){.kind = ASHI_DO_VARIABLE, .reference = i}, 0);
    for (const ashi_constant *k = ashi_constants; k->name != NULL && !variable_only; k++)
        if (is_named(k->name, name, length))
            return emit(c, (ashi_operation){.kind = ASHI_DO_NUMBER, .number = k->value}, 0);
    return fail_name(c, name, false);
}

static bool compile_value(compiler *c)
{
    static const char expected[] = "a number, a name, a function or '('";
    skip_blanks(c);
    if (is_digit(*c->at) || *c->at == '.')
        return compile_number(c);
    if (is_letter(*c->at) || *c->at == '$')
        return compile_name(c);
    if (!take(c, "("))
        return fail_here(c, expected);
    if (!compile_choice(c))
        return false;
    return take(c, ")") || fail_here(c, "an operator or ')'");
}

static bool compile_power(compiler *c)
{
    if (!compile_value(c))
        return false;
    if (!take(c, "^"))
        return true;
    return compile_signed(c) && emit(c, (ashi_operation){.kind = ASHI_DO_POWER}, 2);
}

/* Goes one level deeper, unless that is too deep. For brackets, signs and exponents; nested choices are bounded by the
 * values that they leave on the stack. */
static bool enter(compiler *c)
{
    if (++c->nesting <= ASHI_DEEPEST_EXPRESSION)
        return true;
    char limit[40];
    snprintf(limit, sizeof limit, "at most %d levels", ASHI_DEEPEST_EXPRESSION);
    return fail(c, c->at, "expression.size", "the expression is nested too deeply", limit);
}

static bool compile_signed(compiler *c)
{
    if (!enter(c))
        return false;
    skip_blanks(c);
    bool done, no = *c->at == '!' && c->at[1] != '=';
    if (no || *c->at == '-') {
        c->at++;
        done = compile_signed(c) && emit(c, (ashi_operation){.kind = no ? ASHI_DO_NOT : ASHI_DO_NEGATE}, 1);
    } else {
        done = take(c, "+") ? compile_signed(c) : compile_power(c);
    }
    c->nesting--;
    return done;
}

static const struct {
    const char *sign;
    uint8_t level;
    ashi_operation_kind kind;
} operators[] = {
    {"||", 0, ASHI_DO_OR},      {"&&", 1, ASHI_DO_AND},          {"==", 2, ASHI_DO_SAME},
    {"!=", 2, ASHI_DO_OTHER},   {"<=", 3, ASHI_DO_LESS_OR_SAME}, {">=", 3, ASHI_DO_GREATER_OR_SAME},
    {"<", 3, ASHI_DO_LESS},     {">", 3, ASHI_DO_GREATER},       {"+", 4, ASHI_DO_ADD},
    {"-", 4, ASHI_DO_SUBTRACT}, {"*", 5, ASHI_DO_MULTIPLY},      {"/", 5, ASHI_DO_DIVIDE},
    {"%", 5, ASHI_DO_MODULO},
};
enum { OPERATORS = sizeof operators / sizeof *operators, LEVELS = 6 };

static bool compile_level(compiler *c, uint8_t level)
{
    if (level == LEVELS)
        return compile_signed(c);
    if (!compile_level(c, level + 1))
        return false;
    for (int i = 0; i < OPERATORS;) {
        if (operators[i].level != level || !take(c, operators[i].sign)) {
            i++;
            continue;
        }
        if (!compile_level(c, level + 1) || !emit(c, (ashi_operation){.kind = operators[i].kind}, 2))
            return false;
        i = 0;
    }
    return true;
}

static bool compile_choice(compiler *c)
{
    if (!compile_level(c, 0))
        return false;
    if (take(c, "?")) {
        if (!compile_choice(c))
            return false;
        if (!take(c, ":"))
            return fail_here(c, "an operator or ':'");
        if (!compile_choice(c) || !emit(c, (ashi_operation){.kind = ASHI_DO_CHOOSE}, 3))
            return false;
    }
    return true;
}

ash_status ashi_expression_compile(const char *text, const char *const *names, uint32_t count,
                                   ashi_expression **expression, ash_diagnostic *diagnostic)
{
    ash_diagnostic own;
    *expression = NULL;
    compiler *c = ashi_alloc(sizeof *c);
    if (c == NULL)
        return ashi_out_of_memory(diagnostic);
    c->text = c->at = text;
    c->names = names;
    c->name_count = count;
    c->count = c->on_stack = c->nesting = 0;
    c->diagnostic = diagnostic != NULL ? diagnostic : &own;
    ash_status status = ASH_BAD_DATA;
    if (strlen(text) > ASHI_LONGEST_EXPRESSION)
        fail(c, text, "expression.size", "the expression is too long", "at most 4096 bytes");
    else if (compile_choice(c)) {
        skip_blanks(c);
        if (*c->at != 0)
            fail_here(c, "an operator or the end");
        else
            status = ASH_OK;
    }
    if (status == ASH_OK) {
        size_t bytes = c->count * sizeof *c->operations;
        *expression = ashi_alloc(sizeof **expression + bytes);
        if (*expression == NULL) {
            status = ashi_out_of_memory(diagnostic);
        } else {
            (*expression)->count = c->count;
            memcpy((*expression)->operations, c->operations, bytes);
        }
    }
    ashi_dealloc(c);
    return status;
}
