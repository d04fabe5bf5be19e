/* A session that the test plays: it counts what it is asked for and answers as commands say, without any physics. */
#ifndef TESTS_VIEW_PLAYED_SESSION_H
#define TESTS_VIEW_PLAYED_SESSION_H

#include <stdatomic.h>

#include "app/viewer/session.h"

enum { PLAYED_FRAME_SIZE = 60048, PLAYED_LETTER = 1 << 20 };

/* Commands, which are plain words: "echo..." is answered by itself, "letter" sends PLAYED_LETTER bytes of text to
 * everybody, "vast" answers with more than a message may have, "slow" takes 1 ms; all else is answered by an error. */
struct view_session {
    atomic_uint greeted, left, advances, frames, obeyed;
};

#endif
