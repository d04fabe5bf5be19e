/* What the importers share: the scene being made, its notes and failures, typed attributes, places of other files. */
#ifndef ASHI_SCENE_DRAFT_H
#define ASHI_SCENE_DRAFT_H

#include "scene/import/import.h"
#include "scene/import/xml.h"

#include <jansson.h>

/* A mesh file that was read: its geometry, and its colour where it has one. */
typedef struct ashi_draft_mesh_entry {
    uint32_t geometry; /* in the scene */
    bool has_colour;
    double colour[4];
} ashi_draft_mesh_entry;

typedef struct ashi_draft {
    ashi_arena *arena; /* gone when the scene is made */
    ash_scene *scene;
    const ashi_import_options *options;
    const char *file;
    ash_status status; /* of the failure */
    ash_diagnostic diagnostic;
    json_t *mesh_numbers; /* path, scale and use -> number in `meshes` */
    ASHI_ARRAY(ashi_draft_mesh_entry) meshes;
} ashi_draft;

/* Notes a failure at the element and returns false. */
bool ashi_draft_fail(ashi_draft *draft, const ashi_xml *at, const char *code, const char *format, ...)
    ASHI_PRINTF(4, 5);
bool ashi_draft_no_memory(ashi_draft *draft);
/* A failure that another part of the library reported in draft->diagnostic gets the element's place. */
bool ashi_draft_passed_on(ashi_draft *draft, const ashi_xml *at, ash_status status);

/* Notes what was done otherwise than the file says, or not at all. */
void ashi_draft_note(ashi_draft *draft, const ashi_xml *at, const char *format, ...) ASHI_PRINTF(3, 4);
/* Notes all elements and attributes below and including this one that nobody has read. */
void ashi_draft_note_unread(ashi_draft *draft, const ashi_xml *element);

/* Numbers of an attribute, `fewest` to `most`, separated by space. One that is not there leaves them, and the count is
 * 0. */
bool ashi_draft_numbers(ashi_draft *draft, ashi_xml *at, const char *name, uint32_t fewest, uint32_t most,
                        double *numbers, uint32_t *count);
bool ashi_draft_number(ashi_draft *draft, ashi_xml *at, const char *name, double *number);
bool ashi_draft_vector(ashi_draft *draft, ashi_xml *at, const char *name, ash_vec3 *vector);
/* A text that has to be there. */
bool ashi_draft_text(ashi_draft *draft, ashi_xml *at, const char *name, const char **text);

/* Enters a name into a table of numbers; a name that is there already is a failure that calls both `what`. */
bool ashi_draft_enter(ashi_draft *draft, const ashi_xml *at, json_t *table, const char *what, const char *name,
                      uint32_t number);
/* The number of a name, or ASHI_NONE. */
uint32_t ashi_draft_find(const json_t *table, const char *name);

/* The path of a file that another file names: relative to it, absolute, file://, package:// or model://. Packages are
 * looked for in ROS_PACKAGE_PATH, then in the folders above the file. Null when there is no such file. */
const char *ashi_draft_locate(ashi_draft *draft, const char *from, const char *name);

/* A mesh file as a shape's geometry. What is only drawn takes the file's colour where the shape has none. */
typedef enum ashi_mesh_use {
    ASHI_MESH_DRAWN,    /* its triangles, to be drawn */
    ASHI_MESH_WEIGHED,  /* the hull of its points */
    ASHI_MESH_COLLIDING /* as the options have it */
} ashi_mesh_use;
bool ashi_draft_mesh(ashi_draft *draft, const ashi_xml *at, const char *path, ash_vec3 scale, ashi_mesh_use use,
                     ashi_scene_shape *shape);
/* Adds a geometry to the scene. */
bool ashi_draft_geometry(ashi_draft *draft, const ashi_xml *at, const ash_geometry_def *def, uint32_t *geometry);

/* Checks a mass and an inertia about the centre. Principal moments that no body has are made possible, with a note;
 * negative ones are a failure. */
bool ashi_draft_check_mass(ashi_draft *draft, const ashi_xml *at, const char *what, ash_mass_properties *mass);
/* The mass of a solid ball of this mass with the density of water, at a centre: for what has a mass and no inertia. */
ash_mass_properties ashi_draft_ball(double mass, ash_vec3 centre);
/* Mass properties in a body's definition. */
void ashi_draft_set_mass(ash_body_def *def, const ash_mass_properties *mass);

/* The importers. */
bool ashi_import_urdf(ashi_draft *draft, ashi_xml *robot);
bool ashi_import_mjcf(ashi_draft *draft, ashi_xml *root);

#endif
