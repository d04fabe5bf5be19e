/* An MJCF file between its text and a scene: settings, default classes, assets, and the tree of bodies. */
#ifndef ASHI_SCENE_MJCF_H
#define ASHI_SCENE_MJCF_H

#include "scene/import/draft.h"

typedef struct mjcf_class {
    const char *name;
    ashi_xml *xml;
    uint32_t parent; /* ASHI_NONE: the main one */
} mjcf_class;

typedef enum mjcf_joint_kind { MJCF_FREE, MJCF_BALL, MJCF_SLIDE, MJCF_HINGE } mjcf_joint_kind;

typedef struct mjcf_joint {
    const char *name;
    ashi_xml *xml;
    mjcf_joint_kind kind;
    ash_vec3 anchor, axis; /* in the body */
    double lower, upper, damping, stiffness, rest, friction, armature;
    double reference;   /* the coordinate at the pose in the file */
    double position[7]; /* at the start: the coordinate; of a ball its quaternion; of a free body both */
    uint32_t number;    /* in the scene; ASHI_NONE of free ones */
    bool driven;        /* a servo acts on it */
    double effort;      /* of all other actuators */
    double most_effort; /* of actuators together; infinite: any */
} mjcf_joint;

/* A geom; copies of it are others. */
typedef struct mjcf_geom {
    ashi_xml *xml;
    const char *name;
    ash_transform pose;       /* in its body */
    ashi_scene_shape shape;   /* without pose */
    ash_mass_properties mass; /* in its own frame; 0: none */
    uint32_t contype, conaffinity;
    uint32_t surface; /* in `surfaces` */
    uint32_t kind;    /* number of its category */
} mjcf_geom;

typedef struct mjcf_site {
    const char *name;
    uint32_t body;
    ash_transform pose;
} mjcf_site;

typedef struct mjcf_body {
    const char *name;
    ashi_xml *xml;
    uint32_t parent;    /* 0 is the world */
    ash_transform pose; /* in the parent, in the file's pose */
    uint32_t first_joint, joint_count;
    uint32_t first_geom, geom_count;
    bool has_mass, moving; /* mass given; moved by the host */
    double gravity_scale;
    ash_mass_properties mass; /* of the group, in its frame */
    uint32_t group;           /* itself, or the body that it is welded to */
    ash_transform in_group;
    ash_transform world; /* its pose at the start */
    uint32_t number;     /* in the scene, of groups */
} mjcf_body;

/* What MuJoCo combines of two geoms that touch. */
typedef struct mjcf_surface {
    double friction[3], restitution;
    int condim, priority;
    uint32_t material;       /* in the scene */
    uint32_t kind, original; /* of geoms in pairs: their category, and the surface that they share with others */
} mjcf_surface;

typedef struct mjcf {
    ashi_draft *draft;
    ashi_xml *root;
    bool degrees, limits_by_range, mass_from_geoms, balance;
    bool contactless, weightless;            /* flags switch contacts or gravity off */
    double least_mass, least_inertia, total; /* bounds of each body's, and what all are scaled to; 0: none */
    const char *euler, *mesh_folder;
    ASHI_ARRAY(mjcf_class) classes;
    ASHI_ARRAY(mjcf_body) bodies; /* parents first; 0 is the world */
    ASHI_ARRAY(mjcf_joint) joints;
    ASHI_ARRAY(mjcf_geom) geoms;
    ASHI_ARRAY(mjcf_site) sites;
    ASHI_ARRAY(mjcf_surface) surfaces;
    json_t *class_numbers, *body_numbers, *joint_numbers, *geom_numbers, *site_numbers, *mesh_assets, *material_assets;
    json_t *paired;                /* names of geoms in contact pairs */
    ASHI_ARRAY(ashi_xml *) assets; /* meshes and materials by the numbers above */
    uint32_t replicas;             /* written out so far */
    ashi_xml *key;                 /* the keyframe that is the start; null: none */
    bool keyed;                    /* it has positions */
} mjcf;

/* mjcf_read.c: included files take the place of <include>; settings, classes, assets. */
bool mjcf_include(mjcf *m);
bool mjcf_read_settings(mjcf *m);
/* The first section of that name; the next by ashi_xml_again. */
ashi_xml *mjcf_section(mjcf *m, const char *name);
/* Gives the element the attributes of its class, or of the class `inherited` where it names none. */
bool mjcf_apply_class(mjcf *m, ashi_xml *element, uint32_t inherited, uint32_t *class);
/* The class that "childclass" names, else the inherited one. */
bool mjcf_child_class(mjcf *m, ashi_xml *element, uint32_t inherited, uint32_t *class);

/* mjcf_pose.c: "pos" and one of quat, axisangle, euler, xyaxes, zaxis. */
bool mjcf_read_pose(mjcf *m, ashi_xml *element, ash_transform *pose);
bool mjcf_read_rotation(mjcf *m, ashi_xml *element, ash_quat *rotation);
/* The shortest turn that takes z along a vector. */
ash_quat mjcf_turn_z_along(ash_vec3 axis);
double mjcf_angle(const mjcf *m, double value); /* in rad */

/* mjcf_geom.c */
bool mjcf_add_geom(mjcf *m, ashi_xml *element, uint32_t class, ash_transform frame, const char *suffix);
/* The coefficient of restitution that "solref" stands for. */
bool mjcf_read_restitution(mjcf *m, ashi_xml *at, double *restitution);

/* mjcf_contact.c: which geoms meet, and by what law. The names in contact pairs come before geoms are read. */
bool mjcf_name_pairs(mjcf *m);
bool mjcf_is_paired(const mjcf *m, const char *geom);
/* Categories and masks of geoms, materials and laws of their pairs; then bodies that never touch. */
bool mjcf_add_contacts(mjcf *m);
bool mjcf_add_excludes(mjcf *m);

/* mjcf_tree.c: bodies, joints, geoms, sites. */
bool mjcf_read_tree(mjcf *m);
/* mjcf_build.c: from the tree to bodies and joints of the scene. */
bool mjcf_build(mjcf *m);
/* mjcf_sensor.c: outputs; without sensors, the positions of all joints that have a name. */
bool mjcf_add_sensor(mjcf *m, ashi_xml *at);
bool mjcf_add_positions(mjcf *m);

/* mjcf_rest.c: equalities, tendons, keyframes. */
bool mjcf_choose_keyframe(mjcf *m);
/* Joints that follow others begin where these want them. */
bool mjcf_place_followers(mjcf *m);
bool mjcf_add_rest(mjcf *m);
/* The number that a name in an attribute stands for; a failure where there is none. */
bool mjcf_find(mjcf *m, ashi_xml *at, const json_t *table, const char *attribute, const char *what, uint32_t *number);
/* The body of the scene that a body of the file belongs to; null is the background. */
ash_body mjcf_body_of(const mjcf *m, uint32_t body);

/* mjcf_actuator.c */
bool mjcf_add_actuators(mjcf *m);

#endif
