/* Which shapes first touch within a part, and when: by the true gap of the shapes along their paths (encounter.h).
 *
 * Shapes that were apart have met if they overlap at the end or if their paths crossed: this is tested for pairs whose
 * boxes overlap at the end, and for all shapes in the path of one that moved by more than the boxes' margin. For shapes
 * that touched, points that stay in touch are held during the part, and only other points count; a held point that
 * sinks far below the slop, as on a curved surface, also counts. */
#include "step/meetings.h"

#include "problem/assemble.h"
#include "problem/assembling.h"

#include <math.h>

#define NEAREST  1e-9 /* m: accuracy of touches, however small the slop */
#define SLOWEST  1e-9 /* m/s: slower approaches are contact */
#define LEAVING  1e-4 /* m/s: points that separate faster leave, however slow the resting speed */
#define AT_TOUCH 2e-3 /* of the slop: the gap at which shapes that were apart are stopped */
#define CLEAR    10   /* slops: distance from which shapes have left and may meet again */
#define SUNK     2    /* slops: a held point that is deeper is an impact ... */
#define SINKS_TO 1.5  /* ... where it was this deep, ... */
#define TOO_DEEP 50   /* ... unless it was deeper than this before */
#define LOOKS    64   /* tests along a path on which touching shapes may pass through each other */

typedef struct search {
    ashi_step *step;
    ashi_collision *collision;
    const ashi_model *model;
    const ashi_state *start, *now;
    double touch;
    ashi_meeting *first;
    bool found;
    uint32_t slot; /* the shape whose path is examined, ... */
    double length; /* ... and the length of its path */
} search;

double ashi_meetings_touch(const ash_method *method)
{
    return fmax(method->slop, NEAREST);
}

/* The least gap of a pair's points; the margin where it has none. */
static double gap_of(const search *s, const ashi_contact_set *set, const ashi_contact_pair *pair)
{
    double gap = s->step->method.contact_margin;
    for (uint32_t i = 0; pair != NULL && i < pair->contact_count; i++) {
        const ashi_contact_record *contact = &set->contacts.data[pair->first_contact + i];
        for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++)
            gap = fmin(gap, -set->points.data[k].depth);
    }
    return gap;
}

static ashi_course way_of(const search *s, uint32_t shape)
{
    return ashi_course_of(s->model, shape, s->collision->colliders.data[shape].reach, s->start, s->now, s->step->h);
}

static ashi_encounter encounter_of(const search *s, uint32_t a, uint32_t b)
{
    return (ashi_encounter){.a = way_of(s, a),
                            .b = way_of(s, b),
                            .h = s->step->h,
                            .margin = s->step->method.contact_margin,
                            .slop = s->touch,
                            .scratch = &s->collision->scratch.data[0]};
}

static void note(search *s, uint32_t a, uint32_t b, const ashi_encounter *e, double target, double time)
{
    if (s->found && !(time < s->first->time))
        return;
    double enough = (target < 0 ? 0.4 * (SUNK - SINKS_TO) : AT_TOUCH) * s->touch; /* twice that is enough */
    *s->first = (ashi_meeting){a, b, *e, time, target, enough, ashi_encounter_slope(e, time)};
    s->found = true;
}

/* ---- shapes that were apart ---- */

static void look_at_apart(search *s, uint32_t a, uint32_t b, double first_gap, double last_gap)
{
    bool overlap = last_gap < -s->touch;
    if (!overlap && !(s->step->method.continuous && last_gap > s->touch)) /* shapes that touch at the end meet there */
        return;
    ashi_encounter e = encounter_of(s, a, b);
    double target = AT_TOUCH * s->touch, time;
    if ((overlap || ashi_encounter_may_touch(&e, first_gap, last_gap)) &&
        ashi_encounter_time(&e, target, 0, first_gap, last_gap, &time))
        note(s, a, b, &e, target, time);
}

/* ---- shapes that touched ---- */

/* The speed at which the gap of a contact point grows at a state. */
static double gap_speed(const ashi_model *model, const ashi_state *state, const ashi_contact_pair *pair,
                        const ashi_contact_record *contact, const ashi_point_record *point)
{
    const ashi_shape_entry *shapes = model->shapes.entries.data;
    uint32_t a = shapes[pair->a].body, b = shapes[pair->b].body;
    ash_transform pose = ashi_shape_pose_at(model, state, pair->a);
    ash_vec3 place = t_point(pose, point->on_a);
    ash_vec3 at_a = v3_add(state->velocity[a], v3_cross(state->spin[a], v3_sub(place, state->position[a])));
    ash_vec3 at_b = v3_add(state->velocity[b], v3_cross(state->spin[b], v3_sub(place, state->position[b])));
    return v3_dot(q_rotate(pose.rotation, contact->normal), v3_sub(at_b, at_a));
}

void ashi_meetings_note_leaving(const ashi_step *step, bool *leaves)
{
    const ashi_contact_set *set = &step->collision->now;
    double touch = ashi_meetings_touch(&step->method), fast = fmax(step->method.resting_speed, LEAVING);
    for (uint32_t i = 0; i < set->contacts.count; i++) {
        const ashi_contact_record *contact = &set->contacts.data[i];
        for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++)
            leaves[k] = fabs(set->points.data[k].depth) <= touch &&
                        gap_speed(step->model, &step->model->bodies.now, &set->pairs.data[contact->pair], contact,
                                  &set->points.data[k]) > fast;
    }
}

/* Whether a point of the pair is deeper than a length and still approaches, faster than `least`. */
static bool sinks(const ashi_model *model, const ashi_contact_set *set, const ashi_contact_pair *pair, double depth,
                  double least)
{
    for (uint32_t i = 0; i < pair->contact_count; i++) {
        const ashi_contact_record *contact = &set->contacts.data[pair->first_contact + i];
        for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++) {
            const ashi_point_record *point = &set->points.data[k];
            if (point->depth > depth && gap_speed(model, &model->bodies.now, pair, contact, point) < -least)
                return true;
        }
    }
    return false;
}

/* Whether no point of a pair that touched at the start is held. */
static bool has_left(const search *s, const ashi_contact_pair *old)
{
    const ashi_contact_set *set = &s->collision->before;
    for (uint32_t i = old->first_contact; i < old->first_contact + old->contact_count; i++)
        for (uint32_t k = 0; k < set->contacts.data[i].point_count; k++) {
            uint32_t point = set->contacts.data[i].first_point + k;
            if (-set->points.data[point].depth <= s->touch && !s->step->leaves[point])
                return false;
        }
    return true;
}

/* Finds when shapes that touch at the start are farther apart than a length, if ever. */
static bool find_apart(const ashi_encounter *e, double length, double *low, double *gap)
{
    *low = 0;
    *gap = ashi_encounter_gap(e, 0);
    for (double t = 1e-4 * e->h; !(*gap > length) && t < e->h; t *= 4) {
        *low = t;
        *gap = ashi_encounter_gap(e, t);
    }
    return *gap > length;
}

/* Shapes overlap at the end, but only at held points: if a thin body turns about such a point and through the other,
 * the normal flips, and the end does not show it. Of a few times the first at which another point overlaps becomes the
 * encounter's end. */
static void find_passage(const search *s, ashi_encounter *e, double *last)
{
    double way = ashi_course_length(&e->a, e->h) + ashi_course_length(&e->b, e->h),
           margin = s->step->method.contact_margin;
    double count = ceil(2 * way / margin);
    if (!(count >= 2 && count <= LOOKS)) /* a shape that hardly moves does not pass; planes that turn have no length */
        return;
    for (double i = 1; i < count && !(*last < -s->touch); i++) {
        double time = e->h * i / count, gap = ashi_encounter_gap(e, time);
        if (gap < -s->touch) {
            *last = gap;
            e->h = time;
        }
    }
}

/* A held point has sunk. If it was already deep, the part's projection lifts it to half the slop first; from there it
 * sinks with the square of time. */
static void look_at_sunk(search *s, const ashi_contact_pair *pair, ashi_encounter *e)
{
    e->held_count = 0;
    double first = ashi_encounter_gap(e, 0), last = ashi_encounter_gap(e, e->h), target = -SINKS_TO * s->touch;
    if (!(first > -TOO_DEEP * s->touch && last < -SUNK * s->touch &&
          sinks(s->model, &s->collision->now, pair, SUNK * s->touch, SLOWEST)))
        return;
    double time = e->h * sqrt((SINKS_TO - 0.5) * s->touch / (-last - 0.5 * s->touch));
    if (!(first > target) || ashi_encounter_time(e, target, 0, first, last, &time))
        note(s, pair->a, pair->b, e, target, time);
}

/* Shapes some of whose points touched, and were held or left. */
static void look_at_touching(search *s, const ashi_contact_pair *pair, const ashi_contact_pair *old, double last_gap)
{
    const ashi_collision *c = s->collision;
    bool overlaps = last_gap < -s->touch;
    if (!overlaps && !(s->step->method.continuous && last_gap > s->touch && has_left(s, old)))
        return;
    ashi_encounter e = encounter_of(s, pair->a, pair->b);
    e.held = &c->before.contacts.data[old->first_contact];
    e.held_count = old->contact_count;
    e.points = c->before.points.data;
    e.leaves = s->step->leaves;
    if (!overlaps && !ashi_encounter_may_touch(&e, 0, last_gap))
        return;
    double target = AT_TOUCH * s->touch, last = ashi_encounter_gap(&e, e.h), low, gap, time;
    if (overlaps && !(last < -s->touch))
        find_passage(s, &e, &last);
    bool met = (last < -s->touch || !overlaps) && find_apart(&e, overlaps ? target : CLEAR * s->touch, &low, &gap) &&
               ashi_encounter_time(&e, target, low, gap, last, &time);
    /* If the gap jumps, a held point has changed its feature. */
    if (met && fabs(ashi_encounter_gap(&e, time) - target) <= s->touch)
        note(s, pair->a, pair->b, &e, target, time);
    else if (overlaps)
        look_at_sunk(s, pair, &e);
}

static void look_at_pair(search *s, const ashi_contact_pair *pair)
{
    const ashi_collision *c = s->collision;
    if (pair->sensor || !ashi_contact_pair_is_awake(s->model, pair))
        return;
    const ashi_contact_pair *old = pair->old != ASHI_NO_PAIR ? &c->before.pairs.data[pair->old] : NULL;
    double first = gap_of(s, &c->before, old), last = gap_of(s, &c->now, pair);
    if (first > s->touch)
        look_at_apart(s, pair->a, pair->b, first, last);
    else
        look_at_touching(s, pair, old, last);
}

/* ---- shapes that passed each other ---- */

static double length_of(const search *s, uint32_t shape)
{
    const ashi_collider *collider = &s->collision->colliders.data[shape];
    uint32_t body = s->model->shapes.entries.data[shape].body;
    if (s->model->bodies.motion[body] == 0 || !isfinite(collider->reach)) /* other shapes go past a plane */
        return 0;
    ashi_course way = way_of(s, shape);
    return ashi_course_length(&way, s->step->h);
}

/* Of two moving shapes, the one with the longer path searches for the other, whose own path is no longer. */
static bool visit(uint32_t other, void *data)
{
    search *s = data;
    const ashi_collision *c = s->collision;
    const ashi_shape_entry *shapes = s->model->shapes.entries.data;
    uint32_t a = s->slot < other ? s->slot : other, b = s->slot < other ? other : s->slot;
    if (a == b || shapes[a].sensor || shapes[b].sensor || !ashi_collision_may_meet(c, s->model, s->slot, other) ||
        ashi_contact_set_find(&c->now, a, b) != NULL)
        return true;
    double length = length_of(s, other);
    if (length > s->length || (length == s->length && other < s->slot))
        return true;
    double margin = s->step->method.contact_margin,
           first = gap_of(s, &c->before, ashi_contact_set_find(&c->before, a, b));
    if (first > s->touch)
        look_at_apart(s, a, b, first, margin);
    return true;
}

static double sum_of(ash_vec3 v)
{
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

/* Whether a shape's path is certainly too short to matter: a bound of length_of without roots and angles, which holds
 * for most bodies. A rotation by t changes the quaternion by 2 sin(t / 4), at least t / 2.1 for t up to 1. */
static bool stays_near(const search *s, uint32_t slot)
{
    const ashi_shape_entry *entry = &s->model->shapes.entries.data[slot];
    uint32_t body = entry->body;
    double h = s->step->h, spun = h * sum_of(s->start->spin[body]);
    ash_quat from = s->start->rotation[body], to = s->now->rotation[body];
    double side = from.w * to.w + from.x * to.x + from.y * to.y + from.z * to.z < 0 ? -1 : 1;
    double turned =
        sum_of(v3(to.x - side * from.x, to.y - side * from.y, to.z - side * from.z)) + fabs(to.w - side * from.w);
    ash_vec3 straight = v3_scale(s->start->velocity[body], h);
    ash_vec3 bent = v3_sub(v3_sub(s->now->position[body], s->start->position[body]), straight);
    double arm = s->collision->colliders.data[slot].reach +
                 sum_of(v3_sub(entry->pose.position, s->model->bodies.info[body].mass.centre));
    return spun < 1 && turned < 0.25 &&
           sum_of(straight) + sum_of(bent) + arm * (2 * spun + 2.1 * turned) <= 0.5 * s->step->method.contact_margin;
}

static void look_at_way(search *s, uint32_t slot)
{
    if (stays_near(s, slot))
        return;
    s->slot = slot;
    s->length = length_of(s, slot);
    if (!(s->length > 0.5 * s->step->method.contact_margin))
        return;
    ashi_course way = way_of(s, slot);
    ash_bounds box = ashi_course_box(&way, s->step->h);
    ash_vec3 by = v3(s->length, s->length, s->length);
    ashi_broad_query_box(s->collision->broad, (ash_bounds){v3_sub(box.lower, by), v3_add(box.upper, by)}, visit, s);
}

/* ---- all ---- */

bool ashi_meetings_first(ashi_step *step, const ashi_state *start, ashi_meeting *first)
{
    ashi_collision *c = step->collision;
    search s = {.step = step,
                .collision = c,
                .model = step->model,
                .start = start,
                .now = &step->model->bodies.now,
                .touch = ashi_meetings_touch(&step->method),
                .first = first};
    if (!ashi_shapes_some_meet(&step->model->shapes) || c->broad == NULL)
        return false;
    for (uint32_t i = 0; i < c->now.pairs.count; i++)
        look_at_pair(&s, &c->now.pairs.data[i]);
    for (uint32_t slot = 0; slot < c->colliders.count && step->method.continuous; slot++)
        if (c->colliders.data[slot].handle != 0)
            look_at_way(&s, slot);
    return s.found;
}

bool ashi_meetings_missed(const ashi_step *step)
{
    const ashi_contact_set *set = &step->collision->now;
    double deep = SUNK * ashi_meetings_touch(&step->method);
    if (!(set->deepest > deep))
        return false;
    for (uint32_t i = 0; i < set->pairs.count; i++)
        if (!set->pairs.data[i].sensor && ashi_contact_pair_is_awake(step->model, &set->pairs.data[i]) &&
            sinks(step->model, set, &set->pairs.data[i], deep, fmax(step->method.resting_speed, SLOWEST)))
            return true;
    return false;
}

double ashi_meeting_gap(const ashi_meeting *m, const ashi_model *model, const ashi_state *state)
{
    return ashi_encounter_gap_at(&m->encounter, ashi_shape_pose_at(model, state, m->a),
                                 ashi_shape_pose_at(model, state, m->b));
}
