/* Strings and nets as bodies and forces. A string of n elements has nodes 0 to n; a net has nodes at whole elements
 * along and across, those on its bands. Each element is a spring E A / l with half of its mass at either end; a held
 * node is a point of the holding body; its mass is not part of that body. */
#include "scene/description/lattice.h"

#include "math/quat.h"

#include <stdio.h>

/* Shapes of one cord never touch each other: groups outside those that users choose. */
#define FIRST_GROUP (-1000000)

/* A node as the end of a force. */
typedef struct end {
    ash_body body;
    ash_vec3 point;
} end;

static const ashi_cord *cord_of(const ashi_lattice *l)
{
    return l->is_net ? &l->net.cord : &l->string.cord;
}

static ash_vec3 world_point(const ash_scene *scene, ash_body body, ash_vec3 point)
{
    if (body.id == 0)
        return point;
    const ash_body_def *def = &scene->bodies.data[body.id - 1].def;
    return v3_add(def->position, q_rotate(q_unit(def->rotation), point));
}

/* ---- bodies ---- */

/* The sphere of a cord's masses; ASHI_NONE: they touch nothing, or memory ran out. */
static uint32_t add_sphere(ash_scene *scene, double radius)
{
    ash_geometry *sphere;
    ash_geometry_def def = ash_default_geometry_def(scene->planar ? ASH_GEOMETRY_CIRCLE : ASH_GEOMETRY_SPHERE);
    def.radius = radius;
    if (radius == 0 || ash_geometry_create(&def, &sphere, NULL) != ASH_OK)
        return ASHI_NONE;
    return ashi_scene_add_geometry(scene, NULL, sphere);
}

static uint32_t add_mass(ash_scene *scene, const ashi_cord *cord, const char *name, ash_vec3 place, double mass,
                         uint32_t sphere, uint32_t number)
{
    ash_body_def def = ash_default_body_def();
    def.name = cord->name != NULL ? name : NULL;
    def.position = place;
    def.mass = mass;
    def.locks = ASH_LOCK_ROTATION;
    uint32_t body = ashi_scene_add_body(scene, &def);
    if (body == ASHI_NONE || sphere == ASHI_NONE)
        return body;
    ashi_scene_shape shape = ashi_default_scene_shape();
    shape.geometry = sphere;
    shape.material = cord->material;
    shape.density = 0;
    shape.group = FIRST_GROUP - (int32_t)number;
    return ashi_scene_add_shape(scene, body, &shape) != ASHI_NONE ? body : ASHI_NONE;
}

static bool add_string_bodies(ash_scene *scene, ashi_lattice *l, uint32_t sphere, uint32_t number)
{
    ashi_cord_string *s = &l->string;
    char name[300];
    ash_vec3 a = world_point(scene, s->body_a, s->point_a), b = world_point(scene, s->body_b, s->point_b);
    if (s->length < 0)
        s->length = v3_distance(a, b);
    ashi_hanging hanging = ashi_hang(a, b, s->length, scene->gravity);
    for (int32_t k = s->free_a ? 0 : 1; k <= s->elements - (s->free_b ? 0 : 1); k++) {
        double share = (k == 0 || k == s->elements ? 0.5 : 1.0) / s->elements;
        snprintf(name, sizeof name, "%.250s-%d", s->cord.name != NULL ? s->cord.name : "", (int)k);
        if (add_mass(scene, &s->cord, name, ashi_hanging_at(&hanging, (double)k / s->elements), s->cord.mass * share,
                     sphere, number) == ASHI_NONE)
            return false;
    }
    return true;
}

/* Nodes along and across, one more than elements. */
static int32_t nodes_along(const ashi_cord_net *n)
{
    return n->columns * n->elements + 1;
}

static int32_t nodes_across(const ashi_cord_net *n)
{
    return n->rows * n->elements + 1;
}

static bool is_node(const ashi_cord_net *n, int32_t i, int32_t j)
{
    return i >= 0 && j >= 0 && i < nodes_along(n) && j < nodes_across(n) &&
           (i % n->elements == 0 || j % n->elements == 0);
}

/* Whether an element leads from a node to the next one along, or across. */
static bool has_element(const ashi_cord_net *n, int32_t i, int32_t j, bool across)
{
    return is_node(n, i, j) && is_node(n, i + !across, j + across) && (across ? i : j) % n->elements == 0;
}

static bool is_held(const ashi_cord_net *n, int32_t i, int32_t j)
{
    bool side = i == 0 || i == nodes_along(n) - 1, edge = j == 0 || j == nodes_across(n) - 1;
    switch (n->hold) {
    case ASHI_HOLD_CORNERS:
        return side && edge;
    case ASHI_HOLD_FIRST:
        return j == 0;
    case ASHI_HOLD_EDGES:
        return side || edge;
    default:
        return false;
    }
}

static ash_vec3 net_point(const ashi_cord_net *n, int32_t i, int32_t j)
{
    double x = (double)i / (nodes_along(n) - 1), y = (double)j / (nodes_across(n) - 1);
    return v3_add_scaled(v3_add_scaled(n->corner, n->along, x), n->across, y);
}

static uint32_t net_place(const ashi_cord_net *n, int32_t i, int32_t j)
{
    return (uint32_t)j * (uint32_t)nodes_along(n) + (uint32_t)i;
}

/* The lengths at rest of a net's elements, along and across. */
static double rest_length(const ashi_cord_net *n, bool across)
{
    double side = v3_norm(across ? n->across : n->along) / ((across ? nodes_across(n) : nodes_along(n)) - 1);
    return side / (1 + n->strain);
}

/* Mass of an element for each metre of its length at rest. */
static double line_density(const ashi_cord_net *n)
{
    double along = (nodes_along(n) - 1) * (double)(n->rows + 1) * rest_length(n, false);
    double across = (nodes_across(n) - 1) * (double)(n->columns + 1) * rest_length(n, true);
    return n->cord.mass / (along + across);
}

static double net_mass(const ashi_cord_net *n, int32_t i, int32_t j)
{
    double along = has_element(n, i, j, false) + has_element(n, i - 1, j, false);
    double across = has_element(n, i, j, true) + has_element(n, i, j - 1, true);
    return 0.5 * line_density(n) * (along * rest_length(n, false) + across * rest_length(n, true));
}

static bool add_net_bodies(ash_scene *scene, ashi_lattice *l, uint32_t sphere, uint32_t number)
{
    const ashi_cord_net *n = &l->net;
    char name[300];
    l->node_body = ashi_alloc_array((size_t)nodes_along(n) * (size_t)nodes_across(n), sizeof *l->node_body);
    if (l->node_body == NULL)
        return false;
    for (int32_t j = 0; j < nodes_across(n); j++)
        for (int32_t i = 0; i < nodes_along(n); i++) {
            uint32_t *body = &l->node_body[net_place(n, i, j)];
            *body = ASHI_NONE;
            if (!is_node(n, i, j) || is_held(n, i, j))
                continue;
            snprintf(name, sizeof name, "%.250s-%d-%d", n->cord.name != NULL ? n->cord.name : "", (int)i, (int)j);
            *body = add_mass(scene, &n->cord, name, world_point(scene, n->body, net_point(n, i, j)), net_mass(n, i, j),
                             sphere, number);
            if (*body == ASHI_NONE)
                return false;
        }
    return true;
}

bool ashi_lattice_add_bodies(ash_scene *scene, ashi_lattice *l, uint32_t number)
{
    double radius = cord_of(l)->radius;
    uint32_t sphere = add_sphere(scene, radius);
    if (radius > 0 && sphere == ASHI_NONE)
        return false;
    l->first_body = scene->bodies.count;
    bool done = l->is_net ? add_net_bodies(scene, l, sphere, number) : add_string_bodies(scene, l, sphere, number);
    l->bodies = scene->bodies.count - l->first_body;
    return done;
}

/* ---- forces ---- */

/* An element of a length at rest and of a mass. */
static bool add_element(ash_scene *scene, const ashi_cord *cord, const char *name, end a, end b, double length,
                        double mass)
{
    ash_spring_def def = ash_default_spring_def();
    def.name = cord->name != NULL ? name : NULL;
    def.body_a = a.body, def.point_a = a.point;
    def.body_b = b.body, def.point_b = b.point;
    def.stiffness = cord->stiffness / length;
    def.damping = 2 * cord->damping_ratio * sqrt(def.stiffness * mass);
    def.rest_length = length;
    def.tension_only = cord->slack;
    if (a.body.id == 0 && b.body.id == 0)
        return true; /* between two held points */
    return a.body.id == b.body.id || ashi_scene_add_spring(scene, &def) != ASHI_NONE;
}

static bool add_bend(ash_scene *scene, const ashi_cord *cord, end a, end b, end c, double length, double mass)
{
    ashi_scene_force force = {ASH_FORCE_BENDING_SPRING, .def.bending_spring = ash_default_bending_spring_def()};
    ash_bending_spring_def *def = &force.def.bending_spring;
    def->body_a = a.body, def->point_a = a.point;
    def->body_b = b.body, def->point_b = b.point;
    def->body_c = c.body, def->point_c = c.point;
    def->stiffness = cord->bending_stiffness / length;
    def->damping = 2 * cord->damping_ratio * length * sqrt(def->stiffness * mass);
    if (def->stiffness == 0 || (a.body.id == b.body.id && b.body.id == c.body.id))
        return true;
    return ashi_scene_add_force(scene, &force) != ASHI_NONE;
}

static end string_end(const ashi_lattice *l, int32_t k)
{
    const ashi_cord_string *s = &l->string;
    if (k == 0 && !s->free_a)
        return (end){s->body_a, s->point_a};
    if (k == s->elements && !s->free_b)
        return (end){s->body_b, s->point_b};
    return (end){ashi_scene_body_ref(l->first_body + (uint32_t)k - (s->free_a ? 0 : 1)), {0, 0, 0}};
}

static bool add_string_forces(ash_scene *scene, const ashi_lattice *l)
{
    const ashi_cord_string *s = &l->string;
    double length = s->length / s->elements, mass = s->cord.mass / s->elements;
    char name[300];
    for (int32_t k = 0; k < s->elements; k++) {
        snprintf(name, sizeof name, "%.250s-%d", s->cord.name != NULL ? s->cord.name : "", (int)k + 1);
        if (!add_element(scene, &s->cord, name, string_end(l, k), string_end(l, k + 1), length, mass))
            return false;
    }
    for (int32_t k = 1; k < s->elements; k++)
        if (!add_bend(scene, &s->cord, string_end(l, k - 1), string_end(l, k), string_end(l, k + 1), length, mass))
            return false;
    end a = string_end(l, 0), b = string_end(l, s->elements), before = a, after = b;
    if (v3_norm2(s->direction_a) > 0) {
        before.point = v3_add_scaled(a.point, v3_unit(s->direction_a), -length);
        if (!add_bend(scene, &s->cord, before, a, string_end(l, 1), length, mass))
            return false;
    }
    after.point = v3_add_scaled(b.point, v3_unit(s->direction_b), length);
    return v3_norm2(s->direction_b) == 0 ||
           add_bend(scene, &s->cord, string_end(l, s->elements - 1), b, after, length, mass);
}

static end net_end(const ashi_lattice *l, int32_t i, int32_t j)
{
    uint32_t body = l->node_body[net_place(&l->net, i, j)];
    return body == ASHI_NONE ? (end){l->net.body, net_point(&l->net, i, j)}
                             : (end){ashi_scene_body_ref(body), {0, 0, 0}};
}

/* The element that begins at a node, and the bend at its end. */
static bool add_net_element(ash_scene *scene, const ashi_lattice *l, int32_t i, int32_t j, bool across)
{
    const ashi_cord_net *n = &l->net;
    char name[300];
    if (!has_element(n, i, j, across))
        return true;
    double length = rest_length(n, across), mass = line_density(n) * length;
    end a = net_end(l, i, j), b = net_end(l, i + !across, j + across);
    snprintf(name, sizeof name, "%.250s-%d-%d-%s", n->cord.name != NULL ? n->cord.name : "", (int)i, (int)j,
             across ? "across" : "along");
    if (!add_element(scene, &n->cord, name, a, b, length, mass))
        return false;
    return !has_element(n, i + !across, j + across, across) ||
           add_bend(scene, &n->cord, a, b, net_end(l, i + 2 * !across, j + 2 * across), length, mass);
}

bool ashi_lattice_add_forces(ash_scene *scene, const ashi_lattice *l)
{
    if (!l->is_net)
        return add_string_forces(scene, l);
    for (int32_t j = 0; j < nodes_across(&l->net); j++)
        for (int32_t i = 0; i < nodes_along(&l->net); i++)
            if (!add_net_element(scene, l, i, j, false) || !add_net_element(scene, l, i, j, true))
                return false;
    return true;
}

void ashi_lattice_release(ashi_lattice *l)
{
    ashi_dealloc(l->node_body);
    l->node_body = NULL;
}
