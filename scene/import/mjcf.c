/* MJCF, MuJoCo's models: sections in any order, read in this one. */
#include "scene/import/mjcf.h"

static bool import(mjcf *m)
{
    ash_scene *scene = m->draft->scene;
    const char *name = ashi_xml_get(m->root, "model");
    scene->name = ashi_scene_text(scene, "%s", name != NULL ? name : "mujoco");
    scene->summary = ashi_scene_text(scene, "imported from MJCF");
    scene->step = 0.002;
    scene->time = 5;
    return mjcf_include(m) && mjcf_read_settings(m) && mjcf_name_pairs(m) && mjcf_read_tree(m) &&
           mjcf_choose_keyframe(m) && mjcf_build(m) && mjcf_add_rest(m);
}

bool ashi_import_mjcf(ashi_draft *draft, ashi_xml *root)
{
    mjcf m = {.draft = draft,
              .root = root,
              .class_numbers = json_object(),
              .body_numbers = json_object(),
              .joint_numbers = json_object(),
              .geom_numbers = json_object(),
              .site_numbers = json_object(),
              .paired = json_object(),
              .mesh_assets = json_object(),
              .material_assets = json_object()};
    json_t *const tables[] = {m.class_numbers, m.body_numbers, m.joint_numbers, m.geom_numbers,
                              m.site_numbers,  m.paired,       m.mesh_assets,   m.material_assets};
    enum { TABLES = sizeof tables / sizeof *tables };
    bool done = true;
    for (int i = 0; i < TABLES; i++)
        done = done && (tables[i] != NULL || ashi_draft_no_memory(draft));
    done = done && import(&m);
    for (int i = 0; i < TABLES; i++)
        json_decref(tables[i]);
    ashi_array_release(&m.classes);
    ashi_array_release(&m.bodies);
    ashi_array_release(&m.joints);
    ashi_array_release(&m.geoms);
    ashi_array_release(&m.sites);
    ashi_array_release(&m.surfaces);
    ashi_array_release(&m.assets);
    return done;
}
