/* Relaxation with inertia (Bitzek, Koskinen, Gaehler, Moseler & Gumbsch 2006, FIRE), by a method whose springs are
 * implicit, so that steps may be long: bodies are released and gain speed while kinetic energy grows; when it decreases
 * they have passed the lowest point of their path, are stopped, and continue with shorter steps. Long steps of an
 * implicit rule are nearly Newton's for springs. Friction holds as much as it can: of many equilibria a nearby one is
 * found.
 *
 * Once bodies touch, they creep: each step starts at rest, so that it is a step of the proximal point method (the
 * minimum of potential + M |x - x0|^2 / 2 h^2 under the contacts), and it is short enough that no body moves farther
 * than the range in which contacts are found ahead. Near equilibrium motions become short and steps long, which is
 * Newton's method again. */
#include "scene/instance/settle.h"

#include "base/diagnostic.h"
#include "scene/instance/instance.h"

#include <math.h>

#define LONGER   1.1
#define SHORTER  0.6
#define RANGE    100.0 /* largest ratio of step lengths to the scene's step, and of the scene's step to them */
#define EVERY    25    /* steps from one probe to the next */
#define PROBE    0.1   /* of the scene's step */
#define AHEAD    0.25  /* share of the contact margin that a body may creep in a step */
#define FARTHEST 1e4   /* times the scene's size: a body this far away will not come to rest */

typedef struct relaxation {
    const ash_scene *scene;
    ashi_instance *instance;
    ash_world *world;
    ashi_settlement *out;
    ash_vec3 *starts;
    double size;   /* of the scene, m */
    double margin; /* in which contacts are seen ahead, m */
    bool touches;  /* something has */
} relaxation;

static bool moves(const relaxation *r, uint32_t i)
{
    ash_body body = r->instance->bodies[i];
    return body.id != 0 && ash_body_is_valid(r->world, body) && ash_body_get_type(r->world, body) == ASH_BODY_DYNAMIC;
}

static double norm(ash_vec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

static ash_vec3 difference(ash_vec3 a, ash_vec3 b)
{
    return (ash_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double potential(const relaxation *r)
{
    ash_ledger ledger = ash_world_get_ledger(r->world);
    return ledger.gravity + ledger.springs;
}

static double kinetic(const relaxation *r)
{
    double sum = 0;
    for (uint32_t i = 0; i < r->scene->bodies.count; i++)
        if (moves(r, i))
            sum += ash_body_get_kinetic_energy(r->world, r->instance->bodies[i]);
    return sum;
}

static void stop_all(const relaxation *r)
{
    for (uint32_t i = 0; i < r->scene->bodies.count; i++)
        if (moves(r, i)) {
            ash_body_set_velocity(r->world, r->instance->bodies[i], (ash_vec3){0, 0, 0});
            ash_body_set_angular_velocity(r->world, r->instance->bodies[i], (ash_vec3){0, 0, 0});
        }
}

/* The radius of gyration by which turning counts, m. */
static double radius_of(const relaxation *r, uint32_t i)
{
    ash_mass_properties mass = ash_body_get_mass(r->world, r->instance->bodies[i]);
    return mass.mass > 0 ? sqrt(fmax(mass.principal.x, fmax(mass.principal.y, mass.principal.z)) / mass.mass) : 0;
}

/* The largest speed of a body, turning included. */
static double fastest(const relaxation *r, uint32_t *worst)
{
    double largest = 0;
    *worst = ASHI_NONE;
    for (uint32_t i = 0; i < r->scene->bodies.count; i++) {
        if (!moves(r, i))
            continue;
        ash_body body = r->instance->bodies[i];
        double speed = fmax(norm(ash_body_get_velocity(r->world, body)),
                            norm(ash_body_get_angular_velocity(r->world, body)) * radius_of(r, i));
        if (*worst == ASHI_NONE || speed > largest) {
            largest = speed;
            *worst = i;
        }
    }
    return largest;
}

static ash_status take_step(relaxation *r, double h, ash_diagnostic *diagnostic)
{
    ash_status status = ash_world_step(r->world, h);
    r->out->steps++;
    r->touches |= ash_world_get_report(r->world).contact_points > 0;
    if (status != ASH_OK && diagnostic != NULL)
        *diagnostic = ash_world_get_last_diagnostic(r->world);
    return status;
}

/* Releases all bodies from rest for a moment, and measures how fast they become. */
static ash_status probe(relaxation *r, ash_diagnostic *diagnostic)
{
    double h = PROBE * r->scene->step;
    stop_all(r);
    ash_status status = take_step(r, h, diagnostic);
    r->out->acceleration = fastest(r, &r->out->worst) / h;
    stop_all(r);
    return status;
}

static double farthest_moved(const relaxation *r)
{
    double farthest = 0;
    for (uint32_t i = 0; i < r->scene->bodies.count; i++)
        if (moves(r, i))
            farthest =
                fmax(farthest, norm(difference(ash_body_get_centre(r->world, r->instance->bodies[i]), r->starts[i])));
    return farthest;
}

static void note_starts(relaxation *r)
{
    ash_vec3 low = {0, 0, 0}, high = {0, 0, 0};
    for (uint32_t i = 0; i < r->scene->bodies.count; i++) {
        if (r->instance->bodies[i].id == 0)
            continue;
        ash_vec3 p = r->starts[i] = ash_body_get_centre(r->world, r->instance->bodies[i]);
        low = (ash_vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (ash_vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    r->size = fmax(norm(difference(high, low)), 1);
}

/* Steps with inertia; bodies are stopped when they have passed the lowest point. */
static ash_status swing(relaxation *r, double *h, double least, double longest, ash_diagnostic *diagnostic)
{
    ash_status status = ASH_OK;
    double before = 0;
    for (uint32_t i = 0; status == ASH_OK && i < EVERY && !r->touches; i++) {
        status = take_step(r, *h, diagnostic);
        double now = kinetic(r);
        bool falls = now < before;
        *h = falls ? fmax(*h * SHORTER, least) : fmin(*h * LONGER, longest);
        before = falls ? 0 : now;
        if (falls)
            stop_all(r);
    }
    return status;
}

/* Steps from rest, in which displacement grows with the square of the length. */
static ash_status creep(relaxation *r, double *h, double least, double longest, ash_diagnostic *diagnostic)
{
    ash_status status = ASH_OK;
    for (uint32_t i = 0; status == ASH_OK && i < EVERY; i++) {
        uint32_t worst;
        stop_all(r);
        status = take_step(r, *h, diagnostic);
        double way = fastest(r, &worst) * *h, limit = AHEAD * r->margin;
        double factor = way > 0 ? sqrt(limit / way) : LONGER * LONGER;
        *h = fmin(fmax(*h * fmin(fmax(factor, SHORTER), LONGER * LONGER), least), longest);
    }
    stop_all(r);
    return status;
}

/* Creeping bodies have no impacts: steps are not divided. */
static ash_status begin_to_creep(relaxation *r)
{
    ash_method method = ash_world_get_method(r->world);
    method.step_control = ASH_STEP_FIXED;
    return ash_world_set_method(r->world, &method);
}

static ash_status relax(relaxation *r, double accuracy, uint32_t most, ash_diagnostic *diagnostic)
{
    double least = r->scene->step / RANGE, longest = r->scene->step * RANGE, h = r->scene->step;
    note_starts(r);
    r->out->energy_before = potential(r);
    ash_status status = probe(r, diagnostic);
    double gravity = norm(r->scene->gravity);
    r->out->allowed = accuracy * (gravity > 0 ? gravity : r->out->acceleration);
    r->out->settled = r->out->acceleration <= r->out->allowed;
    while (status == ASH_OK && !r->out->settled && r->out->steps < most) {
        bool creeping = r->touches;
        status = (creeping ? creep : swing)(r, &h, least, longest, diagnostic);
        if (status == ASH_OK && r->touches && !creeping) {
            h = r->scene->step;
            status = begin_to_creep(r);
        }
        if (status == ASH_OK)
            status = probe(r, diagnostic);
        r->out->settled = status == ASH_OK && r->out->acceleration <= r->out->allowed;
        r->out->moved = farthest_moved(r);
        if (!(r->out->moved < FARTHEST * r->size))
            break;
    }
    r->out->energy_after = potential(r);
    return status;
}

/* Into the description: places, and no velocities. */
static void put_back(ash_scene *scene, const relaxation *r)
{
    for (uint32_t i = 0; i < scene->bodies.count; i++) {
        if (!moves(r, i))
            continue;
        ash_body_def *def = &scene->bodies.data[i].def;
        ash_transform place = ash_body_get_transform(r->world, r->instance->bodies[i]);
        def->position = place.position;
        def->rotation = place.rotation;
        def->velocity = def->angular_velocity = (ash_vec3){0, 0, 0};
    }
}

static ash_status no_equilibrium(const relaxation *r, ash_diagnostic *diagnostic)
{
    const ashi_settlement *s = r->out;
    const char *name = s->worst != ASHI_NONE ? r->scene->bodies.data[s->worst].def.name : NULL;
    bool away = !(s->moved < FARTHEST * r->size);
    return ashi_fail(diagnostic, ASH_NUMERICS, "settle.none",
                     "no equilibrium was found in %u steps: let go from rest, body %u%s%s%s gains %.3g m/s2%s",
                     (unsigned)s->steps, s->worst != ASHI_NONE ? (unsigned)s->worst : 0, name != NULL ? " \"" : "",
                     name != NULL ? name : "", name != NULL ? "\"" : "", s->acceleration,
                     away ? "; something moves away without end" : "");
}

ash_status ashi_scene_settle(ash_scene *scene, const ash_method *method, double accuracy, uint32_t most,
                             ashi_settlement *settlement, ash_diagnostic *diagnostic)
{
    *settlement = (ashi_settlement){.worst = ASHI_NONE};
    if (!(accuracy > 0) || !(accuracy < 1)) {
        ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "settle.accuracy", "the accuracy is %g", accuracy);
        return ashi_expect(diagnostic, "a number above 0 and below 1"), ASH_BAD_ARGUMENT;
    }
    ashi_instance instance;
    ash_status status = ashi_scene_build(scene, 1, &instance, diagnostic);
    if (status != ASH_OK)
        return status;
    relaxation r = {.scene = scene, .instance = &instance, .world = instance.world, .out = settlement};
    r.margin = method->contact_margin;
    r.starts = ashi_alloc_array(scene->bodies.count, sizeof *r.starts);
    status = r.starts != NULL ? ash_world_set_method(r.world, method) : ashi_out_of_memory(diagnostic);
    if (status == ASH_OK)
        status = ashi_instance_apply_events(&instance, scene, 0, diagnostic);
    if (status == ASH_OK)
        status = relax(&r, accuracy, most, diagnostic);
    if (status == ASH_OK && settlement->settled)
        put_back(scene, &r);
    else if (status == ASH_OK)
        status = no_equilibrium(&r, diagnostic);
    ashi_dealloc(r.starts);
    ashi_instance_release(&instance);
    return status;
}
