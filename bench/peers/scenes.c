/* The scenes of the table. Steps are those that the scenes have; runs are long enough for stacks to fall. */
#define _POSIX_C_SOURCE 200809L
#include "scenes.h"

#include "base/diagnostic.h"

#include <stdio.h>
#include <string.h>

enum { STACK = PEERS_OVERLAP | PEERS_STANDS, MECHANISM = PEERS_JOINTS | PEERS_ENERGY | PEERS_OFF, MOST_SETTINGS = 8 };

static const peers_scene scenes[] = {
    {"box-stack", "box-stack", "", 0.01, 10, 0.2, STACK},
    {"wall", "wall", "", 0.01, 4, 0.1, STACK},
    {"tower-800", "tower", "layers=40", 0.01, 4, 0.05, STACK},
    {"roof-tower", "roof-tower", "", 0.01, 8, 0.05, STACK},
    {"blocks-8", "blocks", "", 0.002, 3, 0.1, STACK},
    {"blocks-8-fall", "blocks", "drop=0.1", 0.002, 3, 0.1, PEERS_OVERLAP},
    {"blocks-100", "blocks", "n=100", 0.002, 3, 0.02, STACK},
    {"blocks-1000", "blocks", "n=1000", 0.002, 3, 0.004, STACK},
    {"box-pile-1000", "box-pile", "", 0.01, 4, 0.05, PEERS_OVERLAP},
    {"box-pile-3000", "box-pile", "n=3000", 0.01, 4, 0.03, PEERS_OVERLAP},
    {"silo-3000", "silo", "", 0.01, 5, 0.03, PEERS_OVERLAP},
    {"tree", "tree", "", 1.0 / 30, 5, 0.5, MECHANISM},
    {"heavy-chain", "heavy-chain", "", 1.0 / 60, 5, 0.5, MECHANISM},
    {"heavy-chain-hanging", "heavy-chain", "angle=0", 1.0 / 60, 5, 0.5, PEERS_JOINTS},
    {"bounce", "bounce", "", 0.01, 10, 2, PEERS_OVERLAP | PEERS_ENERGY},
    {"bounce-fine", "bounce", "h=0.001", 0.001, 10, 2, PEERS_OVERLAP | PEERS_ENERGY},
    {"pendulum-bob", "pendulum-bob", "", 0.1, 10, 2, MECHANISM},
    {"pendulum-bob-fine", "pendulum-bob", "", 0.01, 60, 2, MECHANISM},
    {"tumbling-box", "tumbling-box", "", 0.01, 10, 2, PEERS_ENERGY | PEERS_ROTATION | PEERS_OFF},
    {"stack-20", "stack-20", "", 0.01, 15, 0.2, STACK},
    {"pyramid-210", "pyramid-2d", "", 0.01, 4, 0.05, STACK},
    {"pyramid-5050", "pyramid-2d", "rows=100", 0.01, 4, 0.03, STACK},
    {"pile-2d", "pile-2d", "", 0.01, 6, 0.03, PEERS_OVERLAP},
};

const peers_scene *peers_scene_get(uint32_t number)
{
    return number < sizeof scenes / sizeof *scenes ? &scenes[number] : NULL;
}

ash_status peers_scene_open(const peers_scene *entry, ash_scene **scene, ash_diagnostic *diagnostic)
{
    char text[128];
    ash_setting settings[MOST_SETTINGS];
    uint32_t count = 0;
    snprintf(text, sizeof text, "%s", entry->settings);
    for (char *rest = NULL, *key = strtok_r(text, " ", &rest); key != NULL && count < MOST_SETTINGS;
         key = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(key, '=');
        if (value == NULL)
            return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "bench.peers", "\"%s\" is no setting", key);
        *value++ = '\0';
        settings[count++] = (ash_setting){key, value};
    }
    return ash_scene_open(entry->scene, settings, count, scene, diagnostic);
}
