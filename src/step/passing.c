/* A contact with a gap says: along the normal of the start, the gap may close, no more. Beside an edge that normal is
 * slanted, and a body that goes past the edge would close the gap along it without ever touching anything. Its row
 * would throw the body aside.
 *
 * So the gap's row is asked first whether free motion closes it, by the speed of the row or by the way of its two
 * material points. If it does, the true gap of the shapes along their free ways (encounter.h) decides: shapes that do
 * not touch pass each other, and their contacts are left out. Contacts that overlap or carried a force always stay. So
 * do all contacts of shapes that touch somewhere.
 *
 * Free motion knows nothing of other contacts. A body that these push into what it would have passed is met by the next
 * step, as are bodies whose gap was larger than the margin. */
#include "step/passing.h"

#include "problem/assemble.h"
#include "problem/assembling.h"
#include "step/encounter.h"
#include "step/meetings.h"

#include <math.h>
#include <string.h>

#define SLOW 0.1 /* of the slack: what closes by less may rest on something that free motion does not know of */

typedef struct search {
    ashi_step *step;
    double h, reach;
    double rest;   /* s, of the step, that bodies move by when h has passed: with shock propagation */
    bool projects; /* rows act on positions, too */
    bool *passes;  /* by contact point; null: none does so far */
} search;

/* How near shapes may come before a solver acts on them. */
static double slack_of(const search *s, uint32_t a, uint32_t b)
{
    const ash_method *method = &s->step->method;
    const ashi_bodies *bodies = &s->step->model->bodies;
    if (method->solver.solver == ASH_SOLVER_SOFT_STEP) {
        double n = method->solver.substeps, gained = v3_distance(bodies->next.velocity[a], bodies->now.velocity[a]) +
                                                     v3_distance(bodies->next.velocity[b], bodies->now.velocity[b]);
        return s->h * gained / (n * n);
    }
    return method->scheme == ASH_SCHEME_PROPAGATION ? method->slop : 0;
}

/* The speed of b against a at a place along the normal. */
static double speed_at(const ashi_state *place, const ashi_state *moving, uint32_t a, uint32_t b, ash_vec3 point,
                       ash_vec3 normal)
{
    ash_vec3 of_a = v3_add(moving->velocity[a], v3_cross(moving->spin[a], v3_sub(point, place->position[a])));
    ash_vec3 of_b = v3_add(moving->velocity[b], v3_cross(moving->spin[b], v3_sub(point, place->position[b])));
    return v3_dot(normal, v3_sub(of_b, of_a));
}

/* Whether no point of the pair touches or carried a force, and one is near enough to be in the problem. */
static bool is_apart(const search *s, const ashi_contact_pair *pair, double *gap)
{
    const ashi_contact_set *set = &s->step->collision->now;
    const ash_method *method = &s->step->method;
    double touch = method->scheme == ASH_SCHEME_PROPAGATION ? method->slop : 0; /* which counts as closed there */
    *gap = INFINITY;
    for (uint32_t i = pair->first_contact; i < pair->first_contact + pair->contact_count; i++) {
        const ashi_contact *contact = &set->contacts.data[i];
        for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++) {
            const ashi_contact_point *point = &set->points.data[k];
            if (point->depth >= -touch || v3_norm2(point->force) > 0)
                return false;
            *gap = fmin(*gap, -point->depth);
        }
    }
    return *gap <= s->reach;
}

/* The longest way that a point of one body goes against the other's; infinite where a plane turns. */
static double longest_way(const search *s, const ashi_contact_pair *pair, uint32_t a, uint32_t b)
{
    const ashi_bodies *bodies = &s->step->model->bodies;
    const ashi_collider *colliders = s->step->collision->colliders.data;
    const uint32_t slots[2] = {a, b}, shapes[2] = {pair->a, pair->b};
    double speed = sqrt(fmax(v3_norm2(v3_sub(bodies->now.velocity[b], bodies->now.velocity[a])),
                             v3_norm2(v3_sub(bodies->next.velocity[b], bodies->next.velocity[a]))));
    for (int i = 0; i < 2; i++) {
        double spin = sqrt(fmax(v3_norm2(bodies->now.spin[slots[i]]), v3_norm2(bodies->next.spin[slots[i]])));
        double arm = colliders[shapes[i]].reach + s->step->method.contact_margin +
                     v3_distance(colliders[shapes[i]].pose.position, bodies->now.position[slots[i]]);
        speed += spin > 0 ? spin * arm : 0;
    }
    return (s->h + s->rest) * speed;
}

/* Whether the row of a point of the pair would act on free motion. */
static bool closes(const search *s, const ashi_contact_pair *pair, uint32_t a, uint32_t b, double gap)
{
    const ashi_model *model = s->step->model;
    const ashi_bodies *bodies = &model->bodies;
    const ashi_contact_set *set = &s->step->collision->now;
    double slack = slack_of(s, a, b);
    if (gap > 1.5 * longest_way(s, pair, a, b) + slack)
        return false;
    ash_transform pose_a = ashi_shape_pose_at(model, &bodies->now, pair->a);
    ash_transform end_a = s->projects ? ashi_shape_pose_at(model, &bodies->next, pair->a) : pose_a;
    ash_transform end_b = s->projects ? ashi_shape_pose_at(model, &bodies->next, pair->b) : pose_a;
    for (uint32_t i = pair->first_contact; i < pair->first_contact + pair->contact_count; i++) {
        const ashi_contact *contact = &set->contacts.data[i];
        ash_vec3 normal = q_rotate(pose_a.rotation, contact->normal);
        for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++) {
            const ashi_contact_point *point = &set->points.data[k];
            ash_vec3 place = t_point(pose_a, point->on_a);
            double speed = fmin(speed_at(&bodies->now, &bodies->now, a, b, place, normal),
                                speed_at(&bodies->now, &bodies->next, a, b, place, normal));
            double way = (s->h + s->rest) * speed, rest = s->rest * fmax(-speed, 0);
            if ((-point->depth + way < slack && way < -SLOW * slack) ||
                (s->projects && ashi_contact_gap(normal, point, end_a, end_b) < rest))
                return true;
        }
    }
    return false;
}

/* Whether free motion leads the shapes past each other. */
static bool misses(const search *s, const ashi_contact_pair *pair, double gap)
{
    const ashi_step *step = s->step;
    ashi_collision *c = step->collision;
    const ashi_bodies *b = &step->model->bodies;
    double reach_a = ashi_collision_reach(c, step->model, pair->a),
           reach_b = ashi_collision_reach(c, step->model, pair->b), time, whole = s->h + s->rest;
    ashi_encounter e = {.a = ashi_way_of(step->model, pair->a, reach_a, &b->now, &b->next, s->h),
                        .b = ashi_way_of(step->model, pair->b, reach_b, &b->now, &b->next, s->h),
                        .h = whole,
                        .margin = step->method.contact_margin,
                        .slop = ashi_meetings_touch(&step->method),
                        .scratch = &c->scratch.data[0]};
    double last = ashi_encounter_gap(&e, whole);
    if (last < 0)
        return false;
    return !ashi_encounter_may_touch(&e, gap, last) || !ashi_encounter_time(&e, 0, 0, gap, last, &time);
}

/* False when memory ran out. */
static bool leave_out(search *s, const ashi_contact_pair *pair)
{
    ashi_step *step = s->step;
    const ashi_contact_set *set = &step->collision->now;
    if (s->passes == NULL) {
        size_t size = set->points.count * sizeof *s->passes;
        s->passes = ashi_arena_take_array(step->scratch, set->points.count, sizeof *s->passes);
        if (s->passes == NULL)
            return false;
        if (step->leaves != NULL)
            memcpy(s->passes, step->leaves, size);
        else
            memset(s->passes, 0, size);
    }
    const ashi_contact *first = &set->contacts.data[pair->first_contact];
    memset(&s->passes[first->first_point], true, pair->point_count * sizeof *s->passes);
    return true;
}

bool ashi_passing_note(ashi_step *step, double h, double reach, const bool **leaves)
{
    const ashi_model *model = step->model;
    const ashi_shape_entry *shapes = model->shapes.entries.data;
    const ashi_contact_set *set = &step->collision->now;
    ash_stabilization mode = step->method.stabilization;
    search s = {.step = step,
                .h = h,
                .reach = reach,
                .rest = step->method.scheme == ASH_SCHEME_PROPAGATION ? fmax(step->divided - h, 0) : 0,
                .projects = mode == ASH_STABILIZE_POST || mode == ASH_STABILIZE_MIXED};
    *leaves = step->leaves;
    if (!(h > 0) || step->method.contacts != ASH_CONTACTS_SOLVE)
        return true;
    for (uint32_t i = 0; i < set->pairs.count; i++) {
        const ashi_contact_pair *pair = &set->pairs.data[i];
        double gap;
        if (pair->sensor || pair->contact_count == 0 || !is_apart(&s, pair, &gap) ||
            !ashi_contact_pair_is_awake(model, pair) ||
            !closes(&s, pair, shapes[pair->a].body, shapes[pair->b].body, gap))
            continue;
        if (!ashi_collision_reserve_scratch(step->collision, step->tasks))
            return false;
        if (misses(&s, pair, gap) && !leave_out(&s, pair))
            return false;
    }
    *leaves = s.passes != NULL ? s.passes : step->leaves;
    return true;
}
