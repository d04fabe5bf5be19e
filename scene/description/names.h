/* The words of scene files: the names of each enum's values, and the value of a word. */
#ifndef ASHI_SCENE_NAMES_H
#define ASHI_SCENE_NAMES_H

#include "scene/description/description.h"

/* A list of words; a word's place is its number. */
typedef struct ashi_words {
    const char *const *list;
    uint32_t count;
} ashi_words;

/* Kinds of shapes that only files have: they are read into compounds. */
enum { ASHI_KIND_OUTLINE = ASH_GEOMETRY_KINDS, ASHI_KIND_CHAIN, ASHI_KIND_PARTS, ASHI_SCENE_KINDS };

/* Of convex parts where a file does not say: see ash_geometry_create_parts. */
#define ASHI_PARTS_TOLERANCE 0.02
#define ASHI_MOST_PARTS      32

/* The number of `word` in the list, or ASHI_NONE. */
uint32_t ashi_word_find(ashi_words words, const char *word);
/* The right place of a key that is often misplaced, as the end of a sentence; null for other keys. */
const char *ashi_key_home(const char *key);
/* Writes "a", "b" or "c" into `text` and returns it; as many whole words as there is room for, then "...". */
const char *ashi_words_text(ashi_words words, char *text, size_t size);

ashi_words ashi_geometry_kind_words(void); /* ash_geometry_kind, then the files' own */
ashi_words ashi_body_type_words(void);     /* ash_body_type */
ashi_words ashi_combine_words(void);       /* ash_combine */
ashi_words ashi_force_kind_words(void);    /* ash_force_kind, without callbacks: a file cannot hold one */
ashi_words ashi_signal_kind_words(void);   /* ash_signal_kind */
ashi_words ashi_joint_kind_words(void);    /* ash_joint_kind */
ashi_words ashi_freedom_words(void);       /* ash_freedom */
ashi_words ashi_drive_words(void);         /* ash_drive */
ashi_words ashi_piston_words(void);        /* ash_piston */
ashi_words ashi_frame_words(void);         /* the frames that joints have: see ashi_frame_of_word */
ashi_words ashi_owner_words(void);         /* ashi_owner, without the world: the keys of objects */
ashi_words ashi_event_kind_words(void);    /* ashi_event_kind */
ashi_words ashi_reduction_words(void);     /* ashi_reduction */
ashi_words ashi_component_words(void);     /* ashi_component, without the scalar's */
ashi_words ashi_hold_words(void);          /* of ashi_hold */
ashi_words ashi_lock_words(void); /* "x" ... "rotation-z": bit numbers of ash_lock; then "rotation" for three */

/* The quantities of one owner; number 0 is ashi_owner_first_quantity. */
ashi_words ashi_quantity_words(ashi_owner owner);
ashi_quantity ashi_owner_first_quantity(ashi_owner owner);
ashi_owner ashi_quantity_owner(ashi_quantity quantity);
/* Conversion between frames and their words: joints do not have a contact's frame. */
ash_frame ashi_frame_of_word(uint32_t word);
const char *ashi_frame_name(ash_frame frame);
/* Vectors have the components x, y, z and norm; the others are scalars. */
bool ashi_quantity_is_vector(ashi_quantity quantity);
bool ashi_quantity_has_point(ashi_quantity quantity);   /* on the body */
bool ashi_quantity_is_relative(ashi_quantity quantity); /* of motion that can be measured relative to another body */
/* Of joints: position, rate and drive are along one freedom. */
bool ashi_quantity_has_freedom(ashi_quantity quantity);

#endif
