/* Our methods and other engines on the same scenes, in one run: what steps cost, and what becomes of the bodies, all
 * measured by the same geometry on their states (bench/peers/).
 *
 * Every engine has a row in every scene: with figures, or with why it has none. */
#include "bench.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "peers/model.h"
#include "peers/race.h"
#include "peers/scenes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LOOKS = 40, MANY_BODIES = 100, FINE_SUBSTEPS = 32, MOST_SUBSTEPS = 64 };

static const double patience = 12, quick_patience = 0.1; /* s of a run */

/* What is the same for all engines on a scene. */
typedef struct contest {
    const peers_scene *entry;
    const bench_peers_options *options;
    peer_model model;
    race_course course;
    ash_vec3 *expected; /* centres after a second */
    double scale;       /* J: the largest kinetic energy of the exact motion, as `engineering` has it */
} contest;

/* A figure of a row, or null where it means nothing. */
static void put(json_t *row, const char *key, bool means, double value, double unit)
{
    json_object_set_new(row, key, means && isfinite(value) ? json_real(value / unit) : json_null());
}

static bool has(const contest *c, peers_column column)
{
    return (c->entry->columns & column) != 0;
}

/* ---- rows ---- */

/* Whether bodies that should stay are elsewhere, not only for a while: at the first event or, without one, at the end.
 */
static bool has_fallen(const contest *c, const race_result *r)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->model.body_count; ++i)
        count += c->model.bodies[i].moves && c->model.bodies[i].present;
    return has(c, PEERS_STANDS) && isfinite(r->fell) && r->stand_count > 0 && r->stands[0] < count;
}

static void write_note(const contest *c, const peer *engine, const race_result *r, char *note, size_t size)
{
    double time = r->taken * c->course.h;
    if (engine->create == NULL)
        snprintf(note, size, "not installed: run tools/setup --peers, then configure and build again");
    else if (c->model.flat ? !engine->flat : !engine->solid)
        snprintf(note, size, c->model.flat ? "not for flat scenes" : "for flat scenes only");
    else if (r->refused != NULL)
        snprintf(note, size, "%s", r->refused);
    else if (r->stuck)
        snprintf(note, size, "takes too long: a step was not done after %.0f s", 2 * c->course.patience);
    else if (r->signal != 0)
        snprintf(note, size, "it crashed (signal %d)", r->signal);
    else if (r->lost)
        snprintf(note, size, "loses the bodies at %.3g s", time);
    else if (r->impatient)
        snprintf(note, size, "ended at %.3g s, after %.0f s of computing%s", time, c->course.patience,
                 has_fallen(c, r) ? "; fallen" : "");
    else if (has_fallen(c, r))
        snprintf(note, size, "falls at %.3g s", r->fell);
    else
        note[0] = '\0';
}

static json_t *standing(const race_result *r)
{
    char text[64] = "";
    for (uint32_t i = 0; i < r->stand_count; ++i)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", i > 0 ? ", " : "", r->stands[i]);
    return json_string(text);
}

static bool measured(const race_result *r)
{
    return r->refused == NULL && !r->lost && !r->stuck && r->taken > 0;
}

static json_t *make_row(const contest *c, const peer *engine, uint32_t substeps, const race_result *r)
{
    char note[128];
    bool good = measured(r), touch = good && has(c, PEERS_OVERLAP), stand = good && has(c, PEERS_STANDS);
    write_note(c, engine, r, note, sizeof note);
    if (substeps > 1)
        snprintf(note + strlen(note), sizeof note - strlen(note), "%swith %u steps in one, the fewest it needs",
                 note[0] != '\0' ? "; " : "", substeps);
    json_t *row = json_pack("{s:s, s:s, s:s, s:I}", "scene", c->entry->name, "engine", engine->engine, "settings",
                            engine->settings, "threads", (json_int_t)engine->threads);
    put(row, "mean (ms)", good, r->mean, 1e-3);
    put(row, "worst (ms)", good, r->worst, 1e-3);
    put(row, "at the end (ms)", good, r->end, 1e-3);
    put(row, "overlap, most (mm)", touch, r->deepest, 1e-3);
    put(row, "at the end (mm)", touch, r->deepest_end, 1e-3);
    put(row, "mean (mm)", touch, r->mean_end, 1e-3);
    put(row, "gap (mm)", stand, r->gap, 1e-3);
    put(row, "drift (mm)", stand, r->drift, 1e-3);
    put(row, "sinks (mm)", stand, r->sinks, 1e-3);
    json_object_set_new(row, "stand", stand ? standing(r) : json_null());
    put(row, "joint error (m)", good && has(c, PEERS_JOINTS), r->joint_error, 1);
    put(row, "energy (J)", good, r->energy, 1);
    put(row, "energy (%)", good && has(c, PEERS_ENERGY), r->energy, 0.01 * c->scale);
    put(row, "rotation (%)", good && has(c, PEERS_ROTATION), r->rotation, 0.01);
    put(row, "off after 1 s (m)", good && has(c, PEERS_OFF), r->off, 1);
    json_object_set_new(row, "note", json_string(note));
    return row;
}

/* ---- a scene ---- */

static bool can_run(const contest *c, const peer *engine)
{
    return engine->create != NULL && (c->model.flat ? engine->flat : engine->solid);
}

/* Where bodies are after a second, and how much energy of motion there is, by a fine solution of ours. */
static ash_status expect(contest *c, ash_diagnostic *diagnostic)
{
    race_result result;
    race_course fine = c->course;
    if (!has(c, PEERS_ENERGY) && !has(c, PEERS_OFF))
        return ASH_OK;
    c->expected = ashi_alloc_zeroed((c->model.body_count + 1) * sizeof *c->expected);
    if (c->expected == NULL)
        return ashi_out_of_memory(diagnostic);
    fine.centres = c->expected;
    fine.patience = 10 * patience;
    if (has(c, PEERS_OFF) && fine.look_at > 0)
        fine.steps = fine.look_at;
    ash_status status = race_run(&fine, &peer_engineering, has(c, PEERS_OFF) ? FINE_SUBSTEPS : 1, &result, diagnostic);
    c->scale = result.kinetic;
    if (has(c, PEERS_OFF) && c->course.look_at > 0)
        c->course.expected = c->expected;
    return status;
}

static ash_status begin(contest *c, ash_scene *scene, ash_diagnostic *diagnostic)
{
    ash_status status = peer_model_make(scene, &c->model, diagnostic);
    if (status != ASH_OK)
        return status;
    double time = c->options->quick ? c->entry->quick : c->entry->time;
    c->course = (race_course){.model = &c->model,
                              .gauge = gauge_create(&c->model),
                              .h = c->entry->h,
                              .steps = (uint32_t)lround(time / c->entry->h),
                              .looks = c->model.body_count > MANY_BODIES ? LOOKS : 0,
                              .patience = c->options->quick ? quick_patience : patience,
                              .look_at = time >= 1 ? (uint32_t)lround(1 / c->entry->h) : 0};
    return c->course.gauge != NULL ? expect(c, diagnostic) : ashi_out_of_memory(diagnostic);
}

/* Mechanisms that an engine loses by its best settings are given shorter steps. */
static ash_status race_one(const contest *c, const peer *engine, json_t *rows, ash_diagnostic *diagnostic)
{
    race_result result = {0};
    uint32_t substeps = 1;
    ash_status status = ASH_OK;
    if (can_run(c, engine))
        status = race_run_apart(&c->course, engine, substeps, &result, diagnostic);
    bool again = strstr(engine->settings, "best") != NULL && !c->model.contacts;
    while (status == ASH_OK && again && result.lost && substeps < MOST_SUBSTEPS)
        status = race_run_apart(&c->course, engine, substeps *= 2, &result, diagnostic);
    if (status != ASH_OK)
        return status;
    json_t *row = make_row(c, engine, result.lost ? 1 : substeps, &result);
    return json_array_append_new(rows, row) == 0 ? ASH_OK : ashi_out_of_memory(diagnostic);
}

static ash_status race_all(contest *c, json_t *rows, ash_diagnostic *diagnostic)
{
    const peer *engine;
    ash_status status = ASH_OK;
    for (uint32_t i = 0; status == ASH_OK && (engine = peer_get(i)) != NULL; ++i) {
        if (!can_run(c, engine) && i > 0 && strcmp(engine->engine, peer_get(i - 1)->engine) == 0)
            continue; /* one row says that the engine cannot */
        c->options->progress(c->entry->name, engine->engine, engine->settings, c->options->user);
        status = race_one(c, engine, rows, diagnostic);
    }
    return status;
}

static ash_status race_on(const peers_scene *entry, const bench_peers_options *options, json_t *rows,
                          ash_diagnostic *diagnostic)
{
    ash_scene *scene = NULL;
    contest c = {.entry = entry, .options = options};
    ash_status status = peers_scene_open(entry, &scene, diagnostic);
    if (status == ASH_OK)
        status = begin(&c, scene, diagnostic);
    if (status == ASH_OK)
        status = race_all(&c, rows, diagnostic);
    gauge_destroy(c.course.gauge);
    ashi_dealloc(c.expected);
    peer_model_release(&c.model);
    ash_scene_destroy(scene);
    return status;
}

/* ---- all of them ---- */

/* Whether a list "a,b" has the name; null has all. */
static bool lists(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return list == NULL;
}

/* Every name of the list must be a scene's. */
static ash_status check_list(const char *list, ash_diagnostic *diagnostic)
{
    const char *known[64];
    const peers_scene *entry;
    uint32_t count = 0;
    for (; count < 64 && (entry = peers_scene_get(count)) != NULL; ++count)
        known[count] = entry->name;
    for (const char *at = list; at != NULL; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char name[64], hint[96];
        bool found = false;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        for (uint32_t i = 0; i < count; ++i)
            found = found || strcmp(known[i], name) == 0;
        if (!found)
            return ashi_fail(diagnostic, ASH_NOT_FOUND, "bench.peers", "no scene of the peers' table is \"%s\"%s", name,
                             ashi_did_you_mean(name, known, count, hint, sizeof hint));
    }
    return ASH_OK;
}

json_t *bench_peers(const bench_peers_options *options, ash_diagnostic *diagnostic)
{
    const peers_scene *entry;
    json_t *rows = json_array();
    ash_status status = rows != NULL ? check_list(options->scenes, diagnostic) : ashi_out_of_memory(diagnostic);
    for (uint32_t i = 0; status == ASH_OK && (entry = peers_scene_get(i)) != NULL; ++i)
        if (lists(options->scenes, entry->name))
            status = race_on(entry, options, rows, diagnostic);
    if (status == ASH_OK)
        return rows;
    json_decref(rows);
    return NULL;
}

static const peers_scene *scene_named(const char *name)
{
    const peers_scene *entry = NULL;
    for (uint32_t i = 0; (entry = peers_scene_get(i)) != NULL; ++i)
        if (strcmp(entry->name, name) == 0)
            break;
    return entry;
}

void bench_print_peers(const json_t *rows, bool quick)
{
    size_t count = json_array_size(rows);
    for (size_t first = 0, last = 0; first < count; first = last) {
        const char *name = json_string_value(json_object_get(json_array_get(rows, first), "scene"));
        const peers_scene *entry = scene_named(name);
        char title[160];
        while (last < count &&
               strcmp(name, json_string_value(json_object_get(json_array_get(rows, last), "scene"))) == 0)
            ++last;
        snprintf(title, sizeof title, "%s: scene %s%s%s, h %.4g s, %.3g s", name, entry->scene,
                 entry->settings[0] != '\0' ? " with " : "", entry->settings, entry->h,
                 quick ? entry->quick : entry->time);
        bench_print_part(title, rows, first, last, "scene");
    }
}
