/* Random shapes, and bodies made of them. */
#include "generate.h"

#include "math/quat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 12 };

static ash_geometry *create(const ash_geometry_def *def)
{
    ash_geometry *geometry = NULL;
    return ash_geometry_create(def, &geometry, NULL) == ASH_OK ? geometry : NULL;
}

/* A convex polygon: points of a circle of one radius, of which a hull would keep all. */
static ash_geometry *make_polygon(law_maker *maker, double radius)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_POLYGON);
    ash_vec3 points[MOST_POINTS];
    uint32_t count = 3 + law_below(maker, 5);
    for (uint32_t i = 0; i < count; i++) {
        double sine, cosine;
        ashi_sincos(6.283185307179586 * ((double)i + law_range(maker, 0, 0.6)) / (double)count, &sine, &cosine);
        points[i] = v3(radius * cosine, radius * sine, 0);
    }
    def.points = points;
    def.point_count = count;
    return create(&def);
}

static ash_geometry *make_flat(law_maker *maker, double radius)
{
    ash_geometry_def def;
    switch (law_below(maker, 4)) {
    case 0:
        def = ash_default_geometry_def(ASH_GEOMETRY_CIRCLE);
        def.radius = radius;
        return create(&def);
    case 1:
        def = ash_default_geometry_def(ASH_GEOMETRY_FLAT_CAPSULE);
        def.radius = radius * law_range(maker, 0.2, 0.6);
        def.height = 2 * (radius - def.radius);
        return create(&def);
    default:
        return make_polygon(maker, radius);
    }
}

static ash_geometry *make_hull(law_maker *maker, double radius)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HULL);
    ash_vec3 points[MOST_POINTS];
    uint32_t count = 4 + law_below(maker, MOST_POINTS - 4);
    for (uint32_t i = 0; i < count; i++)
        points[i] = v3_scale(law_direction(maker), radius);
    def.points = points;
    def.point_count = count;
    return create(&def);
}

static ash_geometry *make_solid(law_maker *maker, double radius)
{
    static const ash_geometry_kind kinds[] = {ASH_GEOMETRY_SPHERE,    ASH_GEOMETRY_BOX,      ASH_GEOMETRY_BOX,
                                              ASH_GEOMETRY_CAPSULE,   ASH_GEOMETRY_CYLINDER, ASH_GEOMETRY_CONE,
                                              ASH_GEOMETRY_ELLIPSOID, ASH_GEOMETRY_HULL};
    ash_geometry_kind kind = kinds[law_below(maker, sizeof kinds / sizeof *kinds)];
    if (kind == ASH_GEOMETRY_HULL)
        return make_hull(maker, radius);
    ash_geometry_def def = ash_default_geometry_def(kind);
    double share = law_range(maker, 0.35, 0.8); /* of the radius in that of a cylinder: it fits into a sphere */
    def.radius = kind == ASH_GEOMETRY_SPHERE ? radius : share * radius;
    def.height = kind == ASH_GEOMETRY_CAPSULE ? 2 * (1 - share) * radius : 2 * sqrt(1 - share * share) * radius;
    ash_vec3 half = v3(law_range(maker, 0.3, 1), law_range(maker, 0.3, 1), law_range(maker, 0.3, 1));
    def.half_extents = v3_scale(half, radius / (kind == ASH_GEOMETRY_BOX ? v3_norm(half) : 1));
    return create(&def);
}

/* Two shapes beside each other in one geometry. */
static ash_geometry *make_compound(law_maker *maker, double radius)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_COMPOUND);
    ash_geometry_part parts[2];
    ash_vec3 aside = v3_scale(law_direction(maker), radius / 2);
    for (int side = 0; side < 2; side++) {
        parts[side].pose = (ash_transform){side == 0 ? aside : v3_neg(aside), law_rotation(maker)};
        do
            parts[side].geometry = maker->scene->planar ? make_flat(maker, radius / 2) : make_solid(maker, radius / 2);
        while (parts[side].geometry == NULL);
    }
    def.parts = parts;
    def.part_count = 2;
    ash_geometry *made = create(&def);
    ash_geometry_release(parts[0].geometry);
    ash_geometry_release(parts[1].geometry);
    return made;
}

/* A closed prism over an L, or a box, as a mesh; `half` is its half extents. */
static ash_geometry *make_mesh(bool ell, ash_vec3 half)
{
    static const double outlines[2][6][2] = {{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}},
                                             {{-1, -1}, {1, -1}, {1, 0}, {0, 0}, {0, 1}, {-1, 1}}};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_MESH);
    ash_vec3 points[12];
    uint32_t triangles[20][3], count = ell ? 6 : 4, used = 0, first = ell ? 3 : 0; /* an L's fan is about its notch */
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t top = 0; top < 2; top++)
            points[top * count + i] =
                v3(half.x * outlines[ell][i][0], half.y * outlines[ell][i][1], top == 1 ? half.z : -half.z);
    for (uint32_t k = 1; k + 1 < count; k++) {
        uint32_t i = (first + k) % count, next = (i + 1) % count;
        const uint32_t both[2][3] = {{first, next, i}, {count + first, count + i, count + next}};
        memcpy(triangles[used], both, sizeof both);
        used += 2;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t next = (i + 1) % count;
        const uint32_t both[2][3] = {{i, next, count + next}, {i, count + next, count + i}};
        memcpy(triangles[used], both, sizeof both);
        used += 2;
    }
    def.points = points;
    def.point_count = 2 * count;
    def.triangles = &triangles[0][0];
    def.triangle_count = used;
    return create(&def);
}

static ash_geometry *make_surface(law_maker *maker, double radius)
{
    enum { CELLS = 17 };
    ash_vec3 half = v3(law_range(maker, 0.4, 1), law_range(maker, 0.4, 1), law_range(maker, 0.4, 1));
    ash_geometry *mesh = make_mesh(law_chance(maker, 0.5), v3_scale(half, radius / v3_norm(half)));
    if (mesh == NULL || law_chance(maker, 0.5))
        return mesh;
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_DISTANCE_FIELD);
    def.cells[0] = def.cells[1] = def.cells[2] = CELLS;
    def.origin = v3(-1.2 * radius, -1.2 * radius, -1.2 * radius);
    def.spacing = v3_scale(def.origin, -2.0 / (CELLS - 1));
    def.sample_mesh = mesh;
    ash_geometry *field = create(&def);
    ash_geometry_release(mesh);
    return field;
}

static ash_geometry *make_any(law_maker *maker, double radius)
{
    if (maker->surfaces && law_chance(maker, 0.7)) {
        ash_geometry *surface = make_surface(maker, radius);
        if (surface != NULL)
            return surface;
    }
    bool compound = law_chance(maker, 0.1);
    for (int attempt = 0; attempt < 20; attempt++) {
        ash_geometry *geometry = compound               ? make_compound(maker, radius)
                                 : maker->scene->planar ? make_flat(maker, radius)
                                                        : make_solid(maker, radius);
        if (geometry != NULL) /* some hulls are flat */
            return geometry;
    }
    abort();
}

static void add_shape(law_maker *maker, uint32_t body, ash_geometry *geometry, ash_transform pose)
{
    ashi_scene_shape shape = ashi_default_scene_shape();
    shape.geometry = ashi_scene_add_geometry(maker->scene, NULL, geometry);
    shape.material = maker->material;
    shape.pose = pose;
    if (!maker->contacts)
        shape.mask = 0;
    ashi_scene_add_shape(maker->scene, body, &shape);
}

static uint32_t begin_body(law_maker *maker, ash_vec3 position, ash_quat rotation, ash_vec3 velocity, ash_vec3 spin)
{
    ash_body_def def = ash_default_body_def();
    def.name = ashi_scene_text(maker->scene, "b%u", maker->scene->bodies.count);
    def.position = position;
    def.rotation = rotation;
    def.velocity = velocity;
    def.angular_velocity = spin;
    return ashi_scene_add_body(maker->scene, &def);
}

/* One shape in the middle or, now and then, two beside each other. */
uint32_t law_add_body(law_maker *maker, double radius, ash_vec3 position, ash_quat rotation, ash_vec3 velocity,
                      ash_vec3 spin)
{
    uint32_t body = begin_body(maker, position, rotation, velocity, spin);
    if (law_chance(maker, 0.8)) {
        add_shape(maker, body, make_any(maker, radius), ash_identity());
        return body;
    }
    ash_vec3 aside = v3_scale(law_direction(maker), radius / 2);
    for (int side = 0; side < 2; side++) {
        ash_transform pose = {side == 0 ? aside : v3_neg(aside), law_rotation(maker)};
        add_shape(maker, body, make_any(maker, radius / 2), pose);
    }
    return body;
}

uint32_t law_add_block(law_maker *maker, ash_vec3 half, ash_vec3 position, ash_quat rotation, ash_vec3 velocity,
                       ash_vec3 spin)
{
    bool planar = maker->scene->planar;
    uint32_t body = begin_body(maker, position, rotation, velocity, spin);
    ash_geometry_def def = ash_default_geometry_def(planar ? ASH_GEOMETRY_POLYGON : ASH_GEOMETRY_BOX);
    const ash_vec3 corners[4] = {v3(-half.x, -half.y, 0), v3(half.x, -half.y, 0), v3(half.x, half.y, 0),
                                 v3(-half.x, half.y, 0)};
    def.half_extents = half;
    if (planar) {
        def.points = corners;
        def.point_count = 4;
    }
    add_shape(maker, body, create(&def), ash_identity());
    return body;
}

uint32_t law_add_ball(law_maker *maker, double radius, ash_vec3 position, ash_vec3 velocity, ash_vec3 spin)
{
    uint32_t body = begin_body(maker, position, q_identity(), velocity, spin);
    ash_geometry_def def = ash_default_geometry_def(maker->scene->planar ? ASH_GEOMETRY_CIRCLE : ASH_GEOMETRY_SPHERE);
    def.radius = radius;
    add_shape(maker, body, create(&def), ash_identity());
    return body;
}

/* Level ground as a closed slab of triangles, or as a grid of heights: as a plane, but other code. */
static ash_geometry *make_ground(law_maker *maker)
{
    static const ash_vec3 corners[8] = {{-30, -30, -1}, {30, -30, -1}, {-30, 30, -1}, {30, 30, -1},
                                        {-30, -30, 0},  {30, -30, 0},  {-30, 30, 0},  {30, 30, 0}};
    static const uint32_t triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    static const double heights[9] = {0};
    bool mesh = law_chance(maker, 0.5);
    ash_geometry_def def = ash_default_geometry_def(mesh ? ASH_GEOMETRY_MESH : ASH_GEOMETRY_HEIGHT_FIELD);
    if (mesh) {
        def.points = corners;
        def.point_count = 8;
        def.triangles = triangles;
        def.triangle_count = 12;
    } else {
        def.cells[0] = def.cells[1] = 3;
        def.origin = v3(-30.7, -30.3, 0);
        def.spacing = v3(30, 30, 0);
        def.values = heights;
    }
    return create(&def);
}

void law_add_ground(law_maker *maker)
{
    uint32_t body = begin_body(maker, v3(0, 0, 0), q_identity(), v3(0, 0, 0), v3(0, 0, 0));
    maker->scene->bodies.data[body].def.type = ASH_BODY_STATIC;
    add_shape(maker, body, make_ground(maker), ash_identity());
}

/* A half space, or a long segment that is met from above. */
void law_add_floor(law_maker *maker, ash_vec3 point, ash_vec3 normal)
{
    bool planar = maker->scene->planar;
    uint32_t body = begin_body(maker, point, law_rotation_to(maker, normal), v3(0, 0, 0), v3(0, 0, 0));
    maker->scene->bodies.data[body].def.type = ASH_BODY_STATIC;
    ash_geometry_def def = ash_default_geometry_def(planar ? ASH_GEOMETRY_SEGMENT : ASH_GEOMETRY_PLANE);
    const ash_vec3 ends[2] = {v3(-100, 0, 0), v3(100, 0, 0)};
    if (planar) {
        def.points = ends;
        def.point_count = 2;
        def.radius = 0;
    }
    add_shape(maker, body, create(&def), ash_identity());
}
