/* Strings and nets of scene files: their masses come after the bodies of the file, their springs after its forces. */
#include "math/vec3.h"
#include "scene/file/read.h"

#define LARGEST 1e30 /* numbers of strings and nets: the springs made of them are finite */

static bool wrong_at(ashi_reader *reader, const ashi_place *place, const char *key, const char *what)
{
    ashi_place at = ashi_at_key(place, key);
    return ashi_read_wrong(reader, &at, "scene.value", "%s", what);
}

static bool check_count(ashi_reader *reader, const ashi_place *place, const char *key, int32_t count)
{
    return (count >= 1 && count <= ASHI_MOST_ELEMENTS) ||
           wrong_at(reader, place, key, "a whole number from 1 to 1000000");
}

/* Checks common to strings and nets. */
static bool check_cord(ashi_reader *reader, const ashi_place *place, const ashi_cord *cord)
{
    if (!(cord->mass > 0))
        return wrong_at(reader, place, "mass", "the mass of all of it, kg, above 0");
    if (!(cord->stiffness > 0))
        return wrong_at(reader, place, "stiffness", "E A, the force that doubles its length, N, above 0");
    const double numbers[] = {cord->mass, cord->stiffness, cord->damping_ratio, cord->bending_stiffness, cord->radius};
    static const char *const keys[] = {"mass", "stiffness", "damping_ratio", "bending_stiffness", "radius"};
    for (int i = 0; i < 5; i++)
        if (!(numbers[i] <= LARGEST))
            return wrong_at(reader, place, keys[i], "a number up to 1e30");
    return true;
}

/* Of an element, so that its spring is a finite number, and so are the places of its masses. */
static bool is_length(double length)
{
    return length >= 1 / LARGEST && length <= LARGEST;
}

static bool check_string(ashi_reader *reader, const ashi_place *place, const ashi_cord_string *s)
{
    if (!check_count(reader, place, "elements", s->elements) || !check_cord(reader, place, &s->cord))
        return false;
    if (s->length >= 0 && !is_length(s->length / s->elements))
        return wrong_at(reader, place, "length", "a length above 0");
    if (s->elements == 1 && !s->free_a && !s->free_b)
        return wrong_at(reader, place, "elements", "2 or more between two held ends");
    if (s->free_a && v3_norm2(s->direction_a) > 0)
        return wrong_at(reader, place, "direction_a", "no direction where the end is free");
    if (s->free_b && v3_norm2(s->direction_b) > 0)
        return wrong_at(reader, place, "direction_b", "no direction where the end is free");
    return true;
}

static bool check_net(ashi_reader *reader, const ashi_place *place, const ashi_cord_net *n)
{
    if (!check_count(reader, place, "columns", n->columns) || !check_count(reader, place, "rows", n->rows) ||
        !check_count(reader, place, "elements", n->elements) || !check_cord(reader, place, &n->cord))
        return false;
    if (!is_length(v3_norm(n->along) / n->columns / n->elements))
        return wrong_at(reader, place, "along", "a vector with a length");
    if (!is_length(v3_norm(n->across) / n->rows / n->elements))
        return wrong_at(reader, place, "across", "a vector with a length");
    if (!(n->strain > -1 && n->strain <= LARGEST && 1 / (1 + n->strain) <= LARGEST))
        return wrong_at(reader, place, "strain", "a number above -1");
    double most = ASHI_MOST_ELEMENTS, along = n->columns * (double)n->elements, across = n->rows * (double)n->elements;
    return (along + 1) * (across + 1) <= most ||
           wrong_at(reader, place, "columns", "at most a million places of elements");
}

/* The keys, and the bodies. The lattice is the reader's, to add forces later. */
static bool read_lattice(ashi_reader *reader, const ashi_place *place, bool is_net)
{
    const ashi_key_table *table = ashi_key_table_of(is_net ? ASHI_TABLE_NET : ASHI_TABLE_STRING);
    uint32_t given, number = reader->lattices.count;
    if (!ashi_array_extend(&reader->lattices))
        return ashi_read_no_memory(reader);
    ashi_lattice *l = &reader->lattices.data[number];
    *l = (ashi_lattice){.is_net = is_net};
    void *object = is_net ? (void *)&l->net : (void *)&l->string;
    table->usual(object);
    if (!ashi_read_keys(reader, place, table, object, &given) ||
        !(is_net ? check_net(reader, place, &l->net) : check_string(reader, place, &l->string)))
        return false;
    if (!ashi_lattice_add_bodies(reader->scene, l, number))
        return ashi_read_no_memory(reader);
    if (!is_net && !(l->string.length > 0))
        return ashi_read_fail(reader, place, ASH_BAD_DATA, "scene.conflict",
                              "both ends are at one place, and there is no length");
    if (!is_net && !is_length(l->string.length / l->string.elements))
        return ashi_read_fail(reader, place, ASH_BAD_DATA, "scene.conflict", "its ends are too far apart");
    for (uint32_t i = l->first_body; i < l->first_body + l->bodies; i++)
        if (!ashi_read_enter_name(reader, reader->bodies, reader->scene->bodies.data[i].def.name, i))
            return false;
    return true;
}

bool ashi_read_strings(ashi_reader *reader, const ashi_place *root)
{
    static const char *const sections[] = {"strings", "nets"};
    for (int section = 0; section < 2; section++) {
        ashi_place list = ashi_at_key(root, sections[section]);
        size_t count;
        if (!ashi_read_array(reader, &list, &count))
            return false;
        for (size_t i = 0; i < count; i++) {
            ashi_place place = ashi_at_index(&list, i);
            if (!read_lattice(reader, &place, section == 1))
                return false;
        }
    }
    return true;
}

bool ashi_read_string_forces(ashi_reader *reader)
{
    ash_scene *scene = reader->scene;
    uint32_t first = scene->forces.count;
    for (uint32_t i = 0; i < reader->lattices.count; i++)
        if (!ashi_lattice_add_forces(scene, &reader->lattices.data[i]))
            return ashi_read_no_memory(reader);
    for (uint32_t i = first; i < scene->forces.count; i++)
        if (!ashi_read_enter_name(reader, reader->forces, ashi_scene_force_name(&scene->forces.data[i]), i))
            return false;
    return true;
}
