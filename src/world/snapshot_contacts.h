/* Contacts in snapshots: they contain ages, caches and the poses for recycling, which a restored world needs to
 * continue bit for bit. Boxes are not saved: their pairs do not depend on history. */
#ifndef ASHI_WORLD_SNAPSHOT_CONTACTS_H
#define ASHI_WORLD_SNAPSHOT_CONTACTS_H

#include "contact/collision.h"
#include "world/archive.h"

/* After all that contacts refer to in `model`. Host pointers (the pair filter) are not archived. */
void ashi_archive_contacts(ashi_archive *archive, ashi_collision *collision, const ashi_model *model);

#endif
