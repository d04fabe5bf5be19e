/* A contact problem from JSON text (docs/problem-file.md). Bodies, contacts and blocks may be in any order: they are
 * sorted by islands. A text with any error is rejected as a whole. */
#include "ashlar/scene.h"

#include "problem/law.h"
#include "problem/valid.h"
#include "scene/file/fields.h"
#include "scene/file/foreign.h"
#include "scene/file/problem_version1.h"
#include "scene/file/problem_words.h"

#include <math.h>
#include <string.h>

#define WORDS(list) ((ashi_words){list, sizeof(list) / sizeof *(list)})

/* A count up to `most`; if it is missing, the caller's value is kept. */
static bool read_count(ashi_reader *reader, const ashi_place *object, const char *key, uint32_t most, uint32_t *count)
{
    ashi_place place = ashi_at_key(object, key);
    if (place.value == NULL)
        return true;
    json_int_t value = json_integer_value(place.value);
    if (!json_is_integer(place.value) || value < 0 || value > (json_int_t)most)
        return ashi_read_wrong(reader, &place, "scene.value", "a whole number from 0 to %u", most);
    *count = (uint32_t)value;
    return true;
}

static bool read_small_count(ashi_reader *reader, const ashi_place *object, const char *key, uint32_t most,
                             uint8_t *count)
{
    uint32_t value = 0;
    if (!read_count(reader, object, key, most, &value))
        return false;
    *count = (uint8_t)value;
    return true;
}

/* ---- bodies ---- */

/* A handle of the world that made the problem: up to 16 hexadecimal digits. */
static bool read_label(ashi_reader *reader, const ashi_place *object, uint64_t *label)
{
    static const char digits[] = "0123456789abcdef";
    ashi_place place = ashi_at_key(object, "label");
    const char *text = json_string_value(place.value);
    if (place.value == NULL)
        return true;
    size_t length = text != NULL ? strlen(text) : 0;
    if (length == 0 || length > 16 || strspn(text, digits) != length)
        return ashi_read_wrong(reader, &place, "scene.value",
                               "a text of 1 to 16 hexadecimal digits, 0 to 9 and a to f");
    *label = 0;
    for (size_t i = 0; i < length; i++)
        *label = 16 * *label + (uint64_t)(strchr(digits, text[i]) - digits);
    return true;
}

static bool read_inverse_mass(ashi_reader *reader, const ashi_place *object, ash_vec3 *mass)
{
    ashi_place place = ashi_at_key(object, "inverse_mass");
    if (!ashi_read_vector(reader, object, "inverse_mass", ASHI_OPTIONAL, mass))
        return false;
    if (mass->x >= 0 && mass->y >= 0 && mass->z >= 0)
        return true;
    return ashi_read_wrong(reader, &place, "scene.value", "three numbers, 0 or more");
}

static bool read_inverse_inertia(ashi_reader *reader, const ashi_place *object, ash_sym3 *inertia)
{
    ashi_place place = ashi_at_key(object, "inverse_inertia");
    double entries[6];
    if (place.value == NULL)
        return true;
    if (!ashi_read_tuple(reader, &place, 6, entries))
        return false;
    *inertia = (ash_sym3){entries[0], entries[1], entries[2], entries[3], entries[4], entries[5]};
    return ashi_sym3_is_semidefinite(*inertia) ||
           ashi_read_wrong(reader, &place, "scene.value",
                           "xx, yy, zz, xy, xz, yz of a matrix without negative eigenvalues");
}

static bool read_body(ashi_reader *reader, const ashi_place *place, ash_problem_body *body)
{
    static const char *const keys[] = {"label", "inverse_mass",   "inverse_inertia", "velocity",
                                       "spin",  "start_velocity", "start_spin"};
    *body = (ash_problem_body){0};
    return ashi_read_object(reader, place, WORDS(keys)) && read_label(reader, place, &body->label) &&
           read_inverse_mass(reader, place, &body->inverse_mass) &&
           read_inverse_inertia(reader, place, &body->inverse_inertia) &&
           ashi_read_vector(reader, place, "velocity", ASHI_OPTIONAL, &body->velocity) &&
           ashi_read_vector(reader, place, "spin", ASHI_OPTIONAL, &body->spin) &&
           ashi_read_vector(reader, place, "start_velocity", ASHI_OPTIONAL, &body->start_velocity) &&
           ashi_read_vector(reader, place, "start_spin", ASHI_OPTIONAL, &body->start_spin);
}

static bool read_bodies(ashi_reader *reader, const ashi_place *root, ash_problem *problem)
{
    ashi_place bodies = ashi_at_key(root, "bodies");
    size_t count;
    if (!ashi_read_array(reader, &bodies, &count))
        return false;
    if (ash_problem_reserve(problem, (uint32_t)count, 0, 0, NULL) != ASH_OK)
        return ashi_read_no_memory(reader);
    problem->body_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        ashi_place place = ashi_at_index(&bodies, i);
        if (!read_body(reader, &place, &problem->bodies[i]))
            return false;
        problem->velocity[i] = (ash_motion){0};
    }
    return true;
}

/* ---- rows ---- */

static bool read_jacobian(ashi_reader *reader, const ashi_place *row, const char *key, ash_vec3 *linear,
                          ash_vec3 *angular)
{
    ashi_place place = ashi_at_key(row, key);
    double entries[6];
    if (!ashi_read_tuple(reader, &place, 6, entries))
        return false;
    *linear = (ash_vec3){entries[0], entries[1], entries[2]};
    *angular = (ash_vec3){entries[3], entries[4], entries[5]};
    return true;
}

static bool read_row(ashi_reader *reader, const ashi_place *place, uint32_t known, ash_problem_row *row)
{
    static const char *const keys[] = {"a", "b", "bias", "softness", "error", "impulse", "lower", "upper", "drift"};
    const ashi_words allowed = {keys, known};
    *row = (ash_problem_row){.lower = -HUGE_VAL, .upper = HUGE_VAL};
    if (!ashi_read_object(reader, place, allowed) ||
        !read_jacobian(reader, place, "a", &row->linear_a, &row->angular_a) ||
        !read_jacobian(reader, place, "b", &row->linear_b, &row->angular_b) ||
        !ashi_read_number(reader, place, "bias", ASHI_OPTIONAL, ASHI_ANY, &row->bias) ||
        !ashi_read_number(reader, place, "softness", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &row->softness) ||
        !ashi_read_number(reader, place, "lower", ASHI_OPTIONAL, ASHI_ANY, &row->lower) ||
        !ashi_read_number(reader, place, "upper", ASHI_OPTIONAL, ASHI_ANY, &row->upper) ||
        !ashi_read_number(reader, place, "error", ASHI_OPTIONAL, ASHI_ANY, &row->error) ||
        !ashi_read_number(reader, place, "impulse", ASHI_OPTIONAL, ASHI_ANY, &row->impulse))
        return false;
    ashi_place upper = ashi_at_key(place, "upper");
    return row->lower <= row->upper || ashi_read_wrong(reader, &upper, "scene.value", "at least lower, %g", row->lower);
}

/* The first keys of a row: of a contact's, of a joint's, and of a joint's of version 1, of which the last is not kept.
 */
enum { OF_CONTACT = 6, OF_JOINT = 8, OF_OLD_JOINT = 9 };

static bool read_rows(ashi_reader *reader, const ashi_place *object, uint32_t known, ash_problem *problem,
                      ash_problem_block *block)
{
    ashi_place rows = ashi_at_key(object, "rows");
    size_t count = json_array_size(rows.value);
    if (!json_is_array(rows.value) || count == 0 || count > ASH_POINT_ROWS)
        return ashi_read_wrong(reader, &rows, "scene.value", "a list of 1 to %d rows", ASH_POINT_ROWS);
    if (count > UINT32_MAX - problem->row_count ||
        ash_problem_reserve(problem, 0, 0, problem->row_count + (uint32_t)count, NULL) != ASH_OK)
        return ashi_read_no_memory(reader);
    block->first_row = problem->row_count;
    block->row_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        ashi_place place = ashi_at_index(&rows, i);
        if (!read_row(reader, &place, known, &problem->rows[problem->row_count]))
            return false;
        problem->row_count++;
    }
    return true;
}

/* ---- blocks ---- */

static bool read_pair(ashi_reader *reader, const ashi_place *object, const ash_problem *problem,
                      ash_problem_block *block)
{
    ashi_place place = ashi_at_key(object, "bodies");
    uint32_t *const numbers[2] = {&block->body_a, &block->body_b};
    if (!json_is_array(place.value) || json_array_size(place.value) != 2)
        return ashi_read_wrong(reader, &place, "scene.type", "a list of the numbers of two bodies");
    for (size_t i = 0; i < 2; i++) {
        ashi_place element = ashi_at_index(&place, i);
        json_int_t number = json_integer_value(element.value);
        if (!json_is_integer(element.value) || number < 0 || number >= (json_int_t)problem->body_count)
            return ashi_read_wrong(reader, &element, "scene.value", "the number of a body, 0 to %d",
                                   (int)problem->body_count - 1);
        *numbers[i] = (uint32_t)number;
    }
    return block->body_a != block->body_b || ashi_body_is_fixed(&problem->bodies[block->body_a]) ||
           ashi_read_wrong(reader, &place, "scene.value", "two different bodies, or an immovable one");
}

static bool read_surface(ashi_reader *reader, const ashi_place *place, ashi_point_by_rows *surface)
{
    if (!read_small_count(reader, place, "tangents", 2, &surface->tangents) ||
        !read_small_count(reader, place, "rollings", 2, &surface->rollings) ||
        !read_small_count(reader, place, "spins", 1, &surface->spins) ||
        !ashi_read_number(reader, place, "friction", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &surface->friction))
        return false;
    surface->sliding_friction = surface->friction;
    ashi_place sliding = ashi_at_key(place, "sliding_friction");
    if (!ashi_read_number(reader, place, "sliding_friction", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE,
                          &surface->sliding_friction) ||
        !ashi_read_number(reader, place, "rolling", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &surface->rolling) ||
        !ashi_read_number(reader, place, "spinning", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &surface->spinning))
        return false;
    return surface->sliding_friction <= surface->friction ||
           ashi_read_wrong(reader, &sliding, "scene.value", "at most friction, %g", surface->friction);
}

/* A block of version 1 that is a contact point. */
static bool read_old_contact(ashi_reader *reader, const ashi_place *place, ash_problem *problem)
{
    static const char *const keys[] = {
        "kind",     "bodies",           "label",   "rows",     "tangents",       "rollings", "spins",
        "friction", "sliding_friction", "rolling", "spinning", "friction_limit", "rebound"};
    ashi_point_by_rows point = {.friction_limit = -1};
    if (!ashi_read_object(reader, place, WORDS(keys)) || !read_pair(reader, place, problem, &point.block) ||
        !read_count(reader, place, "label", UINT32_MAX, &point.block.label) || !read_surface(reader, place, &point) ||
        !ashi_read_number(reader, place, "friction_limit", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &point.friction_limit) ||
        !ashi_read_number(reader, place, "rebound", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &point.rebound))
        return false;
    ashi_place rows = ashi_at_key(place, "rows");
    size_t wanted = 1u + point.tangents + point.rollings + point.spins;
    if (!json_is_array(rows.value) || json_array_size(rows.value) != wanted)
        return ashi_read_wrong(reader, &rows, "scene.value", "a list of %zu rows: normal, tangents, rollings and spins",
                               wanted);
    for (size_t i = 0; i < wanted; i++) {
        ashi_place row = ashi_at_index(&rows, i);
        if (!read_row(reader, &row, OF_CONTACT, &point.row[i]))
            return false;
    }
    if (!ashi_rows_are_of_point(problem, &point))
        return ashi_read_wrong(reader, &rows, "scene.value", "rows of one point of both bodies");
    return ashi_add_point_by_rows(problem, &point) || ashi_read_no_memory(reader);
}

static bool read_block(ashi_reader *reader, const ashi_place *place, bool old, ash_problem *problem)
{
    static const char *const kinds[] = {"rows", "contact"}, *const keys[] = {"kind", "bodies", "label", "rows"};
    uint32_t kind = 0;
    if (json_is_object(place->value) &&
        !ashi_read_word(reader, place, "kind", ASHI_REQUIRED, (ashi_words){kinds, old ? 2 : 1}, &kind))
        return false;
    if (kind == 1)
        return read_old_contact(reader, place, problem);
    ash_problem_block *block = &problem->blocks[problem->block_count];
    *block = (ash_problem_block){0};
    bool good = ashi_read_object(reader, place, WORDS(keys)) && read_pair(reader, place, problem, block) &&
                read_count(reader, place, "label", UINT32_MAX, &block->label) &&
                read_rows(reader, place, old ? OF_OLD_JOINT : OF_JOINT, problem, block);
    problem->block_count += good;
    return good;
}

static bool read_blocks(ashi_reader *reader, const ashi_place *root, bool old, ash_problem *problem)
{
    ashi_place blocks = ashi_at_key(root, "blocks");
    size_t count;
    if (!ashi_read_array(reader, &blocks, &count))
        return false;
    if (ash_problem_reserve(problem, 0, (uint32_t)count, 0, NULL) != ASH_OK)
        return ashi_read_no_memory(reader);
    for (size_t k = 0; k < count; k++) {
        ashi_place place = ashi_at_index(&blocks, k);
        if (!read_block(reader, &place, old, problem))
            return false;
    }
    return true;
}

/* ---- contacts ---- */

/* The normal and the first tangent, which the file has to rounding, and the second. */
static bool read_frame(ashi_reader *reader, const ashi_place *object, ash_problem_contact *contact)
{
    ashi_place place = ashi_at_key(object, "tangent");
    if (!ashi_read_vector(reader, object, "normal", ASHI_REQUIRED, &contact->normal) ||
        !ashi_read_vector(reader, object, "tangent", ASHI_REQUIRED, &contact->tangent[0]))
        return false;
    contact->tangent[1] = v3_cross(contact->normal, contact->tangent[0]);
    const double to_rounding = 1e-9;
    return (fabs(v3_norm(contact->normal) - 1) <= to_rounding &&
            fabs(v3_norm(contact->tangent[0]) - 1) <= to_rounding &&
            fabs(v3_dot(contact->normal, contact->tangent[0])) <= to_rounding) ||
           ashi_read_wrong(reader, &place, "scene.value", "a unit vector across the normal, which is another");
}

static bool read_slide(ashi_reader *reader, const ashi_place *object, double slide[2])
{
    ashi_place place = ashi_at_key(object, "slide");
    return place.value == NULL || ashi_read_tuple(reader, &place, 2, slide);
}

static bool read_materials(ashi_reader *reader, const ashi_place *place, const ash_problem *problem,
                           ash_problem_contact *contact, double *friction)
{
    ashi_point_by_rows surface = {0};
    if (!read_pair(reader, place, problem, &surface.block) || !read_surface(reader, place, &surface))
        return false;
    contact->body_a = surface.block.body_a;
    contact->body_b = surface.block.body_b;
    contact->tangents = surface.tangents;
    contact->rollings = surface.rollings;
    contact->spins = surface.spins;
    contact->sliding_friction = surface.sliding_friction;
    contact->rolling = surface.rolling;
    contact->spinning = surface.spinning;
    *friction = surface.friction;
    return true;
}

static bool read_point(ashi_reader *reader, const ashi_place *place, const ash_problem_contact *contact,
                       ash_problem_point *point, ash_vec3 *turn)
{
    static const char *const keys[] = {"label",   "a",        "b",     "gap",     "bias", "softness",
                                       "rebound", "friction", "limit", "impulse", "turn"};
    bool turns = contact->rollings > 0 || contact->spins > 0;
    if (!ashi_read_object(reader, place, (ashi_words){keys, turns ? 11 : 10}) ||
        !read_count(reader, place, "label", UINT32_MAX, &point->label) ||
        !ashi_read_vector(reader, place, "a", ASHI_OPTIONAL, &point->arm_a) ||
        !ashi_read_vector(reader, place, "b", ASHI_OPTIONAL, &point->arm_b) ||
        !ashi_read_number(reader, place, "gap", ASHI_OPTIONAL, ASHI_ANY, &point->gap) ||
        !ashi_read_number(reader, place, "bias", ASHI_OPTIONAL, ASHI_ANY, &point->bias) ||
        !ashi_read_number(reader, place, "softness", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &point->softness) ||
        !ashi_read_number(reader, place, "rebound", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &point->rebound) ||
        !ashi_read_number(reader, place, "friction", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &point->friction) ||
        !ashi_read_number(reader, place, "limit", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &point->friction_limit) ||
        !ashi_read_vector(reader, place, "impulse", ASHI_OPTIONAL, &point->impulse) ||
        !ashi_read_vector(reader, place, "turn", ASHI_OPTIONAL, turn))
        return false;
    ashi_place friction = ashi_at_key(place, "friction");
    return contact->sliding_friction <= point->friction ||
           ashi_read_wrong(reader, &friction, "scene.value", "at least sliding_friction, %g",
                           contact->sliding_friction);
}

static bool read_points(ashi_reader *reader, const ashi_place *object, ash_problem *problem,
                        ash_problem_contact *contact, double friction)
{
    ashi_place points = ashi_at_key(object, "points");
    size_t count = json_array_size(points.value);
    uint32_t turns = contact->rollings > 0 || contact->spins > 0 ? (uint32_t)count : 0;
    if (!json_is_array(points.value) || count == 0)
        return ashi_read_wrong(reader, &points, "scene.value", "a list of at least one point");
    if (count > UINT32_MAX - problem->point_count ||
        ash_problem_reserve_contacts(problem, 0, problem->point_count + (uint32_t)count, problem->turn_count + turns,
                                     NULL) != ASH_OK)
        return ashi_read_no_memory(reader);
    contact->first_point = problem->point_count;
    contact->first_turn = problem->turn_count;
    contact->point_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        ashi_place place = ashi_at_index(&points, i);
        ash_problem_point *point = &problem->points[problem->point_count++];
        ash_vec3 turn = {0, 0, 0};
        *point = (ash_problem_point){.friction = friction, .friction_limit = -1};
        if (!read_point(reader, &place, contact, point, &turn))
            return false;
        if (turns > 0)
            problem->turns[problem->turn_count++] = turn;
    }
    return true;
}

static bool read_contact(ashi_reader *reader, const ashi_place *place, ash_problem *problem,
                         ash_problem_contact *contact)
{
    static const char *const keys[] = {"bodies", "normal",   "tangent",          "tangents", "rollings",
                                       "spins",  "friction", "sliding_friction", "rolling",  "spinning",
                                       "slide",  "points",   "restitution"};
    double friction = 0;
    *contact = (ash_problem_contact){0};
    return ashi_read_object(reader, place, WORDS(keys)) && read_materials(reader, place, problem, contact, &friction) &&
           ashi_read_number(reader, place, "restitution", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &contact->restitution) &&
           read_frame(reader, place, contact) && read_slide(reader, place, contact->slide) &&
           read_points(reader, place, problem, contact, friction);
}

static bool read_contacts(ashi_reader *reader, const ashi_place *root, ash_problem *problem)
{
    ashi_place contacts = ashi_at_key(root, "contacts");
    size_t count;
    if (!ashi_read_array(reader, &contacts, &count))
        return false;
    if (ash_problem_reserve_contacts(problem, (uint32_t)count, 0, 0, NULL) != ASH_OK)
        return ashi_read_no_memory(reader);
    for (size_t k = 0; k < count; k++) {
        ashi_place place = ashi_at_index(&contacts, k);
        if (!read_contact(reader, &place, problem, &problem->contacts[k]))
            return false;
        problem->contact_count++;
    }
    return true;
}

/* ---- the whole ---- */

static bool read_version(ashi_reader *reader, const ashi_place *root)
{
    ashi_place place = ashi_at_key(root, "ashlar_problem");
    if (!json_is_integer(place.value))
        return ashi_read_wrong(reader, &place, "scene.type", "the version of the format, \"ashlar_problem\": %d",
                               ASHI_PROBLEM_FORMAT);
    if (json_integer_value(place.value) == 1 || json_integer_value(place.value) == ASHI_PROBLEM_FORMAT)
        return true;
    ashi_read_wrong(reader, &place, "scene.version", "1 or %d, the formats that this version of Ashlar reads",
                    ASHI_PROBLEM_FORMAT);
    reader->status = reader->diagnostic.status = ASH_UNSUPPORTED;
    return false;
}

static bool read_head(ashi_reader *reader, const ashi_place *root, ash_problem *problem)
{
    static const char *const keys[] = {"ashlar_problem", "summary",         "h",        "law",
                                       "directions",     "stick_speed",     "planar",   "bodies",
                                       "blocks",         "restitution_law", "contacts", "resting_speed"};
    bool old = json_integer_value(ashi_at_key(root, "ashlar_problem").value) == 1;
    const char *summary = "";
    uint32_t law = ASH_FRICTION_CONE, restitution = ASH_RESTITUTION_NEWTON;
    problem->directions = ASHI_USUAL_DIRECTIONS;
    problem->stick_speed = ASHI_USUAL_STICK_SPEED;
    if (!json_is_object(root->value))
        return ashi_read_wrong(reader, root, "scene.type", "an object {\"ashlar_problem\": %d, ...}",
                               ASHI_PROBLEM_FORMAT);
    if (ashi_refuse_foreign_json(reader, root))
        return false;
    if (!read_version(reader, root) || !ashi_read_object(reader, root, (ashi_words){keys, old ? 10 : 12}) ||
        !ashi_read_text(reader, root, "summary", ASHI_OPTIONAL, &summary) ||
        !ashi_read_number(reader, root, "h", ASHI_REQUIRED, ASHI_NOT_NEGATIVE, &problem->h) ||
        !ashi_read_word(reader, root, "law", ASHI_OPTIONAL, ashi_friction_law_words(), &law) ||
        !ashi_read_word(reader, root, "restitution_law", ASHI_OPTIONAL, ashi_restitution_law_words(), &restitution) ||
        !read_count(reader, root, "directions", ASHI_LAW_CORNERS, &problem->directions) ||
        !ashi_read_number(reader, root, "resting_speed", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &problem->resting_speed) ||
        !ashi_read_number(reader, root, "stick_speed", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &problem->stick_speed) ||
        !ashi_read_bool(reader, root, "planar", &problem->planar))
        return false;
    problem->law = (ash_friction_law)law;
    problem->restitution_law = (ash_restitution_law)restitution;
    ashi_place directions = ashi_at_key(root, "directions");
    return (problem->directions >= 4 && problem->directions % 2 == 0) ||
           ashi_read_wrong(reader, &directions, "scene.value", "an even number from 4 to %d", ASHI_LAW_CORNERS);
}

static bool read_problem(ashi_reader *reader, const ashi_place *root, ash_problem *problem)
{
    bool old = json_integer_value(ashi_at_key(root, "ashlar_problem").value) == 1;
    if (!read_head(reader, root, problem) || !read_bodies(reader, root, problem) ||
        !read_contacts(reader, root, problem) || !read_blocks(reader, root, old, problem))
        return false;
    ash_status status = ash_problem_arrange(problem, &reader->diagnostic);
    return status == ASH_OK || ashi_read_passed_on(reader, root, status);
}

ash_status ash_problem_parse(const char *text, size_t size, const char *label, ash_problem *problem,
                             ash_diagnostic *diagnostic)
{
    if (problem == NULL || (text == NULL && size > 0))
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "problem.null", "the text or the place for the problem is null");
    ashi_reader reader = {.text = text, .size = size, .label = label != NULL ? label : "", .kind = "problem"};
    ash_problem found = {0};
    ashi_place root = {.value = ashi_read_json(&reader)};
    bool done = root.value != NULL && read_problem(&reader, &root, &found);
    json_decref(root.value);
    if (!done) {
        ash_problem_release(&found);
        if (diagnostic != NULL)
            *diagnostic = reader.diagnostic;
        return reader.status;
    }
    ash_problem_release(problem);
    *problem = found;
    return ASH_OK;
}
