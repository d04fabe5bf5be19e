/* ashlar picture: a scene or a recording at an instant, or at many, as PNG files. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/command.h"
#include "app/cli/file.h"
#include "app/cli/interrupt.h"
#include "app/cli/message.h"
#include "app/cli/progress.h"
#include "app/commands/picture_order.h"
#include "app/picture/animation.h"
#include "app/picture/legend.h"
#include "app/picture/movie.h"
#include "app/picture/painter.h"
#include "ashlar/contact.h"
#include "ashlar/debug.h"
#include "base/diagnostic.h"

enum { THREADS_MOST = 256, SAMPLES_MOST = 256, FRAMES_MOST = 9999 };

/* A picture, or a sequence of them, under way. */
typedef struct picture_work {
    const cli_picture_values *values;
    cli_picture_order order;
    cli_canvas canvas;
    cli_animation animation; /* of a sequence in one file */
    cli_movie movie;
    cli_extent extent;
    cli_camera camera;
    ashi_tasks *tasks;
    cli_progress progress;
    uint32_t frames_done;
} picture_work;

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "FILE",
     "the picture, a name that ends in .png; a sequence may be a film, .mp4, by ffmpeg",
     offsetof(cli_picture_values, output), 0},
    {"at", 0, CLI_TEXT, "T", "the instant, s (default 0: the start)", offsetof(cli_picture_values, at), 0},
    {"frames", 0, CLI_COUNT, "N", "a sequence of N pictures: FILE-0001.png, ...", offsetof(cli_picture_values, frames),
     FRAMES_MOST},
    {"animate", 0, CLI_FLAG, NULL, "the sequence as one animated PNG, FILE, which browsers play",
     offsetof(cli_picture_values, animate), 0},
    {"every", 0, CLI_SECONDS, "DT", "time from one picture of a sequence to the next, s (default 0.04)",
     offsetof(cli_picture_values, every), 0},
    {"size", 0, CLI_TEXT, "WxH", "pixels (default 1280x720)", offsetof(cli_picture_values, size), 0},
    {"samples", 0, CLI_COUNT, "N", "rays per pixel (default 16); more are smoother and slower",
     offsetof(cli_picture_values, samples), SAMPLES_MOST},
    {"eye", 0, CLI_TEXT, "X,Y,Z", "position of the eye (default: everything is visible)",
     offsetof(cli_picture_values, eye), 0},
    {"look", 0, CLI_TEXT, "X,Y,Z", "the point in the middle of the picture (default: the middle of all)",
     offsetof(cli_picture_values, look), 0},
    {"up", 0, CLI_TEXT, "X,Y,Z", "the direction that is up in the picture (default 0,0,1)",
     offsetof(cli_picture_values, up), 0},
    {"fov", 0, CLI_TEXT, "DEGREES", "angle of view from top to bottom (default 30)", offsetof(cli_picture_values, fov),
     0},
    {"show", 0, CLI_TEXTS, "LAYERS", "marks, a list such as contacts,forces, or all; a wrong name lists them",
     offsetof(cli_picture_values, show), 0},
    {"colour", 0, CLI_TEXT, "BY", "colour bodies by body (default), island, layer, sleeping, speed or force",
     offsetof(cli_picture_values, colour), 0},
    {"dark", 0, CLI_FLAG, NULL, "a dark background", offsetof(cli_picture_values, dark), 0},
    {"method", 0, CLI_TEXT, "M", "a method or an integrator, also with fields: realtime:integrator=rk4",
     offsetof(cli_picture_values, choice.method), 0},
    {"set", 0, CLI_TEXTS, "KEY=VALUE", "a parameter of the scene or a field of its method; may be repeated",
     offsetof(cli_picture_values, choice.set), 0},
    {"step", 0, CLI_SECONDS, "H", "length of a step, s (default: the scene's)",
     offsetof(cli_picture_values, choice.step), 0},
    {"threads", 0, CLI_COUNT, "N", "threads to step and draw with (default: all cores); the picture is the same",
     offsetof(cli_picture_values, threads), THREADS_MOST},
};

static ash_status set_camera(picture_work *work, const ash_world *world, ash_diagnostic *diagnostic)
{
    if (cli_camera_make(&work->order.view, ash_world_is_planar(world), work->extent.boxes.data,
                        work->extent.boxes.count, work->order.width, work->order.height, &work->camera))
        return ASH_OK;
    ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "picture.camera", "nothing can be seen that way");
    return ashi_expect(diagnostic, "different points for --eye and --look, and --up not along the line of sight");
}

/* Contacts are those of the last step. Where none was taken or steps do not look for contacts, they are found now. */
static ash_status find_contacts(const picture_work *work, const ashi_instance *instance, ash_diagnostic *diagnostic)
{
    ash_world *world = instance->world;
    const uint32_t layers = ASH_DEBUG_CONTACTS | ASH_DEBUG_NORMALS | ASH_DEBUG_PENETRATION | ASH_DEBUG_GRAPH;
    cli_tint tint = work->order.look.tint;
    if (((work->order.look.layers & layers) == 0 && tint != CLI_TINT_ISLAND && tint != CLI_TINT_LAYER) ||
        (ash_world_get_report(world).step > 0 && ash_world_get_method(world).contacts != ASH_CONTACTS_OFF))
        return ASH_OK;
    ash_status status = ash_world_detect(world);
    if (status != ASH_OK)
        *diagnostic = ash_world_get_last_diagnostic(world);
    return status;
}

/* Makes room for the present state, and takes its largest values into the scales. */
static ash_status measure(picture_work *work, const ash_scene *scene, const ashi_instance *instance, bool merge,
                          ash_diagnostic *diagnostic)
{
    ash_status status = find_contacts(work, instance, diagnostic);
    if (status != ASH_OK)
        return status;
    bool done =
        cli_extent_add(&work->extent, scene, instance, merge) && cli_scales_add(&work->order.look, instance->world);
    return done ? ASH_OK : ashi_out_of_memory(diagnostic);
}

/* First pass of a sequence: how much space its pictures have to show, and the largest values in them. */
static ash_status measure_frame(const ash_scene *scene, const ashi_instance *instance, uint32_t frame, double time,
                                void *user, ash_diagnostic *diagnostic)
{
    (void)frame;
    (void)time;
    return measure(user, scene, instance, true, diagnostic);
}

/* "FILE-0001.png" for the pictures of a sequence. */
static void name_frame(const cli_picture_values *values, uint32_t frame, char *path, size_t size)
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
    return cli_progress_share((work->frames_done + share) / work->order.instants.count, &work->progress);
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
    (void)time;
    ash_status status = work->values->frames == 0 ? measure(work, scene, instance, false, diagnostic)
                                                  : find_contacts(work, instance, diagnostic);
    if (status == ASH_OK && frame == 0) { /* from here on the bar is about drawing */
        cli_progress_end(&work->progress);
        work->progress = cli_progress_begin(scene->name);
        status = set_camera(work, instance->world, diagnostic);
    }
    if (status != ASH_OK)
        return status;
    cli_subject subject;
    status = cli_subject_make(&subject, scene, instance, &work->extent, &work->order.look);
    cli_painter painter = {&subject,    &work->camera, &work->canvas, work->values->samples,
                           work->tasks, tell_progress, work};
    if (status == ASH_OK)
        status = cli_paint(&painter);
    if (status == ASH_OK)
        cli_legend_draw(&subject, &work->canvas);
    cli_subject_release(&subject);
    if (status != ASH_OK) /* rays are finite, so nothing else can be wrong */
        return ashi_out_of_memory(diagnostic);
    work->frames_done = frame + 1;
    if (cli_picture_is_film(work->values))
        return cli_movie_add(&work->movie, &work->canvas, diagnostic);
    if (work->values->animate)
        return cli_animation_add(&work->animation, &work->canvas) ? ASH_OK : ashi_out_of_memory(diagnostic);
    char path[4096];
    name_frame(work->values, frame, path, sizeof path);
    return cli_interrupted() == 0 ? cli_canvas_write(&work->canvas, path, diagnostic) : ASH_OK;
}

static ash_status draw(const cli_film *film, picture_work *work, ash_diagnostic *diagnostic)
{
    const cli_picture_values *values = work->values;
    ash_status status = ASH_OK;
    bool stopped = false;
    work->progress = cli_progress_begin(film->scene->name);
    work->tasks = ashi_tasks_create(values->threads, NULL);
    if (work->tasks == NULL || !cli_canvas_create(&work->canvas, work->order.width, work->order.height))
        status = ashi_out_of_memory(diagnostic);
    if (status == ASH_OK && values->animate &&
        !cli_animation_begin(&work->animation, work->order.width, work->order.height, values->frames, values->every))
        status = ashi_out_of_memory(diagnostic);
    bool film_file = cli_picture_is_film(values), kept = false;
    if (status == ASH_OK && film_file)
        status = cli_movie_begin(&work->movie, values->output, work->order.width, work->order.height, 1 / values->every,
                                 diagnostic);
    if (status == ASH_OK && values->frames > 0)
        status = cli_film_show(film, &work->order.instants, measure_frame, cli_progress_update, &work->progress, work,
                               &stopped, diagnostic);
    /* Of one picture the way to its instant may be the longest part; of a sequence the drawing is. */
    if (status == ASH_OK && !stopped)
        status =
            cli_film_show(film, &work->order.instants, draw_frame, values->frames > 0 ? listen : cli_progress_update,
                          &work->progress, work, &stopped, diagnostic);
    cli_progress_end(&work->progress);
    if (status == ASH_OK && !stopped && values->animate && cli_interrupted() == 0)
        status = cli_animation_write(&work->animation, values->output, diagnostic);
    kept = status == ASH_OK && !stopped && cli_interrupted() == 0;
    if (film_file) {
        ash_status ended = cli_movie_end(&work->movie, kept, diagnostic);
        status = status == ASH_OK ? ended : status;
    }
    cli_animation_release(&work->animation);
    cli_extent_release(&work->extent);
    cli_canvas_release(&work->canvas);
    ashi_tasks_destroy(work->tasks);
    return status;
}

/* Opens what is to be drawn, up to the time `end`. On failure it says why and returns the exit status. */
static int open_film(const char *name, const cli_picture_values *values, bool recording, double end, cli_film *film,
                     ash_scene **scene)
{
    ash_diagnostic diagnostic = {0};
    *film = (cli_film){.threads = values->threads};
    if (!recording) {
        int status = cli_choice_open(name, &values->choice, scene);
        film->scene = *scene;
        return status == CLI_DONE ? cli_film_check_instant("picture", *scene, end) : status;
    }
    if (ashi_replay_open(name, &film->replay, &diagnostic) != ASH_OK)
        return cli_report(&diagnostic);
    film->scene = ashi_replay_scene(film->replay);
    return CLI_DONE;
}

static int make_pictures(const char *name, const cli_picture_values *values)
{
    picture_work work = {.values = values};
    ash_scene *scene = NULL; /* null for recordings, which own theirs */
    cli_film film;
    ash_diagnostic diagnostic = {0};
    bool recording = cli_is_recording(name);
    if (!cli_picture_read(values, recording, &work.order))
        return CLI_BAD_INPUT;
    const cli_instants *instants = &work.order.instants;
    double end = instants->first + instants->interval * (instants->count - 1);
    int status = open_film(name, values, recording, end, &film, &scene);
    if (status != CLI_DONE) {
        ash_scene_destroy(scene);
        return status;
    }
    cli_interrupt_watch();
    status = cli_prepare_file(values->output);
    if (status == CLI_DONE && draw(&film, &work, &diagnostic) != ASH_OK)
        status = cli_report(&diagnostic);
    else if (cli_interrupted() != 0)
        status = 128 + cli_interrupted();
    ashi_replay_close(film.replay);
    ash_scene_destroy(scene);
    return status;
}

static uint32_t cores(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > THREADS_MOST ? THREADS_MOST : (uint32_t)count;
}

int cli_picture_film(const char *recording, const char *path, double rate)
{
    cli_picture_values values = {.threads = cores(), .samples = 4, .every = 1 / rate, .output = path};
    ash_diagnostic diagnostic = {0};
    ashi_replay *replay;
    if (ashi_replay_open(recording, &replay, &diagnostic) != ASH_OK)
        return cli_report(&diagnostic);
    ashi_recording_summary summary = ashi_replay_summary(replay);
    double length = summary.samples > 0 ? summary.last_time : 0;
    ashi_replay_close(replay);
    if (!(length * rate < FRAMES_MOST)) {
        cli_error("convert: %g s at %g pictures a second are more than %d; --rate takes fewer", length, rate,
                  FRAMES_MOST);
        return CLI_BAD_INPUT;
    }
    values.frames = 1 + (uint32_t)(length * rate + 1e-6);
    return make_pictures(recording, &values);
}

static int picture(int argc, char **argv)
{
    cli_picture_values values = {.threads = cores(), .samples = 16, .every = 0.04};
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
    .summary = "draw a scene or a recording at an instant, or a sequence, as PNG files",
    .operands = "SCENE-or-RECORDING",
    .operands_least = 1,
    .operands_most = 1,
    .about =
        "Runs SCENE, a built-in name or a .json or .urdf file, to an instant and draws it as it collides: every\n"
        "pixel is a ray through the world. A RECORDING, a .h5 file or the directory of ashlar run --out, is not run\n"
        "but drawn as it was recorded, at the nearest sample. Springs are coils, red where they are slack,\n"
        "hydraulic cylinders telescopes; rods, ropes, point masses, pulls and loads are drawn beside the\n"
        "shapes. Flat worlds are shown from the front. A legend shows ranges and largest values.\n"
        "\n"
        "Marks over the picture: contacts, normals, forces, friction, penetration, impacts, joints, limits,\n"
        "drives, springs, cylinders, graph, sleeping, bounds, axes, centres, velocities, edges.",
    .examples = "  ashlar picture net --at 0.3 -o net.png\n"
                "  ashlar picture scenes/shapes.json --size 1920x1080 --dark -o shapes.png\n"
                "  ashlar picture stack-20 --at 1 --show forces,friction --colour force -o stack.png\n"
                "  ashlar picture out --at 2 --colour speed -o tower.png\n"
                "  ashlar picture out/recording.h5 --frames 100 --every 0.04 -o film/tower.png\n"
                "  ashlar picture wall --frames 25 --every 0.04 --size 480x270 --animate -o wall.png\n"
                "  ashlar picture out --frames 100 --every 0.04 --dark -o tower.mp4",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = picture,
};
