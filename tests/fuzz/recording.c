/* Recordings. An input is a list of changes to a good recording, one a line, made through HDF5 itself: the checksums
 * are valid, and our own reader meets the contents. What it takes is read to the end, shown and inspected. */
#define _XOPEN_SOURCE 700
#include "target.h"

#include <unistd.h>

#include "scene/record/hdf5_session.h"
#include "scene/record/replay.h"

enum { CHANGES_MOST = 12, SAMPLES_MOST = 40, NUMBERS_MOST = 4096 };

static const char scene_text[] =
    "{\"ashlar\": 1, \"name\": \"two\", \"world\": {\"step\": 0.01, \"time\": 0.1},"
    " \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"position\": [0, 0, 1]}, {\"mass\": 2, \"position\": [1, 0, 1]}],"
    " \"outputs\": [{\"name\": \"z\", \"quantity\": \"position\", \"body\": \"a\", \"component\": \"z\"}]}";

static char folder[] = "/tmp/ashlar-fuzz-XXXXXX", path[64];
static char *good;
static size_t good_size;

/* HDF5 itself leaks when it meets what it cannot read. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

static void remove_folder(void)
{
    static const char *const names[] = {"recording.h5", "ledger.csv", "outputs.csv", "summary.json", "scene.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s/%s", folder, names[i]);
        unlink(name);
    }
    rmdir(folder);
    free(good);
}

static void make_recording(void)
{
    ash_scene *scene;
    ash_run *run;
    ash_diagnostic diagnostic = {0};
    ash_run_options options = ash_default_run_options();
    CHECK(mkdtemp(folder) != NULL);
    atexit(remove_folder);
    options.out = folder;
    ash_status status = ash_scene_parse(scene_text, strlen(scene_text), "two.json", &scene, &diagnostic);
    if (status != ASH_OK)
        fprintf(stderr, "%s %s\n", diagnostic.path, diagnostic.message);
    CHECK(status == ASH_OK && ash_scene_run(scene, &options, &run, &diagnostic) == ASH_OK);
    ash_run_destroy(run);
    ash_scene_destroy(scene);
    snprintf(path, sizeof path, "%s/recording.h5", folder);
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    good_size = (size_t)ftell(file);
    rewind(file);
    good = malloc(good_size);
    CHECK(good != NULL && fread(good, 1, good_size, file) == good_size);
    fclose(file);
}

static void write_good(void)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(good, 1, good_size, file) == good_size);
    fclose(file);
}

/* From here on the changes. Each takes what is left of its line; those that HDF5 refuses change nothing. */

/* "number OBJECT INDEX VALUE": one number of a data set of floats. */
static void change_number(hid_t file, const char *words)
{
    char name[128];
    unsigned index;
    double value, numbers[NUMBERS_MOST];
    if (sscanf(words, "%127s %u %lf", name, &index, &value) != 3)
        return;
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    hid_t type = dataset >= 0 ? H5Dget_type(dataset) : -1;
    hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : 0;
    if (type >= 0 && H5Tget_class(type) == H5T_FLOAT && count <= NUMBERS_MOST && (hssize_t)index < count &&
        H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0) {
        numbers[index] = value;
        H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers);
    }
    H5Tclose(type), H5Sclose(space), H5Dclose(dataset);
}

/* "shape OBJECT TYPE ROWS BODIES COMPONENTS": another data set in its place; of rank 1 without the last two. */
static void change_shape(hid_t file, const char *words)
{
    char name[128], kind[16];
    unsigned long long rows, bodies, components;
    int read = sscanf(words, "%127s %15s %llu %llu %llu", name, kind, &rows, &bodies, &components);
    if (read != 3 && read != 5)
        return;
    hsize_t dims[3] = {rows, read == 5 ? bodies : 1, read == 5 ? components : 1}, chunk[3] = {1, 1, 1};
    int rank = read == 5 ? 3 : 1;
    hid_t text = ashi_hdf5_text_type(8);
    hid_t type = strcmp(kind, "float") == 0 ? H5T_IEEE_F64LE : strcmp(kind, "int") == 0 ? H5T_STD_U32LE : text;
    hid_t space = H5Screate_simple(rank, dims, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, rank, chunk);
    H5Ldelete(file, name, H5P_DEFAULT);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Dclose(dataset), H5Pclose(creation), H5Sclose(space), H5Tclose(text);
}

/* "attribute NAME VALUE": one of the file's attributes; what is no number is text. */
static void change_attribute(hid_t file, const char *words)
{
    char name[64], *end;
    int used = 0;
    if (sscanf(words, "%63s %n", name, &used) != 1 || used == 0)
        return;
    double value = strtod(words + used, &end);
    H5Adelete(file, name);
    if (words[used] != 0 && *end == 0)
        ashi_hdf5_write_number(file, name, H5T_IEEE_F64LE, value);
    else
        ashi_hdf5_write_text(file, name, words + used);
}

/* "scene TEXT": another scene. */
static void change_scene(hid_t file, const char *words)
{
    hid_t type = ashi_hdf5_text_type(strlen(words) + 1), space = H5Screate(H5S_SCALAR);
    H5Ldelete(file, "/scene", H5P_DEFAULT);
    hid_t dataset = H5Dcreate2(file, "/scene", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, words);
    H5Dclose(dataset), H5Sclose(space), H5Tclose(type);
}

/* "remove OBJECT", "group OBJECT", "move FROM TO", "link OBJECT TO", "soft OBJECT TO". */
static void change_links(hid_t file, const char *verb, const char *words)
{
    char first[128] = "", second[128] = "";
    int read = sscanf(words, "%127s %127s", first, second);
    if (read >= 1 && strcmp(verb, "remove") == 0)
        H5Ldelete(file, first, H5P_DEFAULT);
    else if (read >= 1 && strcmp(verb, "group") == 0)
        H5Gclose(H5Gcreate2(file, first, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    else if (read == 2 && strcmp(verb, "move") == 0)
        H5Lmove(file, first, file, second, H5P_DEFAULT, H5P_DEFAULT);
    else if (read == 2 && strcmp(verb, "link") == 0)
        H5Lcreate_hard(file, first, file, second, H5P_DEFAULT, H5P_DEFAULT);
    else if (read == 2 && strcmp(verb, "soft") == 0)
        H5Lcreate_soft(first, file, second, H5P_DEFAULT, H5P_DEFAULT);
}

static void change(hid_t file, const char *line)
{
    char verb[16];
    int used = 0;
    if (sscanf(line, "%15s %n", verb, &used) != 1 || used == 0)
        return;
    if (strcmp(verb, "number") == 0)
        change_number(file, line + used);
    else if (strcmp(verb, "shape") == 0)
        change_shape(file, line + used);
    else if (strcmp(verb, "attribute") == 0)
        change_attribute(file, line + used);
    else if (strcmp(verb, "scene") == 0)
        change_scene(file, line + used);
    else
        change_links(file, verb, line + used);
}

static void make_changes(char *input)
{
    ashi_hdf5_session hdf5;
    char *line;
    ashi_hdf5_enter(&hdf5);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    CHECK(file >= 0);
    for (int i = 0; i < CHANGES_MOST && (line = next_line(&input)) != NULL; i++)
        change(file, line);
    H5Fclose(file);
    ashi_hdf5_leave(&hdf5);
}

static void read_recording(ashi_replay *replay)
{
    ashi_instance instance = {0};
    ash_diagnostic diagnostic = {0};
    ash_status status = ASH_OK;
    uint64_t samples = ashi_replay_summary(replay).samples;
    samples = samples < SAMPLES_MOST ? samples : SAMPLES_MOST;
    for (uint64_t i = 0; status == ASH_OK && i < samples; i++) {
        ashi_replay_bodies bodies;
        status = ashi_replay_read(replay, i, &bodies, &diagnostic);
        if (status == ASH_OK && bodies.count <= NUMBERS_MOST && i % 4 == 0)
            status = ashi_replay_pose(replay, i, 1, &instance, &diagnostic);
    }
    for (uint32_t i = 0; status == ASH_OK && i < ashi_replay_series_count(replay); i++) {
        ash_series series;
        status = ashi_replay_series(replay, i, &series, &diagnostic);
    }
    if (status != ASH_OK)
        check_refusal(status, &diagnostic);
    CHECK(ashi_replay_nearest(replay, 0.05) < samples || samples == SAMPLES_MOST || samples == 0);
    ashi_instance_release(&instance);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (good == NULL)
        make_recording();
    write_good();
    char *input = copy_input(bytes, size);
    make_changes(input);
    free(input);
    ashi_replay *replay = NULL;
    ashi_recording_summary summary;
    ash_diagnostic diagnostic = {0};
    ash_status status = ashi_replay_open(path, &replay, &diagnostic);
    if (status == ASH_OK) {
        CHECK(ashi_recording_inspect(path, &summary, &diagnostic) == ASH_OK);
        read_recording(replay);
    } else {
        check_refusal(status, &diagnostic);
        CHECK(replay == NULL);
    }
    ashi_replay_close(replay);
    CHECK(ash_memory_used().blocks == 0);
    CHECK(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) == 0);
    return 0;
}
