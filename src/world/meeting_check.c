/* Shapes that could meet but have no contacts: two planes, two height fields. If one of the two bodies moves, the pair
 * is refused, with both names, instead of letting one fall through the other silently. */
#include "world/meeting_check.h"

#include "base/diagnostic.h"
#include "collide/manifold.h"

#include <stdio.h>

/* One side of a pair. */
typedef struct side {
    const ashi_shape_entry *shape;
    const char *shape_name, *body_name;
} side;

static const char *or_nothing(const char *name)
{
    return name != NULL ? name : "";
}

/* Such as: plane "cover" of body "lid". */
static void describe(const side *one, ash_geometry_kind kind, char text[128])
{
    const char *quote = one->shape_name[0] != 0 ? "\"" : "", *space = one->shape_name[0] != 0 ? " " : "";
    snprintf(text, 128, "%s%s%s%.40s%s of body \"%.40s\"", ash_geometry_kind_name(kind), space, quote, one->shape_name,
             quote, one->body_name);
}

static ash_status refuse(const side *a, const side *b, const ash_geometry_kind kinds[2], ash_diagnostic *diagnostic)
{
    char one[128], other[128];
    describe(a, kinds[0], one);
    describe(b, kinds[1], other);
    ashi_fail(diagnostic, ASH_BAD_DATA, "shape.no-contact", "the %s and the %s cannot collide, and one of them moves",
              one, other);
    return ashi_expect(diagnostic, "a solid kind instead of one of them, or filters that keep them apart");
}

/* Checks a new or existing shape of a body against the shapes of all others. */
static ash_status check_against_all(const ashi_model *model, const side *one, bool moves, uint32_t own_body,
                                    ash_diagnostic *diagnostic)
{
    const ashi_shapes *shapes = &model->shapes;
    if (!ashi_has_sheet(one->shape->geometry))
        return ASH_OK;
    for (uint32_t i = 0; i < shapes->entries.count; i++) {
        const ashi_shape_entry *entry = &shapes->entries.data[i];
        ash_geometry_kind kinds[2];
        if (!ashi_pool_in_use(&shapes->pool, i) || entry->body == own_body || !ashi_has_sheet(entry->geometry) ||
            !(moves || model->bodies.info[entry->body].type == ASH_BODY_DYNAMIC) ||
            !ashi_shapes_meet(one->shape, entry) || !ashi_find_unmet(one->shape->geometry, entry->geometry, kinds))
            continue;
        side other = {entry, or_nothing(entry->name), or_nothing(model->bodies.info[entry->body].name)};
        return refuse(one, &other, kinds, diagnostic);
    }
    return ASH_OK;
}

ash_status ashi_check_new_meetings(const ashi_model *model, const ash_body_def *def, const ash_shape_def *shapes,
                                   uint32_t count, ash_diagnostic *diagnostic)
{
    ash_status status = ASH_OK;
    for (uint32_t i = 0; i < count && status == ASH_OK; i++) {
        const ashi_shape_entry shape = {.geometry = shapes[i].geometry,
                                        .category = shapes[i].category,
                                        .mask = shapes[i].mask,
                                        .group = shapes[i].group};
        side one = {&shape, or_nothing(shapes[i].name), or_nothing(def->name)};
        status = check_against_all(model, &one, def->type == ASH_BODY_DYNAMIC, ASHI_NO_SLOT, diagnostic);
    }
    return status;
}

ash_status ashi_check_released_meetings(const ashi_model *model, uint32_t slot, ash_diagnostic *diagnostic)
{
    ash_status status = ASH_OK;
    const ashi_body_info *info = &model->bodies.info[slot];
    for (uint32_t i = info->first_shape; i != ASHI_NO_SLOT && status == ASH_OK;
         i = model->shapes.entries.data[i].next) {
        const ashi_shape_entry *shape = &model->shapes.entries.data[i];
        side one = {shape, or_nothing(shape->name), or_nothing(info->name)};
        status = check_against_all(model, &one, true, slot, diagnostic);
    }
    return status;
}
