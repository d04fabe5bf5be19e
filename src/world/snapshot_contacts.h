/* Contacts in snapshots: they carry ages, caches and what recycling compares with, so a restored world needs them to go
 * on bit for bit. Boxes are not saved: their pairs do not depend on history. */
#ifndef ASHI_WORLD_SNAPSHOT_CONTACTS_H
#define ASHI_WORLD_SNAPSHOT_CONTACTS_H

#include "contact/collision.h"
#include "world/archive.h"

/* After all that contacts refer to in `model`. Host pointers (the pair filter) are not archived. */
void ashi_archive_contacts(ashi_archive *archive, ashi_collision *collision, const ashi_model *model);

#endif
