/* Questions to every kind of broad phase against looking at each box. */
#include "broad_worlds.h"

typedef struct visits {
    uint32_t items[MOST_BOXES];
    uint32_t count, most;
} visits;

static bool visit_item(uint32_t item, void *user)
{
    visits *v = user;
    assert_true(v->count < MOST_BOXES);
    v->items[v->count++] = item;
    return v->count < v->most;
}

static uint32_t times_visited(const visits *v, uint32_t item)
{
    uint32_t times = 0;
    for (uint32_t i = 0; i < v->count; i++)
        times += v->items[i] == item;
    return times;
}

static ash_bounds random_query(box_world *world)
{
    ash_vec3 centre = random_point(world, 6);
    ash_bounds box = box_at(centre, random_half(world, 0, 2));
    switch (ashi_random_below(&world->random, 8)) {
    case 0: /* another box: touches what it is made from, and perhaps its neighbours' faces */
        return world->boxes[ashi_random_below(&world->random, MOST_BOXES)].box;
    case 1:
        box.upper.x = INFINITY;
        return box;
    case 2:
        return (ash_bounds){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    case 3:
        box.lower.y = box.upper.y + 1;
        return box;
    default:
        return box;
    }
}

/* Those of the same that do not move. */
static void check_resting(const follower *f, const box_world *world, ash_bounds box, const visits *all)
{
    visits resting = {.most = UINT32_MAX};
    uint32_t expected = 0;
    ashi_broad_query_resting(f->broad, box, visit_item, &resting);
    for (uint32_t i = 0; i < MOST_BOXES; i++) {
        const box_entry *b = &world->boxes[i];
        uint32_t times = b->moves ? 0 : times_visited(all, b->item);
        assert_int_equal(times_visited(&resting, b->item), times);
        expected += times;
    }
    assert_int_equal(resting.count, expected);
}

static uint32_t check_box_query(const follower *f, box_world *world, const char *name)
{
    ash_bounds box = random_query(world);
    visits all = {.most = UINT32_MAX};
    ashi_broad_query_box(f->broad, box, visit_item, &all);
    uint32_t expected = 0;
    for (uint32_t i = 0; i < MOST_BOXES; i++) {
        const box_entry *b = &world->boxes[i];
        uint32_t meets = b->present && boxes_meet(&b->box, &box);
        expected += meets;
        if (times_visited(&all, b->item) != meets)
            fail_msg("%s: item %u is visited %u times, expected %u", name, b->item, times_visited(&all, b->item),
                     meets);
    }
    assert_int_equal(all.count, expected);
    check_resting(f, world, box, &all);
    if (expected > 1) {
        visits some = {.most = 1 + ashi_random_below(&world->random, expected)};
        ashi_broad_query_box(f->broad, box, visit_item, &some);
        assert_int_equal(some.count, some.most);
    }
    return expected;
}

/* Where the ray enters the box enlarged by the radius and `more`, in long double; infinite when it does not. */
static long double entry_of(const ash_ray *ray, ash_vec3 radius, const ash_bounds *box, long double more)
{
    const double origin[3] = {ray->origin.x, ray->origin.y, ray->origin.z};
    const double direction[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
    const double lower[3] = {box->lower.x, box->lower.y, box->lower.z};
    const double upper[3] = {box->upper.x, box->upper.y, box->upper.z};
    const double thick[3] = {radius.x, radius.y, radius.z};
    long double enter = 0, leave = ray->reach;
    if (box_is_empty(box))
        return (long double)INFINITY;
    for (int k = 0; k < 3; k++) {
        long double low = (long double)lower[k] - thick[k] - more - origin[k];
        long double high = (long double)upper[k] + thick[k] + more - origin[k];
        if (direction[k] == 0 && !(low <= 0 && high >= 0))
            return (long double)INFINITY;
        if (direction[k] == 0)
            continue;
        long double one = low / direction[k], two = high / direction[k];
        enter = fmaxl(enter, fminl(one, two));
        leave = fminl(leave, fmaxl(one, two));
    }
    return enter <= leave ? enter : (long double)INFINITY;
}

static ash_ray random_ray(box_world *world, ash_vec3 *radius)
{
    ash_ray ray = {random_point(world, 8), random_point(world, 1), ashi_random_range(&world->random, 0.1, 20)};
    const ash_bounds *aim = &world->boxes[ashi_random_below(&world->random, MOST_BOXES)].box;
    ash_vec3 centre = v3_scale(v3_add(aim->lower, aim->upper), 0.5);
    if (v3_is_finite(centre) && ashi_random_below(&world->random, 2) == 0) { /* through a box, perhaps from inside */
        ray.origin = v3_add_scaled(centre, ray.direction, -ashi_random_range(&world->random, 0, 10));
        ray.reach = 20;
    }
    *radius = v3(0, 0, 0);
    uint32_t form = ashi_random_below(&world->random, 8);
    if (form == 0) /* along an axis, in the plane of a face */
        ray = (ash_ray){{-9, world->boxes[0].box.upper.y, 0}, {1, 0, 0}, 20};
    if (form == 1)
        ray.direction = v3(0, 0, ashi_random_below(&world->random, 2) == 0 ? 2 : -2);
    if (form == 2)
        ray.direction = v3(0, 0, 0);
    if (form == 3)
        ray.reach = INFINITY;
    if (form >= 4)
        *radius = random_half(world, 0, 1);
    return ray;
}

typedef struct ray_visits {
    const box_world *world;
    ash_ray ray;
    ash_vec3 radius;
    visits seen;
    bool shorten;
    double nearest;
} ray_visits;

static double visit_along_ray(uint32_t item, double reach, void *user)
{
    ray_visits *v = user;
    assert_true(v->seen.count < MOST_BOXES);
    v->seen.items[v->seen.count++] = item;
    if (v->seen.count == v->seen.most)
        return 0;
    for (uint32_t i = 0; i < MOST_BOXES && v->shorten; i++) {
        if (v->world->boxes[i].item != item)
            continue;
        double t = (double)entry_of(&v->ray, v->radius, &v->world->boxes[i].box, 0);
        v->nearest = fmin(v->nearest, t);
        return fmin(reach, fmax(t, 1e-300)); /* 0 would stop it */
    }
    return reach;
}

static uint32_t check_ray_query(const follower *f, box_world *world, const char *name)
{
    ray_visits all = {.world = world, .seen = {.most = UINT32_MAX}};
    all.ray = random_ray(world, &all.radius);
    ashi_broad_query_ray(f->broad, all.ray, all.radius, visit_along_ray, &all);
    double nearest = INFINITY;
    for (uint32_t i = 0; i < MOST_BOXES; i++) {
        const box_entry *b = &world->boxes[i];
        uint32_t times = times_visited(&all.seen, b->item);
        double t = (double)entry_of(&all.ray, all.radius, &b->box, 0);
        bool may = b->present && isfinite((double)entry_of(&all.ray, all.radius, &b->box, 1e-8L));
        if (b->present && isfinite(t) && times != 1)
            fail_msg("%s: item %u is met at %g, but visited %u times", name, b->item, t, times);
        if (times > may)
            fail_msg("%s: item %u is not met, but visited %u times", name, b->item, times);
        if (b->present)
            nearest = fmin(nearest, t);
    }
    ray_visits first = {.world = world, .ray = all.ray, .radius = all.radius, .shorten = true, .nearest = INFINITY};
    first.seen.most = UINT32_MAX;
    ashi_broad_query_ray(f->broad, all.ray, all.radius, visit_along_ray, &first);
    assert_true(first.nearest == nearest);
    assert_true(first.seen.count <= all.seen.count);
    if (all.seen.count > 0) {
        ray_visits one = {.world = world, .seen = {.most = 1}};
        ashi_broad_query_ray(f->broad, all.ray, all.radius, visit_along_ray, &one);
        assert_int_equal(one.seen.count, 1);
    }
    return all.seen.count;
}

static void check_queries(uint32_t (*check)(const follower *f, box_world *world, const char *name))
{
    static box_world world;
    char name[120];
    for (int kind = 0; kind < ASHI_BROAD_KINDS; kind++) {
        for (int i = 0; i < SCENARIOS; i++) {
            const box_scenario *scenario = &scenarios[i];
            ashi_broad_pairs pairs = {0};
            follower f = {.broad = ashi_broad_create((ashi_broad_kind)kind)};
            uint64_t met = 0;
            snprintf(name, sizeof name, "%s, %s", scenario->name, ashi_broad_kind_name((ashi_broad_kind)kind));
            begin_world(&world, scenario, 11);
            for (int step = 0; step < 12; step++) {
                assert_true(follow(&f, &world)); /* a question needs no search before it */
                if (step % 2 == 0)
                    ashi_broad_fit(f.broad); /* after which trees descend */
                for (int k = 0; k < 20; k++)
                    met += check(&f, &world, name);
                if (step % 3 == 0)
                    assert_true(ashi_broad_find_pairs(f.broad, NULL, &pairs));
                step_world(&world, scenario);
            }
            assert_true(met > 0);
            ashi_broad_destroy(f.broad);
            ashi_array_release(&pairs);
        }
    }
}

static void test_boxes(void **state)
{
    (void)state;
    check_queries(check_box_query);
}

static void test_rays(void **state)
{
    (void)state;
    check_queries(check_ray_query);
}

/* In a tree of many boxes in a row, a ray that is shortened by what it meets looks at few of them. */
static void test_nearer_boxes_come_first(void **state)
{
    (void)state;
    static box_world world;
    ashi_broad *broad = ashi_broad_create(ASHI_BROAD_TREE);
    for (uint32_t i = 0; i < MOST_BOXES; i++) {
        world.boxes[i] = (box_entry){.box = box_at(v3(2.0 * i, 0, 0), v3(0.5, 0.5, 0.5)), .item = i, .present = true};
        assert_true(ashi_broad_add(broad, world.boxes[i].box, i, true) != UINT32_MAX);
    }
    ray_visits first = {.world = &world, .ray = {{-5, 0, 0}, {1, 0, 0}, 1e6}, .shorten = true, .nearest = INFINITY};
    first.seen.most = UINT32_MAX;
    ashi_broad_query_ray(broad, first.ray, first.radius, visit_along_ray, &first);
    assert_true(first.nearest == 4.5);
    assert_true(first.seen.count <= 3);
    ashi_broad_destroy(broad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_rays),
        cmocka_unit_test(test_nearer_boxes_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
