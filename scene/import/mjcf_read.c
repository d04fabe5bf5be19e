/* The head of an MJCF file: included files, settings, default classes, assets. */
#include "scene/file/file.h"
#include "scene/import/mjcf.h"

#include <stdio.h>
#include <string.h>

enum { DEEPEST_INCLUDE = 32, MOST_INCLUDES = 1000 };

typedef struct including {
    const char *path;
    const struct including *by;
} including;

static bool include_all(mjcf *m, ashi_xml *element, const including *chain, uint32_t depth, uint32_t *count);

/* Puts the children of the file's root in the place of the element. */
static bool include_file(mjcf *m, ashi_xml *at, const including *chain, uint32_t depth, uint32_t *count)
{
    ashi_draft *draft = m->draft;
    const char *name;
    char *text;
    size_t size;
    ashi_xml *root;
    if (!ashi_draft_text(draft, at, "file", &name))
        return false;
    if (depth > DEEPEST_INCLUDE || ++*count > MOST_INCLUDES)
        return ashi_draft_fail(draft, at, "mjcf.include",
                               "files are included more than %d deep, or more than %d of them", DEEPEST_INCLUDE,
                               MOST_INCLUDES);
    const char *path = ashi_draft_locate(draft, draft->file, name);
    if (path == NULL)
        path = ashi_draft_locate(draft, at->file, name);
    if (path == NULL)
        return ashi_draft_fail(draft, at, "file.missing", "the included file \"%.300s\" is not found", name);
    for (const including *file = chain; file != NULL; file = file->by)
        if (strcmp(file->path, path) == 0)
            return ashi_draft_fail(draft, at, "mjcf.include", "\"%.300s\" includes itself", name);
    ash_status status = ashi_read_file(path, &text, &size, &draft->diagnostic);
    if (status != ASH_OK)
        return ashi_draft_passed_on(draft, at, status);
    status = draft->status = ashi_xml_parse(draft->arena, text, size, path, &root, &draft->diagnostic);
    ashi_dealloc(text);
    if (status != ASH_OK)
        return false;
    const including here = {path, chain};
    root->read = true;
    if (!include_all(m, root, &here, depth + 1, count))
        return false;
    for (ashi_xml *child = root->first; child != NULL; child = child->next)
        child->parent = at->parent;
    /* an empty file leaves the element itself, which is then read and has nothing in it */
    at->read = true;
    at->first = at->last = NULL;
    if (root->first != NULL) {
        root->last->next = at->next;
        if (at->parent->last == at)
            at->parent->last = root->last;
        at->next = root->first;
    }
    return true;
}

static bool include_all(mjcf *m, ashi_xml *element, const including *chain, uint32_t depth, uint32_t *count)
{
    for (ashi_xml *child = element->first; child != NULL;) {
        ashi_xml *next = child->next; /* what is put in between has its files already */
        if (ashi_xml_is(child, "include") ? !include_file(m, child, chain, depth, count)
                                          : !include_all(m, child, chain, depth, count))
            return false;
        child = next;
    }
    return true;
}

bool mjcf_include(mjcf *m)
{
    uint32_t count = 0;
    const including here = {m->draft->file, NULL};
    return include_all(m, m->root, &here, 0, &count);
}

ashi_xml *mjcf_section(mjcf *m, const char *name)
{
    return ashi_xml_child(m->root, name);
}

/* ---- default classes ---- */

static bool add_class(mjcf *m, ashi_xml *xml, uint32_t parent)
{
    const char *name = ashi_xml_get(xml, "class");
    if (name == NULL && parent != ASHI_NONE)
        return ashi_draft_fail(m->draft, xml, "robot.missing", "<default> in <default> has no attribute class");
    if (name == NULL)
        name = "main";
    /* the main one may be written in several pieces: each is a class above the one before */
    uint32_t number = m->classes.count, known = ashi_draft_find(m->class_numbers, name);
    if (known != ASHI_NONE && parent != ASHI_NONE)
        return ashi_draft_fail(m->draft, xml, "robot.duplicate", "there are two classes called \"%.100s\"", name);
    if (!ashi_array_extend(&m->classes))
        return ashi_draft_no_memory(m->draft);
    m->classes.data[number] = (mjcf_class){name, xml, parent};
    if (known != ASHI_NONE) { /* found from the first piece on */
        uint32_t last = known;
        while (m->classes.data[last].parent != ASHI_NONE)
            last = m->classes.data[last].parent;
        m->classes.data[last].parent = number;
    } else if (json_object_set_new(m->class_numbers, name, json_integer(number)) != 0)
        return ashi_draft_fail(m->draft, xml, "robot.name", "the name of a class is not valid UTF-8");
    uint32_t up = known != ASHI_NONE ? known : number;
    for (ashi_xml *child = xml->first; child != NULL; child = child->next) {
        child->read = true; /* its attributes count as read when somebody reads them */
        if (ashi_xml_is(child, "default") && !add_class(m, child, up))
            return false;
    }
    return true;
}

/* There is a class called main, even where the file gives it no defaults. */
static bool add_usual_class(mjcf *m)
{
    if (ashi_draft_find(m->class_numbers, "main") != ASHI_NONE)
        return true;
    ashi_xml *none = ashi_arena_take(m->draft->arena, sizeof *none);
    if (none == NULL)
        return ashi_draft_no_memory(m->draft);
    *none = (ashi_xml){.name = "default", .file = m->root->file, .line = m->root->line, .read = true};
    return add_class(m, none, ASHI_NONE);
}

static ashi_xml *child_of_class(const mjcf *m, uint32_t class, const char *name)
{
    for (ashi_xml *child = m->classes.data[class].xml->first; child != NULL; child = child->next)
        if (ashi_xml_is(child, name))
            return child;
    return NULL;
}

/* Defaults of tendons and of equalities have one name for all kinds of them; those of general actuators hold for the
 * shorthands, too. */
static ashi_xml *element_of_class(const mjcf *m, uint32_t class, const ashi_xml *element)
{
    const char *section = element->parent != NULL ? element->parent->name : "";
    if (strcmp(section, "tendon") == 0 || strcmp(section, "equality") == 0)
        return child_of_class(m, class, section);
    ashi_xml *own = child_of_class(m, class, element->name);
    return own == NULL && strcmp(section, "actuator") == 0 ? child_of_class(m, class, "general") : own;
}

/* Adds those attributes that the element has not. */
static bool inherit(mjcf *m, ashi_xml *element, ashi_xml *from)
{
    uint32_t room = element->attribute_count + from->attribute_count;
    ashi_xml_attribute *all = ashi_arena_take_array(m->draft->arena, room > 0 ? room : 1, sizeof *all);
    if (all == NULL)
        return ashi_draft_no_memory(m->draft);
    if (element->attribute_count > 0)
        memcpy(all, element->attributes, element->attribute_count * sizeof *all);
    uint32_t count = element->attribute_count;
    for (uint32_t i = 0; i < from->attribute_count; i++) {
        ashi_xml_attribute *attribute = &from->attributes[i];
        if (ashi_xml_peek(element, attribute->name) == NULL)
            all[count++] = (ashi_xml_attribute){attribute->name, attribute->value, true, attribute};
        else
            attribute->read = true; /* another value stands in its place */
    }
    element->attributes = all;
    element->attribute_count = count;
    return true;
}

bool mjcf_apply_class(mjcf *m, ashi_xml *element, uint32_t inherited, uint32_t *class)
{
    const char *name = ashi_xml_get(element, "class");
    uint32_t main = ashi_draft_find(m->class_numbers, "main");
    *class = name != NULL ? ashi_draft_find(m->class_numbers, name) : inherited != ASHI_NONE ? inherited : main;
    if (name != NULL && *class == ASHI_NONE)
        return ashi_draft_fail(m->draft, element, "robot.unknown-name", "there is no class called \"%.100s\"", name);
    element->read = true;
    if (element->inherited)
        return true;
    element->inherited = true;
    for (uint32_t up = *class; up != ASHI_NONE; up = m->classes.data[up].parent) {
        ashi_xml *from = element_of_class(m, up, element);
        if (from != NULL && !inherit(m, element, from))
            return false;
    }
    return true;
}

bool mjcf_child_class(mjcf *m, ashi_xml *element, uint32_t inherited, uint32_t *class)
{
    const char *name = ashi_xml_get(element, "childclass");
    *class = name != NULL ? ashi_draft_find(m->class_numbers, name) : inherited;
    return name == NULL || *class != ASHI_NONE ||
           ashi_draft_fail(m->draft, element, "robot.unknown-name", "there is no class called \"%.100s\"", name);
}

/* ---- settings ---- */

static bool is_true(ashi_xml *at, const char *name, bool usual)
{
    const char *value = ashi_xml_get(at, name);
    return value == NULL ? usual : strcmp(value, "true") == 0 || strcmp(value, "enable") == 0;
}

static bool read_compiler(mjcf *m, ashi_xml *at)
{
    const char *angle = ashi_xml_get(at, "angle"), *euler = ashi_xml_get(at, "eulerseq");
    const char *folder = ashi_xml_get(at, "meshdir"), *asset = ashi_xml_get(at, "assetdir");
    const char *from = ashi_xml_get(at, "inertiafromgeom");
    m->degrees = angle != NULL ? strcmp(angle, "radian") != 0 : m->degrees;
    m->limits_by_range = is_true(at, "autolimits", m->limits_by_range);
    m->balance = is_true(at, "balanceinertia", m->balance);
    m->mass_from_geoms = from != NULL ? strcmp(from, "true") == 0 : m->mass_from_geoms;
    if (!ashi_draft_number(m->draft, at, "boundmass", &m->least_mass) ||
        !ashi_draft_number(m->draft, at, "boundinertia", &m->least_inertia) ||
        !ashi_draft_number(m->draft, at, "settotalmass", &m->total))
        return false;
    if (euler != NULL && (strlen(euler) != 3 || strspn(euler, "xyzXYZ") != 3))
        return ashi_draft_fail(m->draft, at, "mjcf.euler", "eulerseq cannot be \"%.60s\"", euler);
    m->euler = euler != NULL ? euler : m->euler;
    m->mesh_folder = folder != NULL ? folder : asset != NULL ? asset : m->mesh_folder;
    ashi_xml_get(at, "texturedir");
    return true;
}

static bool read_option(mjcf *m, ashi_xml *at)
{
    ash_scene *scene = m->draft->scene;
    if (!ashi_draft_number(m->draft, at, "timestep", &scene->step) ||
        !ashi_draft_vector(m->draft, at, "gravity", &scene->gravity))
        return false;
    for (ashi_xml *flag = at->first; flag != NULL; flag = flag->next)
        if (ashi_xml_is(flag, "flag")) {
            m->contactless = !is_true(flag, "contact", !m->contactless);
            m->weightless = !is_true(flag, "gravity", !m->weightless);
        }
    return scene->step > 0 || ashi_draft_fail(m->draft, at, "robot.number", "timestep is %g s", scene->step);
}

/* Named after its file where it has no name of its own. */
static const char *asset_name(mjcf *m, ashi_xml *at)
{
    const char *name = ashi_xml_get(at, "name"), *file = ashi_xml_peek(at, "file");
    if (name != NULL || file == NULL)
        return name;
    const char *slash = strrchr(file, '/');
    char *copy = ashi_arena_text(m->draft->arena, slash != NULL ? slash + 1 : file);
    char *dot = copy != NULL ? strrchr(copy, '.') : NULL;
    if (dot != NULL)
        *dot = 0;
    return copy;
}

static bool read_assets(mjcf *m, ashi_xml *section)
{
    for (ashi_xml *at = section->first; at != NULL; at = at->next) {
        bool mesh = ashi_xml_is(at, "mesh");
        uint32_t class;
        if (!mesh && !ashi_xml_is(at, "material"))
            continue;
        if (!mjcf_apply_class(m, at, ASHI_NONE, &class))
            return false;
        const char *name = asset_name(m, at);
        if (name == NULL)
            return ashi_draft_fail(m->draft, at, "robot.missing", "<%s> has no attribute name", at->name);
        if (!ashi_array_extend(&m->assets))
            return ashi_draft_no_memory(m->draft);
        m->assets.data[m->assets.count - 1] = at;
        if (!ashi_draft_enter(m->draft, at, mesh ? m->mesh_assets : m->material_assets, mesh ? "meshes" : "materials",
                              name, m->assets.count - 1))
            return false;
    }
    return true;
}

bool mjcf_read_settings(mjcf *m)
{
    m->degrees = m->limits_by_range = true;
    m->euler = "xyz";
    m->mesh_folder = "";
    for (ashi_xml *at = mjcf_section(m, "compiler"); at != NULL; at = ashi_xml_again(at))
        if (!read_compiler(m, at))
            return false;
    for (ashi_xml *at = mjcf_section(m, "option"); at != NULL; at = ashi_xml_again(at))
        if (!read_option(m, at))
            return false;
    if (m->weightless)
        m->draft->scene->gravity = (ash_vec3){0};
    for (ashi_xml *at = mjcf_section(m, "default"); at != NULL; at = ashi_xml_again(at))
        if (!add_class(m, at, ASHI_NONE))
            return false;
    if (!add_usual_class(m))
        return false;
    for (ashi_xml *at = mjcf_section(m, "asset"); at != NULL; at = ashi_xml_again(at))
        if (!read_assets(m, at))
            return false;
    return true;
}
