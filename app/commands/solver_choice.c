/* A solver's settings are fields of methods, and are set by the same names and texts. */
#include "app/commands/solver_choice.h"

#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/message.h"
#include "base/alloc.h"
#include "base/diagnostic.h"
#include "base/text.h"

/* Those fields of methods that say something about the solve of a given problem. */
static const char *const fields[] = {
    "inner-solver",
    "iterations",
    "solver-tolerance",
    "time-budget",
    "warm-start",
    "solve-by",
    "row-order",
    "relaxation",
    "settling",
    "regularization",
    "regularization-decay",
    "diagonal-scaling",
    "soft-substeps",
    "contact-frequency",
    "contact-damping",
    "push-out",
    "contact-stiffness",
    "contact-dissipation",
    "slip-speed",
    "hertz",
    "friction-law",
    "friction-directions",
};
enum { FIELDS = sizeof fields / sizeof *fields };

static void report_unknown(const char *command, const char *name)
{
    char hint[96], list[256];
    size_t used = 0;
    for (int i = 0; i < FIELDS && used < 200; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s, ", fields[i]);
    ash_diagnostic diagnostic = {0};
    ashi_fail(&diagnostic, ASH_NOT_FOUND, "solve.field", "%s: a solver has no \"%s\"%s", command, name,
              ashi_did_you_mean(name, fields, FIELDS, hint, sizeof hint));
    ashi_expect(&diagnostic, "%s...", list);
    cli_report(&diagnostic);
}

static int set_field(ash_method *method, const char *command, const char *text)
{
    char *copy = ashi_copy_text(text);
    char *value = copy != NULL ? strchr(copy, '=') : NULL;
    int status = CLI_BAD_INPUT;
    if (copy == NULL) {
        cli_error("out of memory");
    } else if (value == NULL) {
        cli_error("%s: --set is \"%s\", expected KEY=VALUE", command, text);
    } else {
        *value++ = 0;
        bool known = false;
        for (int i = 0; i < FIELDS; i++)
            known = known || strcmp(fields[i], copy) == 0;
        ash_diagnostic diagnostic = {0};
        if (!known)
            report_unknown(command, copy);
        else if (ash_method_set(method, copy, value, &diagnostic) != ASH_OK)
            cli_report(&diagnostic);
        else
            status = CLI_DONE;
    }
    ashi_dealloc(copy);
    return status;
}

/* The solver that the text names, as the method's; fields after the name, as in "sor:relaxation=1.5", at *own. */
static int find_solver(const char *text, ash_method *method, const char **own)
{
    ash_diagnostic diagnostic = {0};
    ash_solver solver = ASH_SOLVER_NEWTON;
    const char *colon = text != NULL ? strchr(text, ':') : NULL;
    char name[64];
    *own = colon != NULL ? colon + 1 : NULL;
    if (colon != NULL && (size_t)(colon - text) < sizeof name) {
        memcpy(name, text, (size_t)(colon - text));
        name[colon - text] = 0;
        text = name;
    }
    if ((text != NULL && ash_solver_find(text, &solver, &diagnostic) != ASH_OK) ||
        ash_method_find(NULL, method, &diagnostic) != ASH_OK)
        return cli_report(&diagnostic);
    method->solver = ash_default_solver_settings(solver);
    return CLI_DONE;
}

/* Sets what "key=value:key=value" says. */
static int set_fields(ash_method *method, const char *command, const char *own)
{
    int status = CLI_DONE;
    while (status == CLI_DONE && own != NULL) {
        const char *end = strchr(own, ':');
        size_t length = end != NULL ? (size_t)(end - own) : strlen(own);
        char *one = ashi_alloc(length + 1);
        if (one == NULL) {
            cli_error("out of memory");
            return CLI_BAD_INPUT;
        }
        memcpy(one, own, length);
        one[length] = 0;
        status = set_field(method, command, one);
        ashi_dealloc(one);
        own = end != NULL ? end + 1 : NULL;
    }
    return status;
}

int cli_solver_choose(const cli_solver_choice *choice, const char *command, ash_problem *problem,
                      ash_solver_settings *settings)
{
    ash_method method;
    const char *own;
    int status = find_solver(choice->solver, &method, &own);
    if (status != CLI_DONE)
        return status;
    method.friction_law = problem->law;
    method.friction_directions = problem->directions;
    if (choice->iterations > 0)
        method.solver.iterations = choice->iterations;
    double tolerance = method.solver.tolerance;
    if (choice->tolerance != NULL && (!ashi_parse_number(choice->tolerance, &tolerance) || tolerance < 0)) {
        cli_error("%s: --tolerance is \"%s\", expected a number of m/s, 0 or more", command, choice->tolerance);
        return CLI_BAD_INPUT;
    }
    method.solver.tolerance = tolerance;
    if (choice->no_warm_start)
        method.solver.warm_start = false;
    for (uint32_t i = 0; status == CLI_DONE && i < choice->set.count; i++)
        status = set_field(&method, command, choice->set.data[i]);
    if (status == CLI_DONE)
        status = set_fields(&method, command, own);
    if (status != CLI_DONE)
        return status;
    problem->law = method.friction_law;
    problem->directions = method.friction_directions;
    *settings = method.solver;
    return CLI_DONE;
}
