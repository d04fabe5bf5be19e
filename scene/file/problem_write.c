/* A contact problem as JSON text (docs/problem-file.md). Numbers have the digits that read back to the same bits;
 * default values are left out. Islands are not written: the reader finds them again. */
#include "ashlar/scene.h"

#include "base/diagnostic.h"
#include "problem/law.h"
#include "scene/file/json_text.h"
#include "scene/file/problem_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static bool is_plain_zero(double number)
{
    return number == 0 && !signbit(number);
}

static void write_number(ashi_json_text *json, const char *key, double number)
{
    if (!is_plain_zero(number))
        ashi_json_number(json, key, number);
}

static void write_vector(ashi_json_text *json, const char *key, ash_vec3 v)
{
    if (!is_plain_zero(v.x) || !is_plain_zero(v.y) || !is_plain_zero(v.z))
        ashi_json_vector(json, key, v);
}

static void write_count(ashi_json_text *json, const char *key, uint32_t count)
{
    if (count > 0)
        ashi_json_count(json, key, count);
}

static void write_body(ashi_json_text *json, const ash_problem_body *body)
{
    ashi_json_open(json, NULL, '{', false);
    if (body->label != 0) { /* in hexadecimal digits: not every reader of JSON has whole numbers of 64 bits */
        char label[24];
        snprintf(label, sizeof label, "%" PRIx64, body->label);
        ashi_json_string(json, "label", label);
    }
    write_vector(json, "inverse_mass", body->inverse_mass);
    const ash_sym3 *i = &body->inverse_inertia;
    const double entries[6] = {i->xx, i->yy, i->zz, i->xy, i->xz, i->yz};
    bool any = false;
    for (int k = 0; k < 6; k++)
        any = any || !is_plain_zero(entries[k]);
    if (any)
        ashi_json_numbers(json, "inverse_inertia", entries, 6);
    write_vector(json, "velocity", body->velocity);
    write_vector(json, "spin", body->spin);
    write_vector(json, "start_velocity", body->start_velocity);
    write_vector(json, "start_spin", body->start_spin);
    ashi_json_close(json);
}

static void write_jacobian(ashi_json_text *json, const char *key, ash_vec3 linear, ash_vec3 angular)
{
    const double entries[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    ashi_json_numbers(json, key, entries, 6);
}

static void write_row(ashi_json_text *json, const ash_problem_row *row)
{
    ashi_json_open(json, NULL, '{', false);
    write_jacobian(json, "a", row->linear_a, row->angular_a);
    write_jacobian(json, "b", row->linear_b, row->angular_b);
    write_number(json, "bias", row->bias);
    write_number(json, "softness", row->softness);
    if (row->lower > -HUGE_VAL)
        ashi_json_number(json, "lower", row->lower);
    if (row->upper < HUGE_VAL)
        ashi_json_number(json, "upper", row->upper);
    write_number(json, "error", row->error);
    write_number(json, "impulse", row->impulse);
    ashi_json_close(json);
}

static void write_block(ashi_json_text *json, const ash_problem *problem, const ash_problem_block *block)
{
    ashi_json_open(json, NULL, '{', false);
    ashi_json_string(json, "kind", "rows");
    ashi_json_open(json, "bodies", '[', false);
    ashi_json_count(json, NULL, block->body_a);
    ashi_json_count(json, NULL, block->body_b);
    ashi_json_close(json);
    write_count(json, "label", block->label);
    ashi_json_open(json, "rows", '[', true);
    for (uint32_t i = 0; i < block->row_count; i++)
        write_row(json, &problem->rows[block->first_row + i]);
    ashi_json_close(json);
    ashi_json_close(json);
}

static void write_point(ashi_json_text *json, const ash_problem *problem, const ash_problem_contact *contact,
                        uint32_t number)
{
    const ash_problem_point *point = &problem->points[contact->first_point + number];
    bool turns = contact->rollings > 0 || contact->spins > 0;
    ashi_json_open(json, NULL, '{', false);
    write_count(json, "label", point->label);
    write_vector(json, "a", point->arm_a);
    write_vector(json, "b", point->arm_b);
    write_number(json, "gap", point->gap);
    write_number(json, "bias", point->bias);
    write_number(json, "softness", point->softness);
    write_number(json, "rebound", point->rebound);
    if (point->friction != problem->points[contact->first_point].friction)
        ashi_json_number(json, "friction", point->friction);
    if (point->friction_limit >= 0)
        ashi_json_number(json, "limit", point->friction_limit);
    write_vector(json, "impulse", point->impulse);
    if (turns)
        write_vector(json, "turn", problem->turns[contact->first_turn + number]);
    ashi_json_close(json);
}

static void write_contact(ashi_json_text *json, const ash_problem *problem, const ash_problem_contact *contact)
{
    double friction = problem->points[contact->first_point].friction;
    ashi_json_open(json, NULL, '{', false);
    ashi_json_open(json, "bodies", '[', false);
    ashi_json_count(json, NULL, contact->body_a);
    ashi_json_count(json, NULL, contact->body_b);
    ashi_json_close(json);
    ashi_json_vector(json, "normal", contact->normal);
    ashi_json_vector(json, "tangent", contact->tangent[0]);
    write_count(json, "tangents", contact->tangents);
    write_count(json, "rollings", contact->rollings);
    write_count(json, "spins", contact->spins);
    write_number(json, "friction", friction);
    if (contact->sliding_friction != friction)
        ashi_json_number(json, "sliding_friction", contact->sliding_friction);
    write_number(json, "rolling", contact->rolling);
    write_number(json, "spinning", contact->spinning);
    write_number(json, "restitution", contact->restitution);
    if (!is_plain_zero(contact->slide[0]) || !is_plain_zero(contact->slide[1]))
        ashi_json_numbers(json, "slide", contact->slide, 2);
    ashi_json_open(json, "points", '[', true);
    for (uint32_t i = 0; i < contact->point_count; i++)
        write_point(json, problem, contact, i);
    ashi_json_close(json);
    ashi_json_close(json);
}

static void write_problem(ashi_json_text *json, const ash_problem *problem)
{
    ashi_json_open(json, NULL, '{', true);
    ashi_json_count(json, "ashlar_problem", ASHI_PROBLEM_FORMAT);
    ashi_json_number(json, "h", problem->h);
    ashi_json_string(json, "law", ashi_friction_law_words().list[problem->law]);
    uint32_t n = problem->directions; /* for other laws any value is possible: it is then not stored */
    if (n != ASHI_USUAL_DIRECTIONS && n >= 4 && n <= ASHI_LAW_CORNERS && n % 2 == 0)
        ashi_json_count(json, "directions", n);
    write_number(json, "resting_speed", problem->resting_speed);
    if (problem->stick_speed != ASHI_USUAL_STICK_SPEED)
        ashi_json_number(json, "stick_speed", problem->stick_speed);
    if (problem->restitution_law != ASH_RESTITUTION_NEWTON)
        ashi_json_string(json, "restitution_law", ashi_restitution_law_words().list[problem->restitution_law]);
    if (problem->planar)
        ashi_json_bool(json, "planar", true);
    ashi_json_open(json, "bodies", '[', true);
    for (uint32_t i = 0; i < problem->body_count; i++)
        write_body(json, &problem->bodies[i]);
    ashi_json_close(json);
    if (problem->contact_count > 0) {
        ashi_json_open(json, "contacts", '[', true);
        for (uint32_t k = 0; k < problem->contact_count; k++)
            write_contact(json, problem, &problem->contacts[k]);
        ashi_json_close(json);
    }
    ashi_json_open(json, "blocks", '[', true);
    for (uint32_t k = 0; k < problem->block_count; k++)
        write_block(json, problem, &problem->blocks[k]);
    ashi_json_close(json);
    ashi_json_close(json);
}

ash_status ash_problem_write(const ash_problem *problem, char **text, size_t *size, ash_diagnostic *diagnostic)
{
    if (problem == NULL || text == NULL || size == NULL)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "problem.null", "the problem or the place for its text is null");
    *text = NULL;
    *size = 0;
    ash_status status = ash_problem_check(problem, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_json_text json = {0};
    write_problem(&json, problem);
    if (json.failure != ASH_OK) { /* a checked problem is finite and flat: only memory can be missing */
        ash_free(json.text);
        return ashi_out_of_memory(diagnostic);
    }
    *text = json.text;
    *size = json.size;
    return ASH_OK;
}
