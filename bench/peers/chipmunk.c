/* Chipmunk: flat bodies of circles, convex polygons and thick segments, by its sequential impulses.
 *
 * Its defaults are for lengths of some hundreds: the overlap that it lets stand is 0.1 of its units. One unit is a
 * centimetre here, so that this is 1 mm. */
#include "peer.h"

#include "math/transform.h"
#include "math/vec3.h"

#include <chipmunk/chipmunk.h>

#include <math.h>
#include <stdlib.h>

enum { BEST_ITERATIONS = 50, MOST_CORNERS = 64 };
static const double units = 100; /* in a metre */

typedef struct chipmunk_engine {
    const peer_model *model;
    cpSpace *space;
    cpBody **bodies;  /* by number; null: not there */
    cpShape **shapes; /* by number */
} chipmunk_engine;

static double angle_of(ash_quat q)
{
    return 2 * atan2(q.z, q.w);
}

static cpVect at(ash_transform pose, double x, double y)
{
    ash_vec3 point = t_point(pose, v3(x, y, 0));
    return cpv(units * point.x, units * point.y);
}

/* Null for kinds that it does not have. */
static cpShape *make_shape(const peer_shape *shape, cpBody *body)
{
    const ash_geometry_def *def = ash_geometry_get_definition(shape->geometry);
    cpVect corners[MOST_CORNERS];
    switch (def->kind) {
    case ASH_GEOMETRY_CIRCLE:
        return cpCircleShapeNew(body, units * def->radius, at(shape->pose, 0, 0));
    case ASH_GEOMETRY_FLAT_CAPSULE:
        return cpSegmentShapeNew(body, at(shape->pose, -0.5 * def->height, 0), at(shape->pose, 0.5 * def->height, 0),
                                 units * def->radius);
    case ASH_GEOMETRY_POLYGON:
        for (uint32_t i = 0; i < def->point_count && i < MOST_CORNERS; ++i)
            corners[i] = at(shape->pose, def->points[i].x, def->points[i].y);
        return def->point_count <= MOST_CORNERS ? cpPolyShapeNewRaw(body, (int)def->point_count, corners, 0) : NULL;
    default:
        return NULL;
    }
}

/* It multiplies the coefficients of two shapes: each gets the root. */
static bool add_shape(chipmunk_engine *engine, uint32_t number, cpBody *body)
{
    cpShape *shape = engine->shapes[number] = make_shape(&engine->model->shapes[number], body);
    if (shape == NULL)
        return false;
    cpShapeSetFriction(shape, sqrt(engine->model->friction));
    cpShapeSetElasticity(shape, sqrt(engine->model->restitution));
    cpSpaceAddShape(engine->space, shape);
    return true;
}

static bool bring_in(chipmunk_engine *engine, uint32_t number)
{
    const peer_body *given = &engine->model->bodies[number];
    cpBody *body = engine->bodies[number] =
        given->moves ? cpBodyNew(given->mass, units * units * given->inertia.z) : cpBodyNewStatic();
    cpBodySetPosition(body, at(given->place, 0, 0));
    cpBodySetAngle(body, angle_of(given->place.rotation));
    if (given->moves) {
        cpBodySetVelocity(body, cpv(units * given->velocity.x, units * given->velocity.y));
        cpBodySetAngularVelocity(body, given->spin.z);
    }
    cpSpaceAddBody(engine->space, body);
    bool good = true;
    for (uint32_t i = 0; i < given->shape_count && good; ++i)
        good = add_shape(engine, given->first_shape + i, body);
    return good;
}

static void enter(void *engine, uint32_t number)
{
    bring_in(engine, number);
}

static void leave(void *data, uint32_t number)
{
    chipmunk_engine *engine = data;
    const peer_body *given = &engine->model->bodies[number];
    for (uint32_t i = 0; i < given->shape_count; ++i) {
        cpShape **shape = &engine->shapes[given->first_shape + i];
        if (*shape == NULL)
            continue;
        cpSpaceRemoveShape(engine->space, *shape);
        cpShapeFree(*shape);
        *shape = NULL;
    }
    cpSpaceRemoveBody(engine->space, engine->bodies[number]);
    cpBodyFree(engine->bodies[number]);
    engine->bodies[number] = NULL;
}

static void destroy(void *data)
{
    chipmunk_engine *engine = data;
    for (uint32_t i = 0; i < engine->model->body_count && engine->bodies != NULL && engine->shapes != NULL; ++i)
        if (engine->bodies[i] != NULL)
            leave(engine, i);
    cpSpaceFree(engine->space);
    free(engine->bodies);
    free(engine->shapes);
    free(engine);
}

static void *create(const peer_model *model, const char **why)
{
    chipmunk_engine *engine = calloc(1, sizeof *engine);
    if (model->joint_count > 0 || engine == NULL) {
        *why = "flat joints are not given to it";
        free(engine);
        return NULL;
    }
    engine->model = model;
    engine->space = cpSpaceNew();
    engine->bodies = calloc(model->body_count + 1, sizeof *engine->bodies);
    engine->shapes = calloc(model->shape_count + 1, sizeof *engine->shapes);
    bool good = engine->bodies != NULL && engine->shapes != NULL;
    cpSpaceSetGravity(engine->space, cpv(units * model->gravity.x, units * model->gravity.y));
    for (uint32_t i = 0; i < model->body_count && good; ++i)
        good = !model->bodies[i].present || bring_in(engine, i);
    if (good)
        return engine;
    *why = "it has no such shapes";
    destroy(engine);
    return NULL;
}

static void *create_best(const peer_model *model, const char **why)
{
    chipmunk_engine *engine = create(model, why);
    if (engine != NULL)
        cpSpaceSetIterations(engine->space, BEST_ITERATIONS);
    return engine;
}

static bool step(void *engine, double h)
{
    cpSpaceStep(((chipmunk_engine *)engine)->space, h);
    return true;
}

static void read_states(void *data, peer_state *states)
{
    chipmunk_engine *engine = data;
    for (uint32_t i = 0; i < engine->model->body_count; ++i) {
        cpBody *body = engine->bodies[i];
        if (body == NULL || !engine->model->bodies[i].moves)
            continue;
        cpVect p = cpBodyGetPosition(body), v = cpBodyGetVelocity(body);
        double half = 0.5 * cpBodyGetAngle(body);
        states[i] = (peer_state){{{p.x / units, p.y / units, 0}, {cos(half), 0, 0, sin(half)}},
                                 {v.x / units, v.y / units, 0},
                                 {0, 0, cpBodyGetAngularVelocity(body)}};
    }
}

static double weigh(void *engine, uint32_t number, ash_vec3 *inertia)
{
    cpBody *body = ((chipmunk_engine *)engine)->bodies[number];
    *inertia = v3(0, 0, cpBodyGetMoment(body) / (units * units));
    return cpBodyGetMass(body);
}

#define CHIPMUNK_FUNCTIONS                                                                                             \
    .engine = "Chipmunk", .threads = 1, .flat = true, .destroy = destroy, .enter = enter, .leave = leave,              \
    .step = step, .read = read_states, .weigh = weigh

const peer peer_chipmunk = {.settings = "defaults", .create = create, CHIPMUNK_FUNCTIONS};
const peer peer_chipmunk_best = {.settings = "best", .create = create_best, CHIPMUNK_FUNCTIONS};
