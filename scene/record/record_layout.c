/* What a recording is made of when it begins: attributes, the scene's text, and empty columns that grow. Everything is
 * made here, because nothing can be added once the file is written for concurrent readers. */
#define _XOPEN_SOURCE 700
#include "scene/record/record_layout.h"

#include "scene/record/ledger_entry.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Chunks: large enough for the disk, small enough that a short run makes a small file. */
enum { CHUNK_BYTES = 1 << 17, CHUNK_ROWS_MAX = 1024, CHUNK_BODIES_MAX = 1 << 16, COMPRESSION_LEVEL = 1 };

char *ashi_record_dataset_name(const char *output)
{
    char *name = ashi_alloc(3 * strlen(output) + 1), *to = name;
    if (name == NULL)
        return NULL;
    for (const char *from = output; *from != 0; from++) {
        if (*from == '/' || *from == '%' || (*from == '.' && from == output))
            to += sprintf(to, "%%%02X", (unsigned)*from);
        else
            *to++ = *from;
    }
    *to = 0;
    return name;
}

static bool compression_is_available(void)
{
    unsigned config = 0;
    return H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0 && H5Zget_filter_info(H5Z_FILTER_DEFLATE, &config) >= 0 &&
           (config & H5Z_FILTER_CONFIG_ENCODE_ENABLED) != 0;
}

/* Creates the data set of a column whose shape is set. */
static bool create_dataset(ashi_column *column, hid_t group, const char *name, hid_t file_type)
{
    hsize_t now[3] = {0, column->shape[1], column->shape[2]};
    hsize_t most[3] = {H5S_UNLIMITED, column->shape[1], column->shape[2]};
    hsize_t chunk[3] = {CHUNK_BYTES / (8 * column->width), column->shape[1], column->shape[2]};
    chunk[0] = chunk[0] < 1 ? 1 : chunk[0] > CHUNK_ROWS_MAX ? CHUNK_ROWS_MAX : chunk[0];
    chunk[1] = chunk[1] > CHUNK_BODIES_MAX ? CHUNK_BODIES_MAX : chunk[1];
    column->chunk_bytes = 8 * (size_t)chunk[0] * column->width;
    hid_t space = H5Screate_simple(column->rank, now, most);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    bool ready = space >= 0 && creation >= 0 && H5Pset_chunk(creation, column->rank, chunk) >= 0;
    if (ready && compression_is_available())
        ready = H5Pset_shuffle(creation) >= 0 && H5Pset_deflate(creation, COMPRESSION_LEVEL) >= 0;
    if (ready)
        column->dataset = H5Dcreate2(group, name, file_type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (space >= 0)
        H5Sclose(space);
    if (creation >= 0)
        H5Pclose(creation);
    return column->dataset >= 0;
}

/* What a new column is. */
typedef struct column_facts {
    const char *name, *unit, *meaning;
    hsize_t bodies, components; /* 0: one number a row */
    bool integer;
} column_facts;

static bool add_column(ashi_record_layout *layout, hid_t group, const column_facts *facts, bool *out_of_memory)
{
    if (!ashi_array_extend(&layout->columns)) {
        *out_of_memory = true;
        return false;
    }
    ashi_column *column = &layout->columns.data[layout->columns.count - 1];
    *column = (ashi_column){.dataset = -1, .rank = 1, .shape = {1, 1, 1}, .width = 1};
    if (facts->bodies > 0) {
        column->rank = 3;
        column->shape[1] = facts->bodies;
        column->shape[2] = facts->components;
        column->width = (size_t)(facts->bodies * facts->components);
    }
    return create_dataset(column, group, facts->name, facts->integer ? H5T_STD_U32LE : H5T_IEEE_F64LE) &&
           ashi_hdf5_write_text(column->dataset, "unit", facts->unit) &&
           (facts->meaning == NULL || ashi_hdf5_write_text(column->dataset, "meaning", facts->meaning));
}

static bool write_text_dataset(hid_t place, const char *name, const void *text, size_t size, hid_t space)
{
    hid_t type = ashi_hdf5_text_type(size);
    hid_t dataset =
        type < 0 || space < 0 ? -1 : H5Dcreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool done = dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (dataset >= 0)
        H5Dclose(dataset);
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    return done;
}

static const char *body_name(const ash_scene *scene, uint32_t body)
{
    const char *name = scene->bodies.data[body].def.name;
    return name != NULL ? name : "";
}

static bool write_body_names(hid_t group, const ash_scene *scene, bool *out_of_memory)
{
    size_t longest = 1;
    for (uint32_t i = 0; i < scene->bodies.count; i++)
        if (strlen(body_name(scene, i)) > longest)
            longest = strlen(body_name(scene, i));
    char *names = ashi_alloc_array(scene->bodies.count, longest);
    if (names == NULL) {
        *out_of_memory = true;
        return false;
    }
    memset(names, 0, scene->bodies.count * longest);
    for (uint32_t i = 0; i < scene->bodies.count; i++)
        memcpy(names + i * longest, body_name(scene, i), strlen(body_name(scene, i)));
    hsize_t count = scene->bodies.count;
    bool done = write_text_dataset(group, "names", names, longest, H5Screate_simple(1, &count, NULL));
    ashi_dealloc(names);
    return done;
}

static bool create_bodies(ashi_record_layout *layout, hid_t group, const ash_scene *scene, bool *out_of_memory)
{
    hsize_t count = scene->bodies.count;
    const column_facts columns[ASHI_RECORD_BODY_COLUMNS] = {
        {"position", "m", "of the body's frame", count, 3, false},
        {"rotation", "", "unit quaternion w, x, y, z: body axes to world axes", count, 4, false},
        {"velocity", "m/s", "of the centre of mass", count, 3, false},
        {"angular_velocity", "rad/s", "in world axes", count, 3, false},
    };
    bool done = count == 0 || write_body_names(group, scene, out_of_memory);
    for (uint32_t i = 0; done && count > 0 && i < ASHI_RECORD_BODY_COLUMNS; i++)
        done = add_column(layout, group, &columns[i], out_of_memory);
    return done;
}

static bool create_outputs(ashi_record_layout *layout, hid_t group, const ash_scene *scene, bool *out_of_memory)
{
    for (uint32_t i = 0; i < scene->outputs.count; i++) {
        const ashi_scene_output *output = &scene->outputs.data[i];
        char *name = ashi_record_dataset_name(output->name);
        if (name == NULL) {
            *out_of_memory = true;
            return false;
        }
        column_facts facts = {.name = name, .unit = ashi_output_unit(output)};
        bool done = add_column(layout, group, &facts, out_of_memory) &&
                    ashi_hdf5_write_text(layout->columns.data[layout->columns.count - 1].dataset, "name", output->name);
        ashi_dealloc(name);
        if (!done)
            return false;
    }
    return true;
}

static bool create_ledger(ashi_record_layout *layout, hid_t group, const ash_scene *scene, bool *out_of_memory)
{
    (void)scene;
    bool done = true;
    for (uint32_t i = 0; done && i < ASHI_LEDGER_ENTRIES; i++)
        done =
            add_column(layout, group, &(column_facts){.name = ashi_ledger_entry_name(i), .unit = "J"}, out_of_memory);
    return done;
}

static bool write_joint_names(hid_t group, const ash_scene *scene, bool *out_of_memory)
{
    size_t longest = 1;
    for (uint32_t i = 0; i < scene->joints.count; i++) {
        const char *name = scene->joints.data[i].def.name;
        longest = name != NULL && strlen(name) > longest ? strlen(name) : longest;
    }
    char *names = ashi_alloc_zeroed(scene->joints.count * longest);
    if (names == NULL) {
        *out_of_memory = true;
        return false;
    }
    for (uint32_t i = 0; i < scene->joints.count; i++)
        if (scene->joints.data[i].def.name != NULL)
            memcpy(names + i * longest, scene->joints.data[i].def.name, strlen(scene->joints.data[i].def.name));
    hsize_t count = scene->joints.count;
    bool done = write_text_dataset(group, "names", names, longest, H5Screate_simple(1, &count, NULL));
    ashi_dealloc(names);
    return done;
}

static bool create_joints(ashi_record_layout *layout, hid_t group, const ash_scene *scene, bool *out_of_memory)
{
    hsize_t count = layout->joints;
    const column_facts columns[] = {
        {"position", "m, m, m, rad, rad, rad", "coordinates: move-x, y, z, turn-x, y, z; 0 for those that it removes",
         count, ASH_FREEDOMS, false},
        {"rate", "m/s, m/s, m/s, rad/s, rad/s, rad/s", "of the coordinates", count, ASH_FREEDOMS, false},
    };
    return write_joint_names(group, scene, out_of_memory) && add_column(layout, group, &columns[0], out_of_memory) &&
           add_column(layout, group, &columns[1], out_of_memory);
}

/* The columns of points, whose rows are not samples: /contacts/count says how many each sample has. */
static bool create_contacts(ashi_record_layout *layout, hid_t group, const ash_scene *scene, bool *out_of_memory)
{
    static const struct {
        const char *name, *unit, *meaning;
        hsize_t width;
        bool integer;
    } columns[ASHI_RECORD_CONTACT_COLUMNS] = {
        {"bodies", "", "numbers of bodies a and b; -1: the background", 2, true},
        {"point", "m", "in the world, between both surfaces", 3, false},
        {"normal", "", "unit, from a to b", 3, false},
        {"force", "N", "on b, mean over the step before the sample", 3, false},
        {"depth", "m", "of the overlap; negative: a gap", 1, false},
    };
    (void)scene;
    for (int i = 0; i < ASHI_RECORD_CONTACT_COLUMNS; i++) {
        ashi_column *column = &layout->points[i];
        *column = (ashi_column){.dataset = -1,
                                .rank = columns[i].width > 1 ? 2 : 1,
                                .shape = {1, columns[i].width, 1},
                                .width = columns[i].width};
        if (!create_dataset(column, group, columns[i].name, columns[i].integer ? H5T_STD_I32LE : H5T_IEEE_F64LE) ||
            !ashi_hdf5_write_text(column->dataset, "unit", columns[i].unit) ||
            !ashi_hdf5_write_text(column->dataset, "meaning", columns[i].meaning))
            return false;
    }
    return add_column(layout, group,
                      &(column_facts){"count", "", "points of the sample; they follow on each other", 0, 0, true},
                      out_of_memory);
}

static const column_facts report_columns[ASHI_RECORD_REPORT_COLUMNS] = {
    {"step_ms", "ms", "mean wall time of the steps since the sample before", 0, 0, false},
    {"iterations", "", "mean iterations a step since the sample before", 0, 0, false},
    {"residual", "", "largest residual since the sample before", 0, 0, false},
    {"flags", "", "flags of any step since the sample before: 1 not finite, 2 not converged, 4 out of memory", 0, 0,
     true},
    {"penetration", "m", "deepest since the sample before", 0, 0, false},
    {"joint_error", "m", "largest since the sample before", 0, 0, false},
    {"contacts", "", "most since the sample before", 0, 0, false},
    {"forces_ms", "ms", "mean wall time of a step's stage since the sample before", 0, 0, false},
    {"solve_ms", "ms", "mean wall time of a step's stage since the sample before", 0, 0, false},
    {"integrate_ms", "ms", "mean wall time of a step's stage since the sample before", 0, 0, false},
    {"collide_ms", "ms", "mean wall time of a step's stage since the sample before", 0, 0, false},
    {"measure_ms", "ms", "mean wall time of a step's stage since the sample before", 0, 0, false},
    {"local_error", "m", "of positions, estimated, largest of a step since the sample before; 0 without accuracy", 0, 0,
     false},
    {"total_error", "m", "of positions, estimated, of this sample; 0 without accuracy", 0, 0, false},
};
static_assert(ASHI_RECORD_REPORT_COLUMNS == ASHI_RECORD_REPORT_FIRST + 5 + ASH_STAGES, "a column for each stage");

const char *ashi_record_report_name(uint32_t column)
{
    return report_columns[column].name;
}

static bool create_report(ashi_record_layout *layout, hid_t group, const ash_scene *scene, bool *out_of_memory)
{
    (void)scene;
    bool done = true;
    for (uint32_t i = 0; done && i < ASHI_RECORD_REPORT_COLUMNS; i++)
        done = add_column(layout, group, &report_columns[i], out_of_memory);
    return done;
}

static bool write_facts(hid_t file, const ash_scene *scene, const ashi_recording_facts *facts, const char *method_text)
{
    char created[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) != NULL)
        strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return ashi_hdf5_write_text(file, "format", ASHI_RECORDING_FORMAT) &&
           ashi_hdf5_write_number(file, "format_version", H5T_STD_U32LE, ASHI_RECORDING_VERSION) &&
           ashi_hdf5_write_text(file, "ashlar_version", ash_version()) &&
           ashi_hdf5_write_text(file, "scene", scene->name) && ashi_hdf5_write_text(file, "method", method_text) &&
           ashi_hdf5_write_number(file, "step", H5T_IEEE_F64LE, facts->step) &&
           ashi_hdf5_write_number(file, "time", H5T_IEEE_F64LE, facts->time) &&
           ashi_hdf5_write_text(file, "created", created) &&
           ashi_hdf5_write_number(file, "complete", H5T_STD_U8LE, 0) &&
           write_text_dataset(file, "scene", facts->scene_text, strlen(facts->scene_text), H5Screate(H5S_SCALAR));
}

bool ashi_record_layout_create(ashi_record_layout *layout, hid_t file, const ash_scene *scene,
                               const ashi_recording_facts *facts, const char *method_text, bool *out_of_memory)
{
    static const struct {
        const char *name;
        bool (*create)(ashi_record_layout *, hid_t, const ash_scene *, bool *);
    } groups[] = {{"bodies", create_bodies}, {"outputs", create_outputs}, {"ledger", create_ledger},
                  {"report", create_report}, {"joints", create_joints},   {"contacts", create_contacts}};
    *layout = (ashi_record_layout){.bodies = scene->bodies.count,
                                   .outputs = scene->outputs.count,
                                   .joints = facts->joints ? scene->joints.count : 0,
                                   .contacts = facts->contacts};
    for (int i = 0; i < ASHI_RECORD_CONTACT_COLUMNS; i++)
        layout->points[i].dataset = -1;
    *out_of_memory = false;
    if (!write_facts(file, scene, facts, method_text))
        return false;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        bool wanted = groups[i].create == create_joints     ? layout->joints > 0
                      : groups[i].create == create_contacts ? layout->contacts
                                                            : true;
        if (!wanted)
            continue;
        hid_t group = H5Gcreate2(file, groups[i].name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        bool done = group >= 0 && groups[i].create(layout, group, scene, out_of_memory);
        if (group >= 0)
            H5Gclose(group);
        if (!done)
            return false;
    }
    return add_column(layout, file, &(column_facts){.name = "time", .unit = "s"}, out_of_memory);
}

void ashi_record_layout_close(ashi_record_layout *layout)
{
    for (uint32_t i = 0; i < layout->columns.count; i++) {
        if (layout->columns.data[i].dataset >= 0)
            H5Dclose(layout->columns.data[i].dataset);
        ashi_dealloc(layout->columns.data[i].buffer);
    }
    ashi_array_release(&layout->columns);
    for (int i = 0; i < ASHI_RECORD_CONTACT_COLUMNS; i++)
        if (layout->contacts && layout->points[i].dataset >= 0)
            H5Dclose(layout->points[i].dataset);
}
