/* Contact problems put together by hand. After a failed allocation all calls do nothing until the end reports it. */
#include "experiments/problem_maker.h"

#include "math/quat.h"
#include "scene/file/problem_words.h"

#include <math.h>

/* Memory is kept. */
static void empty(ash_problem *p)
{
    p->fixed_count = p->body_count = p->block_count = p->row_count = p->island_count = 0;
    p->contact_count = p->point_count = p->turn_count = 0;
}

ashi_problem_maker ashi_make_begin(ash_problem *problem, double h, ash_vec3 gravity)
{
    empty(problem);
    problem->h = h;
    problem->law = ASH_FRICTION_CONE;
    problem->directions = ASHI_USUAL_DIRECTIONS;
    problem->stick_speed = ASHI_USUAL_STICK_SPEED;
    problem->planar = false;
    return (ashi_problem_maker){.problem = problem, .gravity = gravity};
}

static double inverse(double value)
{
    return value > 0 ? 1 / value : 0;
}

uint32_t ashi_make_body(ashi_problem_maker *maker, ash_vec3 place, double mass, ash_vec3 inertia)
{
    ash_problem *p = maker->problem;
    if (maker->failed || ash_problem_reserve(p, p->body_count + 1, 0, 0, NULL) != ASH_OK ||
        !ashi_array_extend(&maker->places)) {
        maker->failed = true;
        return 0;
    }
    ash_problem_body *body = &p->bodies[p->body_count];
    *body =
        (ash_problem_body){.inverse_mass = v3(inverse(mass), inverse(mass), inverse(mass)),
                           .inverse_inertia = s3_diagonal(inverse(inertia.x), inverse(inertia.y), inverse(inertia.z)),
                           .label = p->body_count + 1u};
    if (p->planar) {
        body->inverse_mass.z = 0;
        body->inverse_inertia = s3_diagonal(0, 0, inverse(inertia.z));
    }
    maker->places.data[p->body_count] = place;
    p->velocity[p->body_count] = (ash_motion){0};
    p->body_count++;
    ashi_make_moving(maker, p->body_count - 1, v3(0, 0, 0), v3(0, 0, 0));
    return p->body_count - 1;
}

uint32_t ashi_make_box(ashi_problem_maker *maker, ash_vec3 place, ash_vec3 edges, double mass)
{
    double x = edges.x * edges.x, y = edges.y * edges.y, z = edges.z * edges.z;
    return ashi_make_body(maker, place, mass, v3_scale(v3(y + z, x + z, x + y), mass / 12));
}

uint32_t ashi_make_ball(ashi_problem_maker *maker, ash_vec3 place, double radius, double mass)
{
    double moment = 0.4 * mass * radius * radius;
    return ashi_make_body(maker, place, mass, v3(moment, moment, moment));
}

void ashi_make_moving(ashi_problem_maker *maker, uint32_t number, ash_vec3 velocity, ash_vec3 spin)
{
    if (maker->failed)
        return;
    ash_problem_body *body = &maker->problem->bodies[number];
    body->start_velocity = body->velocity = velocity;
    body->start_spin = body->spin = spin;
    if (!ashi_body_is_fixed(body))
        body->velocity = v3_add_scaled(velocity, maker->gravity, maker->problem->h);
}

static ash_problem_row *add_row(ashi_problem_maker *maker)
{
    ash_problem *p = maker->problem;
    if (maker->failed || ash_problem_reserve(p, 0, 0, p->row_count + 1, NULL) != ASH_OK) {
        maker->failed = true;
        return &maker->spare;
    }
    ash_problem_row *row = &p->rows[p->row_count++];
    *row = (ash_problem_row){.lower = -(double)INFINITY, .upper = (double)INFINITY};
    p->blocks[p->block_count - 1].row_count++;
    return row;
}

static uint32_t add_block(ashi_problem_maker *maker, uint32_t a, uint32_t b)
{
    ash_problem *p = maker->problem;
    if (maker->failed || ash_problem_reserve(p, 0, p->block_count + 1, 0, NULL) != ASH_OK) {
        maker->failed = true;
        return 0;
    }
    p->blocks[p->block_count] =
        (ash_problem_block){.body_a = a, .body_b = b, .first_row = p->row_count, .label = p->block_count};
    return p->block_count++;
}

uint32_t ashi_make_rows(ashi_problem_maker *maker, uint32_t a, uint32_t b)
{
    return add_block(maker, a, b);
}

ash_problem_row *ashi_make_force_row(ashi_problem_maker *maker, ash_vec3 point, ash_vec3 direction)
{
    ash_problem_row *row = add_row(maker);
    if (maker->failed)
        return row;
    const ash_problem_block *block = &maker->problem->blocks[maker->problem->block_count - 1];
    ash_vec3 arm_a = v3_sub(point, maker->places.data[block->body_a]);
    ash_vec3 arm_b = v3_sub(point, maker->places.data[block->body_b]);
    row->linear_a = v3_neg(direction);
    row->angular_a = v3_neg(v3_cross(arm_a, direction));
    row->linear_b = direction;
    row->angular_b = v3_cross(arm_b, direction);
    return row;
}

ash_problem_row *ashi_make_moment_row(ashi_problem_maker *maker, ash_vec3 direction)
{
    ash_problem_row *row = add_row(maker);
    row->angular_a = v3_neg(direction);
    row->angular_b = direction;
    return row;
}

/* Newton's law of impact: the bias asks for a speed of e times that of the approach. */
static void add_restitution(const ash_problem *p, const ash_problem_contact *contact, ash_problem_point *point,
                            double e)
{
    const ash_problem_body *a = &p->bodies[contact->body_a], *b = &p->bodies[contact->body_b];
    ash_vec3 at_a = v3_add(a->start_velocity, v3_cross(a->start_spin, point->arm_a));
    ash_vec3 at_b = v3_add(b->start_velocity, v3_cross(b->start_spin, point->arm_b));
    double speed = v3_dot(contact->normal, v3_sub(at_b, at_a));
    point->rebound = speed < 0 ? -e * speed : 0;
    point->bias -= point->rebound;
}

static bool are_equal(ash_vec3 a, ash_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Whether a point goes on with the newest contact. */
static bool goes_on(const ash_problem *p, const ash_problem_contact *with)
{
    const ash_problem_contact *last = p->contact_count > 0 ? &p->contacts[p->contact_count - 1] : NULL;
    return last != NULL && last->body_a == with->body_a && last->body_b == with->body_b &&
           are_equal(last->normal, with->normal) && last->slide[0] == with->slide[0] &&
           last->slide[1] == with->slide[1] && last->sliding_friction == with->sliding_friction &&
           last->rolling == with->rolling && last->spinning == with->spinning;
}

void ashi_make_contact(ashi_problem_maker *maker, uint32_t a, uint32_t b, ash_vec3 place, ash_vec3 normal,
                       const ashi_surface_law *surface)
{
    ash_problem *p = maker->problem;
    if (maker->failed ||
        ash_problem_reserve_contacts(p, p->contact_count + 1, p->point_count + 1, p->turn_count + 1, NULL) != ASH_OK) {
        maker->failed = true;
        return;
    }
    uint8_t count = p->planar ? 1 : 2;
    ash_vec3 first = p->planar ? v3(-normal.y, normal.x, 0) : v3_perpendicular(normal),
             second = v3_cross(normal, first);
    ash_problem_contact contact = {.body_a = a,
                                   .body_b = b,
                                   .first_point = p->point_count,
                                   .first_turn = p->turn_count,
                                   .tangents = count,
                                   .rollings = surface->rolling > 0 ? count : 0,
                                   .spins = surface->spinning > 0 && !p->planar,
                                   .normal = normal,
                                   .tangent = {first, second},
                                   .slide = {v3_dot(surface->velocity, first), v3_dot(surface->velocity, second)},
                                   .sliding_friction = surface->sliding_friction,
                                   .rolling = surface->rolling,
                                   .spinning = surface->spinning};
    if (!goes_on(p, &contact))
        p->contacts[p->contact_count++] = contact;
    ash_problem_contact *last = &p->contacts[p->contact_count - 1];
    ash_problem_point *point = &p->points[p->point_count];
    *point = (ash_problem_point){.arm_a = v3_sub(place, maker->places.data[a]),
                                 .arm_b = v3_sub(place, maker->places.data[b]),
                                 .friction = surface->friction,
                                 .friction_limit = -1,
                                 .label = p->point_count};
    last->point_count++;
    p->point_count++;
    if (contact.rollings > 0 || contact.spins > 0)
        p->turns[p->turn_count++] = v3(0, 0, 0);
    add_restitution(p, last, point, surface->restitution);
}

bool ashi_make_end(ashi_problem_maker *maker)
{
    bool good = !maker->failed && ash_problem_arrange(maker->problem, NULL) == ASH_OK;
    ashi_array_release(&maker->places);
    if (!good)
        empty(maker->problem);
    return good;
}
