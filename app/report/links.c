/* Springs and joints, as the page draws them between the bodies that it moves: of each the two bodies (numbers, -1 the
 * background), the two points in their frames, and of springs what tells their tension. */
#include "app/report/parts.h"

#include "base/diagnostic.h"
#include "scene/description/description.h"

/* Bodies of a description are numbers from 1 on, 0 is the background. */
static json_t *connection(ash_body a, ash_vec3 point_a, ash_body b, ash_vec3 point_b)
{
    return json_pack("{s:I, s:I, s:[fff], s:[fff]}", "a", (json_int_t)a.id - 1, "b", (json_int_t)b.id - 1, "from",
                     point_a.x, point_a.y, point_a.z, "to", point_b.x, point_b.y, point_b.z);
}

static json_t *spring(const ash_spring_def *def)
{
    json_t *link = connection(def->body_a, def->point_a, def->body_b, def->point_b);
    if (link == NULL || json_object_set_new(link, "stiffness", json_real(def->stiffness)) != 0 ||
        json_object_set_new(link, "rest", json_real(def->rest_length)) != 0) {
        json_decref(link);
        return NULL;
    }
    return link;
}

/* `shortest`: it is a hydraulic cylinder. */
static json_t *joint(const ash_joint_def *def)
{
    json_t *link = connection(def->body_a, def->frame_a.position, def->body_b, def->frame_b.position);
    if (link != NULL && def->kind == ASH_JOINT_HYDRAULIC &&
        json_object_set_new(link, "shortest", json_real(def->min_length)) != 0) {
        json_decref(link);
        return NULL;
    }
    return link;
}

json_t *report_links(const ash_scene *scene)
{
    json_t *springs = json_array(), *joints = json_array();
    bool done = springs != NULL && joints != NULL;
    for (uint32_t i = 0; done && i < scene->forces.count; i++)
        if (scene->forces.data[i].kind == ASH_FORCE_SPRING && !scene->forces.data[i].disabled)
            done = json_array_append_new(springs, spring(&scene->forces.data[i].def.spring)) == 0;
    for (uint32_t i = 0; done && i < scene->joints.count; i++)
        if (!scene->joints.data[i].disabled)
            done = json_array_append_new(joints, joint(&scene->joints.data[i].def)) == 0;
    json_t *links = done ? json_pack("{s:O, s:O}", "springs", springs, "joints", joints) : NULL;
    json_decref(springs);
    json_decref(joints);
    return links;
}
