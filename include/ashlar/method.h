/* A method: how a world is stepped. Presets carry the names of where they come from; every field can be set alone. */
#ifndef ASHLAR_METHOD_H
#define ASHLAR_METHOD_H

#include "ashlar/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ash_integrator {
    ASH_EXPLICIT_EULER,    /* order 1; gains energy; for comparison */
    ASH_SYMPLECTIC_EULER,  /* order 1; bounded energy below h = 2/omega */
    ASH_IMPLICIT_EULER,    /* order 1; loses energy; stiff springs at any step, by one linear solve */
    ASH_RK4,               /* order 4 (Bender & Schmitt 2006, section 3) */
    ASH_IMPLICIT_MIDPOINT, /* order 2; free motion conserves energy and momentum to rounding */
    ASH_AXIS_SPLITTING,    /* symplectic Euler with free rotation split by principal axes; explicit */
    ASH_INTEGRATORS
} ash_integrator;

/* The integrator's name, such as "implicit-midpoint". */
ASH_API const char *ash_integrator_name(ash_integrator integrator);

/* What is done about contacts. */
typedef enum ash_contact_mode {
    ASH_CONTACTS_OFF,    /* nothing is looked for */
    ASH_CONTACTS_DETECT, /* contacts are found and reported; shapes do not push each other yet */
    ASH_CONTACT_MODES
} ash_contact_mode;

/* How pairs of shapes that may touch are found. All give the same pairs. */
typedef enum ash_broad_phase {
    ASH_BROAD_TREE, /* a dynamic tree of boxes */
    ASH_BROAD_ALL_PAIRS,
    ASH_BROAD_SWEEP_1, /* sweep and prune along one axis */
    ASH_BROAD_SWEEP_3, /* ... along three */
    ASH_BROAD_PHASES
} ash_broad_phase;

typedef struct ash_method {
    char name[32]; /* of the preset, "custom" once a field was changed by ash_method_set */
    ash_integrator integrator;
    uint32_t max_iterations; /* of implicit solves in a step */
    double tolerance;        /* of implicit solves, relative */
    ash_contact_mode contacts;
    ash_broad_phase broad_phase;
    double contact_margin; /* gaps up to this are contacts already, m */
    double recycle; /* a pair that has moved less than this since its contact was computed keeps it, m; 0: never */
    bool reduce_manifolds; /* at most 4 points a contact (2 in planar worlds) */
    bool continuous;       /* look for impacts within a step */
} ash_method;

/* The number of presets and each one's name and one-line description. */
ASH_API uint32_t ash_method_count(void);
ASH_API const char *ash_method_name(uint32_t index);
ASH_API const char *ash_method_summary(uint32_t index);

/* The preset of that name ("realtime" for null). An integrator's name is also taken: realtime with that integrator.
 * Unknown names suggest the nearest. */
ASH_API ash_status ash_method_find(const char *name, ash_method *method, ash_diagnostic *diagnostic);

/* The fields that can be set by name, with what each takes. */
ASH_API uint32_t ash_method_field_count(void);
ASH_API const char *ash_method_field_name(uint32_t index);
ASH_API const char *ash_method_field_summary(uint32_t index);

/* Sets one field from text, such as ("integrator", "rk4"). ASH_NOT_FOUND when there is no such field. */
ASH_API ash_status ash_method_set(ash_method *method, const char *field, const char *value, ash_diagnostic *diagnostic);

/* Writes the field's value as text and returns `text`; null when there is no such field. */
ASH_API const char *ash_method_get(const ash_method *method, const char *field, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
