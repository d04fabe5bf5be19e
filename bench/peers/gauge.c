/* Overlaps, gaps, joint errors and energies from the states of bodies, the same for every engine.
 *
 * Pairs come from our broad phase, depths and distances from our closest points, which are exact for convex shapes. */
#include "gauge.h"

#include "ashlar/query.h"
#include "base/alloc.h"
#include "collide/broad/broad.h"
#include "math/transform.h"
#include "math/vec3.h"

#include <math.h>

static const double touching = 1e-4; /* m: gaps up to this at the start are contacts */

typedef struct shape_pair {
    uint32_t a, b; /* shapes */
} shape_pair;

struct gauge {
    const peer_model *model;
    ashi_broad *broad;
    uint32_t *owners;  /* by shape */
    uint32_t *proxies; /* by shape */
    ashi_broad_pairs pairs;
    ASHI_ARRAY(shape_pair) neighbours; /* that touched at the start */
};

static ash_transform place_of(const gauge *g, const peer_state *states, uint32_t shape)
{
    const peer_body *body = &g->model->bodies[g->owners[shape]];
    ash_transform place = body->moves ? states[g->owners[shape]].place : body->place;
    return t_mul(place, g->model->shapes[shape].pose);
}

static double distance(const gauge *g, const peer_state *states, uint32_t a, uint32_t b)
{
    ash_closest closest;
    const peer_shape *shapes = g->model->shapes;
    ash_status status = ash_closest_points(shapes[a].geometry, place_of(g, states, a), shapes[b].geometry,
                                           place_of(g, states, b), &closest);
    return status == ASH_OK ? closest.distance : HUGE_VAL;
}

static bool are_joined(const peer_model *model, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < model->joint_count; ++i)
        if ((model->joints[i].a == a && model->joints[i].b == b) ||
            (model->joints[i].a == b && model->joints[i].b == a))
            return true;
    return false;
}

/* Moves all boxes, grown by `margin`, and finds their pairs. */
static bool find_pairs(gauge *g, const peer_state *states, double margin)
{
    for (uint32_t i = 0; i < g->model->shape_count; ++i) {
        ash_bounds box = ash_geometry_bounds(g->model->shapes[i].geometry, place_of(g, states, i));
        box.lower = v3_sub(box.lower, v3(margin, margin, margin));
        box.upper = v3_add(box.upper, v3(margin, margin, margin));
        ashi_broad_move(g->broad, g->proxies[i], box, v3(0, 0, 0));
    }
    return ashi_broad_find_pairs(g->broad, NULL, &g->pairs);
}

static bool may_touch(const gauge *g, const bool *present, ashi_broad_pair pair)
{
    uint32_t a = g->owners[pair.a], b = g->owners[pair.b];
    return a != b && (present == NULL || (present[a] && present[b])) && !are_joined(g->model, a, b);
}

static bool note_neighbours(gauge *g, const peer_state *start)
{
    const peer_body *bodies = g->model->bodies;
    if (!find_pairs(g, start, touching))
        return false;
    for (uint32_t i = 0; i < g->pairs.count; ++i) {
        ashi_broad_pair pair = g->pairs.data[i];
        bool there = bodies[g->owners[pair.a]].present && bodies[g->owners[pair.b]].present;
        if (!there || !may_touch(g, NULL, pair) || fabs(distance(g, start, pair.a, pair.b)) > touching)
            continue;
        if (!ashi_array_extend(&g->neighbours))
            return false;
        g->neighbours.data[g->neighbours.count - 1] = (shape_pair){pair.a, pair.b};
    }
    return true;
}

static bool add_shapes(gauge *g)
{
    for (uint32_t body = 0; body < g->model->body_count; ++body)
        for (uint32_t i = 0; i < g->model->bodies[body].shape_count; ++i) {
            uint32_t shape = g->model->bodies[body].first_shape + i;
            g->owners[shape] = body;
            ash_transform place = t_mul(g->model->bodies[body].place, g->model->shapes[shape].pose);
            g->proxies[shape] = ashi_broad_add(g->broad, ash_geometry_bounds(g->model->shapes[shape].geometry, place),
                                               shape, g->model->bodies[body].moves);
            if (g->proxies[shape] == UINT32_MAX)
                return false;
        }
    return true;
}

gauge *gauge_create(const peer_model *model)
{
    gauge *g = ashi_alloc_zeroed(sizeof *g);
    peer_state *start = ashi_alloc_zeroed((model->body_count + 1) * sizeof *start);
    if (g != NULL) {
        g->model = model;
        g->broad = ashi_broad_create(ASHI_BROAD_TREE);
        g->owners = ashi_alloc_zeroed((model->shape_count + 1) * sizeof *g->owners);
        g->proxies = ashi_alloc_zeroed((model->shape_count + 1) * sizeof *g->proxies);
    }
    bool good = start != NULL && g != NULL && g->broad != NULL && g->owners != NULL && g->proxies != NULL;
    for (uint32_t i = 0; i < model->body_count && good; ++i)
        start[i].place = model->bodies[i].place;
    if (good && model->contacts)
        good = add_shapes(g) && note_neighbours(g, start);
    ashi_dealloc(start);
    if (good)
        return g;
    gauge_destroy(g);
    return NULL;
}

void gauge_destroy(gauge *g)
{
    if (g == NULL)
        return;
    if (g->broad != NULL)
        ashi_broad_destroy(g->broad);
    ashi_array_release(&g->pairs);
    ashi_array_release(&g->neighbours);
    ashi_dealloc(g->owners);
    ashi_dealloc(g->proxies);
    ashi_dealloc(g);
}

bool gauge_overlaps(gauge *g, const peer_state *states, const bool *present, gauge_overlap *overlap)
{
    double sum = 0;
    *overlap = (gauge_overlap){0};
    if (!g->model->contacts)
        return true;
    if (!find_pairs(g, states, 0))
        return false;
    for (uint32_t i = 0; i < g->pairs.count; ++i) {
        ashi_broad_pair pair = g->pairs.data[i];
        double depth = may_touch(g, present, pair) ? -distance(g, states, pair.a, pair.b) : 0;
        if (!(depth > 0))
            continue;
        overlap->overlaps++;
        overlap->deepest = fmax(overlap->deepest, depth);
        sum += depth;
    }
    for (uint32_t i = 0; i < g->neighbours.count; ++i) {
        shape_pair pair = g->neighbours.data[i];
        if (present[g->owners[pair.a]] && present[g->owners[pair.b]])
            overlap->gap = fmax(overlap->gap, distance(g, states, pair.a, pair.b));
    }
    overlap->mean = overlap->overlaps > 0 ? sum / overlap->overlaps : 0;
    return true;
}

double gauge_joint_error(const peer_model *model, const peer_state *states)
{
    double most = 0;
    for (uint32_t i = 0; i < model->joint_count; ++i) {
        const peer_joint *joint = &model->joints[i];
        ash_vec3 a = joint->a == PEER_WORLD          ? joint->point_a
                     : model->bodies[joint->a].moves ? t_point(states[joint->a].place, joint->point_a)
                                                     : t_point(model->bodies[joint->a].place, joint->point_a);
        double apart = v3_norm(v3_sub(t_point(states[joint->b].place, joint->point_b), a));
        most = isfinite(apart) ? fmax(most, fabs(apart - joint->length)) : HUGE_VAL;
    }
    return most;
}

static double rotation_of(const peer_body *body, const peer_state *state)
{
    ash_vec3 spin = q_unrotate(state->place.rotation, state->spin);
    return 0.5 * v3_dot(spin, v3_mul(body->inertia, spin));
}

double gauge_rotation(const peer_model *model, const peer_state *states, const bool *present)
{
    double rotation = 0;
    for (uint32_t i = 0; i < model->body_count; ++i)
        if (model->bodies[i].moves && present[i])
            rotation += rotation_of(&model->bodies[i], &states[i]);
    return rotation;
}

double gauge_energy(const peer_model *model, const peer_state *states, const bool *present, double *kinetic)
{
    double potential = 0;
    *kinetic = gauge_rotation(model, states, present);
    for (uint32_t i = 0; i < model->body_count; ++i) {
        const peer_body *body = &model->bodies[i];
        if (!body->moves || !present[i])
            continue;
        *kinetic += 0.5 * body->mass * v3_norm2(states[i].velocity);
        potential -= body->mass * v3_dot(model->gravity, states[i].place.position);
    }
    return *kinetic + potential;
}

double gauge_descent(const peer_model *model, const peer_state *states, uint32_t body, double *sideways)
{
    ash_vec3 moved = v3_sub(states[body].place.position, model->bodies[body].place.position);
    ash_vec3 down = v3_norm(model->gravity) > 0 ? v3_unit(model->gravity) : v3(0, 0, -1);
    double descent = v3_dot(moved, down);
    *sideways = v3_norm(v3_add_scaled(moved, down, -descent));
    return descent;
}

double gauge_thickness(const peer_model *model, uint32_t body)
{
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < model->bodies[body].shape_count; ++i) {
        const ash_geometry *geometry = model->shapes[model->bodies[body].first_shape + i].geometry;
        ash_bounds box = ash_geometry_bounds(geometry, ash_identity());
        ash_vec3 sides = v3_sub(box.upper, box.lower);
        least = fmin(least, fmin(sides.x, sides.y));
        if (!model->flat)
            least = fmin(least, sides.z);
    }
    return least;
}
