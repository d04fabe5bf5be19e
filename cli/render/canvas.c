/* PNG by libpng: 8 bits a channel, sRGB. libpng reports errors by a jump; nothing that needs releasing is made between
 * the setjmp and the end of writing. */
#define _POSIX_C_SOURCE 200809L
#include "render/canvas.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/diagnostic.h"

bool cli_canvas_create(cli_canvas *canvas, uint32_t width, uint32_t height)
{
    *canvas = (cli_canvas){width, height, ashi_alloc_array((size_t)width * height, 3)};
    return canvas->pixels != NULL;
}

void cli_canvas_release(cli_canvas *canvas)
{
    ashi_free(canvas->pixels);
    canvas->pixels = NULL;
}

/* What libpng has to say is kept for the diagnostic, not printed. */
static void keep_error(png_structp png, png_const_charp message)
{
    char *text = png_get_error_ptr(png);
    snprintf(text, 128, "%s", message);
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

/* False with errno, or `reason` when it was libpng itself. */
static bool put_png(const cli_canvas *canvas, FILE *file, char *reason)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, reason, keep_error, ignore_warning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    if (info == NULL) {
        png_destroy_write_struct(&png, NULL);
        errno = ENOMEM;
        return false;
    }
    if (setjmp(png_jmpbuf(png)) != 0) {
        int kept = errno;
        png_destroy_write_struct(&png, &info);
        errno = kept;
        return false;
    }
    png_init_io(png, file);
    png_set_IHDR(png, info, canvas->width, canvas->height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, 9);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (uint32_t y = 0; y < canvas->height; y++)
        png_write_row(png, cli_canvas_at(canvas, 0, y));
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return true;
}

/* Half a picture is worse than none; but only what is a file of its own is taken away. */
static void remove_rest(const char *path)
{
    struct stat about;
    if (lstat(path, &about) == 0 && S_ISREG(about.st_mode))
        unlink(path);
}

ash_status cli_canvas_write(const cli_canvas *canvas, const char *path, ash_diagnostic *diagnostic)
{
    char reason[128] = "";
    errno = 0;
    FILE *file = fopen(path, "wb");
    bool opened = file != NULL, written = opened && put_png(canvas, file, reason);
    int number = errno;
    if (opened && fclose(file) != 0 && written) {
        written = false;
        number = errno;
    }
    if (written)
        return ASH_OK;
    if (opened)
        remove_rest(path);
    return ashi_fail(diagnostic, ASH_IO, "picture.write", "cannot write %s: %s", path,
                     number != 0 ? strerror(number) : reason);
}
