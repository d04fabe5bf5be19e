/* Outputs and events of scene files. */
#include "scene/file/read.h"

#include <math.h>

#define WORDS(list) ((ashi_words){list, sizeof(list) / sizeof *(list)})

/* The body, force or joint that is named; the world if there is none. */
static bool read_object(ashi_reader *reader, const ashi_place *place, ashi_owner *owner, uint32_t *number)
{
    const ash_scene *scene = reader->scene;
    json_t *const tables[ASHI_OF_WORLD] = {reader->bodies, reader->forces, reader->joints};
    const uint32_t counts[ASHI_OF_WORLD] = {scene->bodies.count, scene->forces.count, scene->joints.count};
    ashi_words keys = ashi_owner_words();
    *owner = ASHI_OF_WORLD;
    *number = 0;
    for (uint32_t i = 0; i < keys.count; i++) {
        ashi_place at = ashi_at_key(place, keys.list[i]);
        if (at.value == NULL)
            continue;
        if (*owner != ASHI_OF_WORLD)
            return ashi_read_fail_key(reader, &at, ASH_BAD_DATA, "scene.conflict",
                                      "\"%s\" cannot be given together with \"%s\"", keys.list[i], keys.list[*owner]);
        *owner = (ashi_owner)i;
    }
    if (*owner == ASHI_OF_WORLD)
        return true;
    const char *key = keys.list[*owner];
    return ashi_read_reference(reader, place, key, ASHI_REQUIRED, tables[*owner], counts[*owner], key, number);
}

/* Not every force has every quantity. */
static bool check_force_quantity(ashi_reader *reader, const ashi_place *place, const ashi_scene_output *output)
{
    ash_force_kind kind = reader->scene->forces.data[output->object].kind;
    bool fits = output->quantity == ASHI_FORCE_ENERGY ? true
                : output->quantity == ASHI_FORCE_ANGLE
                    ? kind == ASH_FORCE_ANGULAR_SPRING || kind == ASH_FORCE_BENDING_SPRING
                    : kind == ASH_FORCE_SPRING;
    ashi_place at = ashi_at_key(place, "quantity");
    if (fits)
        return true;
    return ashi_read_wrong(reader, &at, "scene.value", "a quantity of a force of kind \"%s\"",
                           ash_force_kind_name(kind));
}

static bool read_component(ashi_reader *reader, const ashi_place *place, ashi_scene_output *output)
{
    uint32_t component = ASHI_SCALAR;
    if (ashi_quantity_is_vector(output->quantity)) {
        if (!ashi_read_word(reader, place, "component", ASHI_REQUIRED, ashi_component_words(), &component))
            return false;
    } else {
        ashi_place at = ashi_at_key(place, "component");
        if (at.value != NULL)
            return ashi_read_fail_key(reader, &at, ASH_BAD_DATA, "scene.conflict", "\"%s\" has no components",
                                      ashi_quantity_name(output->quantity));
    }
    output->component = (ashi_component)component;
    return true;
}

/* A key that the quantity does not use is refused. */
static bool check_use(ashi_reader *reader, const ashi_place *place, const char *key, bool used,
                      const ashi_scene_output *output)
{
    ashi_place at = ashi_at_key(place, key);
    return at.value == NULL || used ||
           ashi_read_fail_key(reader, &at, ASH_BAD_DATA, "scene.conflict", "\"%s\" is not for the quantity \"%s\"", key,
                              ashi_quantity_name(output->quantity));
}

static bool read_point(ashi_reader *reader, const ashi_place *place, ashi_scene_output *output)
{
    return check_use(reader, place, "point", ashi_quantity_has_point(output->quantity), output) &&
           ashi_read_vector(reader, place, "point", ASHI_OPTIONAL, &output->point);
}

/* The other body of a pair, or the one relative to which motion is measured. */
static bool read_beside(ashi_reader *reader, const ashi_place *place, ashi_scene_output *output)
{
    bool pair = output->quantity == ASHI_BODY_CONTACT_FORCE;
    uint32_t number;
    if (!check_use(reader, place, "with", pair, output) ||
        !check_use(reader, place, "relative_to", ashi_quantity_is_relative(output->quantity), output) ||
        !ashi_read_reference(reader, place, pair ? "with" : "relative_to", ASHI_OPTIONAL, reader->bodies,
                             reader->scene->bodies.count, "body", &number))
        return false;
    output->beside = number == ASHI_NONE ? 0 : number + 1;
    return true;
}

/* The direction of a range or of a component, and how far a range is looked for. */
static bool read_direction(ashi_reader *reader, const ashi_place *place, ashi_scene_output *output)
{
    bool ranges = output->quantity == ASHI_BODY_RANGE, along = output->component == ASHI_ALONG;
    ashi_place at = ashi_at_key(place, "direction"), component = ashi_at_key(place, "component");
    if (along && ashi_quantity_owner(output->quantity) == ASHI_OF_WORLD)
        return ashi_read_wrong(reader, &component, "scene.value", "\"x\", \"y\", \"z\" or \"norm\"");
    if (at.value != NULL && !ranges && !along)
        return ashi_read_fail_key(reader, &at, ASH_BAD_DATA, "scene.conflict",
                                  "\"direction\" is for the quantity \"range\" and for \"component\": \"along\"");
    if (!check_use(reader, place, "reach", ranges, output))
        return false;
    if (!ranges && !along)
        return true;
    if (!ashi_read_vector(reader, place, "direction", ASHI_REQUIRED, &output->direction) ||
        (ranges && !ashi_read_number(reader, place, "reach", ASHI_REQUIRED, ASHI_POSITIVE, &output->reach)))
        return false;
    double length = ash_vec3_length(output->direction);
    return (length > 1e-150 && length < 1e150) || ashi_read_wrong(reader, &at, "scene.value", "a direction");
}

static bool read_noise(ashi_reader *reader, const ashi_place *place, ashi_scene_output *output)
{
    ashi_place at = ashi_at_key(place, "seed");
    double seed = 0;
    if (!ashi_read_number(reader, place, "seed", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &seed))
        return false;
    if (seed != floor(seed) || seed > UINT32_MAX)
        return ashi_read_wrong(reader, &at, seed > UINT32_MAX ? "scene.value" : "scene.type",
                               "a whole number below 2^32");
    output->seed = (uint32_t)seed;
    return ashi_read_number(reader, place, "noise", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &output->noise);
}

/* "freedom" is for the coordinate of a joint, "frame" for its reaction. */
static bool read_joint_keys(ashi_reader *reader, const ashi_place *place, ashi_scene_output *output)
{
    ashi_place freedom = ashi_at_key(place, "freedom"), frame = ashi_at_key(place, "frame");
    bool along_freedom = ashi_quantity_has_freedom(output->quantity);
    bool in_frame = output->quantity == ASHI_JOINT_FORCE || output->quantity == ASHI_JOINT_TORQUE;
    uint32_t word = 0;
    if (freedom.value != NULL && !along_freedom)
        return ashi_read_fail_key(reader, &freedom, ASH_BAD_DATA, "scene.conflict",
                                  "\"freedom\" is only for the position, rate and drive of a joint");
    if (frame.value != NULL && !in_frame)
        return ashi_read_fail_key(reader, &frame, ASH_BAD_DATA, "scene.conflict",
                                  "\"frame\" is only for the force and the torque of a joint");
    if (along_freedom) {
        if (!ashi_read_word(reader, place, "freedom", ASHI_REQUIRED, ashi_freedom_words(), &word))
            return false;
        output->freedom = (ash_freedom)word;
        return true;
    }
    if (!ashi_read_word(reader, place, "frame", ASHI_OPTIONAL, ashi_frame_words(), &word))
        return false;
    output->frame = ashi_frame_of_word(word);
    return true;
}

static bool read_output(ashi_reader *reader, const ashi_place *place)
{
    static const char *const keys[] = {"name",        "body",      "force",   "joint", "quantity",
                                       "component",   "point",     "freedom", "frame", "with",
                                       "relative_to", "direction", "reach",   "noise", "seed"};
    ashi_scene_output output = {0};
    ashi_owner owner;
    if (!ashi_read_object(reader, place, WORDS(keys)) ||
        !ashi_read_text(reader, place, "name", ASHI_REQUIRED, &output.name) ||
        !read_object(reader, place, &owner, &output.object))
        return false;
    ashi_place at_name = ashi_at_key(place, "name");
    if (json_object_get(reader->outputs, output.name) != NULL)
        return ashi_read_wrong(reader, &at_name, "scene.duplicate-name", "a name that no other output has");
    uint32_t quantity;
    if (!ashi_read_word(reader, place, "quantity", ASHI_REQUIRED, ashi_quantity_words(owner), &quantity))
        return false;
    output.quantity = (ashi_quantity)(ashi_owner_first_quantity(owner) + quantity);
    if ((owner == ASHI_OF_FORCE && !check_force_quantity(reader, place, &output)) ||
        !read_component(reader, place, &output) || !read_point(reader, place, &output) ||
        !read_joint_keys(reader, place, &output) || !read_beside(reader, place, &output) ||
        !read_direction(reader, place, &output) || !read_noise(reader, place, &output))
        return false;
    uint32_t number = ashi_scene_add_output(reader->scene, &output);
    if (number == ASHI_NONE)
        return ashi_read_no_memory(reader);
    return ashi_read_enter_name(reader, reader->outputs, output.name, number);
}

bool ashi_read_outputs(ashi_reader *reader, const ashi_place *root)
{
    ashi_place list = ashi_at_key(root, "outputs");
    size_t count;
    if (!ashi_read_array(reader, &list, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        ashi_place place = ashi_at_index(&list, i);
        if (!read_output(reader, &place))
            return false;
    }
    return true;
}

/* Missing values are those of the definition. */
static bool read_motor(ashi_reader *reader, const ashi_place *values, const ash_joint_def *def, ashi_scene_event *event)
{
    static const char *const keys[] = {"freedom", "drive", "target", "max_force"};
    ashi_place place = ashi_at_key(values, "motor");
    uint32_t freedom, drive;
    if (place.value == NULL)
        return true;
    if (!ashi_read_object(reader, &place, WORDS(keys)) ||
        !ashi_read_word(reader, &place, "freedom", ASHI_REQUIRED, ashi_freedom_words(), &freedom))
        return false;
    const ash_joint_motor *motor = &def->axes[freedom].motor;
    drive = motor->drive;
    event->freedom = (ash_freedom)freedom;
    event->motor_target = motor->target;
    event->max_force = motor->max_force;
    if (!ashi_read_word(reader, &place, "drive", ASHI_OPTIONAL, ashi_drive_words(), &drive) ||
        !ashi_read_number(reader, &place, "target", ASHI_OPTIONAL, ASHI_ANY, &event->motor_target) ||
        !ashi_read_number(reader, &place, "max_force", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &event->max_force))
        return false;
    event->drive = (ash_drive)drive;
    return true;
}

/* Missing values of a spring or a load are those of the definition. */
static void begin_values(const ash_scene *scene, ashi_scene_event *event)
{
    if (event->owner != ASHI_OF_FORCE)
        return;
    const ashi_scene_force *force = &scene->forces.data[event->object];
    if (force->kind == ASH_FORCE_SPRING) {
        event->stiffness = force->def.spring.stiffness;
        event->damping = force->def.spring.damping;
        event->rest_length = force->def.spring.rest_length;
    } else if (force->kind == ASH_FORCE_LOAD) {
        event->force = force->def.load.force;
        event->torque = force->def.load.torque;
    }
}

static bool read_values(ashi_reader *reader, const ashi_place *place, ashi_scene_event *event)
{
    ashi_place values = ashi_at_key(place, "values");
    if (event->kind != ASHI_EVENT_SET) {
        if (values.value != NULL)
            return ashi_read_fail_key(reader, &values, ASH_BAD_DATA, "scene.conflict",
                                      "\"values\" is only for events of kind \"set\"");
        return true;
    }
    if (!json_is_object(values.value) || json_object_size(values.value) == 0)
        return ashi_read_wrong(reader, &values, "scene.type", "an object with the values to set");
    const ashi_key_table *table = ashi_event_keys(reader->scene, event);
    uint32_t given;
    begin_values(reader->scene, event);
    if (!ashi_read_keys(reader, &values, table, event, &given))
        return false;
    for (uint32_t i = 0; i < table->count; i++)
        event->fields |= (given >> i & 1) != 0 ? table->keys[i].sets : 0;
    if ((event->fields & ASHI_SET_SPRING) != 0 && event->rest_length < 0)
        return ashi_read_fail(reader, &values, ASH_BAD_DATA, "scene.conflict",
                              "\"rest_length\" must be given too, as the spring's own is measured at the start");
    return event->owner != ASHI_OF_JOINT ||
           read_motor(reader, &values, &reader->scene->joints.data[event->object].def, event);
}

/* Only absent bodies can be added, and only static or kinematic ones released. */
static bool check_event(ashi_reader *reader, const ashi_place *place, const ashi_scene_event *event)
{
    if (event->kind != ASHI_EVENT_ADD && event->kind != ASHI_EVENT_RELEASE)
        return true;
    const char *name = event->kind == ASHI_EVENT_ADD ? "add" : "release";
    const char *owner = ashi_owner_words().list[event->owner];
    ashi_place object = ashi_at_key(place, owner), body = ashi_at_key(place, "body");
    if (event->owner != ASHI_OF_BODY) {
        ashi_read_fail_key(reader, &object, ASH_BAD_DATA, "scene.conflict", "a %s cannot be the object of \"%s\"",
                           owner, name);
        return ashi_read_expect(reader, "\"body\"");
    }
    const ashi_scene_body *entry = &reader->scene->bodies.data[event->object];
    if (event->kind == ASHI_EVENT_ADD && !entry->absent)
        return ashi_read_wrong(reader, &body, "scene.value", "a body with \"absent\": true");
    if (event->kind == ASHI_EVENT_RELEASE && entry->def.type == ASH_BODY_DYNAMIC)
        return ashi_read_wrong(reader, &body, "scene.value", "a static or kinematic body");
    return true;
}

static bool read_event(ashi_reader *reader, const ashi_place *place)
{
    static const char *const keys[] = {"kind", "time", "body", "force", "joint", "values"};
    ashi_scene_event event = {0};
    uint32_t kind;
    if (!ashi_read_object(reader, place, WORDS(keys)) ||
        !ashi_read_word(reader, place, "kind", ASHI_REQUIRED, ashi_event_kind_words(), &kind) ||
        !ashi_read_number(reader, place, "time", ASHI_REQUIRED, ASHI_NOT_NEGATIVE, &event.time) ||
        !read_object(reader, place, &event.owner, &event.object))
        return false;
    event.kind = (ashi_event_kind)kind;
    if (event.owner == ASHI_OF_WORLD) {
        ashi_read_fail(reader, place, ASH_BAD_DATA, "scene.missing", "the event has no object");
        return ashi_read_expect(reader, "\"body\", \"force\" or \"joint\"");
    }
    if (!check_event(reader, place, &event) || !read_values(reader, place, &event))
        return false;
    return ashi_scene_add_event(reader->scene, &event) != ASHI_NONE || ashi_read_no_memory(reader);
}

bool ashi_read_events(ashi_reader *reader, const ashi_place *root)
{
    ashi_place list = ashi_at_key(root, "events");
    size_t count;
    if (!ashi_read_array(reader, &list, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        ashi_place place = ashi_at_index(&list, i);
        if (!read_event(reader, &place))
            return false;
    }
    return true;
}
