/* Joints of scene files: the keys are the fields of ash_joint_def that the joint's kind has. */
#include "math/vec3.h"
#include "scene/expression/expression.h"
#include "scene/file/joint_fields.h"
#include "scene/file/read.h"

#define WORDS(list) ((ashi_words){list, sizeof(list) / sizeof *(list)})

/* What a definition points to while it is read; the scene makes copies. */
typedef struct joint_tables {
    const char *effort[ASH_FREEDOMS]; /* borrowed */
    double effort_limit[ASH_FREEDOMS];
    double *times[ASH_FREEDOMS], *values[ASH_FREEDOMS];
    ash_vec3 *path;
} joint_tables;

static void release_tables(joint_tables *tables)
{
    for (uint32_t i = 0; i < ASH_FREEDOMS; i++) {
        ashi_dealloc(tables->times[i]);
        ashi_dealloc(tables->values[i]);
    }
    ashi_dealloc(tables->path);
}

static bool read_numbers(ashi_reader *reader, const ashi_place *place, ashi_number_fields fields, ash_joint_kind kind,
                         void *object)
{
    for (uint32_t i = 0; i < fields.count; i++) {
        const ashi_number_field *field = &fields.list[i];
        if ((field->kinds >> kind & 1) != 0 &&
            !ashi_read_number(reader, place, field->key, ASHI_OPTIONAL, field->range, ashi_number_at(object, field)))
            return false;
    }
    return true;
}

static bool read_frame(ashi_reader *reader, const ashi_place *joint, const char *key, ash_transform *frame)
{
    static const char *const keys[] = {"position", "rotation"};
    ashi_place place = ashi_at_key(joint, key);
    if (place.value == NULL)
        return true;
    return ashi_read_object(reader, &place, WORDS(keys)) && ashi_read_pose(reader, &place, frame);
}

/* Either the frames on both bodies, or a point and an axis in the world where both are. */
static bool read_frames(ashi_reader *reader, const ashi_place *place, ash_joint_def *def)
{
    ash_vec3 point, axis = {1, 0, 0};
    ashi_place at_point = ashi_at_key(place, "point"), at_axis = ashi_at_key(place, "axis");
    if (at_point.value == NULL) {
        if (at_axis.value != NULL)
            return ashi_read_fail_key(reader, &at_axis, ASH_BAD_DATA, "scene.conflict",
                                      "\"axis\" needs \"point\": together they place both frames");
        return read_frame(reader, place, "frame_a", &def->frame_a) &&
               read_frame(reader, place, "frame_b", &def->frame_b);
    }
    static const char *const frames[] = {"frame_a", "frame_b"};
    for (int i = 0; i < 2; i++) {
        ashi_place at = ashi_at_key(place, frames[i]);
        if (at.value != NULL)
            return ashi_read_fail_key(reader, &at, ASH_BAD_DATA, "scene.conflict",
                                      "\"%s\" cannot be given together with \"point\", which places both frames",
                                      frames[i]);
    }
    if (!ashi_read_vector(reader, place, "point", ASHI_REQUIRED, &point) ||
        !ashi_read_vector(reader, place, "axis", ASHI_OPTIONAL, &axis))
        return false;
    if (ashi_scene_place_joint(reader->scene, def, point, axis))
        return true;
    if (v3_norm(axis) > 0 && isfinite(v3_norm(axis)))
        return ashi_read_wrong(reader, &at_point, "scene.value", "a point that is nearer to the bodies");
    return ashi_read_wrong(reader, &at_axis, "scene.value", "a vector that is not zero");
}

static bool read_removed(ashi_reader *reader, const ashi_place *joint, uint32_t *removed)
{
    ashi_place list = ashi_at_key(joint, "removed");
    ashi_words words = ashi_freedom_words();
    size_t count;
    if (list.value == NULL)
        return ashi_read_wrong(reader, &list, "scene.missing", "a list of freedoms");
    if (!ashi_read_array(reader, &list, &count))
        return false;
    if (count == 0)
        return ashi_read_wrong(reader, &list, "scene.value", "one freedom or more");
    for (size_t i = 0; i < count; i++) {
        ashi_place place = ashi_at_index(&list, i);
        char text[256];
        uint32_t freedom =
            json_is_string(place.value) ? ashi_word_find(words, json_string_value(place.value)) : ASHI_NONE;
        if (freedom == ASHI_NONE)
            return ashi_read_wrong(reader, &place, json_is_string(place.value) ? "scene.unknown-word" : "scene.type",
                                   "%s", ashi_words_text(words, text, sizeof text));
        *removed |= ASH_FREEDOM_BIT(freedom);
    }
    return true;
}

static bool read_path(ashi_reader *reader, const ashi_place *joint, ash_joint_def *def, joint_tables *tables)
{
    ashi_place list = ashi_at_key(joint, "path");
    size_t count;
    if (list.value == NULL)
        return ashi_read_wrong(reader, &list, "scene.missing", "a list of points [x, y, z]");
    if (!ashi_read_array(reader, &list, &count))
        return false;
    if (count < 2)
        return ashi_read_wrong(reader, &list, "scene.value", "two points or more");
    tables->path = ashi_alloc_array(count, sizeof *tables->path);
    if (tables->path == NULL)
        return ashi_read_no_memory(reader);
    for (size_t i = 0; i < count; i++) {
        ashi_place place = ashi_at_index(&list, i);
        double xyz[3];
        if (!ashi_read_tuple(reader, &place, 3, xyz))
            return false;
        tables->path[i] = (ash_vec3){xyz[0], xyz[1], xyz[2]};
    }
    def->path = tables->path;
    def->path_count = (uint32_t)count;
    return ashi_read_bool(reader, joint, "path_closed", &def->path_closed);
}

static bool read_motor(ashi_reader *reader, const ashi_place *axis, ash_joint_motor *motor, double **times,
                       double **values)
{
    static const char *const keys[] = {"drive",        "target",   "signal",    "max_force",
                                       "proportional", "integral", "derivative"};
    ashi_place place = ashi_at_key(axis, "motor");
    uint32_t drive;
    if (place.value == NULL)
        return true;
    if (!ashi_read_object(reader, &place, WORDS(keys)) ||
        !ashi_read_word(reader, &place, "drive", ASHI_REQUIRED, ashi_drive_words(), &drive) ||
        !read_numbers(reader, &place, ashi_motor_number_fields(), ASH_JOINT_BALL, motor))
        return false;
    motor->drive = (ash_drive)drive;
    return ashi_read_signal(reader, &place, &motor->signal, times, values);
}

/* Whether an effort can act: along sliders and about hinges. */
static bool can_drive(const ashi_reader *reader, ash_joint_kind kind, ash_freedom freedom)
{
    bool cylindrical = kind == ASH_JOINT_CYLINDRICAL;
    return freedom == ASH_MOVE_X ? kind == ASH_JOINT_SLIDER || cylindrical
                                 : freedom == (reader->scene->planar ? ASH_TURN_Z : ASH_TURN_X) &&
                                       (kind == ASH_JOINT_HINGE || cylindrical);
}

/* "torque" of a rotation, "force" of a translation: an expression or a number; and its limit. */
static bool read_effort(ashi_reader *reader, const ashi_place *axis, ash_joint_kind kind, ash_freedom freedom,
                        joint_tables *tables)
{
    bool turn = freedom >= ASH_TURN_X;
    const char *key = turn ? "torque" : "force", *limit = turn ? "max_torque" : "max_force";
    ashi_place at = ashi_at_key(axis, key), at_limit = ashi_at_key(axis, limit);
    ashi_place wrong = ashi_at_key(axis, turn ? "force" : "torque"),
               other = ashi_at_key(axis, turn ? "max_force" : "max_torque");
    if (wrong.value != NULL || other.value != NULL)
        return ashi_read_fail_key(reader, wrong.value != NULL ? &wrong : &other, ASH_BAD_DATA, "scene.conflict",
                                  "this freedom has a \"%s\"", key);
    tables->effort_limit[freedom] = INFINITY;
    if (at.value == NULL)
        return at_limit.value == NULL || ashi_read_fail_key(reader, &at_limit, ASH_BAD_DATA, "scene.conflict",
                                                            "\"%s\" is for a \"%s\"", limit, key);
    if (!can_drive(reader, kind, freedom))
        return ashi_read_fail_key(reader, &at, ASH_UNSUPPORTED, "scene.unsupported",
                                  "this freedom of the joint cannot have a \"%s\"", key);
    if (!ashi_read_text(reader, axis, key, ASHI_REQUIRED, &tables->effort[freedom]) ||
        !ashi_read_number(reader, axis, limit, ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &tables->effort_limit[freedom]))
        return false;
    ashi_expression *expression;
    ash_status status = ashi_expression_compile(tables->effort[freedom], ashi_effort_variables, ASHI_EFFORT_VARIABLES,
                                                &expression, &reader->diagnostic);
    if (status != ASH_OK)
        return ashi_read_passed_on(reader, &at, status);
    ashi_expression_destroy(expression);
    return true;
}

static bool read_axes(ashi_reader *reader, const ashi_place *joint, ash_joint_def *def, joint_tables *tables)
{
    static const char *const keys[] = {"lower", "upper",  "friction", "stiffness",  "damping",  "rest",
                                       "motor", "torque", "force",    "max_torque", "max_force"};
    ashi_place axes = ashi_at_key(joint, "axes");
    ashi_words freedoms = ashi_freedom_words();
    if (axes.value == NULL)
        return true;
    if (!ashi_read_object(reader, &axes, freedoms))
        return false;
    for (uint32_t i = 0; i < ASH_FREEDOMS; i++) {
        ashi_place place = ashi_at_key(&axes, freedoms.list[i]);
        if (place.value == NULL)
            continue;
        if (!ashi_read_object(reader, &place, WORDS(keys)) ||
            !read_numbers(reader, &place, ashi_axis_number_fields(), def->kind, &def->axes[i]) ||
            !read_motor(reader, &place, &def->axes[i].motor, &tables->times[i], &tables->values[i]) ||
            !read_effort(reader, &place, def->kind, (ash_freedom)i, tables))
            return false;
    }
    return true;
}

/* Keys of some kinds only. */
static bool read_own_keys(ashi_reader *reader, const ashi_place *place, ash_joint_def *def, joint_tables *tables)
{
    switch (def->kind) {
    case ASH_JOINT_COMBINATION:
        return read_removed(reader, place, &def->removed);
    case ASH_JOINT_PULLEY:
        return ashi_read_vector(reader, place, "hang_a", ASHI_REQUIRED, &def->hang_a) &&
               ashi_read_vector(reader, place, "hang_b", ASHI_REQUIRED, &def->hang_b) &&
               ashi_read_length(reader, place, "length", &def->length);
    case ASH_JOINT_DISTANCE:
    case ASH_JOINT_ROPE:
        return ashi_read_length(reader, place, "length", &def->length);
    case ASH_JOINT_PATH:
        return read_path(reader, place, def, tables);
    case ASH_JOINT_HYDRAULIC: {
        uint32_t piston = def->piston;
        bool good = ashi_read_word(reader, place, "piston", ASHI_OPTIONAL, ashi_piston_words(), &piston);
        def->piston = (ash_piston)piston;
        return good;
    }
    default:
        return true;
    }
}

static bool read_definition(ashi_reader *reader, const ashi_place *place, ash_joint_def *def, joint_tables *tables)
{
    const char *keys[ASHI_JOINT_MOST_KEYS];
    return ashi_read_object(reader, place, ashi_joint_keys(def->kind, keys)) &&
           ashi_read_text(reader, place, "name", ASHI_OPTIONAL, &def->name) &&
           ashi_read_present_body(reader, place, "body_a", &def->body_a) &&
           ashi_read_present_body(reader, place, "body_b", &def->body_b) && read_frames(reader, place, def) &&
           read_numbers(reader, place, ashi_joint_number_fields(), def->kind, def) &&
           read_own_keys(reader, place, def, tables) && read_axes(reader, place, def, tables) &&
           ashi_read_bool(reader, place, "collide", &def->collide);
}

static bool read_joint(ashi_reader *reader, const ashi_place *place)
{
    uint32_t kind;
    bool enabled = true;
    if (!json_is_object(place->value))
        return ashi_read_wrong(reader, place, "scene.type", "a joint {\"kind\": ...}");
    if (!ashi_read_word(reader, place, "kind", ASHI_REQUIRED, ashi_joint_kind_words(), &kind))
        return false;
    ash_joint_def def = ash_default_joint_def((ash_joint_kind)kind);
    joint_tables tables = {0};
    bool done = read_definition(reader, place, &def, &tables) && ashi_read_bool(reader, place, "enabled", &enabled);
    uint32_t number = done ? ashi_scene_add_joint(reader->scene, &def) : ASHI_NONE;
    release_tables(&tables);
    if (!done)
        return false;
    if (number == ASHI_NONE)
        return ashi_read_no_memory(reader);
    for (int i = 0; i < ASH_FREEDOMS; i++)
        if (tables.effort[i] != NULL &&
            !ashi_scene_set_effort(reader->scene, number, (ash_freedom)i, tables.effort[i], tables.effort_limit[i]))
            return ashi_read_no_memory(reader);
    reader->scene->joints.data[number].disabled = !enabled;
    return ashi_read_enter_name(reader, reader->joints, reader->scene->joints.data[number].def.name, number);
}

bool ashi_read_joints(ashi_reader *reader, const ashi_place *root)
{
    ashi_place list = ashi_at_key(root, "joints");
    size_t count;
    if (!ashi_read_array(reader, &list, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        ashi_place place = ashi_at_index(&list, i);
        if (!read_joint(reader, &place))
            return false;
    }
    return true;
}
