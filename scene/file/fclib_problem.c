/* From matrices to bodies, contacts and blocks. A column of a contact is (-e, -r_a x e) of the body a and (e, r_b x e)
 * of b, for the normal and both tangents e; the sum of e x (r x e) over them is 2 r. Columns of another form are
 * refused. */
#include "base/diagnostic.h"
#include "math/mat3.h"
#include "scene/file/fclib_form.h"

#include <math.h>

#define ROUNDING 1e-9 /* of unit vectors and arms */

typedef struct reader {
    const ashi_fclib *form;
    ash_problem *problem;
    ash_diagnostic *diagnostic;
    uint32_t freedoms; /* of a body: 6, or 3 of motion, or 3 in the plane */
} reader;

/* A column by its bodies. */
typedef struct column {
    uint32_t count, body[2];
    ash_motion along[2];
} column;

static ash_status refuse(ash_diagnostic *diagnostic, const char *what)
{
    ashi_fail(diagnostic, ASH_UNSUPPORTED, "fclib.not-rigid", "%s", what);
    ashi_expect(diagnostic, "rigid bodies in world axes that touch at points, and rows of two bodies at most");
    return ASH_UNSUPPORTED;
}

static double *entry_of(ash_motion *m, uint32_t i)
{
    double *entries[6] = {&m->linear.x, &m->linear.y, &m->linear.z, &m->angular.x, &m->angular.y, &m->angular.z};
    return entries[i];
}

/* The axis, of six, of one of a body's freedoms. */
static uint32_t axis_of(const reader *r, uint32_t i)
{
    return r->form->dimension == 2 && i == 2 ? 5 : i;
}

static bool get_column(const reader *r, const ashi_sparse *m, uint32_t number, column *c)
{
    *c = (column){0};
    for (int32_t k = m->start.data[number]; k < m->start.data[number + 1]; k++) {
        uint32_t row = (uint32_t)m->row.data[k], body = row / r->freedoms, end = 0;
        if (m->value.data[k] == 0)
            continue;
        while (end < c->count && c->body[end] != body)
            end++;
        if (end == 2)
            return false;
        if (end == c->count)
            c->body[c->count++] = body;
        *entry_of(&c->along[end], axis_of(r, row % r->freedoms)) += m->value.data[k];
    }
    return true;
}

/* ---- bodies ---- */

static ash_status read_body(const reader *r, uint32_t number)
{
    const ashi_sparse *m = &r->form->mass;
    ash_problem_body *body = &r->problem->bodies[1 + number];
    ash_sym3 inertia = {1, 1, 1, 0, 0, 0};
    double *diagonal[6] = {NULL, NULL, NULL, &inertia.xx, &inertia.yy, &inertia.zz};
    double *beside[3] = {&inertia.xy, &inertia.xz, &inertia.yz}, mass[3] = {0, 0, 0};
    bool turns = false;
    for (uint32_t i = 0; i < r->freedoms; i++) {
        column c;
        uint32_t axis = axis_of(r, i);
        if (!get_column(r, m, number * r->freedoms + i, &c) || c.count != 1 || c.body[0] != number)
            return refuse(r->diagnostic, "M is not made of one block for each body");
        for (uint32_t k = 0; k < 6; k++) {
            double value = *entry_of(&c.along[0], k);
            if (k == axis && !(value > 0))
                return refuse(r->diagnostic, "M has a diagonal that is not positive");
            if (k == axis && k < 3)
                mass[k] = value;
            else if (k == axis)
                *diagonal[k] = value, turns = true;
            else if (k > axis && axis >= 3)
                *beside[axis + k - 7] = value;
            else if (k < 3 && value != 0)
                return refuse(r->diagnostic, "M couples motion with other freedoms");
        }
    }
    bool plane = r->form->dimension == 2;
    body->inverse_mass = v3(1 / mass[0], 1 / mass[1], plane ? 0 : 1 / mass[2]);
    ash_sym3 inverse = plane ? s3_diagonal(0, 0, 1 / inertia.zz) : s3_inverse(inertia);
    body->inverse_inertia = turns ? inverse : s3_diagonal(0, 0, 0);
    ash_motion momentum = {0};
    for (uint32_t i = 0; i < r->freedoms; i++)
        *entry_of(&momentum, axis_of(r, i)) = r->form->f.data[number * r->freedoms + i];
    body->velocity = v3_mul(body->inverse_mass, momentum.linear);
    body->spin = s3_apply(body->inverse_inertia, momentum.angular);
    body->start_velocity = body->velocity;
    body->start_spin = body->spin;
    return ASH_OK;
}

/* ---- contacts ---- */

/* The parts of a contact's columns that act on one body; false if they do not act on it. */
static void part_of(const column *c, uint32_t body, ash_motion *along)
{
    *along = (ash_motion){0};
    for (uint32_t end = 0; end < c->count; end++)
        if (c->body[end] == body)
            *along = c->along[end];
}

/* The arm for which the body's angular parts are r x e; false when there is none. `sign`: of the body's side. */
static bool find_arm(const reader *r, const ash_motion *along, uint32_t count, double sign, ash_vec3 *arm)
{
    *arm = v3(0, 0, 0);
    if (r->freedoms == 3 && r->form->dimension == 3)
        return true;
    for (uint32_t i = 0; i < count; i++)
        *arm = v3_add_scaled(*arm, v3_cross(v3_scale(along[i].linear, sign), v3_scale(along[i].angular, sign)),
                             r->form->dimension == 3 ? 0.5 : 1);
    for (uint32_t i = 0; i < count; i++)
        if (v3_distance(v3_cross(*arm, along[i].linear), along[i].angular) > ROUNDING * (1 + v3_norm(*arm)))
            return false;
    return true;
}

static bool is_frame(const ash_motion *along, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k <= i; k++)
            if (fabs(v3_dot(along[i].linear, along[k].linear) - (i == k)) > ROUNDING)
                return false;
    return true;
}

/* A limit: a contact without friction whose tangents do nothing. */
static ash_status read_limit(const reader *r, uint32_t number, const column *c)
{
    ash_problem *p = r->problem;
    ash_problem_block *block = &p->blocks[p->block_count++];
    ash_problem_row *row = &p->rows[p->row_count];
    *block = (ash_problem_block){.first_row = p->row_count++, .row_count = 1};
    *row = (ash_problem_row){.upper = HUGE_VAL, .bias = r->form->w.data[number]};
    block->body_b = c->count > 0 ? 1 + c->body[0] : 0;
    row->linear_b = c->along[0].linear;
    row->angular_b = c->along[0].angular;
    if (c->count > 1) {
        block->body_a = 1 + c->body[1];
        row->linear_a = c->along[1].linear;
        row->angular_a = c->along[1].angular;
    }
    row->impulse = r->form->r.count > 0 ? r->form->r.data[number] : 0;
    return c->count > 0 ? ASH_OK : refuse(r->diagnostic, "a column of H is empty");
}

static ash_status read_contact(const reader *r, uint32_t number)
{
    const ashi_fclib *form = r->form;
    uint32_t d = form->dimension, first = d * number, bodies[2] = {0, 0}, count = 0;
    column c[3] = {0};
    ash_motion along[2][3] = {0};
    for (uint32_t i = 0; i < d; i++) {
        if (!get_column(r, &form->contacts, first + i, &c[i]))
            return refuse(r->diagnostic, "a column of H is of more than two bodies");
        for (uint32_t end = 0; end < c[i].count; end++) {
            uint32_t k = 0;
            while (k < count && bodies[k] != c[i].body[end])
                k++;
            if (k == 2)
                return refuse(r->diagnostic, "a contact in H is of more than two bodies");
            if (k == count)
                bodies[count++] = c[i].body[end];
        }
    }
    if (c[1].count == 0 && c[2].count == 0 && form->mu.data[number] == 0)
        return read_limit(r, first, &c[0]);
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < d; i++)
            part_of(&c[i], bodies[k], &along[k][i]);
    /* b is the last body; where there is another, a is that, else the background */
    uint32_t last = count > 1 ? 1 : 0;
    ash_problem *p = r->problem;
    ash_problem_contact *contact = &p->contacts[p->contact_count++];
    ash_problem_point *point = &p->points[p->point_count];
    *contact = (ash_problem_contact){.body_a = count > 1 ? 1 + bodies[0] : 0,
                                     .body_b = 1 + bodies[last],
                                     .first_point = p->point_count++,
                                     .point_count = 1,
                                     .tangents = (uint8_t)(d - 1),
                                     .normal = along[last][0].linear,
                                     .sliding_friction = form->mu.data[number]};
    *point = (ash_problem_point){.bias = form->w.data[first], .friction = form->mu.data[number], .friction_limit = -1};
    bool good = count > 0 && is_frame(along[last], d) && find_arm(r, along[last], d, 1, &point->arm_b);
    for (uint32_t i = 0; i < d && count > 1; i++)
        good = good && v3_norm(v3_add(along[0][i].linear, along[1][i].linear)) <= ROUNDING;
    if (good && count > 1)
        good = find_arm(r, along[0], d, -1, &point->arm_a);
    if (!good)
        return refuse(r->diagnostic, "the columns of a contact in H are not those of a point of rigid bodies");
    ash_vec3 n = contact->normal, t = along[last][1].linear, other = v3_cross(n, t);
    double hand = d == 3 && v3_dot(other, along[last][2].linear) < 0 ? -1 : 1;
    contact->tangent[0] = t;
    contact->tangent[1] = other;
    contact->slide[0] = form->w.data[first + 1];
    contact->slide[1] = d == 3 ? hand * form->w.data[first + 2] : 0;
    if (form->r.count > 0)
        point->impulse = v3(form->r.data[first], form->r.data[first + 1], d == 3 ? hand * form->r.data[first + 2] : 0);
    return ASH_OK;
}

static ash_status read_equality(const reader *r, uint32_t number)
{
    ash_problem *p = r->problem;
    column c;
    if (!get_column(r, &r->form->equals, number, &c) || c.count == 0)
        return refuse(r->diagnostic, "a column of G is not of one or two bodies");
    ash_problem_block *block = &p->blocks[p->block_count++];
    ash_problem_row *row = &p->rows[p->row_count];
    *block = (ash_problem_block){.first_row = p->row_count++, .row_count = 1, .body_b = 1 + c.body[0]};
    *row = (ash_problem_row){.lower = -HUGE_VAL, .upper = HUGE_VAL, .bias = r->form->b.data[number]};
    row->linear_b = c.along[0].linear;
    row->angular_b = c.along[0].angular;
    if (c.count > 1) {
        block->body_a = 1 + c.body[1];
        row->linear_a = c.along[1].linear;
        row->angular_a = c.along[1].angular;
    }
    row->impulse = r->form->l.count > 0 ? r->form->l.data[number] : 0;
    return ASH_OK;
}

/* The number of freedoms of a body; 0: unknown. */
static uint32_t find_freedoms(const ashi_fclib *form)
{
    uint32_t n = form->mass.rows;
    if (form->dimension == 2)
        return n % 3 == 0 ? 3 : 0;
    bool diagonal = form->mass.value.count == n;
    return n % 6 == 0 && !diagonal ? 6 : n % 3 == 0 && diagonal ? (n % 6 == 0 ? 6 : 3) : 0;
}

ash_status ashi_fclib_to_problem(const ashi_fclib *form, ash_problem *problem, ash_diagnostic *diagnostic)
{
    reader r = {form, problem, diagnostic, find_freedoms(form)};
    if (r.freedoms == 0)
        return refuse(diagnostic, "the freedoms of M are not six for each body, or three");
    uint32_t bodies = form->mass.rows / r.freedoms, contacts = form->mu.count, rows = form->b.count;
    ash_status status = ash_problem_reserve(problem, 1 + bodies, contacts + rows, contacts + rows, diagnostic);
    if (status == ASH_OK)
        status = ash_problem_reserve_contacts(problem, contacts, contacts, 0, diagnostic);
    if (status != ASH_OK)
        return status;
    problem->h = 0.01; /* which the form does not have */
    problem->law = ASH_FRICTION_CONE;
    problem->directions = 8;
    problem->stick_speed = 1e-3;
    problem->planar = form->dimension == 2;
    problem->body_count = 1 + bodies;
    problem->contact_count = problem->point_count = problem->block_count = problem->row_count = 0;
    problem->turn_count = 0;
    problem->bodies[0] = (ash_problem_body){0};
    for (uint32_t i = 0; i < bodies && status == ASH_OK; i++) {
        problem->bodies[1 + i] = (ash_problem_body){0};
        status = read_body(&r, i);
    }
    for (uint32_t i = 0; i < contacts && status == ASH_OK; i++)
        status = read_contact(&r, i);
    for (uint32_t i = 0; i < rows && status == ASH_OK; i++)
        status = read_equality(&r, i);
    return status == ASH_OK ? ash_problem_arrange(problem, diagnostic) : status;
}
