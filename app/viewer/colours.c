/* Values to colour bodies by: the session's ways are those of tint.h. */
#include "app/picture/tint.h"
#include "app/viewer/parts.h"
#include "world/world.h"

_Static_assert((int)VIEW_COLOURS == (int)CLI_TINTS, "the same ways in the same order");

const char *view_colour_name(view_colour colour)
{
    return cli_tint_name((cli_tint)colour);
}

bool view_colour_values(view_session *session, const view_world *shown)
{
    const ash_world *world = shown->instance.world;
    uint32_t count = ashi_body_slots(&world->model.bodies);
    if (!ashi_array_reserve(&session->values, count) || !ashi_array_reserve(&session->parents, count))
        return false;
    session->values.count = count;
    cli_tint_values(world, (cli_tint)session->colour, session->values.data, session->parents.data);
    return true;
}
