/* Steps of the length that a wanted accuracy needs (step doubling).
 *
 * From a state x a step of length h and two of h / 2 are taken. For a method of order p the error of the halves, which
 * are kept, is l = (halves - whole) / (2^p - 1): the exact end is about halves + l. The positions in l may be off by h
 * times the wanted error over the span; a PI controller chooses the next h, since l is proportional to h^(p + 1).
 * Impacts are located up to a gap (impacts.c), even if the method does not cut steps at them: each may add a hundredth
 * of the wanted error.
 *
 * Errors grow or shrink with the motion. With e the estimated error of x so far, two more halves from x + e show how it
 * propagates: e' = S(x + e) - S(x) + l. If e is large, a small part of it is propagated and scaled: else joints would
 * be torn open. The controller reduces the allowed error when e runs ahead of what the span allows. */
#include "model/method.h"
#include "step/scheme.h"
#include "world/checkpoint.h"
#include "world/deviation.h"

#include "base/clock.h"

#include <string.h>

#define SAFETY       0.9
#define SHRINK       0.2  /* of a step at least, and ... */
#define GROW         4.0  /* ... at most */
#define SHORTEST     1e-8 /* of the span */
#define MOST_TRIES   40
#define STUBBORN     3    /* attempts after which a step counts as one with an impact */
#define MOST_BLIND   8    /* attempts to find a length that the scheme does not divide itself */
#define LEAST_RATIO  1.5  /* of the lengths of whole and halves: below it their difference has no meaning */
#define PER_IMPACT   0.01 /* of the wanted error: what each impact may add */
#define EARLY        0.1  /* of the span: until then the error may be this share of the wanted one */
#define LEAST_SHARE  0.01 /* to which a growing error may reduce the rate, and ... */
#define MOST_SHARE   100  /* ... to which errors that cancel may raise it, ... */
#define SHARE_GROWS  1.02 /* ... by this in a step */
#define SMALL        1e-4 /* m: errors up to this size are propagated unchanged, else a part of this size */
#define LASTING      0.98 /* share of the largest error lately that still counts a step later */
#define PROBED       0.1  /* of a step's own error: tolerance of its equations */
#define FINEST_JOINT 1e-13

struct ashi_advance {
    ashi_checkpoint start, end; /* of the step */
    ashi_contact_set first;     /* contacts at the start of the call, for events */
    ashi_deviations error, carried, local;
    ASHI_ARRAY(ash_vec3) applied; /* force and torque by body, for the whole call */
    ASHI_ARRAY(ash_joint_event) broken;
    ASHI_ARRAY(ash_vec3) whole_vectors; /* the state after the whole step: positions, velocities, spins */
    ASHI_ARRAY(ash_quat) whole_rotations;
    double h;           /* to be tried next; 0: unknown */
    double share;       /* of the allowed error rate of steps; follows from the error so far */
    double last;        /* the ratio of the last accepted step's error to what was allowed */
    double elapsed;     /* s, since the error was zero */
    double size, speed; /* of the recent error, m and m/s: their ratio is the time for which an error of velocity
                           counts */
};

/* The data of a call. */
typedef struct course {
    ash_world *world;
    ashi_advance *a;
    double wanted, span, rate; /* m, s, m/s */
    uint32_t order;            /* 1, 2 or 4 */
    ash_method method;         /* the world's own */
    ash_step_report sum;
    bool out_of_memory;
} course;

void ashi_advance_destroy(ashi_advance *a)
{
    if (a == NULL)
        return;
    ashi_checkpoint_release(&a->start);
    ashi_checkpoint_release(&a->end);
    ashi_contact_set_release(&a->first);
    ashi_array_release(&a->error);
    ashi_array_release(&a->carried);
    ashi_array_release(&a->local);
    ashi_array_release(&a->applied);
    ashi_array_release(&a->broken);
    ashi_array_release(&a->whole_vectors);
    ashi_array_release(&a->whole_rotations);
    ashi_dealloc(a);
}

ash_status ash_world_reset_accuracy(ash_world *world)
{
    ashi_advance_destroy(world->advance);
    world->advance = NULL;
    return ASH_OK;
}

/* ---- order ---- */

/* The method's order for smooth motion. With contacts and drives it may be lower: then the error is underestimated by a
 * factor of up to 2^p - 1, and the length is found by trial. */
static uint32_t order_of(const ash_world *world)
{
    static const uint32_t of_integrator[ASH_INTEGRATORS] = {
        [ASH_EXPLICIT_EULER] = 1,    [ASH_SYMPLECTIC_EULER] = 1, [ASH_IMPLICIT_EULER] = 1, [ASH_RK4] = 4,
        [ASH_IMPLICIT_MIDPOINT] = 2, [ASH_AXIS_SPLITTING] = 1,   [ASH_SDIRK2] = 2,
    };
    const ash_method *method = &world->method;
    uint32_t order = of_integrator[method->integrator];
    if (world->model.joints.pool.used > 0) {
        uint32_t joints = ashi_scheme_of(method, &world->model)->order;
        order = joints < order ? joints : order;
    }
    return order;
}

/* Whether the last step had contacts, which have a lower order than free motion. */
static bool met_contacts(const ash_step_report *report)
{
    return report->contact_points > 0 && report->blocks > report->joint_rows;
}

/* The error of the whole over that of the halves, minus one: `ratio` is that of their lengths, 2 unless the scheme
 * divides them into parts itself. */
static double divisor_of(uint32_t order, double ratio)
{
    double power = 1;
    for (uint32_t i = 0; i < order; i++)
        power *= ratio;
    return power - 1;
}

/* ---- one attempt ---- */

/* Equations are solved more exactly than the wanted accuracy of the step, and impacts are located, since whole and
 * halves could both miss one. */
static void tighten(const course *c, double h)
{
    ash_method *m = &c->world->method;
    double speed = PROBED * c->rate, length = fmax(speed * h, FINEST_JOINT);
    *m = c->method;
    m->joint_tolerance = fmin(m->joint_tolerance, length);
    m->joint_velocity_tolerance = fmin(m->joint_velocity_tolerance, fmax(speed, FINEST_JOINT));
    m->solver.tolerance = fmin(m->solver.tolerance, fmax(speed, 1e-10));
    m->slop = fmin(m->slop, PROBED * c->wanted);
    m->tolerance = fmin(m->tolerance, 1e-14);
    if (!ashi_method_has_springs(m) && !ashi_scheme_of(m, &c->world->model)->foresees)
        m->step_control = ASH_STEP_IMPACTS;
}

static void apply_again(course *c)
{
    ashi_bodies *b = &c->world->model.bodies;
    if (c->a->applied.count == 0)
        return;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++) {
        b->applied_force[i] = c->a->applied.data[2 * i];
        b->applied_torque[i] = c->a->applied.data[2 * i + 1];
    }
    b->any_applied = true;
}

static bool keep_applied(course *c)
{
    ashi_bodies *b = &c->world->model.bodies;
    c->a->applied.count = 0;
    if (!b->any_applied)
        return true;
    uint32_t slots = ashi_body_slots(b);
    if (!ashi_array_reserve(&c->a->applied, 2 * (uint64_t)slots))
        return false;
    for (uint32_t i = 0; i < slots; i++) {
        c->a->applied.data[2 * i] = b->applied_force[i];
        c->a->applied.data[2 * i + 1] = b->applied_torque[i];
    }
    c->a->applied.count = 2 * slots;
    return true;
}

static bool step(course *c, double h)
{
    apply_again(c);
    bool taken = ashi_world_take_step(c->world, h);
    c->out_of_memory |= (c->world->report.flags & ASH_FLAG_OUT_OF_MEMORY) != 0;
    c->sum.seconds += c->world->report.seconds;
    return taken;
}

static bool go_to(course *c, const ashi_checkpoint *checkpoint)
{
    bool good = ashi_checkpoint_restore(checkpoint, c->world);
    c->out_of_memory |= !good;
    return good;
}

static ashi_state whole_state(const course *c)
{
    uint32_t slots = ashi_body_slots(&c->world->model.bodies);
    ash_vec3 *v = c->a->whole_vectors.data;
    return (ashi_state){v, c->a->whole_rotations.data, v + slots, v + 2 * (size_t)slots};
}

static void note_whole(const course *c)
{
    const ashi_state *now = &c->world->model.bodies.now;
    ashi_state whole = whole_state(c);
    uint32_t slots = ashi_body_slots(&c->world->model.bodies);
    memcpy(whole.position, now->position, slots * sizeof *now->position);
    memcpy(whole.rotation, now->rotation, slots * sizeof *now->rotation);
    memcpy(whole.velocity, now->velocity, slots * sizeof *now->velocity);
    memcpy(whole.spin, now->spin, slots * sizeof *now->spin);
}

/* Propagates the error so far over the step of length h that was just taken in halves. If this is impossible, the error
 * is unchanged. False when memory ran out. */
static bool carry_error(course *c, double h)
{
    ashi_advance *a = c->a;
    ashi_bodies *b = &c->world->model.bodies;
    double size = c->sum.total_error, part = size > SMALL ? SMALL / size : 1;
    if ((size == 0 && ashi_deviations_speed(&a->error, b) == 0) || !isfinite(size))
        return true;
    c->out_of_memory |= !ashi_checkpoint_keep(&a->end, c->world);
    if (c->out_of_memory || !go_to(c, &a->start))
        return false;
    ashi_deviations_apply(&a->error, b, part);
    c->world->detected = 0;
    c->world->revision++;
    if (step(c, 0.5 * h) && step(c, 0.5 * h)) {
        ashi_deviations_between(&a->carried, b, &b->now, &a->end.state, 1 / part);
        ashi_deviations old = a->error;
        a->error = a->carried;
        a->carried = old;
    } else if (c->world->report.flags & ASH_FLAG_INTERRUPTED) { /* without its error the step is useless */
        c->sum.flags |= ASH_FLAG_INTERRUPTED;
        go_to(c, &a->start);
        return false;
    }
    return !c->out_of_memory && go_to(c, &a->end);
}

static void add_up(ash_step_report *sum, const ash_step_report *r)
{
    ash_step_report before = *sum;
    *sum = *r;
    sum->h = before.h;
    sum->flags |= before.flags;
    sum->worst_body = r->worst_body.id != 0 ? r->worst_body : before.worst_body;
    sum->worst_force = r->worst_force.id != 0 ? r->worst_force : before.worst_force;
    sum->force_evaluations += before.force_evaluations;
    sum->iterations += before.iterations;
    sum->residual = fmax(r->residual, before.residual);
    sum->parts += before.parts;
    sum->impacts += before.impacts;
    sum->solver_iterations += before.solver_iterations;
    sum->solve_flags |= before.solve_flags;
    if (before.error.largest > r->error.largest) {
        sum->error = before.error;
        sum->worst_a = before.worst_a;
        sum->worst_b = before.worst_b;
        sum->worst_row = before.worst_row;
    }
    sum->energy_made = fmax(r->energy_made, before.energy_made);
    sum->joint_error = fmax(r->joint_error, before.joint_error);
    sum->joint_angle = fmax(r->joint_angle, before.joint_angle);
    sum->joint_corrections += before.joint_corrections;
    sum->velocity_corrections += before.velocity_corrections;
    sum->operations += before.operations;
    sum->pair_tests += before.pair_tests;
    sum->contacts = r->contacts > before.contacts ? r->contacts : before.contacts;
    sum->contact_points = r->contact_points > before.contact_points ? r->contact_points : before.contact_points;
    sum->penetration = fmax(r->penetration, before.penetration);
    for (int i = 0; i < ASH_STAGES; i++)
        sum->stage_seconds[i] += before.stage_seconds[i];
    sum->seconds = before.seconds; /* attempts that were taken back included */
    sum->advance_steps = before.advance_steps;
    sum->rejected_steps = before.rejected_steps;
    sum->shortest_step = before.shortest_step;
    sum->longest_step = before.longest_step;
    sum->local_error = before.local_error;
    sum->total_error = before.total_error;
}

static bool keep_broken(course *c)
{
    const ashi_joints *joints = &c->world->model.joints;
    for (uint32_t i = 0; i < joints->events.count; i++) {
        if (!ashi_array_extend(&c->a->broken))
            return false;
        c->a->broken.data[c->a->broken.count - 1] = joints->events.data[i];
    }
    return true;
}

/* The result of an attempt. */
typedef struct trial {
    bool taken;
    double error;        /* m: of positions, including the effect of velocities on them */
    bool impacts, alike; /* alike: the scheme has divided the whole into hardly fewer parts than the halves */
    ash_step_report first, second;
    uint32_t broken; /* joints that had broken before */
} trial;

static trial try_step(course *c, double h)
{
    ashi_advance *a = c->a;
    ashi_bodies *b = &c->world->model.bodies;
    trial t = {.broken = a->broken.count};
    tighten(c, h);
    if (!step(c, h))
        return t;
    t.impacts = c->world->report.impacts > 0;
    uint32_t parts = c->world->report.parts;
    bool contacts = met_contacts(&c->world->report);
    note_whole(c);
    if (!go_to(c, &a->start) || !step(c, 0.5 * h))
        return t;
    t.first = c->world->report;
    if (!keep_broken(c)) {
        c->out_of_memory = true;
        return t;
    }
    if (!step(c, 0.5 * h))
        return t;
    t.second = c->world->report;
    if (!keep_broken(c)) {
        c->out_of_memory = true;
        return t;
    }
    t.impacts |= (t.first.impacts | t.second.impacts) > 0;
    /* Parts required by joints are of order 2, and differ in their lengths. */
    bool cut = !t.impacts && parts > 1;
    double ratio = cut ? fmin((t.first.parts + t.second.parts) / (double)parts, 2) : 2;
    t.alike = cut && ratio < LEAST_RATIO;
    contacts |= met_contacts(&t.first) || met_contacts(&t.second);
    uint32_t order = (contacts || cut) && c->order > 2 ? 2 : c->order;
    ashi_state whole = whole_state(c);
    ashi_deviations_between(&a->local, b, &b->now, &whole, 1 / divisor_of(order, fmax(ratio, LEAST_RATIO)));
    t.error = ashi_deviations_norm(&a->local, b);
    if (a->speed > 0)
        t.error += ashi_deviations_speed(&a->local, b) * fmin(a->size / a->speed, c->span);
    t.taken = isfinite(t.error);
    return t;
}

/* ---- control ---- */

/* The root of degree 2^k of x, exact on every machine. */
static double root(double x, uint32_t degree)
{
    for (; degree > 1; degree /= 2)
        x = sqrt(x);
    return x;
}

/* The error that a step may make. */
static double allowed(const course *c, double h, bool impacts)
{
    const ashi_advance *a = c->a;
    return a->share * (c->rate * h + (impacts ? PER_IMPACT * c->wanted : 0));
}

/* The goal is half of what the span so far allows: errors that cancel allow longer steps, errors that grow do not.
 */
static void adapt_share(course *c)
{
    ashi_advance *a = c->a;
    double line = c->wanted * fmax(fmin(a->elapsed / c->span, 1), EARLY);
    double aim = c->sum.total_error > 0 ? 0.5 * line / c->sum.total_error : MOST_SHARE;
    double share = fmin(aim, SHARE_GROWS * a->share);
    a->share = fmin(fmax(share, LEAST_SHARE), a->elapsed < EARLY * c->span ? 1 : MOST_SHARE);
}

static double limited(double factor)
{
    return fmin(fmax(factor, SHRINK), GROW);
}

/* False when memory ran out. */
static bool accept(course *c, const trial *t, double h, double ratio)
{
    ashi_advance *a = c->a;
    const ashi_bodies *b = &c->world->model.bodies;
    ash_step_report *sum = &c->sum;
    add_up(sum, &t->first);
    add_up(sum, &t->second);
    if (!carry_error(c, h))
        return false;
    ashi_deviations_add(&a->error, &a->local, 1);
    sum->total_error = ashi_deviations_norm(&a->error, b);
    a->size = fmax(sum->total_error, LASTING * a->size);
    a->speed = fmax(ashi_deviations_speed(&a->error, b), LASTING * a->speed);
    sum->local_error = fmax(sum->local_error, t->error);
    sum->shortest_step = sum->advance_steps > 0 ? fmin(sum->shortest_step, 0.5 * h) : 0.5 * h;
    sum->longest_step = fmax(sum->longest_step, 0.5 * h);
    sum->advance_steps += 2;
    sum->flags |= ratio > 1 || sum->total_error > c->wanted ? ASH_FLAG_ACCURACY_MISSED : 0;
    a->elapsed += h;
    adapt_share(c);
    double r = fmax(ratio, 1e-6);
    a->h = h * limited(SAFETY * root(a->last * a->last / (r * r * r), 4 * c->order)); /* r^(-3/4p) last^(1/2p) */
    a->last = fmin(r, 1);
    return true;
}

/* Takes one step of at most `left`; *h receives its length. On failure false, with the state unchanged. */
static bool take_one(course *c, double left, double *h)
{
    ashi_advance *a = c->a;
    double shortest = SHORTEST * c->span;
    if (!ashi_checkpoint_keep(&a->start, c->world)) {
        c->out_of_memory = true;
        return false;
    }
    double pieces = ceil(left / a->h * (1 - 1e-9));
    double length = pieces > 1 ? (pieces < 3 ? left / pieces : fmax(a->h, shortest)) : left;
    double first = length, first_error = 0;
    bool rough = false;
    for (uint32_t tries = 1;; tries++) {
        trial t = try_step(c, length);
        if (c->out_of_memory)
            return false;
        bool last = length <= shortest || tries >= MOST_TRIES, blind = t.alike && tries <= MOST_BLIND;
        double ratio = t.taken ? t.error / allowed(c, length, t.impacts || rough) : (double)INFINITY;
        if (t.taken && !blind && (ratio <= 1 || last)) {
            *h = length;
            return accept(c, &t, length, ratio);
        }
        a->broken.count = t.broken;
        last |= !t.taken && (c->world->report.flags & ASH_FLAG_INTERRUPTED);
        c->sum.flags |= t.taken ? 0 : c->world->report.flags & (ASH_FLAG_NOT_FINITE | ASH_FLAG_INTERRUPTED);
        ash_step_report failed = c->world->report;
        if (!go_to(c, &a->start))
            return false;
        if (last) { /* not finite at any length, or abandoned */
            c->sum.worst_body = failed.worst_body;
            return false;
        }
        c->sum.flags &= ~(uint32_t)ASH_FLAG_NOT_FINITE;
        c->sum.rejected_steps++;
        double factor = t.taken && ratio <= 1 ? 0.5
                        : t.taken             ? fmin(limited(SAFETY * root(1 / ratio, c->order)), 0.9)
                                              : SHRINK;
        a->last = 1;
        first_error = tries == 1 ? t.error : first_error;
        if (tries >= STUBBORN && !rough && t.taken) {
            /* An error that does not decrease with the length is an undetected impact, or rounding. */
            rough = true;
            bool falls = t.error < 0.5 * first_error * length / first;
            length = falls || !(first_error <= allowed(c, first, true)) ? length * factor : first;
        } else {
            length *= factor;
        }
        length = fmax(length, shortest);
    }
}

static bool begin(course *c)
{
    ash_world *world = c->world;
    if (world->advance == NULL && (world->advance = ashi_alloc_zeroed(sizeof *world->advance)) == NULL)
        return false;
    ashi_advance *a = c->a = world->advance;
    const ashi_bodies *b = &world->model.bodies;
    uint64_t slots = ashi_body_slots(b);
    a->broken.count = 0;
    a->last = a->last > 0 ? a->last : 1;
    a->share = a->share > 0 ? a->share : 1;
    return ashi_deviations_fit(&a->error, b) && ashi_deviations_fit(&a->carried, b) &&
           ashi_deviations_fit(&a->local, b) && ashi_array_reserve(&a->whole_vectors, 3 * slots) &&
           ashi_array_reserve(&a->whole_rotations, slots) && keep_applied(c) &&
           ashi_contact_set_copy(&a->first, &world->collision.now);
}

/* Collects the events of the whole call, and the report of all its steps. */
static bool end(course *c, double begin_seconds)
{
    ash_world *world = c->world;
    ashi_bodies *b = &world->model.bodies;
    world->method = c->method;
    for (uint32_t i = 0; c->a->applied.count > 0 && i < ashi_body_slots(b); i++)
        b->applied_force[i] = b->applied_torque[i] = v3(0, 0, 0);
    b->any_applied = false;
    c->sum.seconds = ashi_seconds() - begin_seconds;
    c->sum.step = world->steps;
    c->sum.time = world->time;
    world->report = c->sum;
    ashi_joints *joints = &world->model.joints;
    if (!ashi_array_reserve(&joints->events, c->a->broken.count) ||
        !ashi_collision_find_events_since(&world->collision, &c->a->first))
        return false;
    for (uint32_t i = 0; i < c->a->broken.count; i++)
        joints->events.data[i] = c->a->broken.data[i];
    joints->events.count = c->a->broken.count;
    return true;
}

static ash_status check(const ash_world *world, double duration, const ash_accuracy *accuracy)
{
    if (!(duration > 0) || !isfinite(duration))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "world.advance", "ash_world_advance: the duration is %g s",
                                 duration);
    if (accuracy == NULL || !(accuracy->error > 0) || !isfinite(accuracy->error) || !(accuracy->span >= 0) ||
        !isfinite(accuracy->span))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "world.accuracy",
                                 "ash_world_advance: the wanted error is %g m over %g s",
                                 accuracy != NULL ? accuracy->error : 0, accuracy != NULL ? accuracy->span : 0);
    return ASH_OK;
}

ash_status ash_world_advance(ash_world *world, double duration, const ash_accuracy *accuracy)
{
    ash_status status = check(world, duration, accuracy);
    if (status != ASH_OK)
        return status;
    double begin_seconds = ashi_seconds(), span = accuracy->span > 0 ? accuracy->span : duration;
    course c = {.world = world,
                .wanted = accuracy->error,
                .span = span,
                .rate = accuracy->error / span,
                .order = order_of(world),
                .method = world->method};
    if (!begin(&c))
        return ashi_world_misuse(world, ASH_OUT_OF_MEMORY, "step.memory", "ash_world_advance: out of memory");
    c.sum.h = duration;
    c.sum.total_error = ashi_deviations_norm(&c.a->error, &world->model.bodies);
    double target = world->time + duration, left = duration;
    if (!(c.a->h > 0))
        c.a->h = fmin(duration, 0.01 * span);
    bool good = true;
    while (good && left > 0) {
        double h = 0, kept = c.a->h;
        good = take_one(&c, left, &h);
        if (good && h >= left * (1 - 1e-12)) {
            c.a->h = fmax(c.a->h, fmin(kept, GROW * c.a->h)); /* a last step cut short by the end is no reason for short
                                                                 steps */
            left = 0;
        } else {
            left = target - world->time;
        }
    }
    if (good) {
        world->time = world->time_base = target;
        world->step_count = 0;
        world->step_length = 0;
    }
    good = end(&c, begin_seconds) && good;
    if (good)
        return ASH_OK;
    world->report.flags |= c.out_of_memory ? ASH_FLAG_OUT_OF_MEMORY : 0;
    return ashi_world_step_failed(world);
}
