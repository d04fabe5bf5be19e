/* glTF 2.0: a node for each body, animated, with a child for each shape; meshes, materials. glTF has y up: the node
 * above all turns our z there. A body that is not in the world has no size for that time.
 *
 * Numbers are 32-bit floats, as the format wants; the buffer is part of the file, as base64 in .gltf, as bytes in .glb.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/document.h"
#include "app/cli/file.h"
#include "app/cli/message.h"
#include "app/export/motion.h"
#include "app/picture/colour.h"
#include "math/vec3.h"

enum { FLOAT = 5126, UNSIGNED = 5125, ARRAY_BUFFER = 34962, ELEMENT_BUFFER = 34963 };

typedef struct gltf {
    const cli_motion *motion;
    ASHI_ARRAY(uint8_t) bytes;
    json_t *views, *accessors, *meshes, *materials, *nodes, *samplers, *channels;
    ASHI_ARRAY(uint64_t) drawn;    /* of each mesh: the geometry, and its material's number above */
    ASHI_ARRAY(uint32_t) surfaces; /* of each geometry: its first accessor, or UINT32_MAX */
    bool failed;
} gltf;

static void put_bytes(gltf *g, const void *bytes, size_t size)
{
    uint64_t end = (uint64_t)g->bytes.count + size;
    if (end > UINT32_MAX - 64 || !ashi_array_reserve(&g->bytes, end)) {
        g->failed = true;
        return;
    }
    memcpy(g->bytes.data + g->bytes.count, bytes, size);
    g->bytes.count = (uint32_t)end;
}

static void put_float(gltf *g, double value)
{
    float single = (float)value;
    put_bytes(g, &single, sizeof single);
}

static void put_point(gltf *g, ash_vec3 p)
{
    put_float(g, p.x);
    put_float(g, p.y);
    put_float(g, p.z);
}

static uint32_t last_of(const json_t *list)
{
    return (uint32_t)json_array_size(list) - 1;
}

/* What was put since byte `begin`, as `count` values of that type; its number. */
static uint32_t add_accessor(gltf *g, uint32_t begin, int target, int component, const char *type, uint32_t count)
{
    json_t *view = json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset", (json_int_t)begin, "byteLength",
                             (json_int_t)(g->bytes.count - begin));
    if (target != 0)
        cli_json_set(view, "target", json_integer(target));
    cli_json_append(g->views, view);
    cli_json_append(g->accessors, json_pack("{s:i, s:i, s:i, s:s}", "bufferView", (int)last_of(g->views),
                                            "componentType", component, "count", (int)count, "type", type));
    return last_of(g->accessors);
}

/* The least and greatest of the `width` components of what was put since `begin`. */
static void add_range(gltf *g, uint32_t accessor, uint32_t begin, int width)
{
    json_t *low = json_array(), *high = json_array(), *entry = json_array_get(g->accessors, accessor);
    for (int k = 0; k < width; k++) {
        float least = INFINITY, most = -INFINITY;
        for (uint32_t at = begin + 4 * (uint32_t)k; at + 4 <= g->bytes.count; at += 4 * (uint32_t)width) {
            float value;
            memcpy(&value, g->bytes.data + at, sizeof value);
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
        cli_json_append(low, json_real((double)least));
        cli_json_append(high, json_real((double)most));
    }
    cli_json_set(entry, "min", low);
    cli_json_set(entry, "max", high);
}

/* Points, normals and triangles of a geometry: three accessors, the first of which is returned. */
static uint32_t add_surface(gltf *g, uint32_t geometry)
{
    const ash_triangulation *t = &g->motion->surfaces[geometry].triangles;
    if (g->surfaces.data[geometry] != UINT32_MAX)
        return g->surfaces.data[geometry];
    uint32_t begin = g->bytes.count;
    for (uint32_t i = 0; i < t->point_count; i++)
        put_point(g, t->points[i]);
    uint32_t first = add_accessor(g, begin, ARRAY_BUFFER, FLOAT, "VEC3", t->point_count);
    add_range(g, first, begin, 3);
    begin = g->bytes.count;
    for (uint32_t i = 0; i < t->point_count; i++) {
        double length = v3_norm(t->normals[i]);
        put_point(g, length > 0 ? v3_scale(t->normals[i], 1 / length) : v3(0, 0, 1));
    }
    add_accessor(g, begin, ARRAY_BUFFER, FLOAT, "VEC3", t->point_count);
    begin = g->bytes.count;
    put_bytes(g, t->triangles, 3 * (size_t)t->triangle_count * sizeof *t->triangles);
    add_accessor(g, begin, ELEMENT_BUFFER, UNSIGNED, "SCALAR", 3 * t->triangle_count);
    return g->surfaces.data[geometry] = first;
}

/* Colours that stay apart for most kinds of colour blindness (Okabe and Ito), as light, and grey for what never moves.
 */
static json_t *colour(uint32_t number, bool fixed)
{
    static const double colours[][3] = {{0.000, 0.168, 0.445}, {0.665, 0.112, 0.000}, {0.000, 0.342, 0.171},
                                        {0.604, 0.191, 0.386}, {0.093, 0.456, 0.815}, {0.791, 0.347, 0.000}};
    enum { COLOURS = sizeof colours / sizeof *colours };
    if (fixed)
        return json_pack("[f, f, f, f]", 0.45, 0.45, 0.45, 1.0);
    const double *c = colours[number % COLOURS];
    return json_pack("[f, f, f, f]", c[0], c[1], c[2], 1.0);
}

/* 0xrrggbb as screens show it, as light. */
static json_t *linear(uint32_t rgb)
{
    cli_colour c = cli_colour_of(rgb);
    return json_pack("[f, f, f, f]", (double)c.r, (double)c.g, (double)c.b, 1.0);
}

/* Two for each material of the scene and for the default one: of bodies that move, and of those that do not. */
static void add_materials(gltf *g)
{
    const ash_scene *scene = g->motion->scene;
    for (uint32_t i = 0; i <= scene->materials.count; i++)
        for (int fixed = 0; fixed < 2; fixed++) {
            char name[160];
            const char *own = i < scene->materials.count ? scene->materials.data[i].name : NULL;
            const ashi_material_look none = {ASHI_NONE, ASHI_ROUGHNESS, 0};
            const ashi_material_look *look = own != NULL ? &scene->material_looks.data[i] : &none;
            json_t *shown = look->colour != ASHI_NONE ? linear(look->colour) : colour(i, fixed);
            snprintf(name, sizeof name, "%.120s%s", own != NULL ? own : "default", fixed ? " (fixed)" : "");
            cli_json_append(g->materials, json_pack("{s:o, s:b, s:{s:o, s:f, s:f}}", "name", cli_json_text(name),
                                                    "doubleSided", 1, "pbrMetallicRoughness", "baseColorFactor", shown,
                                                    "metallicFactor", look->metal, "roughnessFactor", look->roughness));
        }
}

/* The mesh of a shape: one for each geometry and material. */
static uint32_t add_mesh(gltf *g, const ashi_scene_shape *shape, bool fixed)
{
    uint32_t own = shape->material == ASHI_NONE ? g->motion->scene->materials.count : shape->material;
    uint32_t material = 2 * own + fixed;
    uint64_t key = (uint64_t)material << 32 | shape->geometry;
    for (uint32_t i = 0; i < g->drawn.count; i++)
        if (g->drawn.data[i] == key)
            return i;
    uint32_t first = add_surface(g, shape->geometry);
    cli_json_append(g->meshes,
                    json_pack("{s:[{s:{s:i, s:i}, s:i, s:i}]}", "primitives", "attributes", "POSITION", (int)first,
                              "NORMAL", (int)first + 1, "indices", (int)first + 2, "material", (int)material));
    g->failed = g->failed || !ashi_array_extend(&g->drawn);
    if (!g->failed)
        g->drawn.data[g->drawn.count - 1] = key;
    return last_of(g->meshes);
}

static void set_place(json_t *node, ash_vec3 p, ash_quat q)
{
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    cli_json_set(node, "translation", json_pack("[f, f, f]", p.x, p.y, p.z));
    cli_json_set(node, "rotation", json_pack("[f, f, f, f]", q.x / length, q.y / length, q.z / length, q.w / length));
}

/* Nodes of the shapes of a body; their numbers. Those without triangles have none. */
static json_t *add_shapes(gltf *g, const ashi_scene_body *body)
{
    const ash_scene *scene = g->motion->scene;
    json_t *children = json_array();
    for (uint32_t i = 0; i < body->shape_count; i++) {
        const ashi_scene_shape *shape = &scene->shapes.data[body->first_shape + i];
        if (g->motion->surfaces[shape->geometry].triangles.triangle_count == 0)
            continue;
        json_t *node = json_pack("{s:i}", "mesh", (int)add_mesh(g, shape, body->def.type == ASH_BODY_STATIC));
        if (shape->name != NULL && shape->name[0] != 0)
            cli_json_set(node, "name", cli_json_text(shape->name));
        set_place(node, shape->pose.position, shape->pose.rotation);
        cli_json_append(g->nodes, node);
        cli_json_append(children, json_integer(last_of(g->nodes)));
    }
    return children;
}

/* A channel of the animation: what was put since `begin` moves the node. */
static void add_channel(gltf *g, uint32_t begin, uint32_t times, uint32_t node, const char *path, const char *type,
                        const char *way)
{
    uint32_t output = add_accessor(g, begin, 0, FLOAT, type, g->motion->frames.count);
    cli_json_append(g->samplers,
                    json_pack("{s:i, s:i, s:s}", "input", (int)times, "output", (int)output, "interpolation", way));
    cli_json_append(g->channels, json_pack("{s:i, s:{s:i, s:s}}", "sampler", (int)last_of(g->samplers), "target",
                                           "node", (int)node, "path", path));
}

/* The last frame up to this one in which the body is in the world, or the first one after it. */
static uint32_t present_frame(const cli_motion *motion, uint32_t body, uint32_t frame)
{
    for (uint32_t f = frame + 1; f-- > 0;)
        if (!isnan(motion->positions[cli_motion_at(motion, f, body)].x))
            return f;
    for (uint32_t f = frame; f < motion->frames.count; f++)
        if (!isnan(motion->positions[cli_motion_at(motion, f, body)].x))
            return f;
    return UINT32_MAX;
}

static void animate(gltf *g, uint32_t body, uint32_t node, uint32_t times)
{
    const cli_motion *motion = g->motion;
    uint32_t begin = g->bytes.count;
    for (uint32_t f = 0; f < motion->frames.count; f++)
        put_point(g, motion->positions[cli_motion_at(motion, present_frame(motion, body, f), body)]);
    add_channel(g, begin, times, node, "translation", "VEC3", "LINEAR");
    begin = g->bytes.count;
    for (uint32_t f = 0; f < motion->frames.count; f++) {
        ash_quat q = motion->rotations[cli_motion_at(motion, present_frame(motion, body, f), body)];
        put_point(g, v3(q.x, q.y, q.z));
        put_float(g, q.w);
    }
    add_channel(g, begin, times, node, "rotation", "VEC4", "LINEAR");
    if (cli_motion_stays(motion, body))
        return;
    begin = g->bytes.count;
    for (uint32_t f = 0; f < motion->frames.count; f++) {
        double size = isnan(motion->positions[cli_motion_at(motion, f, body)].x) ? 0 : 1;
        put_point(g, v3(size, size, size));
    }
    add_channel(g, begin, times, node, "scale", "VEC3", "STEP");
}

/* The times of the frames; equal ones, when rounded, are distinguished by the least amount. */
static uint32_t add_times(gltf *g)
{
    uint32_t begin = g->bytes.count;
    float before = -1;
    for (uint32_t f = 0; f < g->motion->frames.count; f++) {
        float time = (float)(g->motion->times[f] - g->motion->times[0]);
        time = time > before ? time : nextafterf(before, INFINITY);
        put_bytes(g, &time, sizeof time);
        before = time;
    }
    uint32_t accessor = add_accessor(g, begin, 0, FLOAT, "SCALAR", g->motion->frames.count);
    add_range(g, accessor, begin, 1);
    return accessor;
}

static void add_bodies(gltf *g)
{
    const cli_motion *motion = g->motion;
    json_t *children = json_array();
    uint32_t times = UINT32_MAX;
    cli_json_append(g->nodes,
                    json_pack("{s:s, s:[f, f, f, f]}", "name", "z is up", "rotation", -sqrt(0.5), 0.0, 0.0, sqrt(0.5)));
    for (uint32_t b = 0; b < motion->scene->bodies.count; b++) {
        const ashi_scene_body *body = &motion->scene->bodies.data[b];
        uint32_t frame = present_frame(motion, b, 0);
        if (frame == UINT32_MAX)
            continue;
        json_t *shapes = add_shapes(g, body), *node = json_object();
        bool named = body->def.name != NULL && body->def.name[0] != 0;
        char number[24];
        snprintf(number, sizeof number, "body %u", (unsigned)b);
        cli_json_set(node, "name", cli_json_text(named ? body->def.name : number));
        if (json_array_size(shapes) > 0)
            cli_json_set(node, "children", shapes);
        else
            json_decref(shapes);
        uint64_t at = cli_motion_at(motion, frame, b);
        set_place(node, motion->positions[at], motion->rotations[at]);
        cli_json_append(g->nodes, node);
        cli_json_append(children, json_integer(last_of(g->nodes)));
        if (motion->frames.count < 2 || (cli_motion_rests(motion, b) && cli_motion_stays(motion, b)))
            continue;
        if (times == UINT32_MAX)
            times = add_times(g);
        animate(g, b, last_of(g->nodes), times);
    }
    if (json_array_size(children) > 0)
        cli_json_set(json_array_get(g->nodes, 0), "children", children);
    else
        json_decref(children);
}

static void set_list(json_t *document, const char *key, json_t *list)
{
    if (json_array_size(list) > 0)
        cli_json_set(document, key, json_incref(list)); /* empty ones are not allowed */
}

static json_t *make_document(gltf *g)
{
    json_t *document =
        json_pack("{s:{s:s, s:s}, s:i, s:[{s:o, s:[i]}]}", "asset", "version", "2.0", "generator", "ashlar", "scene", 0,
                  "scenes", "name", cli_json_text(g->motion->scene->name), "nodes", 0);
    set_list(document, "nodes", g->nodes);
    set_list(document, "meshes", g->meshes);
    set_list(document, "materials", json_array_size(g->meshes) > 0 ? g->materials : NULL);
    set_list(document, "accessors", g->accessors);
    set_list(document, "bufferViews", g->views);
    if (json_array_size(g->channels) > 0)
        cli_json_set(document, "animations",
                     json_pack("[{s:s, s:O, s:O}]", "name", "run", "channels", g->channels, "samplers", g->samplers));
    return document;
}

/* ---- the file ---- */

static char *encode_base64(const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const char head[] = "data:application/octet-stream;base64,";
    char *text = ashi_alloc(sizeof head + (size + 2) / 3 * 4), *to;
    if (text == NULL)
        return NULL;
    memcpy(text, head, sizeof head);
    to = text + sizeof head - 1;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t three = (uint32_t)bytes[i] << 16;
        three |= i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0;
        three |= i + 2 < size ? bytes[i + 2] : 0u;
        *to++ = digits[three >> 18];
        *to++ = digits[three >> 12 & 63];
        *to++ = i + 1 < size ? digits[three >> 6 & 63] : '=';
        *to++ = i + 2 < size ? digits[three & 63] : '=';
    }
    *to = 0;
    return text;
}

/* A header, the JSON filled up with blanks, and the buffer. */
static int write_binary(const gltf *g, const char *json, const char *path)
{
    uint32_t json_size = ((uint32_t)strlen(json) + 3) / 4 * 4, size = 12 + 8 + json_size;
    size += g->bytes.count > 0 ? 8 + g->bytes.count : 0;
    const uint32_t head[5] = {0x46546c67, 2, size, json_size, 0x4e4f534a};
    const uint32_t chunk[2] = {g->bytes.count, 0x004e4942};
    uint8_t *file = ashi_alloc(size), *to = file;
    if (file == NULL) {
        cli_error("out of memory");
        return CLI_BAD_INPUT;
    }
    memcpy(to, head, sizeof head);
    to += sizeof head;
    memset(to, ' ', json_size);
    memcpy(to, json, strlen(json));
    to += json_size;
    if (g->bytes.count > 0) {
        memcpy(to, chunk, sizeof chunk);
        memcpy(to + sizeof chunk, g->bytes.data, g->bytes.count);
    }
    int status = cli_write_file(path, file, size);
    ashi_dealloc(file);
    return status;
}

static bool ends_in_glb(const char *path)
{
    size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".glb") == 0;
}

static int write_document(gltf *g, const char *path)
{
    bool binary = ends_in_glb(path);
    json_t *document = make_document(g);
    char *data = binary || g->bytes.count == 0 ? NULL : encode_base64(g->bytes.data, g->bytes.count);
    if (g->bytes.count > 0) {
        json_t *buffer = json_pack("{s:I}", "byteLength", (json_int_t)g->bytes.count);
        if (data != NULL)
            cli_json_set(buffer, "uri", json_string_nocheck(data));
        cli_json_set(document, "buffers", json_pack("[o]", buffer));
    }
    char *text = g->failed || !cli_json_is_whole() || (!binary && g->bytes.count > 0 && data == NULL)
                     ? NULL
                     : json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(17));
    int status = CLI_BAD_INPUT;
    if (text == NULL)
        cli_error("out of memory, or more than 4 GB: --rate takes fewer frames");
    else
        status = binary ? write_binary(g, text, path) : cli_write_file(path, text, strlen(text));
    json_free_t release;
    json_get_alloc_funcs(NULL, &release);
    if (text != NULL)
        release(text);
    ashi_dealloc(data);
    json_decref(document);
    return status;
}

int cli_write_gltf(const cli_motion *motion, const char *path)
{
    gltf g = {.motion = motion,
              .views = json_array(),
              .accessors = json_array(),
              .meshes = json_array(),
              .materials = json_array(),
              .nodes = json_array(),
              .samplers = json_array(),
              .channels = json_array()};
    uint32_t count = motion->scene->geometries.count;
    g.failed = !ashi_array_reserve(&g.surfaces, (uint64_t)count + 1);
    int status = CLI_BAD_INPUT;
    if (!g.failed) {
        for (uint32_t i = 0; i < count; i++)
            g.surfaces.data[i] = UINT32_MAX;
        add_materials(&g);
        add_bodies(&g);
        status = write_document(&g, path);
    } else
        cli_error("out of memory");
    json_t *const lists[] = {g.views, g.accessors, g.meshes, g.materials, g.nodes, g.samplers, g.channels};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        json_decref(lists[i]);
    ashi_array_release(&g.bytes);
    ashi_array_release(&g.drawn);
    ashi_array_release(&g.surfaces);
    return status;
}
