/* Contacts in recordings. Samples have different numbers of points, so that their rows follow on each other; what is
 * written comes before the samples that count it, and a reader of a file that grows finds all that they count. */
#include "scene/record/record_contacts.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t widths[ASHI_RECORD_CONTACT_COLUMNS] = {2, 3, 3, 3, 1};

static int compare_handles(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* The numbers of bodies by their handles. */
static bool list_handles(ashi_contact_rows *rows, const ashi_instance *instance, uint32_t bodies)
{
    if (!ashi_array_reserve(&rows->handles, 2 * (uint64_t)bodies))
        return false;
    rows->handles.count = 0;
    for (uint32_t i = 0; i < bodies; i++) {
        rows->handles.data[2 * i] = instance->bodies[i].id;
        rows->handles.data[2 * i + 1] = i;
    }
    qsort(rows->handles.data, bodies, 2 * sizeof *rows->handles.data, compare_handles);
    return true;
}

static double number_of(const ashi_contact_rows *rows, ash_body body, uint32_t bodies)
{
    const uint64_t *found =
        bsearch(&body.id, rows->handles.data, bodies, 2 * sizeof *rows->handles.data, compare_handles);
    return found != NULL ? (double)found[1] : -1;
}

static bool reserve(ashi_contact_rows *rows, uint32_t more)
{
    bool done = true;
    for (int i = 0; i < ASHI_RECORD_CONTACT_COLUMNS && done; i++)
        done = ashi_array_reserve(&rows->numbers[i], ((uint64_t)rows->count + more) * widths[i]);
    return done;
}

static void put(ashi_contact_rows *rows, int column, const double *numbers)
{
    memcpy(rows->numbers[column].data + (size_t)rows->count * widths[column], numbers,
           widths[column] * sizeof *numbers);
}

static void put_point(ashi_contact_rows *rows, const double *bodies, ash_vec3 n, const ash_contact_point *point)
{
    ash_vec3 a = point->on_a, b = point->on_b, f = point->force;
    const double middle[3] = {(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2};
    const double normal[3] = {n.x, n.y, n.z}, force[3] = {f.x, f.y, f.z};
    put(rows, ASHI_RECORD_CONTACT_BODIES, bodies);
    put(rows, ASHI_RECORD_CONTACT_POINT, middle);
    put(rows, ASHI_RECORD_CONTACT_NORMAL, normal);
    put(rows, ASHI_RECORD_CONTACT_FORCE, force);
    put(rows, ASHI_RECORD_CONTACT_DEPTH, &point->depth);
    rows->count++;
}

uint32_t ashi_contact_rows_add(ashi_contact_rows *rows, const ashi_instance *instance, uint32_t bodies)
{
    const ash_world *world = instance->world;
    uint32_t count = ash_world_get_contacts(world, NULL, 0), before = rows->count;
    if (!ashi_array_reserve(&rows->contacts, count) || !list_handles(rows, instance, bodies))
        return UINT32_MAX;
    ash_world_get_contacts(world, rows->contacts.data, count);
    for (uint32_t i = 0; i < count; i++) {
        const ash_contact *contact = &rows->contacts.data[i];
        if (contact->sensor)
            continue;
        uint32_t points = ash_world_get_contact_points(world, i, NULL, 0);
        if (!ashi_array_reserve(&rows->points, points) || !reserve(rows, points))
            return UINT32_MAX;
        ash_world_get_contact_points(world, i, rows->points.data, points);
        const double pair[2] = {number_of(rows, contact->body_a, bodies), number_of(rows, contact->body_b, bodies)};
        for (uint32_t k = 0; k < points; k++)
            put_point(rows, pair, contact->normal, &rows->points.data[k]);
    }
    return rows->count - before;
}

size_t ashi_contact_rows_bytes(const ashi_contact_rows *rows)
{
    return (size_t)rows->count * 12 * sizeof(double);
}

static bool write_column(const ashi_contact_rows *rows, const ashi_column *column, const double *numbers)
{
    hsize_t size[2] = {rows->written + rows->count, column->shape[1]};
    hsize_t from[2] = {rows->written, 0}, count[2] = {rows->count, column->shape[1]};
    if (H5Dset_extent(column->dataset, size) < 0)
        return false;
    hid_t space = H5Dget_space(column->dataset), memory = H5Screate_simple(column->rank, count, NULL);
    bool done = space >= 0 && memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL) >= 0 &&
                H5Dwrite(column->dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, numbers) >= 0 &&
                H5Dflush(column->dataset) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (memory >= 0)
        H5Sclose(memory);
    return done;
}

bool ashi_contact_rows_write(ashi_contact_rows *rows, const ashi_record_layout *layout)
{
    for (int i = 0; i < ASHI_RECORD_CONTACT_COLUMNS && rows->count > 0; i++)
        if (!write_column(rows, &layout->points[i], rows->numbers[i].data))
            return false;
    rows->written += rows->count;
    rows->count = 0;
    return true;
}

void ashi_contact_rows_release(ashi_contact_rows *rows)
{
    for (int i = 0; i < ASHI_RECORD_CONTACT_COLUMNS; i++)
        ashi_array_release(&rows->numbers[i]);
    ashi_array_release(&rows->contacts);
    ashi_array_release(&rows->points);
    ashi_array_release(&rows->handles);
}
