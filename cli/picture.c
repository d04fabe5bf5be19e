/* ashlar picture: a scene at an instant, or at many, as PNG files. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ashlar/contact.h"
#include "ashlar/debug.h"
#include "base/text.h"
#include "choice.h"
#include "command.h"
#include "film.h"
#include "interrupt.h"
#include "message.h"
#include "progress.h"
#include "render/painter.h"

enum { THREADS_MOST = 256, SIDE_MOST = 16384, SAMPLES_MOST = 256, FRAMES_MOST = 9999 };

typedef struct picture_values {
    cli_choice choice;
    const char *output, *at, *size, *eye, *look, *up, *fov;
    cli_texts show;
    double every;
    uint32_t frames, samples, threads;
    bool dark;
} picture_values;

/* A picture, or a sequence of them, under way. */
typedef struct picture_work {
    const picture_values *values;
    cli_instants instants;
    cli_view view;
    uint32_t width, height, layers;
    cli_canvas canvas;
    cli_extent extent;
    cli_camera camera;
    ashi_tasks *tasks;
    cli_progress progress;
    uint32_t frames_done;
} picture_work;

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "FILE", "the picture, a name that ends in .png", offsetof(picture_values, output), 0},
    {"at", 0, CLI_TEXT, "T", "the instant, s (default 0: the start)", offsetof(picture_values, at), 0},
    {"frames", 0, CLI_COUNT, "N", "a sequence of N pictures: FILE-0001.png and on", offsetof(picture_values, frames),
     FRAMES_MOST},
    {"every", 0, CLI_SECONDS, "DT", "time from one picture of a sequence to the next, s (default 0.04)",
     offsetof(picture_values, every), 0},
    {"size", 0, CLI_TEXT, "WxH", "pixels (default 1280x720)", offsetof(picture_values, size), 0},
    {"samples", 0, CLI_COUNT, "N", "lines of sight a pixel (default 16); more are smoother and slower",
     offsetof(picture_values, samples), SAMPLES_MOST},
    {"eye", 0, CLI_TEXT, "X,Y,Z", "where to look from (default: so that all is seen)", offsetof(picture_values, eye),
     0},
    {"look", 0, CLI_TEXT, "X,Y,Z", "the point in the middle of the picture (default: the middle of all)",
     offsetof(picture_values, look), 0},
    {"up", 0, CLI_TEXT, "X,Y,Z", "the direction that is up in the picture (default 0,0,1)",
     offsetof(picture_values, up), 0},
    {"fov", 0, CLI_TEXT, "DEGREES", "angle of view from top to bottom (default 30)", offsetof(picture_values, fov), 0},
    {"show", 0, CLI_TEXTS, "LAYERS",
     "marks: contacts, normals, impacts, joints, bounds, axes, centres, velocities, edges, or all",
     offsetof(picture_values, show), 0},
    {"dark", 0, CLI_FLAG, NULL, "a dark background", offsetof(picture_values, dark), 0},
    {"method", 0, CLI_TEXT, "M", "a method or an integrator, also with fields: realtime:integrator=rk4",
     offsetof(picture_values, choice.method), 0},
    {"set", 0, CLI_TEXTS, "KEY=VALUE", "a parameter of the scene or a field of its method; may be repeated",
     offsetof(picture_values, choice.set), 0},
    {"step", 0, CLI_SECONDS, "H", "length of a step, s (default: the scene's)", offsetof(picture_values, choice.step),
     0},
    {"threads", 0, CLI_COUNT, "N", "threads to step and draw with (default: all cores); the picture is the same",
     offsetof(picture_values, threads), THREADS_MOST},
};

static bool refuse(const char *option, const char *text, const char *expected)
{
    cli_error("picture: --%s is \"%s\", expected %s", option, text, expected);
    return false;
}

static bool read_number(const char *option, const char *text, double low, double high, const char *expected,
                        double *value)
{
    if (text == NULL || (ashi_parse_number(text, value) && *value >= low && *value <= high))
        return true;
    return refuse(option, text, expected);
}

/* Cuts "a,b,c" at the separator into `count` numbers. */
static bool read_numbers(const char *text, char separator, int count, double *values)
{
    char copy[128];
    if (strlen(text) >= sizeof copy)
        return false;
    strcpy(copy, text);
    char *next = copy;
    for (int i = 0; i < count; i++) {
        char *cut = strchr(next, separator);
        if ((cut == NULL) != (i == count - 1))
            return false;
        if (cut != NULL)
            *cut = 0;
        if (!ashi_parse_number(next, &values[i]) || fabs(values[i]) > 1e9)
            return false;
        next = cut + (cut != NULL);
    }
    return true;
}

static bool read_point(const char *option, const char *text, ash_vec3 *point, bool *given)
{
    double values[3];
    if (text == NULL)
        return true;
    if (!read_numbers(text, ',', 3, values))
        return refuse(option, text, "three numbers, such as 2,-3,1.5");
    *point = (ash_vec3){values[0], values[1], values[2]};
    *given = true;
    return true;
}

static bool read_size(const char *text, uint32_t *width, uint32_t *height)
{
    double values[2] = {1280, 720};
    if (text != NULL &&
        (!read_numbers(text, 'x', 2, values) || values[0] != floor(values[0]) || values[1] != floor(values[1]) ||
         values[0] < 1 || values[1] < 1 || values[0] > SIDE_MOST || values[1] > SIDE_MOST))
        return refuse("size", text, "width and height from 1 to 16384, such as 1280x720");
    *width = (uint32_t)values[0];
    *height = (uint32_t)values[1];
    return true;
}

/* Adds the layers that "a,b,c" names. */
static bool read_layers(const char *text, uint32_t *layers)
{
    static const char *const names[] = {"contacts",   "normals", "bounds",  "axes",   "centres",
                                        "velocities", "edges",   "impacts", "joints", "all"};
    static const uint32_t flags[] = {
        ASH_DEBUG_CONTACTS,   ASH_DEBUG_NORMALS, ASH_DEBUG_BOUNDS,  ASH_DEBUG_AXES,   ASH_DEBUG_CENTRES,
        ASH_DEBUG_VELOCITIES, ASH_DEBUG_EDGES,   ASH_DEBUG_IMPACTS, ASH_DEBUG_JOINTS, UINT32_MAX};
    enum { NAMES = sizeof names / sizeof *names };
    while (true) {
        char word[32];
        size_t length = strcspn(text, ",");
        uint32_t i = 0;
        snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), text);
        while (i < NAMES && strcmp(names[i], word) != 0)
            i++;
        if (i == NAMES) {
            char suggestion[64];
            cli_error("picture: --show \"%s\": there is no such layer%s; there are contacts, normals, impacts, "
                      "joints, bounds, axes, centres, velocities, edges and all",
                      word, ashi_did_you_mean(word, names, NAMES, suggestion, sizeof suggestion));
            return false;
        }
        *layers |= flags[i];
        if (text[length] == 0)
            return true;
        text += length + 1;
    }
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

/* Everything that can be told to be wrong before the scene is opened. */
static bool read_values(const picture_values *values, picture_work *work)
{
    bool up_given = false;
    work->values = values;
    work->view = cli_default_view();
    work->instants = (cli_instants){0, values->every, values->frames > 0 ? values->frames : 1};
    if (values->output == NULL) {
        cli_error("picture: where to? give -o FILE.png");
        return false;
    }
    if (!ends_with(values->output, ".png"))
        return refuse("output", values->output, "a name that ends in .png");
    for (uint32_t i = 0; i < values->show.count; i++)
        if (!read_layers(values->show.data[i], &work->layers))
            return false;
    work->view.fov_given = values->fov != NULL;
    return read_number("at", values->at, 0, 1e9, "a number of seconds, 0 or more", &work->instants.first) &&
           read_number("fov", values->fov, 1, 150, "degrees from 1 to 150", &work->view.fov) &&
           read_size(values->size, &work->width, &work->height) &&
           read_point("eye", values->eye, &work->view.eye, &work->view.eye_given) &&
           read_point("look", values->look, &work->view.look, &work->view.look_given) &&
           read_point("up", values->up, &work->view.up, &up_given);
}

static ash_status set_camera(picture_work *work, const ash_world *world, ash_diagnostic *diagnostic)
{
    if (cli_camera_make(&work->view, ash_world_is_planar(world), work->extent.boxes.data, work->extent.boxes.count,
                        work->width, work->height, &work->camera))
        return ASH_OK;
    ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "picture.camera", "nothing can be seen that way");
    return ashi_expect(diagnostic, "different points for --eye and --look, and --up not along the line of sight");
}

/* Contacts are those of the last step. Where none was taken or steps do not look for contacts, they are found now. */
static ash_status find_contacts(const picture_work *work, const ashi_instance *instance, ash_diagnostic *diagnostic)
{
    ash_world *world = instance->world;
    if ((work->layers & (ASH_DEBUG_CONTACTS | ASH_DEBUG_NORMALS)) == 0 ||
        (ash_world_report(world).step > 0 && ash_world_get_method(world).contacts != ASH_CONTACTS_OFF))
        return ASH_OK;
    ash_status status = ash_world_detect(world);
    if (status != ASH_OK)
        *diagnostic = ash_world_last_diagnostic(world);
    return status;
}

/* First pass of a sequence: how much space its pictures have to show. */
static ash_status measure_frame(const ash_scene *scene, const ashi_instance *instance, uint32_t frame, double time,
                                void *user, ash_diagnostic *diagnostic)
{
    picture_work *work = user;
    (void)scene;
    (void)frame;
    (void)time;
    return cli_extent_add(&work->extent, instance->world, true) ? ASH_OK : ashi_out_of_memory(diagnostic);
}

/* "FILE-0001.png" for the pictures of a sequence. */
static void name_frame(const picture_values *values, uint32_t frame, char *path, size_t size)
{
    int stem = (int)strlen(values->output) - 4;
    if (values->frames > 0)
        snprintf(path, size, "%.*s-%04u.png", stem, values->output, (unsigned)frame + 1);
    else
        snprintf(path, size, "%s", values->output);
}

/* Of all pictures, when one is partly done. */
static bool tell_progress(double share, void *user)
{
    picture_work *work = user;
    return cli_progress_share((work->frames_done + share) / work->instants.count, &work->progress);
}

/* While the scene is run between pictures, only signals matter. */
static bool listen(double time, double end, void *user)
{
    (void)time;
    (void)end;
    (void)user;
    return cli_interrupted() == 0;
}

static ash_status draw_frame(const ash_scene *scene, const ashi_instance *instance, uint32_t frame, double time,
                             void *user, ash_diagnostic *diagnostic)
{
    picture_work *work = user;
    ash_status status = ASH_OK;
    (void)time;
    if (work->values->frames == 0 && !cli_extent_add(&work->extent, instance->world, false))
        return ashi_out_of_memory(diagnostic);
    if (frame == 0) { /* from here on the bar is about drawing */
        cli_progress_end(&work->progress);
        work->progress = cli_progress_begin(scene->name);
        status = set_camera(work, instance->world, diagnostic);
    }
    if (status == ASH_OK)
        status = find_contacts(work, instance, diagnostic);
    if (status != ASH_OK)
        return status;
    cli_subject subject;
    status = cli_subject_make(&subject, scene, instance, &work->extent, work->layers, work->values->dark);
    cli_painter painter = {&subject,    &work->camera, &work->canvas, work->values->samples,
                           work->tasks, tell_progress, work};
    if (status == ASH_OK)
        status = cli_paint(&painter);
    cli_subject_release(&subject);
    if (status != ASH_OK) /* rays are finite, so nothing else can be wrong */
        return ashi_out_of_memory(diagnostic);
    char path[4096];
    name_frame(work->values, frame, path, sizeof path);
    work->frames_done = frame + 1;
    return cli_interrupted() == 0 ? cli_canvas_write(&work->canvas, path, diagnostic) : ASH_OK;
}

static ash_status draw(const ash_scene *scene, picture_work *work, ash_diagnostic *diagnostic)
{
    const picture_values *values = work->values;
    ash_status status = ASH_OK;
    bool stopped = false;
    work->progress = cli_progress_begin(scene->name);
    work->tasks = ashi_tasks_create(values->threads, NULL);
    if (work->tasks == NULL || !cli_canvas_create(&work->canvas, work->width, work->height))
        status = ashi_out_of_memory(diagnostic);
    if (status == ASH_OK && values->frames > 0)
        status = cli_film_run(scene, values->threads, &work->instants, measure_frame, cli_progress_update,
                              &work->progress, work, &stopped, diagnostic);
    /* Of one picture the way to its instant may be the longest part; of a sequence the drawing is. */
    if (status == ASH_OK && !stopped)
        status = cli_film_run(scene, values->threads, &work->instants, draw_frame,
                              values->frames > 0 ? listen : cli_progress_update, &work->progress, work, &stopped,
                              diagnostic);
    cli_progress_end(&work->progress);
    cli_extent_release(&work->extent);
    cli_canvas_release(&work->canvas);
    ashi_tasks_destroy(work->tasks);
    return status;
}

static int make_pictures(const char *name, const picture_values *values)
{
    picture_work work = {0};
    ash_scene *scene = NULL;
    ash_diagnostic diagnostic = {0};
    if (!read_values(values, &work))
        return CLI_BAD_INPUT;
    if (ends_with(name, ".h5")) {
        cli_error(
            "picture: \"%s\" is a recording; pictures of recordings come in a later version, this one draws scenes",
            name);
        return CLI_BAD_INPUT;
    }
    int status = cli_choice_open(name, &values->choice, &scene);
    if (status != CLI_DONE)
        return status;
    cli_interrupt_watch();
    if (draw(scene, &work, &diagnostic) != ASH_OK)
        status = cli_report(&diagnostic);
    else if (cli_interrupted() != 0)
        status = 128 + cli_interrupted();
    ash_scene_destroy(scene);
    return status;
}

static uint32_t cores(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > THREADS_MOST ? THREADS_MOST : (uint32_t)count;
}

static int picture(int argc, char **argv)
{
    picture_values values = {.threads = cores(), .samples = 16, .every = 0.04};
    uint32_t operand_count;
    int status;
    if (!cli_parse(&cli_picture, argc, argv, &values, &operand_count, &status))
        return status;
    status = make_pictures(argv[0], &values);
    cli_options_release(cli_picture.options, cli_picture.option_count, &values);
    return status;
}

const cli_command cli_picture = {
    .name = "picture",
    .summary = "draw a scene at an instant, or a sequence, as PNG files",
    .operands = "SCENE",
    .operands_least = 1,
    .operands_most = 1,
    .about = "Runs SCENE, a built-in name or a .json file, to an instant and draws it as it collides: every pixel\n"
             "is a ray through the world. Springs, red where they are slack, rods, ropes and cylinders of joints,\n"
             "point masses, pulls and loads are drawn beside the shapes. Flat worlds are shown from the front.\n"
             "Recordings cannot be drawn yet.",
    .examples = "  ashlar picture net --at 0.3 -o net.png\n"
                "  ashlar picture scenes/shapes.json --size 1920x1080 --dark -o shapes.png\n"
                "  ashlar picture tumbling-box --at 1 --show axes,velocities -o box.png\n"
                "  ashlar picture string --frames 50 --every 0.01 -o out/string.png",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = picture,
};
