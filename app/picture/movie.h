/* A sequence of pictures as a film: pixels go through a pipe to ffmpeg, which must be installed. */
#ifndef CLI_RENDER_MOVIE_H
#define CLI_RENDER_MOVIE_H

#include <sys/types.h>

#include "app/picture/canvas.h"

typedef struct cli_movie {
    pid_t encoder; /* 0: none */
    int pipe;
    const char *path;
    char made[4096]; /* what ffmpeg writes, beside the path, until it is whole */
} cli_movie;

/* Starts ffmpeg for pictures of that size, `rate` a second. */
ash_status cli_movie_begin(cli_movie *movie, const char *path, uint32_t width, uint32_t height, double rate,
                           ash_diagnostic *diagnostic);
ash_status cli_movie_add(const cli_movie *movie, const cli_canvas *canvas, ash_diagnostic *diagnostic);
/* Ends it. With `keep` the film takes its name, and only when ffmpeg says that it is right; without, nothing is left.
 */
ash_status cli_movie_end(cli_movie *movie, bool keep, ash_diagnostic *diagnostic);

#endif
