/* Small worlds by seed. A family is a kind of world; the same family and seed give the same description, bit for bit,
 * on every machine. */
#ifndef LAWS_GENERATE_H
#define LAWS_GENERATE_H

#include "base/random.h"
#include "scene/description/description.h"

typedef enum law_family {
    FAMILY_FREE,      /* free bodies without gravity that collide */
    FAMILY_FLOOR,     /* bodies on a floor without friction, one of them hits the others */
    FAMILY_RESTING,   /* bodies that lie, slide and topple on a floor */
    FAMILY_MECHANISM, /* bodies and joints, no contacts */
    FAMILY_JOINTED,   /* the same with contacts */
    FAMILY_SPRINGS,   /* chains and nets of springs, some with contacts */
    FAMILY_MOTORS,    /* mechanisms that are driven */
    FAMILY_MIXED,     /* joints, springs, contacts, rebound and friction together */
    FAMILY_INCLINE,   /* a block on an incline, at a share of its friction's limit */
    FAMILY_BOUNCE,    /* a central impact, at any phase of the step */
    FAMILY_STATICS,   /* a beam on two supports with loads */
    FAMILY_SURFACES,  /* meshes and distance fields that move: free, or on a floor */
    FAMILIES
} law_family;

const char *law_family_name(law_family family);
/* The family of that name, or FAMILIES. */
law_family law_family_find(const char *name);

/* The world of that seed, with its step and its time; the method is the caller's to set. The caller destroys it. */
ash_scene *law_generate(law_family family, uint64_t seed);

/* A world under construction. */
typedef struct law_maker {
    ash_scene *scene;
    ashi_random random;
    uint32_t material;
    bool contacts; /* shapes meet; else they only have mass */
    bool surfaces; /* most shapes are meshes and distance fields */
} law_maker;

/* The families' makers, and what they share. */
void law_make_free(law_maker *maker);
void law_make_floor(law_maker *maker);
void law_make_resting(law_maker *maker);
void law_make_mechanism(law_maker *maker, bool contacts, bool motors);
void law_make_springs(law_maker *maker);
void law_make_mixed(law_maker *maker);
void law_make_incline(law_maker *maker);
void law_make_bounce(law_maker *maker);
void law_make_statics(law_maker *maker);
void law_make_surfaces(law_maker *maker);

double law_range(law_maker *maker, double low, double high);
/* Between low and high, evenly in its logarithm. */
double law_spread(law_maker *maker, double low, double high);
uint32_t law_below(law_maker *maker, uint32_t count);
bool law_chance(law_maker *maker, double probability);
/* In a ball of that radius; in planar worlds in a disc. */
ash_vec3 law_vector(law_maker *maker, double radius);
ash_vec3 law_direction(law_maker *maker);
ash_quat law_rotation(law_maker *maker);
/* Along the axis of rotation: all of space, or z. */
ash_vec3 law_spin(law_maker *maker, double size);
ash_vec3 law_up(const law_maker *maker);
/* The material of the world's shapes. */
void law_set_material(law_maker *maker, double friction, double restitution);
/* A body of a random shape within that radius; returns its number. */
uint32_t law_add_body(law_maker *maker, double radius, ash_vec3 position, ash_quat rotation, ash_vec3 velocity,
                      ash_vec3 spin);
/* A box, or its rectangle in planar worlds; `half` is the half extents. */
uint32_t law_add_block(law_maker *maker, ash_vec3 half, ash_vec3 position, ash_quat rotation, ash_vec3 velocity,
                       ash_vec3 spin);
uint32_t law_add_ball(law_maker *maker, double radius, ash_vec3 position, ash_vec3 velocity, ash_vec3 spin);
/* A static floor through `point`; `normal` is its direction up. */
void law_add_floor(law_maker *maker, ash_vec3 point, ash_vec3 normal);
/* Level ground at height 0 as a mesh or a height field, in space only. */
void law_add_ground(law_maker *maker);
/* The rotation that takes z (planar: y) to `normal`. */
ash_quat law_rotation_to(const law_maker *maker, ash_vec3 normal);

#endif
