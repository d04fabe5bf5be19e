/* The table of alarms: one line for each flag of a step report. docs/alarms.md explains them; a test compares. */
#include "measure/alarm.h"

static const ashi_alarm alarms[] = {
    {ASH_FLAG_NOT_FINITE, "not-finite", "a number overflowed or is not a number; the step was not taken",
     "take a smaller step, or use masses and stiffnesses that differ less; see what happened just before",
     ASHI_SUBJECT_BODY},
    {ASH_FLAG_NOT_CONVERGED, "not-converged",
     "the solver of contacts and joints stopped before its tolerance, or does not support standing bodies",
     "allow more iterations, take a smaller step, or choose a direct solver (method engineering)", ASHI_SUBJECT_SOLVE},
    {ASH_FLAG_OUT_OF_MEMORY, "out-of-memory", "memory ran out; the step was not taken",
     "use fewer bodies, or a machine with more memory", ASHI_SUBJECT_NONE},
    {ASH_FLAG_MANY_IMPACTS, "many-impacts", "a step had more impacts than the method resolves one by one",
     "take a smaller step or raise max-impacts", ASHI_SUBJECT_SOLVE},
    {ASH_FLAG_CAPACITY, "capacity", "too many shapes in one place; some pairs were left out",
     "place the bodies so that they overlap less", ASHI_SUBJECT_NONE},
    {ASH_FLAG_ENERGY, "energy",
     "joints would have added energy even in the shortest parts of a step; the bodies were slowed",
     "take a smaller step", ASHI_SUBJECT_SOLVE},
    {ASH_FLAG_IMPACT_MISSED, "impact-missed",
     "an impact was detected too late: two shapes overlap by more than half of the thinner one (a tenth if it lasts; the "
     "slop where steps are cut at impacts), or a body passed through another",
     "take a smaller step, follow fast bodies (continuous=on), cut steps at impacts (step-control=impacts), or choose "
     "another method",
     ASHI_SUBJECT_CONTACT},
    {ASH_FLAG_JOINT_OPEN, "joint-open", "a rigid joint is open by more than 5 % of the size of its smaller body",
     "take a smaller step, allow more iterations, or choose a method that holds joints exactly (realtime, engineering)",
     ASHI_SUBJECT_JOINT},
    {ASH_FLAG_INTEGRATOR_NOT_CONVERGED, "integrator-not-converged",
     "the implicit integrator stopped before its tolerance", "take a smaller step or raise max-iterations",
     ASHI_SUBJECT_BODY},
    {ASH_FLAG_ENERGY_MADE, "energy-made",
     "contacts, joints, friction and stabilization added energy, which passive parts cannot do",
     "take a smaller step or another method; see that no bodies overlap at the start", ASHI_SUBJECT_BODY},
    {ASH_FLAG_ENERGY_DRIFT, "energy-drift", "the integrator gave free bodies energy",
     "take a smaller step, or another integrator (implicit-midpoint keeps energy)", ASHI_SUBJECT_BODY},
    {ASH_FLAG_ENERGY_LOST, "energy-lost",
     "energy was lost by rigid joints, or by contacts that should return all of it",
     "take a smaller step, or choose a method that keeps the energy of joints (engineering)", ASHI_SUBJECT_BODY},
    {ASH_FLAG_SOLVER_FAILED, "solver-failed",
     "the solver found no solution (too large, a ray, or a breakdown); the impulses of its first guess or last good "
     "iterate were used",
     "choose another solver (newton for exact contact, direct for joints), or a smaller step", ASHI_SUBJECT_SOLVE},
    {ASH_FLAG_SOLVER_REPLACED, "solver-replaced",
     "the method's solver could not solve the problem (lemke: too many contacts, a ray, or a breakdown; full-dense, "
     "structured-dense: too large a matrix; biconjugate: its active set did not settle); newton (for lemke) or structured "
     "solved it instead",
     "choose that solver from the start; the result is as exact as the residual says", ASHI_SUBJECT_SOLVE},
    {ASH_FLAG_LAW_IGNORED, "law-ignored",
     "contacts have a coefficient of restitution, or a law or order of impacts, which this method does not follow",
     "choose a method that follows it (engineering); restitution-law and impact-order need step-control=impacts",
     ASHI_SUBJECT_CONTACT},
    {ASH_FLAG_SPRING_BOUND, "spring-bound", "the step exceeds the stability bound of an explicit spring or damper",
     "take a step below the bound that `ashlar check` prints, softer springs, or integrator=implicit-euler",
     ASHI_SUBJECT_SPRING},
    {ASH_FLAG_GROWING, "growing", "the world has more than twice the energy that it was given",
     "the result is wrong: take a smaller step, or compare with another method", ASHI_SUBJECT_BODY},
    {ASH_FLAG_ACCURACY_MISSED, "accuracy-missed", "the estimated error of positions exceeds the wanted accuracy",
     "ask for a smaller error (errors grow in chaotic motion), or choose a method of higher order (engineering, faure)",
     ASHI_SUBJECT_NONE},
    {ASH_FLAG_INTERRUPTED, "interrupted", "the step was cancelled on request",
     "wait longer, take a smaller step, or choose a faster method (realtime)", ASHI_SUBJECT_NONE},
    {ASH_FLAG_LOWER_ORDER, "lower-order",
     "contacts have friction: newton solves them with the joints, and the step is of order 1, not 4",
     "take smaller steps while there is friction, or engineering, which is of order 2 there", ASHI_SUBJECT_CONTACT},
};

const ashi_alarm *ashi_alarm_of(ash_flag flag)
{
    for (size_t i = 0; i < sizeof alarms / sizeof *alarms; i++)
        if (alarms[i].flag == flag)
            return &alarms[i];
    return NULL;
}

const char *ash_flag_name(ash_flag flag)
{
    const ashi_alarm *alarm = ashi_alarm_of(flag);
    return alarm != NULL ? alarm->name : "";
}

const char *ash_flag_meaning(ash_flag flag)
{
    const ashi_alarm *alarm = ashi_alarm_of(flag);
    return alarm != NULL ? alarm->meaning : "";
}

const char *ash_flag_advice(ash_flag flag)
{
    const ashi_alarm *alarm = ashi_alarm_of(flag);
    return alarm != NULL ? alarm->advice : "";
}
