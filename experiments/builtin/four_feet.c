/* four-feet: a block rests on four contacts (de Jong 2014, 5-4).
 *
 * Four normal forces and three equations: their sum is the weight, how they share it is not determined. With friction,
 * twelve rows act on six freedoms. Both redundancies are counted from the problem of the last step. */
#include "ashlar/contact.h"
#include "base/diagnostic.h"
#include "experiments/builtin/parts.h"
#include "experiments/builtin/statics.h"
#include "experiments/experiment.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double gravity = 9.81, mass = 10;
static const ash_vec3 half = {0.5, 0.3, 0.2};

static const ash_scene_parameter parameters[] = {
    {.name = "mu", .summary = "coefficient of friction", .value = 0.5, .low = 0, .high = 10},
    {.name = "offset", .summary = "of the centre of mass along x and y, m", .value = 0.05, .low = 0, .high = 0.25},
};

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    double offset = ashi_parameter(given, "offset");
    scene->gravity = (ash_vec3){0, 0, -gravity};
    scene->step = 0.01;
    scene->time = 1;
    uint32_t surface = ashi_add_material(scene, "surface", ashi_parameter(given, "mu"), 0);
    ash_status status = ashi_add_ground(scene, surface, diagnostic);
    if (status != ASH_OK)
        return status;
    ash_body_def def = ash_default_body_def();
    def.name = "block";
    def.position = (ash_vec3){0, 0, half.z};
    def.mass = mass;
    def.centre = (ash_vec3){offset, offset, 0};
    def.inertia = (ash_sym3){.xx = mass * (half.y * half.y + half.z * half.z) / 3,
                             .yy = mass * (half.x * half.x + half.z * half.z) / 3,
                             .zz = mass * (half.x * half.x + half.y * half.y) / 3};
    uint32_t block = ashi_scene_add_body(scene, &def);
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    box.half_extents = half;
    status = ashi_add_solid_of(scene, block, "block", &box, 0, surface, diagnostic);
    if (status != ASH_OK)
        return status;
    uint32_t z = ashi_watch_body(scene, "height", ASHI_BODY_POSITION, block, ASHI_Z);
    uint32_t points = ashi_watch_world(scene, "contact points", ASHI_WORLD_CONTACT_POINTS);
    uint32_t speed = ashi_watch_body(scene, "speed", ASHI_BODY_VELOCITY, block, ASHI_NORM);
    ashi_expect_output(scene, "stays where it is, within 10 um", z, ASHI_FINAL, half.z, 1e-5);
    ashi_expect_output(scene, "on four points", points, ASHI_FINAL, 4, 0);
    ashi_expect_output(scene, "at rest, m/s", speed, ASHI_FINAL, 0, 1e-9);
    ashi_expect_weight_carried(scene);
    status = ashi_use_method(scene, "engineering", diagnostic);
    ash_setting tolerance = {"solver-tolerance", "1e-14"}; /* m/s: of g h this is 1e-13 */
    return status == ASH_OK ? ashi_change_method(scene, &tolerance, 1, diagnostic) : status;
}

/* ---- experiments ---- */

/* What the last step says. */
typedef struct feet {
    double force, sideways;        /* on the block: upwards, and of friction, N */
    uint32_t normals, normal_rank; /* rows, and how many of them are independent */
    uint32_t rows, rank;
} feet;

/* A row's Jacobian on the one body that can move. */
static void row_on_block(const ash_problem *p, const ash_problem_contact *contact, const ash_problem_row *row,
                         double *j)
{
    bool first = contact->body_a >= p->fixed_count;
    ash_vec3 linear = first ? row->linear_a : row->linear_b, angular = first ? row->angular_a : row->angular_b;
    const double parts[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    memcpy(j, parts, sizeof parts);
}

/* Adds a row to orthogonal ones; false when it depends on them. */
static bool is_independent(double basis[][6], uint32_t count, double *row)
{
    double size = 0, left = 0;
    for (int i = 0; i < 6; i++)
        size += row[i] * row[i];
    for (uint32_t k = 0; k < count; k++) {
        double along = 0;
        for (int i = 0; i < 6; i++)
            along += basis[k][i] * row[i];
        for (int i = 0; i < 6; i++)
            row[i] -= along * basis[k][i];
    }
    for (int i = 0; i < 6; i++)
        left += row[i] * row[i];
    if (!(left > 1e-12 * size))
        return false;
    for (int i = 0; i < 6; i++)
        basis[count][i] = row[i] / sqrt(left);
    return true;
}

/* The rows of a contact's points from one number on. */
static void count_rows_of(const ash_problem *p, uint32_t contact, uint32_t from, uint32_t most, double basis[][6],
                          feet *seen)
{
    const ash_problem_contact *of = &p->contacts[contact];
    for (uint32_t k = of->first_point; k < of->first_point + of->point_count; k++) {
        ash_problem_row rows[ASH_POINT_ROWS];
        uint32_t count = ash_problem_get_point_rows(p, contact, k, rows);
        for (uint32_t i = from; i < count && i < most; i++) {
            double j[6];
            row_on_block(p, of, &rows[i], j);
            seen->rows++;
            seen->rank += seen->rank < 6 && is_independent(basis, seen->rank, j);
        }
    }
}

static void count_rows(const ash_problem *p, feet *seen)
{
    double basis[6][6];
    for (uint32_t pass = 0; pass < 2; pass++) { /* all normals first, then the others */
        for (uint32_t c = 0; c < p->contact_count; c++)
            count_rows_of(p, c, pass, pass == 0 ? 1 : ASH_POINT_ROWS, basis, seen);
        if (pass == 0) {
            seen->normals = seen->rows;
            seen->normal_rank = seen->rank;
        }
    }
}

static ash_status stand(const char *settings, feet *seen, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "four-feet", "%s", settings);
    if (status != ASH_OK)
        return status;
    status = ashi_experiment_run(&experiment, 0.01, 100, NULL, NULL, NULL, diagnostic);
    ash_vec3 force = ash_body_get_reaction(experiment.world, ash_world_find_body(experiment.world, "block")).force;
    *seen = (feet){.force = force.z, .sideways = hypot(force.x, force.y)};
    ash_problem problem = {0};
    if (status == ASH_OK)
        status = ash_world_get_problem(experiment.world, &problem);
    count_rows(&problem, seen);
    ash_problem_release(&problem);
    ashi_experiment_close(&experiment);
    return status;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const struct {
        const char *title, *settings;
    } solvers[] = {
        {"newton", ""}, {"lemke", "solver=lemke friction-law=pyramid"}, {"pgs", "solver=pgs iterations=10000"}};
    char quantity[96];
    feet seen = {0};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers && !validation->stopped; i++) {
        ash_status status = stand(solvers[i].settings, &seen, diagnostic);
        if (status != ASH_OK)
            return status;
        snprintf(quantity, sizeof quantity, "sum of the normal forces over the weight, less 1, %s", solvers[i].title);
        ashi_validation_near(validation, quantity, "exact; de Jong 2014, 5-4", 0, seen.force / (mass * gravity) - 1,
                             1e-12);
        snprintf(quantity, sizeof quantity, "friction forces sideways over the weight, %s", solvers[i].title);
        ashi_validation_below(validation, quantity, "exact", seen.sideways / (mass * gravity), 1e-9);
    }
    ashi_validation_near(validation, "normal forces that nothing determines, of four", "de Jong 2014, 5-4", 1,
                         seen.normals - seen.normal_rank, 0);
    ashi_validation_near(validation, "rows that depend on others, of twelve", "exact", 6, seen.rows - seen.rank, 0);
    return ASH_OK;
}

const ashi_builtin ashi_scene_four_feet = {
    .info = {.name = "four-feet",
             .summary = "a block rests on four contacts, whose forces have no unique answer",
             .source = "de Jong 2014, 5-4",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
