/* The contact graph against a naive search over random graphs: heights, layers that partition the edges, what is cached
 * the same as what is fresh; heights of worlds with floating, kinematic, sleeping and joined bodies. */
#include "ashlar/ashlar.h"
#include "base/random.h"
#include "worlds.h"

#include "math/transform.h"
#include "problem/contact_graph.h"

#include <string.h>

#define NODES 60

typedef struct naive {
    uint32_t nodes, edges;
    ashi_node_kind kind[NODES];
    ashi_graph_edge edge[200];
    uint32_t height[NODES], largest;
} naive;

static bool is_body(const naive *n, uint32_t node)
{
    return n->kind[node] != ASHI_NODE_NONE;
}

static naive random_graph(ashi_random *random)
{
    naive n = {.nodes = 1 + ashi_random_below(random, NODES)};
    uint32_t wanted = ashi_random_below(random, 2 * n.nodes + 1), fixed = ashi_random_below(random, 5);
    for (uint32_t i = 0; i < n.nodes; i++) {
        uint32_t draw = ashi_random_below(random, 20);
        n.kind[i] = draw < fixed ? ASHI_NODE_FIXED : draw == 19 ? ASHI_NODE_NONE : ASHI_NODE_MOVABLE;
    }
    for (uint32_t k = 0; k < wanted; k++) {
        ashi_graph_edge edge = {ashi_random_below(random, n.nodes), ashi_random_below(random, n.nodes),
                                ashi_random_below(random, 4) == 0};
        if (edge.a != edge.b && is_body(&n, edge.a) && is_body(&n, edge.b))
            n.edge[n.edges++] = edge;
    }
    return n;
}

/* Heights go down until no edge spans more than one, a joint of movable nodes nothing: Bellman and Ford's way, nothing
 * of the graph's own. */
static void find_heights(naive *n)
{
    bool floats = false;
    for (uint32_t i = 0; i < n->nodes; i++)
        n->height[i] = n->kind[i] == ASHI_NODE_FIXED ? 0 : 1000000;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < n->edges; k++)
            for (int way = 0; way < 2; way++) {
                uint32_t from = way == 0 ? n->edge[k].a : n->edge[k].b, to = way == 0 ? n->edge[k].b : n->edge[k].a;
                bool both = n->kind[from] == ASHI_NODE_MOVABLE && n->kind[to] == ASHI_NODE_MOVABLE;
                uint32_t more = n->edge[k].joined && both ? 0 : 1;
                if (n->height[from] + more < n->height[to]) {
                    n->height[to] = n->height[from] + more;
                    changed = true;
                }
            }
    }
    n->largest = 0;
    for (uint32_t i = 0; i < n->nodes; i++) {
        bool reached = n->height[i] < 1000000;
        floats = floats || (n->kind[i] == ASHI_NODE_MOVABLE && !reached);
        n->largest = reached && n->height[i] > n->largest ? n->height[i] : n->largest;
    }
    n->largest = floats && n->largest == 0 ? 1 : n->largest;
    for (uint32_t i = 0; i < n->nodes; i++)
        if (n->height[i] >= 1000000)
            n->height[i] = n->kind[i] == ASHI_NODE_MOVABLE ? n->largest : ASHI_NO_HEIGHT;
}

static void give(ashi_contact_graph *g, const naive *n)
{
    assert_true(ashi_contact_graph_begin(g, n->nodes));
    for (uint32_t i = 0; i < n->nodes; i++)
        ashi_contact_graph_set(g, i, n->kind[i]);
    for (uint32_t k = 0; k < n->edges; k++)
        assert_true(ashi_contact_graph_connect(g, n->edge[k].a, n->edge[k].b, n->edge[k].joined != 0));
    assert_true(ashi_contact_graph_finish(g));
}

/* Every movable node is the upper one of one layer, every edge with a movable end in the one layer below its higher
 * end, none elsewhere; both in the order of their numbers. */
static void check_layers(const ashi_contact_graph *g)
{
    uint32_t nodes = 0, edges = 0, movable = 0, acting = 0;
    for (uint32_t i = 0; i < g->kinds.count; i++)
        movable += g->kinds.data[i] == ASHI_NODE_MOVABLE;
    for (uint32_t k = 0; k < g->edges.count; k++)
        acting += g->kinds.data[g->edges.data[k].a] == ASHI_NODE_MOVABLE ||
                  g->kinds.data[g->edges.data[k].b] == ASHI_NODE_MOVABLE;
    assert_int_equal(g->first_upper.data[0], 0);
    assert_int_equal(g->first_edge.data[0], 0);
    for (uint32_t layer = 0; layer < g->layer_count; layer++) {
        for (uint32_t i = g->first_upper.data[layer]; i < g->first_upper.data[layer + 1]; i++, nodes++) {
            assert_int_equal(g->heights.data[g->upper.data[i]], layer + 1);
            assert_true(i == g->first_upper.data[layer] || g->upper.data[i] > g->upper.data[i - 1]);
        }
        for (uint32_t i = g->first_edge.data[layer]; i < g->first_edge.data[layer + 1]; i++, edges++) {
            const ashi_graph_edge *edge = &g->edges.data[g->layer_edges.data[i]];
            uint32_t a = g->heights.data[edge->a], b = g->heights.data[edge->b];
            assert_int_equal(a > b ? a : b, layer + 1);
            assert_true((a > b ? a - b : b - a) <= 1);
            assert_true(i == g->first_edge.data[layer] || g->layer_edges.data[i] > g->layer_edges.data[i - 1]);
        }
    }
    assert_int_equal(nodes, movable);
    assert_int_equal(edges, acting);
    assert_int_equal(g->upper.count, movable);
    assert_int_equal(g->layer_edges.count, acting);
}

static void heights_are_the_shortest_ways(void **state)
{
    (void)state;
    ashi_random random = {42};
    ashi_contact_graph g = {0};
    for (int trial = 0; trial < TRIALS(20000); trial++) {
        naive n = random_graph(&random);
        find_heights(&n);
        give(&g, &n);
        assert_int_equal(g.layer_count, n.largest);
        for (uint32_t i = 0; i < n.nodes; i++)
            assert_int_equal(g.heights.data[i], n.height[i]);
        check_layers(&g);
    }
    ashi_contact_graph_release(&g);
}

static void assert_same_graph(const ashi_contact_graph *a, const ashi_contact_graph *b)
{
    assert_int_equal(a->layer_count, b->layer_count);
    assert_int_equal(a->edges.count, b->edges.count);
    assert_int_equal(a->upper.count, b->upper.count);
    for (uint32_t i = 0; i < a->kinds.count; i++)
        assert_int_equal(a->heights.data[i], b->heights.data[i]);
    for (uint32_t i = 0; i < a->upper.count; i++)
        assert_int_equal(a->upper.data[i], b->upper.data[i]);
    for (uint32_t i = 0; i < a->layer_edges.count; i++)
        assert_int_equal(a->layer_edges.data[i], b->layer_edges.data[i]);
    for (uint32_t i = 0; i <= a->layer_count; i++) {
        assert_int_equal(a->first_upper.data[i], b->first_upper.data[i]);
        assert_int_equal(a->first_edge.data[i], b->first_edge.data[i]);
    }
}

/* Now and then an edge or a kind changes: only then is the kept graph made anew, and it always equals a fresh one. */
static void what_is_cached_is_what_is_fresh(void **state)
{
    (void)state;
    ashi_random random = {7};
    ashi_contact_graph kept = {0};
    uint64_t updates = 0, builds = 0;
    for (int trial = 0; trial < TRIALS(400); trial++) {
        naive n = random_graph(&random);
        for (int step = 0; step < 20; step++, updates++) {
            bool changes = step == 0;
            if (step > 0 && n.edges > 0 && ashi_random_below(&random, 4) == 0) {
                n.edges--; /* may be a repetition of the one before: then nothing has changed */
                const ashi_graph_edge *last = &n.edge[n.edges], *before = n.edges > 0 ? last - 1 : NULL;
                changes = before == NULL || before->a != last->a || before->b != last->b;
            } else if (step > 0 && ashi_random_below(&random, 8) == 0) {
                for (uint32_t i = 0; i < n.nodes && !changes; i++)
                    if (n.kind[i] == ASHI_NODE_MOVABLE) {
                        n.kind[i] = ASHI_NODE_FIXED;
                        changes = true;
                    }
            }
            ashi_contact_graph fresh = {0};
            uint64_t before = kept.builds;
            give(&kept, &n);
            give(&fresh, &n);
            assert_same_graph(&kept, &fresh);
            if (step > 0)
                assert_int_equal(kept.builds - before, changes);
            builds += kept.builds - before;
            ashi_contact_graph_release(&fresh);
        }
    }
    assert_int_equal(kept.updates, updates);
    assert_int_equal(kept.builds, builds);
    assert_true(kept.builds < kept.updates);
    ashi_contact_graph_release(&kept);
}

/* ---- worlds ---- */

static ash_body add_ball(ash_world *w, ash_body_type type, double x, double z)
{
    ash_body_def def = ash_default_body_def();
    ash_shape_def shape = ash_default_shape_def();
    ash_geometry_def geometry = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_body body;
    geometry.radius = 0.5;
    assert_int_equal(ash_geometry_create(&geometry, &shape.geometry, NULL), ASH_OK);
    def.type = type;
    def.position = v3(x, 0, z);
    assert_int_equal(ash_body_create(w, &def, &shape, 1, &body, NULL), ASH_OK);
    ash_geometry_release(shape.geometry);
    return body;
}

static ash_joint join(ash_world *w, ash_body a, ash_body b)
{
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_BALL);
    ash_joint joint;
    def.body_a = a;
    def.body_b = b;
    assert_int_equal(ash_joint_create(w, &def, &joint, NULL), ASH_OK);
    return joint;
}

static void worlds_have_heights(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, -9.81), 1);
    assert_int_equal(ash_body_get_stack_height(w, ash_world_get_background(w)), 0);
    ash_body ground = add_ball(w, ASH_BODY_STATIC, 0, 0), stack[4], lift = add_ball(w, ASH_BODY_KINEMATIC, 10, 0);
    for (int i = 0; i < 4; i++)
        stack[i] = add_ball(w, ASH_BODY_DYNAMIC, 0, 0.999 * (i + 1));
    ash_body on_lift = add_ball(w, ASH_BODY_DYNAMIC, 10, 0.999);
    ash_body pair[2] = {add_ball(w, ASH_BODY_DYNAMIC, 20, 50), add_ball(w, ASH_BODY_DYNAMIC, 20.999, 50)};
    ash_body hung = add_ball(w, ASH_BODY_DYNAMIC, 30, 20), below = add_ball(w, ASH_BODY_DYNAMIC, 30, 15);
    ash_joint rope = join(w, hung, below);
    join(w, ash_world_get_background(w), hung);
    assert_int_equal(ash_world_detect(w), ASH_OK);
    assert_int_equal(ash_body_get_stack_height(w, ground), 0);
    assert_int_equal(ash_body_get_stack_height(w, lift), 0);
    assert_int_equal(ash_body_get_stack_height(w, on_lift), 1);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(ash_body_get_stack_height(w, stack[i]), i + 1);
    for (int i = 0; i < 2; i++)
        assert_int_equal(ash_body_get_stack_height(w, pair[i]), 4); /* floating: the largest */
    assert_int_equal(ash_body_get_stack_height(w, hung), 1);
    assert_int_equal(ash_body_get_stack_height(w, below), 1); /* joined to it */
    ash_stacking stacking = ash_world_get_stacking(w);
    assert_int_equal(stacking.layers, 4);
    assert_int_equal(stacking.edges, 4 + 1 + 1 + 2);
    assert_int_equal(stacking.builds, 2); /* at first, and after the detection */
    for (int i = 0; i < 6; i++) {
        assert_int_equal(ash_joint_set_enabled(w, rope, i % 2 == 1), ASH_OK);
        assert_int_equal(ash_body_get_stack_height(w, below), i % 2 == 1 ? 1 : 4);
    }
    assert_int_equal(ash_body_destroy(w, stack[0]), ASH_OK); /* the contacts are not found anew yet */
    assert_int_equal(ash_body_get_stack_height(w, stack[3]), 1);
    assert_int_equal(ash_world_get_stacking(w).layers, 1);
    assert_int_equal(ash_body_get_stack_height(w, stack[0]), 0); /* misuse, reported */
    ash_world_destroy(w);
}

/* A pile that settles: against the naive search over the contacts that are reported; seldom made anew once it rests. */
static void a_pile_has_the_heights_of_its_contacts(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, -9.81), 1);
    ashi_random random = {3};
    naive n = {.nodes = 50};
    ash_body bodies[50];
    for (uint32_t i = 0; i < 50; i++) {
        bodies[i] = add_ball(w, i < 10 ? ASH_BODY_STATIC : ASH_BODY_DYNAMIC,
                             i < 10 ? 0.9 * i : 4 + ashi_random_unit(&random), i < 10 ? 0 : 1.2 * (i - 8));
        n.kind[i] = i < 10 ? ASHI_NODE_FIXED : ASHI_NODE_MOVABLE;
    }
    for (int step = 0; step < 300; step++) {
        take_steps(w, 0.01, 1);
        ash_contact contacts[200];
        uint32_t count = ash_world_get_contacts(w, contacts, 200);
        n.edges = 0;
        for (uint32_t k = 0; k < count; k++) {
            ash_body a = ash_shape_get_body(w, contacts[k].shape_a), b = ash_shape_get_body(w, contacts[k].shape_b);
            ashi_graph_edge edge = {0};
            for (uint32_t i = 0; i < 50; i++) {
                edge.a = bodies[i].id == a.id ? i : edge.a;
                edge.b = bodies[i].id == b.id ? i : edge.b;
            }
            n.edge[n.edges++] = edge;
        }
        find_heights(&n);
        for (uint32_t i = 0; i < 50; i++)
            assert_int_equal(ash_body_get_stack_height(w, bodies[i]), n.height[i]);
        assert_int_equal(ash_world_get_stacking(w).layers, n.largest);
    }
    ash_stacking stacking = ash_world_get_stacking(w);
    assert_true(stacking.updates >= 300);
    assert_true(stacking.builds < stacking.updates);
    ash_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heights_are_the_shortest_ways),
        cmocka_unit_test(what_is_cached_is_what_is_fresh),
        cmocka_unit_test(worlds_have_heights),
        cmocka_unit_test(a_pile_has_the_heights_of_its_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
