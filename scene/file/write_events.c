/* Outputs and events written as JSON. */
#include "scene/file/write.h"

static void write_object(ashi_writer *writer, ashi_owner owner, uint32_t number)
{
    switch (owner) {
    case ASHI_OF_BODY:
        ashi_write_body_reference(writer, "body", number);
        break;
    case ASHI_OF_FORCE:
        ashi_write_force_reference(writer, "force", number);
        break;
    case ASHI_OF_JOINT:
        ashi_write_joint_reference(writer, "joint", number);
        break;
    default: /* the world is not named */
        break;
    }
}

static bool has_frame(const ashi_scene_output *output)
{
    return output->quantity == ASHI_JOINT_FORCE || output->quantity == ASHI_JOINT_TORQUE;
}

void ashi_write_outputs(ashi_writer *writer)
{
    const ash_scene *scene = writer->scene;
    ashi_json_text *json = &writer->json;
    if (scene->outputs.count == 0)
        return;
    ashi_json_open(json, "outputs", '[', true);
    for (uint32_t i = 0; i < scene->outputs.count; i++) {
        const ashi_scene_output *output = &scene->outputs.data[i];
        ashi_json_open(json, NULL, '{', false);
        ashi_json_string(json, "name", output->name);
        write_object(writer, ashi_quantity_owner(output->quantity), output->object);
        ashi_json_string(json, "quantity", ashi_quantity_name(output->quantity));
        if (ashi_quantity_has_freedom(output->quantity))
            ashi_json_string(json, "freedom", ashi_freedom_words().list[output->freedom]);
        if (has_frame(output) && output->frame != ASH_FRAME_WORLD)
            ashi_json_string(json, "frame", ashi_frame_name(output->frame));
        if (ashi_quantity_is_vector(output->quantity))
            ashi_json_string(json, "component", ashi_component_name(output->component));
        if (ashi_quantity_has_point(output->quantity))
            ashi_write_vector_unless(writer, "point", output->point, (ash_vec3){0, 0, 0});
        if (output->beside != 0)
            ashi_write_body_reference(writer, output->quantity == ASHI_BODY_CONTACT_FORCE ? "with" : "relative_to",
                                      output->beside - 1);
        if (output->quantity == ASHI_BODY_RANGE || output->component == ASHI_ALONG)
            ashi_json_vector(json, "direction", output->direction);
        if (output->quantity == ASHI_BODY_RANGE)
            ashi_json_number(json, "reach", output->reach);
        ashi_write_number_unless(writer, "noise", output->noise, 0);
        if (output->seed != 0)
            ashi_json_count(json, "seed", output->seed);
        ashi_json_close(json);
    }
    ashi_json_close(json);
}

/* A greatest force that is the joint's own is left out: without bound, it has no number in JSON. */
static void write_motor(ashi_writer *writer, const ashi_scene_event *event)
{
    ashi_json_text *json = &writer->json;
    const ash_joint_motor *own = &writer->scene->joints.data[event->object].def.axes[event->freedom].motor;
    ashi_json_open(json, "motor", '{', false);
    ashi_json_string(json, "freedom", ashi_freedom_words().list[event->freedom]);
    ashi_json_string(json, "drive", ashi_drive_words().list[event->drive]);
    ashi_json_number(json, "target", event->motor_target);
    ashi_write_number_unless(writer, "max_force", event->max_force, own->max_force);
    ashi_json_close(json);
}

static void write_event_values(ashi_writer *writer, const ashi_scene_event *event)
{
    const ashi_key_table *table = ashi_event_keys(writer->scene, event);
    uint32_t given = 0;
    for (uint32_t i = 0; i < table->count; i++)
        given |= (event->fields & table->keys[i].sets) != 0 ? 1u << i : 0;
    ashi_json_open(&writer->json, "values", '{', false);
    ashi_write_given_keys(writer, table, event, given);
    if (event->fields & ASHI_SET_MOTOR)
        write_motor(writer, event);
    ashi_json_close(&writer->json);
}

void ashi_write_events(ashi_writer *writer)
{
    const ash_scene *scene = writer->scene;
    ashi_json_text *json = &writer->json;
    if (scene->events.count == 0)
        return;
    ashi_json_open(json, "events", '[', true);
    for (uint32_t i = 0; i < scene->events.count; i++) {
        const ashi_scene_event *event = &scene->events.data[i];
        ashi_json_open(json, NULL, '{', false);
        ashi_json_string(json, "kind", ashi_event_kind_words().list[event->kind]);
        ashi_json_number(json, "time", event->time);
        write_object(writer, event->owner, event->object);
        if (event->kind == ASHI_EVENT_SET)
            write_event_values(writer, event);
        ashi_json_close(json);
    }
    ashi_json_close(json);
}
