/* Files of another kind than expected: what they are, and what to do with them. */
#ifndef ASHI_SCENE_FOREIGN_H
#define ASHI_SCENE_FOREIGN_H

#include "scene/file/fields.h"

/* True after reporting what the reader's text is, if it cannot be JSON: empty, a recording, a picture, binary. */
bool ashi_refuse_foreign_bytes(ashi_reader *reader);
/* The same for JSON of Ashlar's other kinds: a scene, a problem, a run's summary. */
bool ashi_refuse_foreign_json(ashi_reader *reader, const ashi_place *root);

#endif
