/* What the viewer costs beside the steps that it shows: the scene `box-pile` by `realtime` in a session, and the same
 * in a world of its own, turn by turn in one run, so that whatever else the machine does slows both alike. After each
 * step of the session a frame is made and kept as for pages, and sent to one page over the loopback interface, in
 * pieces as the server does: the most that a stream can cost. A page whose display shows 60 frames a second while the
 * scene runs at its pace, a hundred steps a second, gets six for ten steps.
 * Times are of the processor, of the calling thread; sending includes what the kernel does, but not the page. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include "app/viewer/mailbox.h"
#include "app/viewer/session.h"
#include "base/alloc.h"
#include "base/diagnostic.h"
#include "scene/instance/instance.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TURN = 10, PHASES = 2, PIECE = 64 << 10 };
static const char *const phases[PHASES] = {"falling", "settling"};
static const int phase_steps[PHASES] = {100, 200};
static const double step_length = 0.01;

typedef struct pair {
    int near_end, far_end; /* of a connection of the loopback interface */
    pthread_t reader;
} pair;

typedef struct stream {
    view_session *session;
    ash_scene *scene;
    ashi_instance alone;
    uint32_t step;
    pair line;
    bool failed;
} stream;

typedef struct lap {
    double alone, stepping, framing, sending, bytes; /* s; sums */
    uint32_t steps;
} lap;

/* The page: it reads, on a thread of its own. */
static void *read_all(void *user)
{
    const pair *line = user;
    char bytes[PIECE];
    while (read(line->far_end, bytes, sizeof bytes) > 0)
        continue;
    return NULL;
}

static bool connect_pair(pair *line)
{
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof place;
    int door = socket(AF_INET, SOCK_STREAM, 0);
    line->near_end = socket(AF_INET, SOCK_STREAM, 0);
    line->far_end = -1;
    if (door >= 0 && line->near_end >= 0 && bind(door, (struct sockaddr *)&place, sizeof place) == 0 &&
        listen(door, 1) == 0 && getsockname(door, (struct sockaddr *)&place, &size) == 0 &&
        connect(line->near_end, (struct sockaddr *)&place, sizeof place) == 0)
        line->far_end = accept(door, NULL, NULL);
    if (door >= 0)
        close(door);
    if (line->far_end >= 0 && pthread_create(&line->reader, NULL, read_all, line) == 0)
        return true;
    if (line->near_end >= 0)
        close(line->near_end);
    if (line->far_end >= 0)
        close(line->far_end);
    line->near_end = line->far_end = -1;
    return false;
}

static void disconnect(pair *line)
{
    if (line->far_end < 0)
        return;
    close(line->near_end);
    pthread_join(line->reader, NULL);
    close(line->far_end);
}

static void ignore(const void *bytes, size_t size, bool is_text, void *user)
{
    (void)bytes, (void)size, (void)is_text, (void)user;
}

static void write_pieces(stream *s, const view_mail *mail)
{
    for (size_t sent = 0; sent < mail->size;) {
        size_t size = mail->size - sent < PIECE ? mail->size - sent : PIECE;
        ssize_t written = write(s->line.near_end, mail->bytes + sent, size);
        s->failed = s->failed || written <= 0;
        if (s->failed)
            return;
        sent += (size_t)written;
    }
}

/* As the engine keeps frames. */
typedef struct keeper {
    stream *stream;
    view_mail *mail[4];
    uint32_t count;
} keeper;

static void keep(const void *bytes, size_t size, bool is_text, void *user)
{
    keeper *k = user;
    view_mail *mail = k->count < 4 ? view_mail_make(bytes, size, is_text) : NULL;
    k->stream->failed = k->stream->failed || mail == NULL;
    if (mail != NULL)
        k->mail[k->count++] = mail;
}

static void show_frame(stream *s, lap *l)
{
    keeper kept = {.stream = s};
    double start = bench_processor_seconds();
    view_session_frame(s->session, (view_sink){keep, &kept});
    double framed = bench_processor_seconds();
    for (uint32_t i = 0; i < kept.count; i++)
        write_pieces(s, kept.mail[i]);
    l->sending += bench_processor_seconds() - framed;
    l->framing += framed - start;
    for (uint32_t i = 0; i < kept.count; i++) {
        l->bytes += (double)kept.mail[i]->size;
        view_mail_release(kept.mail[i]);
    }
}

static ash_status take_turn(stream *s, lap *l, ash_diagnostic *diagnostic)
{
    static const char step[] = "{\"do\":\"step\"}";
    ash_status status = ASH_OK;
    double start = bench_processor_seconds();
    for (int i = 0; i < TURN && status == ASH_OK; i++, s->step++) {
        status = ashi_instance_apply_events(&s->alone, s->scene, s->step * step_length, diagnostic);
        if (status == ASH_OK)
            status = ash_world_step(s->alone.world, step_length);
    }
    l->alone += bench_processor_seconds() - start;
    for (int i = 0; i < TURN; i++) {
        start = bench_processor_seconds();
        view_session_obey(s->session, 1, step, sizeof step - 1, (view_sink){ignore, NULL}, (view_sink){ignore, NULL});
        l->stepping += bench_processor_seconds() - start;
        show_frame(s, l);
    }
    l->steps += TURN;
    if (status == ASH_OK && s->failed)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "bench.view",
                         "frames could not be sent on the loopback interface");
    return status;
}

static ash_status open_stream(stream *s, uint32_t bodies, ash_diagnostic *diagnostic)
{
    char setting[16], count[16];
    const char *set[] = {setting};
    snprintf(count, sizeof count, "%u", bodies);
    snprintf(setting, sizeof setting, "n=%u", bodies);
    view_subject subject = {.name = "box-pile", .threads = 1, .paused = true, .choice.step = step_length};
    subject.choice.set.data = set;
    subject.choice.set.count = subject.choice.set.capacity = 1;
    if (view_session_open(&subject, &s->session) != 0)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "bench.view", "the session could not be opened");
    ash_status status = ash_scene_open("box-pile", &(ash_setting){"n", count}, 1, &s->scene, diagnostic);
    if (status == ASH_OK)
        status = ashi_scene_build(s->scene, 1, &s->alone, diagnostic);
    if (status == ASH_OK && !connect_pair(&s->line))
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "bench.view", "there is no loopback interface");
    return status;
}

static void close_stream(stream *s)
{
    disconnect(&s->line);
    ashi_instance_release(&s->alone);
    ash_scene_destroy(s->scene);
    view_session_close(s->session);
}

static json_t *row(uint32_t bodies, const char *phase, const lap *l)
{
    double per = 1e3 / l->steps, shown = l->framing + l->sending;
    return json_pack("{s:I, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "bodies", (json_int_t)bodies, "phase", phase,
                     "step (ms)", per * l->alone, "step in the session (ms)", per * l->stepping, "frame (ms)",
                     per * l->framing, "sent to a page (ms)", per * l->sending, "bytes a frame", l->bytes / l->steps,
                     "of a step (%)", 100 * shown / l->alone, "at 60 frames/s (%)",
                     100 * shown / l->alone * 60 * step_length);
}

static ash_status measure(uint32_t bodies, json_t *rows, ash_diagnostic *diagnostic)
{
    stream s = {.line = {-1, -1, 0}};
    ash_status status = open_stream(&s, bodies, diagnostic);
    for (int phase = 0; phase < PHASES && status == ASH_OK; phase++) {
        lap l = {0};
        for (int turn = 0; turn < phase_steps[phase] / TURN && status == ASH_OK; turn++)
            status = take_turn(&s, &l, diagnostic);
        if (status == ASH_OK && json_array_append_new(rows, row(bodies, phases[phase], &l)) != 0)
            status = ashi_out_of_memory(diagnostic);
    }
    close_stream(&s);
    return status;
}

json_t *bench_view(uint32_t most, ash_diagnostic *diagnostic)
{
    static const uint32_t counts[] = {100, 1000, 3000};
    json_t *rows = json_array();
    for (int i = 0; i < 3; i++)
        if (counts[i] <= most && measure(counts[i], rows, diagnostic) != ASH_OK) {
            json_decref(rows);
            return NULL;
        }
    return rows;
}
