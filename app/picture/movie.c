/* ffmpeg reads plain pixels from its standard input, and chooses the codec by the file's ending. Sides are made even,
 * as most codecs want them. */
#define _POSIX_C_SOURCE 200809L
#include "app/picture/movie.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diagnostic.h"

extern char **environ;

static ash_status no_encoder(const char *path, const char *reason, ash_diagnostic *diagnostic)
{
    ashi_fail(diagnostic, ASH_UNSUPPORTED, "movie.encoder", "ffmpeg cannot make %.300s: %s", path, reason);
    ashi_expect(diagnostic, "the program ffmpeg on the path");
    return ASH_UNSUPPORTED;
}

static int spawn(cli_movie *movie, char *const arguments[], int reading)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    error = posix_spawn_file_actions_adddup2(&actions, reading, STDIN_FILENO);
    if (error == 0)
        error = posix_spawnp(&movie->encoder, "ffmpeg", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

ash_status cli_movie_begin(cli_movie *movie, const char *path, uint32_t width, uint32_t height, double rate,
                           ash_diagnostic *diagnostic)
{
    char size[32], speed[32], even[] = "pad=ceil(iw/2)*2:ceil(ih/2)*2";
    int ends[2];
    *movie = (cli_movie){.path = path, .pipe = -1};
    snprintf(size, sizeof size, "%ux%u", (unsigned)width, (unsigned)height);
    snprintf(speed, sizeof speed, "%.9g", rate);
    if (snprintf(movie->made, sizeof movie->made, "%s.part.mp4", path) >= (int)sizeof movie->made)
        return no_encoder(path, "the name is too long", diagnostic);
    char *const arguments[] = {
        "ffmpeg", "-loglevel",   "error",    "-nostdin",   "-y",        "-f",         "rawvideo",  "-pixel_format",
        "rgb24",  "-video_size", size,       "-framerate", speed,       "-i",         "-",         "-an",
        "-vf",    even,          "-pix_fmt", "yuv420p",    "-movflags", "+faststart", movie->made, NULL};
    if (pipe(ends) != 0)
        return no_encoder(path, strerror(errno), diagnostic);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    int error = spawn(movie, arguments, ends[0]);
    close(ends[0]);
    movie->pipe = ends[1];
    if (error == 0)
        return ASH_OK;
    movie->encoder = 0;
    close(movie->pipe);
    return no_encoder(path, error == ENOENT ? "it is not installed" : strerror(error), diagnostic);
}

ash_status cli_movie_add(const cli_movie *movie, const cli_canvas *canvas, ash_diagnostic *diagnostic)
{
    const uint8_t *next = canvas->pixels;
    size_t left = 3 * (size_t)canvas->width * canvas->height;
    while (left > 0) {
        ssize_t written = write(movie->pipe, next, left);
        if (written < 0 && errno != EINTR)
            return no_encoder(movie->path, "it has ended; its message is above", diagnostic);
        next += written > 0 ? written : 0;
        left -= written > 0 ? (size_t)written : 0;
    }
    return ASH_OK;
}

ash_status cli_movie_end(cli_movie *movie, bool keep, ash_diagnostic *diagnostic)
{
    int state = 0;
    if (movie->encoder == 0)
        return ASH_OK;
    close(movie->pipe);
    while (waitpid(movie->encoder, &state, 0) < 0 && errno == EINTR)
        ;
    movie->encoder = 0;
    bool whole = WIFEXITED(state) && WEXITSTATUS(state) == 0;
    if (whole && keep && rename(movie->made, movie->path) == 0)
        return ASH_OK;
    unlink(movie->made);
    return keep ? no_encoder(movie->path, whole ? strerror(errno) : "it failed; its message is above", diagnostic)
                : ASH_OK;
}
