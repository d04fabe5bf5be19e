/* A URDF file between its text and a scene: links, joints and the tree that they make. */
#ifndef ASHI_SCENE_URDF_H
#define ASHI_SCENE_URDF_H

#include "scene/import/draft.h"

typedef struct urdf_link {
    const char *name;
    ashi_xml *xml;
    uint32_t joint;           /* to its parent; ASHI_NONE of the root */
    uint32_t group;           /* the link whose body it belongs to: itself, or one that fixed joints lead up to */
    uint32_t body;            /* in the scene, of links that are their own group */
    ash_transform pose;       /* in the world */
    ash_transform in_group;   /* in the frame of that link */
    ash_mass_properties mass; /* of a group: in its link's frame; mass 0: none */
} urdf_link;

typedef enum urdf_kind {
    URDF_FIXED,
    URDF_REVOLUTE,
    URDF_CONTINUOUS,
    URDF_PRISMATIC,
    URDF_PLANAR,
    URDF_FLOATING
} urdf_kind;

typedef struct urdf_joint {
    const char *name;
    ashi_xml *xml;
    urdf_kind kind;
    uint32_t parent, child; /* links */
    ash_transform origin;   /* of the child in the parent */
    ash_vec3 axis;          /* unit, in the child */
    double lower, upper;    /* infinite: none */
    double damping, friction;
    double position; /* at the start, within the limits */
    ashi_xml *mimic; /* null: it moves on its own; else its position is ... */
    uint32_t leader; /* ... multiplier times that of this joint, plus offset */
    double multiplier, offset;
    uint32_t number; /* in the scene, of joints that move */
    bool placed;     /* `position` is known */
} urdf_joint;

typedef struct urdf {
    ashi_draft *draft;
    ashi_xml *xml;
    urdf_link *links; /* in the file's order */
    urdf_joint *joints;
    uint32_t link_count, joint_count;
    json_t *link_numbers, *joint_numbers;
    uint32_t *order; /* links from the root on, parents first */
    uint32_t root;
    bool fixed_base;
} urdf;

/* urdf_read.c: links and joints by themselves. */
bool urdf_read(urdf *u);
/* "origin" below the element; the identity where there is none. */
bool urdf_read_origin(urdf *u, ashi_xml *element, ash_transform *origin);
/* urdf_tree.c: the tree, positions at the start, poses, groups. */
bool urdf_arrange(urdf *u);
/* urdf_shapes.c: what collides, for each link of a group in turn, added to the last body. */
bool urdf_add_shapes(urdf *u, uint32_t group);
/* urdf_mimic.c: gears between joints that follow each other. */
bool urdf_add_mimics(urdf *u);

/* Whether the joint connects two bodies. */
static inline bool urdf_moves(const urdf_joint *joint)
{
    return joint->kind != URDF_FIXED && joint->kind != URDF_FLOATING;
}

/* The body of a link as descriptions refer to it. */
static inline ash_body urdf_body(const urdf *u, uint32_t link)
{
    return ashi_scene_body_ref(u->links[u->links[link].group].body);
}

#endif
