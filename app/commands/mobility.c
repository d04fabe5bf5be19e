/* Degrees of freedom of a mechanism, its redundant joints by name, and the joint that is open most. */
#include "app/commands/mobility.h"

#include <stdio.h>

#include "app/cli/document.h"
#include "app/cli/message.h"
#include "ashlar/world.h"
#include "base/alloc.h"
#include "base/diagnostic.h"

static const double closed = 1e-9; /* m and rad: what is open by less is rounding */

static void find_worst(cli_mobility *mobility)
{
    for (uint32_t i = 0; i < mobility->joint_count; i++) {
        ash_joint joint = mobility->joints[i];
        ash_joint_error error = ash_joint_get_error(mobility->world, joint);
        bool open = !(error.distance <= closed && error.angle <= closed);
        bool worse = error.distance > mobility->error.distance ||
                     (error.distance == mobility->error.distance && error.angle > mobility->error.angle);
        if (ash_joint_get_enabled(mobility->world, joint) && open && (worse || mobility->worst.id == 0)) {
            mobility->worst = joint;
            mobility->error = error;
        }
    }
}

ash_status cli_mobility_find(ash_world *world, cli_mobility *mobility, ash_diagnostic *diagnostic)
{
    *mobility = (cli_mobility){.world = world};
    ash_status status = ash_world_get_mobility(world, &mobility->count);
    if (status != ASH_OK) {
        *diagnostic = ash_world_get_last_diagnostic(world);
        return status;
    }
    mobility->joint_count = ash_world_get_joints(world, NULL, 0);
    mobility->joints = ashi_alloc_array(mobility->joint_count, sizeof *mobility->joints);
    mobility->redundant = ashi_alloc_array(mobility->count.redundant_joints, sizeof *mobility->redundant);
    if (mobility->joints == NULL || mobility->redundant == NULL)
        return ashi_out_of_memory(diagnostic);
    ash_world_get_joints(world, mobility->joints, mobility->joint_count);
    mobility->redundant_count = mobility->count.redundant_joints;
    ash_world_get_redundant_joints(world, mobility->redundant, mobility->redundant_count);
    find_worst(mobility);
    return ASH_OK;
}

void cli_mobility_release(cli_mobility *mobility)
{
    ashi_dealloc(mobility->joints);
    ashi_dealloc(mobility->redundant);
    *mobility = (cli_mobility){0};
}

/* The joint's name, or its place among the joints of the world. */
static const char *name_of(const cli_mobility *mobility, ash_joint joint, char *text, size_t size)
{
    const char *name = ash_joint_get_name(mobility->world, joint);
    uint32_t number = 0;
    while (number < mobility->joint_count && mobility->joints[number].id != joint.id)
        number++;
    if (name != NULL && name[0] != 0)
        snprintf(text, size, "\"%s\"", name);
    else
        snprintf(text, size, "number %u", (unsigned)number);
    return text;
}

void cli_mobility_print(const cli_mobility *mobility)
{
    const ash_mobility *count = &mobility->count;
    char name[160];
    printf("  joints    %u\n  mobility  %u degree%s of freedom: %u removed by joints, %u of them redundant\n",
           (unsigned)mobility->joint_count, (unsigned)count->freedoms, count->freedoms == 1 ? "" : "s",
           (unsigned)count->rows, (unsigned)count->redundant);
    if (mobility->redundant_count > 0) {
        printf("            redundant at ");
        for (uint32_t i = 0; i < mobility->redundant_count; i++) {
            printf("%s", i > 0 ? ", " : "");
            cli_put_text(stdout, name_of(mobility, mobility->redundant[i], name, sizeof name));
        }
        printf(": the forces in these joints have no unique answer\n");
    }
    if (mobility->worst.id != 0) {
        printf("  open      by up to %.3g m and %.3g rad at ", mobility->error.distance, mobility->error.angle);
        cli_put_text(stdout, name_of(mobility, mobility->worst, name, sizeof name));
        printf(": \"ashlar assemble\" closes joints\n");
    }
}

json_t *cli_mobility_json(const cli_mobility *mobility)
{
    const ash_mobility *count = &mobility->count;
    json_t *names = json_array();
    for (uint32_t i = 0; i < mobility->redundant_count; i++)
        cli_json_append(names, cli_json_text(ash_joint_get_name(mobility->world, mobility->redundant[i])));
    return json_pack("{s:i, s:i, s:i, s:i, s:o, s:o, s:o}", "freedoms", (int)count->freedoms, "rows", (int)count->rows,
                     "rank", (int)count->rank, "redundant", (int)count->redundant, "redundant_joints", names, "open_m",
                     cli_json_number(mobility->error.distance), "open_rad", cli_json_number(mobility->error.angle));
}
