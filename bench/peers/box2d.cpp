/* Box2D: flat bodies of circles and convex polygons, by its sequential impulses and position iterations.
 *
 * Its polygons have a skin of 1 cm all around, at which they touch: they are made smaller by it, so that the skin lies
 * where the scene has the surface. A capsule, which it does not have, is two circles and a rectangle. */
#include "peer.h"

#include <box2d/box2d.h>

#include <cmath>
#include <memory>
#include <new>
#include <vector>

namespace
{

struct box2d_engine {
    const peer_model *model;
    int velocity_iterations, position_iterations;
    std::unique_ptr<b2World> world;
    std::vector<b2Body *> bodies; /* by number; null: not there */
};

double angle_of(const ash_quat &q)
{
    return 2 * std::atan2(q.z, q.w);
}

struct point {
    double x, y;
};

point place(const ash_transform &pose, double x, double y)
{
    double c = std::cos(angle_of(pose.rotation)), s = std::sin(angle_of(pose.rotation));
    return {pose.position.x + c * x - s * y, pose.position.y + s * x + c * y};
}

/* A counter-clockwise convex polygon with its sides moved inwards by the skin; false when little would be left. */
bool make_smaller(const std::vector<point> &corners, std::vector<b2Vec2> &inner)
{
    size_t count = corners.size();
    for (size_t i = 0; i < count; ++i) {
        point p = corners[(i + count - 1) % count], q = corners[i], r = corners[(i + 1) % count];
        double ax = q.x - p.x, ay = q.y - p.y, bx = r.x - q.x, by = r.y - q.y;
        double a = std::hypot(ax, ay), b = std::hypot(bx, by), sine = (ax * by - ay * bx) / (a * b);
        /* The corner moves by d along both sides, where d sine = skin. */
        double d = double(b2_polygonRadius) / sine;
        if (!(sine > 0) || !(d < 0.5 * a) || !(d < 0.5 * b))
            return false;
        inner.push_back(b2Vec2(float(q.x - d * ax / a + d * bx / b), float(q.y - d * ay / a + d * by / b)));
    }
    return true;
}

b2FixtureDef surface_of(const peer_model *model, const b2Shape *shape)
{
    b2FixtureDef def;
    def.shape = shape;
    def.friction = float(model->friction);
    def.restitution = float(model->restitution);
    return def;
}

bool add_polygon(const peer_model *model, b2Body *body, const std::vector<point> &corners)
{
    std::vector<b2Vec2> inner;
    b2PolygonShape polygon;
    if (corners.size() > b2_maxPolygonVertices || !make_smaller(corners, inner))
        return false;
    polygon.Set(inner.data(), int32(inner.size()));
    b2FixtureDef def = surface_of(model, &polygon);
    body->CreateFixture(&def);
    return true;
}

void add_circle(const peer_model *model, b2Body *body, point centre, double radius)
{
    b2CircleShape circle;
    circle.m_p = b2Vec2(float(centre.x), float(centre.y));
    circle.m_radius = float(radius);
    b2FixtureDef def = surface_of(model, &circle);
    body->CreateFixture(&def);
}

bool add_shape(const peer_model *model, b2Body *body, const peer_shape &shape)
{
    const ash_geometry_def *def = ash_geometry_get_definition(shape.geometry);
    std::vector<point> corners;
    double half = 0.5 * def->height, r = def->radius;
    switch (def->kind) {
    case ASH_GEOMETRY_CIRCLE:
        add_circle(model, body, place(shape.pose, 0, 0), r);
        return true;
    case ASH_GEOMETRY_POLYGON:
        for (uint32_t i = 0; i < def->point_count; ++i)
            corners.push_back(place(shape.pose, def->points[i].x, def->points[i].y));
        return add_polygon(model, body, corners);
    case ASH_GEOMETRY_FLAT_CAPSULE:
        add_circle(model, body, place(shape.pose, -half, 0), r);
        add_circle(model, body, place(shape.pose, half, 0), r);
        corners = {place(shape.pose, -half, -r), place(shape.pose, half, -r), place(shape.pose, half, r),
                   place(shape.pose, -half, r)};
        return add_polygon(model, body, corners);
    default:
        return false;
    }
}

bool bring_in(box2d_engine *engine, uint32_t number)
{
    const peer_body &given = engine->model->bodies[number];
    b2BodyDef def;
    def.type = given.moves ? b2_dynamicBody : b2_staticBody;
    def.position = b2Vec2(float(given.place.position.x), float(given.place.position.y));
    def.angle = float(angle_of(given.place.rotation));
    def.linearVelocity = b2Vec2(float(given.velocity.x), float(given.velocity.y));
    def.angularVelocity = float(given.spin.z);
    def.allowSleep = false;
    b2Body *body = engine->bodies[number] = engine->world->CreateBody(&def);
    bool good = true;
    for (uint32_t i = 0; i < given.shape_count && good; ++i)
        good = add_shape(engine->model, body, engine->model->shapes[given.first_shape + i]);
    if (given.moves) {
        b2MassData mass;
        mass.mass = float(given.mass);
        mass.center = b2Vec2(0, 0);
        mass.I = float(given.inertia.z);
        body->SetMassData(&mass);
    }
    return good;
}

void enter(void *engine, uint32_t number)
{
    bring_in(static_cast<box2d_engine *>(engine), number);
}

void leave(void *data, uint32_t number)
{
    box2d_engine *engine = static_cast<box2d_engine *>(data);
    engine->world->DestroyBody(engine->bodies[number]);
    engine->bodies[number] = nullptr;
}

void destroy(void *engine)
{
    delete static_cast<box2d_engine *>(engine);
}

void *create_with(const peer_model *model, int velocity_iterations, int position_iterations, const char **why)
{
    if (model->joint_count > 0) {
        *why = "flat joints are not given to it";
        return nullptr;
    }
    try {
        std::unique_ptr<box2d_engine> engine(new box2d_engine);
        engine->model = model;
        engine->velocity_iterations = velocity_iterations;
        engine->position_iterations = position_iterations;
        engine->world.reset(new b2World(b2Vec2(float(model->gravity.x), float(model->gravity.y))));
        engine->world->SetAllowSleeping(false);
        engine->bodies.resize(model->body_count);
        for (uint32_t i = 0; i < model->body_count; ++i)
            if (model->bodies[i].present && !bring_in(engine.get(), i)) {
                *why = "it has no such shapes";
                return nullptr;
            }
        return engine.release();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

/* As its manual has it. */
void *create(const peer_model *model, const char **why)
{
    return create_with(model, 8, 3, why);
}

void *create_best(const peer_model *model, const char **why)
{
    return create_with(model, 50, 20, why);
}

bool step(void *data, double h)
{
    box2d_engine *engine = static_cast<box2d_engine *>(data);
    engine->world->Step(float(h), engine->velocity_iterations, engine->position_iterations);
    return true;
}

void read_states(void *data, peer_state *states)
{
    box2d_engine *engine = static_cast<box2d_engine *>(data);
    for (uint32_t i = 0; i < engine->model->body_count; ++i) {
        const b2Body *body = engine->bodies[i];
        if (body == nullptr || !engine->model->bodies[i].moves)
            continue;
        double half = 0.5 * double(body->GetAngle());
        states[i].place.position = {double(body->GetPosition().x), double(body->GetPosition().y), 0};
        states[i].place.rotation = {std::cos(half), 0, 0, std::sin(half)};
        states[i].velocity = {double(body->GetLinearVelocity().x), double(body->GetLinearVelocity().y), 0};
        states[i].spin = {0, 0, double(body->GetAngularVelocity())};
    }
}

double weigh(void *engine, uint32_t number, ash_vec3 *inertia)
{
    const b2Body *body = static_cast<box2d_engine *>(engine)->bodies[number];
    *inertia = {0, 0, double(body->GetInertia())};
    return double(body->GetMass());
}

} // namespace

const peer peer_box2d = {"Box2D", "defaults", 1,       true, false,       create, destroy,
                         enter,   leave,      nullptr, step, read_states, weigh};
const peer peer_box2d_best = {"Box2D", "best", 1,       true, false,       create_best, destroy,
                              enter,   leave,  nullptr, step, read_states, weigh};
