/* Models as MuJoCo's XML: a body that can be reached from the world by joints hangs on its parent by a ball joint
 * (reduced coordinates), any other is free; joints that close loops become `connect` constraints, or all of them do.
 *
 * Contacts are soft: a spring and damper by `solref`, a share of the constraint that is kept by `solimp`. The default
 * is a time constant of 0.02 s, which is also the least that MuJoCo takes at steps of 0.01 s, and a share of 0.9 to
 * 0.95; with larger shares stacks jumped apart. What helped are the best settings: the round cone, contacts that act
 * from 1 mm on before bodies touch, conjugate gradients where there are many bodies, and of scenes without contacts
 * Runge and Kutta's integrator. Restitution is not among the defaults: it comes from a spring with little damping,
 * which only the best settings have. */
#define _POSIX_C_SOURCE 200809L
#include "mujoco_text.h"

#include "math/quat.h"
#include "math/transform.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Which joint hangs each body on its parent; NOT_HUNG: the body is free. */
#define NOT_HUNG UINT32_MAX

typedef struct writer {
    const peer_model *model;
    uint32_t *hung_by; /* by body */
    bool *in_tree;     /* by joint */
    FILE *xml;
} writer;

mujoco_size mujoco_size_of(const peer_model *model)
{
    enum { CONTACTS_A_BODY = 10, SIDES_OF_CONE = 4 };
    uint64_t contacts = model->contacts ? CONTACTS_A_BODY * (uint64_t)model->body_count + 100 : 1;
    return (mujoco_size){contacts, SIDES_OF_CONE * contacts + 3 * (uint64_t)model->joint_count,
                         6 * (uint64_t)model->body_count};
}

static void hang_bodies(writer *w)
{
    const peer_model *m = w->model;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < m->joint_count; ++i) {
            const peer_joint *joint = &m->joints[i];
            bool reached = joint->a == PEER_WORLD || w->hung_by[joint->a] != NOT_HUNG;
            if (!reached || w->hung_by[joint->b] != NOT_HUNG)
                continue;
            w->hung_by[joint->b] = i;
            w->in_tree[i] = more = true;
        }
    }
}

static void write_vector(FILE *xml, const char *name, ash_vec3 v)
{
    fprintf(xml, " %s=\"%.17g %.17g %.17g\"", name, v.x, v.y, v.z);
}

static void write_pose(FILE *xml, ash_transform pose)
{
    ash_quat q = pose.rotation;
    write_vector(xml, "pos", pose.position);
    fprintf(xml, " quat=\"%.17g %.17g %.17g %.17g\"", q.w, q.x, q.y, q.z);
}

/* False for kinds that are not written. */
static bool write_shape(FILE *xml, const peer_shape *shape)
{
    const ash_geometry_def *def = ash_geometry_get_definition(shape->geometry);
    ash_vec3 half = def->half_extents;
    switch (def->kind) {
    case ASH_GEOMETRY_SPHERE:
        fprintf(xml, " type=\"sphere\" size=\"%.17g\"", def->radius);
        break;
    case ASH_GEOMETRY_BOX:
        fprintf(xml, " type=\"box\" size=\"%.17g %.17g %.17g\"", half.x, half.y, half.z);
        break;
    case ASH_GEOMETRY_CAPSULE:
        fprintf(xml, " type=\"capsule\" size=\"%.17g %.17g\"", def->radius, 0.5 * def->height);
        break;
    case ASH_GEOMETRY_CYLINDER:
        fprintf(xml, " type=\"cylinder\" size=\"%.17g %.17g\"", def->radius, 0.5 * def->height);
        break;
    case ASH_GEOMETRY_PLANE:
        fprintf(xml, " type=\"plane\" size=\"0 0 1\"");
        break;
    default:
        return false;
    }
    return true;
}

static bool write_shapes(const writer *w, uint32_t number, ash_transform at)
{
    const peer_body *body = &w->model->bodies[number];
    for (uint32_t i = 0; i < body->shape_count; ++i) {
        const peer_shape *shape = &w->model->shapes[body->first_shape + i];
        fprintf(w->xml, "<geom name=\"%u/%u\"", number, i);
        write_pose(w->xml, t_mul(at, shape->pose));
        if (!write_shape(w->xml, shape))
            return false;
        fprintf(w->xml, "/>");
    }
    return true;
}

/* Where a hanging body's joint is: a rod's other end, about which a point mass turns with it. */
static ash_vec3 pivot_of(const peer_model *m, const peer_joint *joint)
{
    if (joint->length == 0)
        return joint->point_b;
    ash_vec3 on_a = joint->a == PEER_WORLD ? joint->point_a : t_point(m->bodies[joint->a].place, joint->point_a);
    return t_point_inverse(m->bodies[joint->b].place, on_a);
}

/* A body with all that hang on it; its place is relative to its parent's. */
static bool write_body(const writer *w, uint32_t number, uint32_t parent)
{
    const peer_model *m = w->model;
    const peer_body *body = &m->bodies[number];
    ash_transform place = body->place;
    if (parent != PEER_WORLD)
        place = t_mul(t_inverse(m->bodies[parent].place), place);
    fprintf(w->xml, "<body name=\"%u\"", number);
    write_pose(w->xml, place);
    fprintf(w->xml, "><inertial pos=\"0 0 0\" mass=\"%.17g\"", body->mass);
    write_vector(w->xml, "diaginertia", body->inertia);
    fprintf(w->xml, "/><joint type=\"%s\"", w->hung_by[number] == NOT_HUNG ? "free" : "ball");
    if (w->hung_by[number] != NOT_HUNG)
        write_vector(w->xml, "pos", pivot_of(m, &m->joints[w->hung_by[number]]));
    fprintf(w->xml, "/>");
    bool good = write_shapes(w, number, ash_identity());
    for (uint32_t i = 0; i < m->joint_count && good; ++i)
        if (w->in_tree[i] && m->joints[i].a == number)
            good = write_body(w, m->joints[i].b, number);
    fprintf(w->xml, "</body>\n");
    return good;
}

static void write_loops(const writer *w)
{
    const peer_model *m = w->model;
    fprintf(w->xml, "<equality>\n");
    for (uint32_t i = 0; i < m->joint_count; ++i) {
        if (w->in_tree[i])
            continue;
        fprintf(w->xml, "<connect body1=\"%u\"", m->joints[i].b);
        write_vector(w->xml, "anchor", pivot_of(m, &m->joints[i]));
        if (m->joints[i].a != PEER_WORLD)
            fprintf(w->xml, " body2=\"%u\"", m->joints[i].a);
        fprintf(w->xml, "/>\n");
    }
    fprintf(w->xml, "</equality>");
}

/* A spring of this many 1/s2 for a mass of 1 gives a ball that falls by metres a contact of a few steps of 0.01 s. */
static const double bounce_stiffness = 2000;

static void write_options(const writer *w, bool best)
{
    enum { MANY_BODIES = 100 };
    const peer_model *m = w->model;
    fprintf(w->xml, "<mujoco><size njmax=\"%llu\" nconmax=\"%llu\"/><option",
            (unsigned long long)mujoco_size_of(m).rows, (unsigned long long)mujoco_size_of(m).contacts);
    write_vector(w->xml, "gravity", m->gravity);
    if (best && m->contacts)
        fprintf(w->xml, " cone=\"elliptic\" solver=\"%s\"", m->body_count > MANY_BODIES ? "CG" : "Newton");
    else if (best)
        fprintf(w->xml, " integrator=\"RK4\"");
    fprintf(w->xml, "/><default><geom friction=\"%.17g 0.005 0.0001\"", m->friction);
    if (best && m->restitution > 0) { /* no damping at e = 1 */
        double loss = -log(m->restitution), omega = sqrt(bounce_stiffness);
        double damping = 2 * omega * loss / sqrt(loss * loss + 9.8696044);
        fprintf(w->xml, " solref=\"%.17g %.17g\"", -bounce_stiffness, -damping);
    } else if (best) {
        fprintf(w->xml, " margin=\"0.001\"");
    }
    fprintf(w->xml, "/></default>");
}

/* Bodies that move but are not there yet are written, too: the engine holds them. */
static bool write_model(const writer *w, bool best)
{
    const peer_model *m = w->model;
    bool good = true;
    write_options(w, best);
    fprintf(w->xml, "<worldbody>\n");
    for (uint32_t i = 0; i < m->body_count && good; ++i)
        if (!m->bodies[i].moves)
            good = write_shapes(w, i, m->bodies[i].place);
        else if (w->hung_by[i] == NOT_HUNG || m->joints[w->hung_by[i]].a == PEER_WORLD)
            good = write_body(w, i, PEER_WORLD);
    fprintf(w->xml, "</worldbody>");
    write_loops(w);
    fprintf(w->xml, "</mujoco>\n");
    return good;
}

char *mujoco_text(const peer_model *model, mujoco_manner manner, const char **why)
{
    char *text = NULL;
    size_t size = 0;
    writer w = {.model = model,
                .hung_by = malloc((model->body_count + 1) * sizeof *w.hung_by),
                .in_tree = calloc(model->joint_count + 1, sizeof *w.in_tree),
                .xml = open_memstream(&text, &size)};
    bool good = w.hung_by != NULL && w.in_tree != NULL && w.xml != NULL;
    for (uint32_t i = 0; good && i < model->body_count; ++i)
        w.hung_by[i] = NOT_HUNG;
    if (good) {
        if (manner != MUJOCO_CONNECT)
            hang_bodies(&w);
        good = write_model(&w, manner == MUJOCO_BEST);
        *why = "it has no such shapes";
    }
    if (w.xml != NULL)
        good = fclose(w.xml) == 0 && good;
    free(w.in_tree);
    free(w.hung_by);
    if (good)
        return text;
    free(text);
    return NULL;
}
