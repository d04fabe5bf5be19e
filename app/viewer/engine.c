/* The engine's loop and the pages' boxes.
 *
 * One mutex guards the boxes, never the session: only the thread touches that, without the mutex. Commands wait in a
 * box of each page and are obeyed in turn, one of each page, so that no page keeps the others waiting. Answers and
 * scenes go into the pages' boxes. Frames do not queue: the newest ones are kept once for everybody, and a page takes
 * them when it has drawn the last ones it got. They are made only when a page waits for them.
 *
 * Time: a turn comes TURN_LONGEST after the last one, or when a page is ready to draw, but not before TURN_SHORTEST, so
 * that frames go in step with the display of a page. */
#define _POSIX_C_SOURCE 200809L
#include "app/viewer/engine.h"

#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

static const double turn_shortest = 1.0 / 125, turn_longest = 1.0 / 60, elapsed_most = 0.1, serving_most = 0.02; /* s */

enum { FRAMES_MOST = 4 }; /* of two worlds, each with its marks */

typedef enum page_state { ABSENT, NEW, PRESENT, GONE } page_state;

typedef struct page {
    page_state state;
    uint32_t number;
    view_mailbox commands, mail;
    bool ready;    /* to get frames */
    bool lost;     /* its box ran over */
    uint64_t seen; /* number of the frames it got last */
} page;

struct view_engine {
    view_session *session;
    void (*wake)(void *user);
    void *user;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t call; /* to the thread: something came */
    /* Under the mutex: */
    bool stopping, called;
    uint32_t last_number;
    page pages[VIEW_PAGES_MOST];
    view_mail *frames[FRAMES_MOST];
    uint32_t frame_count;
    uint64_t frames_number;
    /* The thread's own: */
    view_mail *made[FRAMES_MOST];
    uint32_t made_count;
    bool begun, changed; /* a page has come; the frames are no longer those of the session */
    double last_turn;
};

/* A message to one page, or to all. */
typedef struct address {
    view_engine *engine;
    page *page; /* null: everybody */
} address;

static void put(page *p, view_mail *mail)
{
    if (p->state == PRESENT && !p->lost && !view_mailbox_put(&p->mail, mail, VIEW_MAILBOX_MOST)) {
        p->lost = true;
        view_mailbox_release(&p->mail);
    }
}

/* In place of a message that is too large. */
static view_mail *make_mail(const void *bytes, size_t size, bool is_text)
{
    static const char excuse[] = "{\"type\":\"note\",\"message\":\"a message of more than 16 MB was left out\"}";
    return size <= VIEW_MESSAGE_MOST ? view_mail_make(bytes, size, is_text)
                                     : view_mail_make(excuse, sizeof excuse - 1, true);
}

static void send_mail(const void *bytes, size_t size, bool is_text, void *user)
{
    const address *to = user;
    view_engine *engine = to->engine;
    view_mail *mail = make_mail(bytes, size, is_text);
    pthread_mutex_lock(&engine->mutex);
    for (uint32_t i = 0; i < VIEW_PAGES_MOST; i++) {
        page *p = &engine->pages[i];
        if (to->page != NULL && to->page != p)
            continue;
        if (mail != NULL)
            put(p, mail);
        else
            p->lost = p->state == PRESENT || p->lost;
    }
    pthread_mutex_unlock(&engine->mutex);
    view_mail_release(mail);
    engine->wake(engine->user);
}

static void keep_frame(const void *bytes, size_t size, bool is_text, void *user)
{
    view_engine *engine = user;
    view_mail *mail = engine->made_count < FRAMES_MOST ? make_mail(bytes, size, is_text) : NULL;
    if (mail != NULL)
        engine->made[engine->made_count++] = mail;
}

static bool frames_are_awaited(view_engine *engine)
{
    bool awaited = false;
    for (uint32_t i = 0; i < VIEW_PAGES_MOST; i++)
        awaited = awaited || (engine->pages[i].state == PRESENT && engine->pages[i].ready);
    return awaited;
}

/* Makes the frames of the present state and puts them in the place of the last ones. */
static void publish(view_engine *engine)
{
    engine->made_count = 0;
    view_session_frame(engine->session, (view_sink){keep_frame, engine});
    pthread_mutex_lock(&engine->mutex);
    for (uint32_t i = 0; i < FRAMES_MOST; i++) {
        view_mail *old = i < engine->frame_count ? engine->frames[i] : NULL;
        engine->frames[i] = i < engine->made_count ? engine->made[i] : NULL;
        engine->made[i] = NULL;
        view_mail_release(old);
    }
    engine->frame_count = engine->made_count;
    engine->frames_number++;
    pthread_mutex_unlock(&engine->mutex);
    engine->changed = false;
    engine->wake(engine->user);
}

static void clear_page(page *p)
{
    view_mailbox_release(&p->commands);
    view_mailbox_release(&p->mail);
    memset(p, 0, sizeof *p);
}

static void greet(view_engine *engine, page *p)
{
    address one = {engine, p};
    if (view_session_greet(engine->session, (view_sink){send_mail, &one}) != ASH_OK) {
        pthread_mutex_lock(&engine->mutex);
        p->lost = true;
        pthread_mutex_unlock(&engine->mutex);
        engine->wake(engine->user);
    }
    if (!engine->begun)
        engine->last_turn = ashi_seconds();
    engine->begun = true;
    engine->changed = true;
}

/* Does what one page wants next; false when that is nothing. Called with the mutex, which it gives back meanwhile. */
static bool serve(view_engine *engine, page *p)
{
    if (p->state == NEW) {
        p->state = PRESENT;
        pthread_mutex_unlock(&engine->mutex);
        greet(engine, p);
        pthread_mutex_lock(&engine->mutex);
        return true;
    }
    if (p->state == GONE) {
        uint32_t number = p->number;
        clear_page(p);
        pthread_mutex_unlock(&engine->mutex);
        view_session_leave(engine->session, number);
        engine->changed = true;
        pthread_mutex_lock(&engine->mutex);
        return true;
    }
    bool was_full = view_mailbox_count(&p->commands) > VIEW_COMMANDS_MOST / 2;
    view_mail *command = p->state == PRESENT ? view_mailbox_take(&p->commands) : NULL;
    if (command == NULL)
        return false;
    bool has_room = was_full && view_mailbox_count(&p->commands) <= VIEW_COMMANDS_MOST / 2;
    address one = {engine, p}, all = {engine, NULL};
    uint32_t number = p->number;
    pthread_mutex_unlock(&engine->mutex);
    view_session_obey(engine->session, number, (const char *)command->bytes, command->size,
                      (view_sink){send_mail, &one}, (view_sink){send_mail, &all});
    view_mail_release(command);
    engine->changed = true;
    if (has_room)
        engine->wake(engine->user);
    pthread_mutex_lock(&engine->mutex);
    return true;
}

/* What pages have asked for, in turn: once each at least, then until the time is used up, so that pages that ask
 * without end do not stop the simulation. With the mutex. */
static void serve_pages(view_engine *engine)
{
    double until = ashi_seconds() + serving_most;
    bool busy = true;
    while (busy && !engine->stopping) {
        busy = false;
        for (uint32_t i = 0; i < VIEW_PAGES_MOST; i++)
            busy = serve(engine, &engine->pages[i]) || busy;
        busy = busy && ashi_seconds() < until;
    }
}

/* Until `seconds`, or until something comes. With the mutex. */
static void rest(view_engine *engine, double seconds)
{
    double whole = seconds > 0 ? seconds : 0;
    struct timespec until = {(time_t)whole, (long)(1e9 * (whole - (double)(time_t)whole))};
    while (!engine->called && !engine->stopping)
        if (pthread_cond_timedwait(&engine->call, &engine->mutex, &until) != 0)
            break;
    engine->called = false;
}

/* One turn of the simulation, when it is due. */
static void take_turn(view_engine *engine, bool awaited)
{
    address all = {engine, NULL};
    double now = ashi_seconds(), elapsed = now - engine->last_turn;
    if (elapsed < (awaited ? turn_shortest : turn_longest))
        return;
    engine->last_turn = now;
    if (engine->begun && view_session_advance(engine->session, elapsed < elapsed_most ? elapsed : elapsed_most,
                                              (view_sink){send_mail, &all}))
        engine->changed = true;
}

static void *run(void *user)
{
    view_engine *engine = user;
    engine->last_turn = ashi_seconds();
    pthread_mutex_lock(&engine->mutex);
    while (!engine->stopping) {
        serve_pages(engine);
        bool awaited = frames_are_awaited(engine);
        pthread_mutex_unlock(&engine->mutex);
        take_turn(engine, awaited);
        if (awaited && engine->changed)
            publish(engine);
        pthread_mutex_lock(&engine->mutex);
        rest(engine, engine->last_turn + turn_longest);
    }
    pthread_mutex_unlock(&engine->mutex);
    return NULL;
}

static bool prepare(view_engine *engine)
{
    pthread_condattr_t attributes;
    if (pthread_mutex_init(&engine->mutex, NULL) != 0)
        return false;
    bool good = pthread_condattr_init(&attributes) == 0;
    if (good) {
        good = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
               pthread_cond_init(&engine->call, &attributes) == 0;
        pthread_condattr_destroy(&attributes);
    }
    if (!good)
        pthread_mutex_destroy(&engine->mutex);
    return good;
}

static void discard(view_engine *engine)
{
    for (uint32_t i = 0; i < VIEW_PAGES_MOST; i++)
        clear_page(&engine->pages[i]);
    for (uint32_t i = 0; i < FRAMES_MOST; i++)
        view_mail_release(engine->frames[i]);
    pthread_cond_destroy(&engine->call);
    pthread_mutex_destroy(&engine->mutex);
    ashi_dealloc(engine);
}

view_engine *view_engine_start(view_session *session, void (*wake)(void *user), void *user)
{
    view_engine *engine = ashi_alloc_zeroed(sizeof *engine);
    if (engine == NULL)
        return NULL;
    engine->session = session;
    engine->wake = wake;
    engine->user = user;
    if (!prepare(engine)) {
        ashi_dealloc(engine);
        return NULL;
    }
    if (pthread_create(&engine->thread, NULL, run, engine) != 0) {
        discard(engine);
        return NULL;
    }
    return engine;
}

/* With the mutex. */
static void call(view_engine *engine)
{
    engine->called = true;
    pthread_cond_signal(&engine->call);
}

void view_engine_stop(view_engine *engine)
{
    if (engine == NULL)
        return;
    pthread_mutex_lock(&engine->mutex);
    engine->stopping = true;
    call(engine);
    pthread_mutex_unlock(&engine->mutex);
    pthread_join(engine->thread, NULL);
    discard(engine);
}

/* Null when it is not there. With the mutex. */
static page *find(view_engine *engine, uint32_t number)
{
    for (uint32_t i = 0; i < VIEW_PAGES_MOST; i++) {
        page *p = &engine->pages[i];
        if (p->number == number && (p->state == NEW || p->state == PRESENT))
            return p;
    }
    return NULL;
}

uint32_t view_engine_enter(view_engine *engine)
{
    uint32_t number = 0;
    pthread_mutex_lock(&engine->mutex);
    for (uint32_t i = 0; i < VIEW_PAGES_MOST && number == 0; i++)
        if (engine->pages[i].state == ABSENT) {
            number = ++engine->last_number;
            engine->pages[i].state = NEW;
            engine->pages[i].number = number;
            call(engine);
        }
    pthread_mutex_unlock(&engine->mutex);
    return number;
}

void view_engine_leave(view_engine *engine, uint32_t number)
{
    pthread_mutex_lock(&engine->mutex);
    page *p = find(engine, number);
    if (p != NULL) {
        p->state = GONE;
        call(engine);
    }
    pthread_mutex_unlock(&engine->mutex);
}

static bool is_ready(const char *text, size_t size)
{
    enum { LONGEST = 64 }; /* it says nothing else */
    json_t *command = size <= LONGEST ? json_loadb(text, size, 0, NULL) : NULL;
    const char *word = json_string_value(json_object_get(command, "do"));
    bool ready = word != NULL && strcmp(word, "ready") == 0;
    json_decref(command);
    return ready;
}

/* With the mutex. */
static view_taken keep_command(page *p, const char *text, size_t size)
{
    if (view_mailbox_count(&p->commands) >= VIEW_COMMANDS_MOST)
        return VIEW_FULL;
    view_mail *command = view_mail_make(text, size, true);
    bool kept = command != NULL && view_mailbox_put(&p->commands, command, SIZE_MAX);
    view_mail_release(command);
    if (!kept)
        return VIEW_FULL;
    return view_mailbox_count(&p->commands) < VIEW_COMMANDS_MOST ? VIEW_TAKEN : VIEW_BUSY;
}

view_taken view_engine_command(view_engine *engine, uint32_t number, const char *text, size_t size)
{
    bool ready = is_ready(text, size);
    view_taken taken = VIEW_TAKEN;
    pthread_mutex_lock(&engine->mutex);
    page *p = find(engine, number);
    if (p != NULL && ready)
        p->ready = true;
    else if (p != NULL)
        taken = keep_command(p, text, size);
    call(engine);
    pthread_mutex_unlock(&engine->mutex);
    return taken;
}

bool view_engine_has_room(view_engine *engine, uint32_t number)
{
    pthread_mutex_lock(&engine->mutex);
    page *p = find(engine, number);
    bool room = p == NULL || view_mailbox_count(&p->commands) <= VIEW_COMMANDS_MOST / 2;
    pthread_mutex_unlock(&engine->mutex);
    return room;
}

/* Gives a page that is ready and has no other mail the newest frames, all of them: they belong together. With the
 * mutex.
 */
static void give_frames(view_engine *engine, page *p)
{
    if (!p->ready || p->seen == engine->frames_number || view_mailbox_count(&p->mail) > 0)
        return;
    p->ready = false;
    p->seen = engine->frames_number;
    for (uint32_t i = 0; i < engine->frame_count; i++)
        put(p, engine->frames[i]);
}

view_mail *view_engine_next(view_engine *engine, uint32_t number, bool *lost)
{
    pthread_mutex_lock(&engine->mutex);
    page *p = find(engine, number);
    view_mail *mail = NULL;
    if (p != NULL) {
        give_frames(engine, p);
        mail = view_mailbox_take(&p->mail);
    }
    *lost = p == NULL || p->lost;
    pthread_mutex_unlock(&engine->mutex);
    return mail;
}
