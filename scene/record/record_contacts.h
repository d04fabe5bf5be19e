/* The points of contact of a world, gathered until they are written. */
#ifndef ASHI_SCENE_RECORD_CONTACTS_H
#define ASHI_SCENE_RECORD_CONTACTS_H

#include "scene/record/record_layout.h"

typedef struct ashi_contact_rows {
    uint32_t count;   /* not yet written */
    uint64_t written; /* in the file */
    ASHI_ARRAY(double) numbers[ASHI_RECORD_CONTACT_COLUMNS];
    ASHI_ARRAY(ash_contact) contacts;
    ASHI_ARRAY(ash_contact_point) points;
    ASHI_ARRAY(uint64_t) handles; /* of the bodies in the world, rising, each with its number behind it */
} ashi_contact_rows;

/* Adds the points of all contacts but those of sensors; how many they are, or UINT32_MAX when memory ran out. */
uint32_t ashi_contact_rows_add(ashi_contact_rows *rows, const ashi_instance *instance, uint32_t bodies);
/* Bytes that are not yet written. */
size_t ashi_contact_rows_bytes(const ashi_contact_rows *rows);
/* Appends them to the data sets of the layout. */
bool ashi_contact_rows_write(ashi_contact_rows *rows, const ashi_record_layout *layout);
void ashi_contact_rows_release(ashi_contact_rows *rows);

#endif
