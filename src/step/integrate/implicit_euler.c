/* Linearized implicit Euler: one Newton step on v1 = v0 + h M^-1 F(x0 + h v1, v1) for all forces that have derivatives,
 *
 *   (M + sum J^T (h^2 K + h D) J) dv = h F(x0, v0) - h^2 sum J^T K u0,   x1 = x0 + h v1,
 *
 * where J takes body velocities to the relative velocity u of a force's two ends. Damped stiff strings and nets step
 * far beyond 1 / omega. The gyroscopic torque is taken implicitly first, body by body. Loses energy, order 1.
 *
 * The matrix is never built: conjugate gradients multiply by it element by element, preconditioned by its 3x3 diagonal
 * blocks. Locks make the system singular in locked freedoms; residuals are projected, so the iteration stays in the
 * free ones. */
#include "step/integrate/rotation.h"
#include "step/step.h"

/* The unknown velocity change of a body. */
typedef struct twist {
    ash_vec3 linear, angular;
} twist;

typedef struct system {
    ashi_step *step;
    uint32_t slots;
    const ashi_implicit_elements *elements;
    twist *change, *residual, *direction, *product, *scaled;
    ash_vec3 *spin;                               /* after the gyroscopic step */
    ash_sym3 *inertia;                            /* world axes, rotating bodies only */
    ash_sym3 *linear_diagonal, *angular_diagonal; /* of the matrix, then inverted */
} implicit_system;

static bool moves(const ashi_bodies *b, uint32_t i)
{
    return (b->motion[i] & ASHI_DYNAMIC) != 0;
}

static twist projected(const ashi_bodies *b, uint32_t i, twist t)
{
    if (b->motion[i] & ASHI_LINEAR_LOCKS)
        t.linear = ashi_unlocked_velocity(b, i, t.linear);
    if (b->motion[i] & ASHI_PARTIAL)
        t.angular = ashi_unlocked_spin(b, i, t.angular);
    if (!(b->motion[i] & ASHI_ROTATES))
        t.angular = v3(0, 0, 0);
    return t;
}

/* The velocity of a's end relative to b's end. */
static ash_vec3 relative(const ashi_implicit_element *e, const twist *t)
{
    const twist *a = &t[e->body_a], *b = &t[e->body_b];
    if (e->angular)
        return v3_sub(a->angular, b->angular);
    return v3_sub(v3_add(a->linear, v3_cross(a->angular, e->arm_a)), v3_add(b->linear, v3_cross(b->angular, e->arm_b)));
}

/* Adds an impulse at a's end and its opposite at b's. */
static void push(const ashi_implicit_element *e, twist *t, ash_vec3 impulse)
{
    twist *a = &t[e->body_a], *b = &t[e->body_b];
    if (e->angular) {
        a->angular = v3_add(a->angular, impulse);
        b->angular = v3_sub(b->angular, impulse);
        return;
    }
    a->linear = v3_add(a->linear, impulse);
    a->angular = v3_add(a->angular, v3_cross(e->arm_a, impulse));
    b->linear = v3_sub(b->linear, impulse);
    b->angular = v3_sub(b->angular, v3_cross(e->arm_b, impulse));
}

static double row_rate(const ashi_implicit_row *row, const twist *t)
{
    double rate = 0;
    for (uint32_t i = 0; i < row->count; i++)
        rate += v3_dot(row->along[i].linear, t[row->body[i]].linear) +
                v3_dot(row->along[i].angular, t[row->body[i]].angular);
    return rate;
}

static void push_row(const ashi_implicit_row *row, twist *t, double impulse)
{
    for (uint32_t i = 0; i < row->count; i++) {
        twist *body = &t[row->body[i]];
        body->linear = v3_add_scaled(body->linear, row->along[i].linear, impulse);
        body->angular = v3_add_scaled(body->angular, row->along[i].angular, impulse);
    }
}

static void multiply(const implicit_system *s, const twist *x, twist *product)
{
    const ashi_bodies *b = &s->step->model->bodies;
    for (uint32_t i = 0; i < s->slots; i++) {
        product[i].linear = v3_scale(x[i].linear, b->inertial[i].mass);
        product[i].angular = b->motion[i] & ASHI_ROTATES ? s3_apply(s->inertia[i], x[i].angular) : v3(0, 0, 0);
    }
    for (uint32_t k = 0; k < s->elements->pairs.count; k++) {
        const ashi_implicit_element *e = &s->elements->pairs.data[k];
        push(e, product, s3_apply(e->matrix, relative(e, x)));
    }
    for (uint32_t k = 0; k < s->elements->rows.count; k++)
        push_row(&s->elements->rows.data[k], product,
                 s->elements->rows.data[k].matrix * row_rate(&s->elements->rows.data[k], x));
    for (uint32_t i = 0; i < s->slots; i++)
        product[i] = moves(b, i) ? projected(b, i, product[i]) : (twist){0};
}

/* [r]x^T A [r]x for the rotation's diagonal block. */
static ash_sym3 arm_block(ash_sym3 a, ash_vec3 r)
{
    ash_mat3 cross = {v3(0, r.z, -r.y), v3(-r.z, 0, r.x), v3(r.y, -r.x, 0)};
    ash_mat3 product = m3_mul(m3_transposed(cross), m3_mul(m3_from_sym(a), cross));
    return (ash_sym3){product.x.x, product.y.y, product.z.z, product.y.x, product.z.x, product.z.y};
}

static void add_diagonal(implicit_system *s, const ashi_implicit_element *e)
{
    uint32_t ends[2] = {e->body_a, e->body_b};
    ash_vec3 arms[2] = {e->arm_a, e->arm_b};
    for (int k = 0; k < 2; k++) {
        uint32_t i = ends[k];
        if (!e->angular)
            s->linear_diagonal[i] = s3_add(s->linear_diagonal[i], e->matrix);
        s->angular_diagonal[i] = s3_add(s->angular_diagonal[i], e->angular ? e->matrix : arm_block(e->matrix, arms[k]));
    }
}

static void add_row_diagonal(implicit_system *s, const ashi_implicit_row *row)
{
    for (uint32_t k = 0; k < row->count; k++) {
        uint32_t i = row->body[k];
        s->linear_diagonal[i] = s3_add(s->linear_diagonal[i], s3_outer(row->along[k].linear, row->matrix));
        s->angular_diagonal[i] = s3_add(s->angular_diagonal[i], s3_outer(row->along[k].angular, row->matrix));
    }
}

/* Locked rows become those of the identity, so that the block can be inverted. */
static ash_sym3 inverted(ash_sym3 a, bool lock_x, bool lock_y, bool lock_z)
{
    if (lock_x)
        a = (ash_sym3){1, a.yy, a.zz, 0, 0, a.yz};
    if (lock_y)
        a = (ash_sym3){a.xx, 1, a.zz, 0, a.xz, 0};
    if (lock_z)
        a = (ash_sym3){a.xx, a.yy, 1, a.xy, 0, 0};
    return s3_inverse(a);
}

static void prepare_diagonal(implicit_system *s)
{
    const ashi_bodies *b = &s->step->model->bodies;
    for (uint32_t i = 0; i < s->slots; i++) {
        double m = b->inertial[i].mass;
        s->linear_diagonal[i] = s3_diagonal(m, m, m);
        s->inertia[i] =
            b->motion[i] & ASHI_ROTATES ? s3_rotated(b->rotor[i].inertia, b->now.rotation[i]) : s3_diagonal(0, 0, 0);
        s->angular_diagonal[i] = s->inertia[i];
    }
    for (uint32_t k = 0; k < s->elements->pairs.count; k++)
        add_diagonal(s, &s->elements->pairs.data[k]);
    for (uint32_t k = 0; k < s->elements->rows.count; k++)
        add_row_diagonal(s, &s->elements->rows.data[k]);
    for (uint32_t i = 0; i < s->slots; i++) {
        if (!moves(b, i))
            continue;
        uint8_t locks = b->locks[i];
        s->linear_diagonal[i] =
            inverted(s->linear_diagonal[i], locks & ASH_LOCK_X, locks & ASH_LOCK_Y, locks & ASH_LOCK_Z);
        if (b->motion[i] & ASHI_ROTATES)
            s->angular_diagonal[i] = inverted(s->angular_diagonal[i], locks & ASH_LOCK_ROTATION_X,
                                              locks & ASH_LOCK_ROTATION_Y, locks & ASH_LOCK_ROTATION_Z);
    }
}

static twist preconditioned(const implicit_system *s, uint32_t i, twist r)
{
    const ashi_bodies *b = &s->step->model->bodies;
    twist z = {s3_apply(s->linear_diagonal[i], r.linear), v3(0, 0, 0)};
    if (b->motion[i] & ASHI_ROTATES)
        z.angular = s3_apply(s->angular_diagonal[i], r.angular);
    return projected(b, i, z);
}

static double dot(const twist *a, const twist *b, uint32_t i)
{
    return v3_dot(a[i].linear, b[i].linear) + v3_dot(a[i].angular, b[i].angular);
}

/* The right-hand side into residual: h F - h^2 J^T K u0, where F already has dampers at u0. */
static void start(implicit_system *s)
{
    const ashi_bodies *b = &s->step->model->bodies;
    double h = s->step->h;
    for (uint32_t i = 0; i < s->slots; i++) {
        s->change[i] = (twist){0};
        s->residual[i] = (twist){v3_scale(b->force[i], h), v3_scale(b->torque[i], h)};
        s->spin[i] = b->now.spin[i];
        if ((b->motion[i] & (ASHI_ROTATES | ASHI_PARTIAL | ASHI_ISOTROPIC)) == ASHI_ROTATES)
            s->spin[i] = ashi_gyroscopic_implicit(&b->rotor[i], h, b->now.rotation[i], b->now.spin[i]);
        else if (b->motion[i] & ASHI_PARTIAL)
            s->spin[i] = v3_add_scaled(
                b->now.spin[i], ashi_angular_acceleration(b, i, b->now.rotation[i], b->now.spin[i], v3(0, 0, 0)), h);
    }
    for (uint32_t k = 0; k < s->elements->pairs.count; k++)
        push(&s->elements->pairs.data[k], s->residual, s->elements->pairs.data[k].impulse);
    for (uint32_t k = 0; k < s->elements->rows.count; k++)
        push_row(&s->elements->rows.data[k], s->residual, s->elements->rows.data[k].impulse);
    for (uint32_t i = 0; i < s->slots; i++)
        s->residual[i] = moves(b, i) ? projected(b, i, s->residual[i]) : (twist){0};
}

/* Preconditioned conjugate gradients; the error is measured in the preconditioner's norm, relative to the start. */
static void solve(implicit_system *s)
{
    ashi_step *step = s->step;
    const ashi_bodies *b = &step->model->bodies;
    double energy = 0;
    for (uint32_t i = 0; i < s->slots; i++) {
        s->direction[i] = s->scaled[i] = moves(b, i) ? preconditioned(s, i, s->residual[i]) : (twist){0};
        energy += dot(s->residual, s->scaled, i);
    }
    double target = energy * step->method.tolerance * step->method.tolerance, first = energy;
    for (uint32_t count = 0; energy > target && count < step->method.max_iterations; count++) {
        multiply(s, s->direction, s->product);
        double curvature = 0, next = 0;
        for (uint32_t i = 0; i < s->slots; i++)
            curvature += dot(s->direction, s->product, i);
        double length = energy / curvature;
        for (uint32_t i = 0; i < s->slots; i++) {
            s->change[i].linear = v3_add_scaled(s->change[i].linear, s->direction[i].linear, length);
            s->change[i].angular = v3_add_scaled(s->change[i].angular, s->direction[i].angular, length);
            s->residual[i].linear = v3_add_scaled(s->residual[i].linear, s->product[i].linear, -length);
            s->residual[i].angular = v3_add_scaled(s->residual[i].angular, s->product[i].angular, -length);
            if (moves(b, i))
                s->scaled[i] = preconditioned(s, i, s->residual[i]);
            next += dot(s->residual, s->scaled, i);
        }
        double keep = next / energy;
        for (uint32_t i = 0; i < s->slots; i++) {
            s->direction[i].linear = v3_add_scaled(s->scaled[i].linear, s->direction[i].linear, keep);
            s->direction[i].angular = v3_add_scaled(s->scaled[i].angular, s->direction[i].angular, keep);
        }
        energy = next;
        step->iterations++;
    }
    step->residual = first > 0 ? sqrt(energy / first) : 0;
    if (!(energy <= target))
        step->flags |= ASH_FLAG_INTEGRATOR_NOT_CONVERGED;
}

static void move(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    implicit_system *s = data;
    ashi_step *step = s->step;
    const ashi_bodies *b = &step->model->bodies;
    double h = step->h;
    for (uint32_t i = begin; i < end; i++) {
        if (!moves(b, i)) {
            ashi_step_carry(step, i);
            continue;
        }
        ash_vec3 velocity = v3_add(b->now.velocity[i], s->change[i].linear);
        ash_vec3 spin = v3_add(s->spin[i], s->change[i].angular);
        ash_quat rotation = b->now.rotation[i];
        if (b->motion[i] & ASHI_ROTATES)
            rotation = q_unit(q_mul(q_exp(v3_scale(spin, h)), rotation));
        ashi_step_store(step, i, v3_add_scaled(b->now.position[i], velocity, h), rotation, velocity, spin);
    }
}

static bool take_memory(implicit_system *s)
{
    ashi_arena *a = s->step->scratch;
    twist **vectors[5] = {&s->change, &s->residual, &s->direction, &s->product, &s->scaled};
    for (int i = 0; i < 5; i++)
        if ((*vectors[i] = ashi_arena_take_array(a, s->slots, sizeof(twist))) == NULL)
            return false;
    s->spin = ashi_arena_take_array(a, s->slots, sizeof *s->spin);
    s->inertia = ashi_arena_take_array(a, s->slots, sizeof *s->inertia);
    s->linear_diagonal = ashi_arena_take_array(a, s->slots, sizeof *s->linear_diagonal);
    s->angular_diagonal = ashi_arena_take_array(a, s->slots, sizeof *s->angular_diagonal);
    return s->spin != NULL && s->inertia != NULL && s->linear_diagonal != NULL && s->angular_diagonal != NULL;
}

bool ashi_integrate_implicit_euler(ashi_step *step)
{
    const ashi_bodies *b = &step->model->bodies;
    implicit_system s = {.step = step, .slots = ashi_body_slots(b)};
    ashi_force_instant now = {&b->now, step->time, step->tasks};
    ashi_step_evaluate(step, &b->now, step->time);
    if (!take_memory(&s) || !ashi_forces_linearize(step->model, &now, step->h, step->elements))
        return false;
    s.elements = step->elements;

    ash_stage before = ashi_step_enter(step, ASH_STAGE_SOLVE);
    prepare_diagonal(&s);
    start(&s);
    solve(&s);
    ashi_step_enter(step, before);
    ashi_step_for_bodies(step, move, &s);

    /* Implicit Euler records work as it moves: with forces and velocities at the end. */
    ashi_step_evaluate(step, &b->next, step->time + step->h);
    ashi_step_record_work(step, &b->next, step->time + step->h, &b->next, &b->next, step->h);
    return true;
}
