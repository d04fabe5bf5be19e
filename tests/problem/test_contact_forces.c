/* Forces of contact points: stored from a problem's impulses, and taken back to the last bit. */
#include "worlds.h"

#include "problem/assemble.h"
#include "world/world.h"

#include <string.h>

#define H 0.01

enum { BOXES = 3, POINTS = 4 * BOXES, LEFT_OUT = 5, ROWS = 6 };

static ash_body add_box(ash_world *world, ash_geometry *box, ash_body_type type, ash_vec3 position)
{
    ash_body_def def = ash_default_body_def();
    ash_shape_def shape = ash_default_shape_def();
    ash_body body;
    shape.geometry = box;
    def.type = type;
    def.position = position;
    assert_int_equal(ash_body_create(world, &def, &shape, 1, &body, NULL), ASH_OK);
    return body;
}

/* Boxes that lie on the ground beside each other and resist rolling and spinning; one point is out of reach. */
static ash_world *make_boxes(ash_body boxes[BOXES])
{
    ash_world_def def = ash_default_world_def();
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ash_surface rough = {.friction = 0.5, .sliding_friction = 0.5, .rolling = 0.01, .spinning = 0.02};
    ash_geometry *geometry = NULL;
    ash_material stone;
    ash_world *world = NULL;
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    box.half_extents = v3(0.5, 0.5, 0.5);
    assert_int_equal(ash_geometry_create(&box, &geometry, NULL), ASH_OK);
    for (int i = 0; i < BOXES; i++) {
        add_box(world, geometry, ASH_BODY_STATIC, v3(3 * i, 0, -0.5));
        boxes[i] = add_box(world, geometry, ASH_BODY_DYNAMIC, v3(3 * i, 0, 0.5));
    }
    ash_geometry_release(geometry);
    assert_int_equal(ash_world_get_materials(world, &stone, 1), 1);
    assert_int_equal(ash_material_set_pair(world, stone, stone, &rough, NULL), ASH_OK);
    assert_int_equal(ash_world_step(world, H), ASH_OK);
    assert_int_equal(world->collision.now.points.count, POINTS);
    world->collision.now.points.data[LEFT_OUT].depth = -1;
    return world;
}

static void assemble(ash_world *world, ashi_arena *scratch, bool by_points, ashi_system *p)
{
    const ashi_bodies *b = &world->model.bodies;
    ashi_assembly in = {.model = &world->model,
                        .contacts = &world->collision.now,
                        .method = &world->method,
                        .start = &b->now,
                        .predicted = &b->now,
                        .h = H,
                        .reach = world->method.contact_margin,
                        .by_points = by_points};
    assert_true(ashi_assemble(&in, scratch, p));
    for (uint32_t i = 0; i < p->row_count; i++)
        p->rows[i].impulse = 1 + 0.1 * i;
    for (uint32_t k = 0; k < p->point_count; k++) {
        p->points[k].impulse = v3(1 + 0.1 * k, 2, 3 - 0.1 * k);
        p->turns[k] = v3(4 + 0.2 * k, 5, 6);
    }
}

static bool is_at(ash_vec3 a, ash_vec3 b)
{
    return v3_distance(a, b) <= 1e-12 * (1 + v3_norm(b));
}

/* A block's point bears what its rows say. */
static void check_block(const ashi_system *p, const ashi_block *block, const ashi_point_record *points)
{
    ash_vec3 force = v3(0, 0, 0), torque = v3(0, 0, 0);
    assert_int_equal(block->row_count, ROWS);
    for (uint32_t i = 0; i < ROWS; i++) {
        const ashi_row *row = &p->rows[block->first_row + i];
        force = v3_add_scaled(force, row->linear_b, row->impulse / H);
        if (i > 2) /* the moments of forces are not the point's */
            torque = v3_add_scaled(torque, row->angular_b, row->impulse / H);
    }
    assert_true(v3_norm(force) > 1 && v3_norm(torque) > 1);
    assert_true(is_at(points[block->label].force, force));
    assert_true(is_at(points[block->label].torque, torque));
}

/* A point bears its impulses, or others. */
static void check_points(const ashi_system *p, const ash_vec3 *impulses, const ash_vec3 *turns,
                         const ashi_point_record *points)
{
    for (uint32_t c = 0; c < p->contact_count; c++) {
        const ash_problem_contact *contact = &p->contacts[c];
        for (uint32_t k = 0; k < contact->point_count; k++) {
            ash_vec3 impulse = impulses[contact->first_point + k], turn = turns[contact->first_turn + k];
            const ashi_point_record *point = &points[p->points[contact->first_point + k].label];
            ash_mat3 axes = {contact->normal, contact->tangent[0], contact->tangent[1]};
            assert_true(is_at(point->force, v3_scale(m3_apply(axes, impulse), 1 / H)));
            assert_true(is_at(point->torque, v3_scale(m3_apply(axes, v3(turn.z, turn.x, turn.y)), 1 / H)));
        }
    }
}

/* By the impulses of blocks, those of points or others; with all bodies awake, and with a box that sleeps. */
static void forces_are_stored_and_taken_back(void **state)
{
    (void)state;
    for (int variant = 0; variant < 6; variant++) {
        bool by_points = variant % 3 > 0, others = variant % 3 == 2, sleeps = variant >= 3;
        ash_body boxes[BOXES];
        ash_world *world = make_boxes(boxes);
        ashi_contact_set *set = &world->collision.now;
        ashi_arena *scratch = ashi_arena_create(0);
        ashi_system p = {0};
        ashi_point_record before[POINTS];
        assert_non_null(scratch);
        if (sleeps)
            assert_int_equal(ash_body_sleep(world, boxes[2]), ASH_OK);
        assemble(world, scratch, by_points, &p);
        ash_vec3 impulses[POINTS], turns[POINTS];
        for (uint32_t k = 0; k < p.point_count; k++) {
            impulses[k] = others ? v3(1, 2 + 0.1 * k, 3) : p.points[k].impulse;
            turns[k] = others ? v3(3, 2 + 0.1 * k, 1) : p.turns[k];
        }
        memcpy(before, set->points.data, sizeof before);
        const ashi_replaced_forces *replaced =
            ashi_store_forces(&p, others ? impulses : NULL, others ? turns : NULL, &world->model, set, NULL, scratch);
        assert_non_null(replaced);
        assert_int_equal(p.point_count, (sleeps ? 8 : POINTS) - 1);
        assert_int_equal(p.block_count, by_points ? 0 : p.point_count);
        for (uint32_t k = 0; k < p.block_count; k++)
            check_block(&p, &p.blocks[k], set->points.data);
        if (by_points)
            check_points(&p, impulses, turns, set->points.data);
        assert_true(v3_norm(set->points.data[LEFT_OUT].force) == 0);
        assert_true(v3_norm(before[LEFT_OUT].force) > 0);
        if (sleeps)
            assert_memory_equal(&set->points.data[8], &before[8], 4 * sizeof *before);
        ashi_restore_forces(replaced, set);
        assert_memory_equal(set->points.data, before, sizeof before);
        ashi_system_release(&p);
        ashi_arena_destroy(scratch);
        ash_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_stored_and_taken_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
