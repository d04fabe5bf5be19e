/* PNG by libpng: 8 bits a channel, sRGB. The file is made in memory. libpng reports errors by a jump; nothing that
 * needs releasing is made between the setjmp and the end of writing. */
#define _POSIX_C_SOURCE 200809L
#include "app/picture/canvas.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "scene/file/output_file.h"

bool cli_canvas_create(cli_canvas *canvas, uint32_t width, uint32_t height)
{
    *canvas = (cli_canvas){width, height, ashi_alloc_array((size_t)width * height, 3)};
    return canvas->pixels != NULL;
}

void cli_canvas_release(cli_canvas *canvas)
{
    ashi_dealloc(canvas->pixels);
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

/* False when memory ran out, or with `reason` when it was libpng itself. */
static bool put_png(const cli_canvas *canvas, FILE *file, char *reason)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, reason, keep_error, ignore_warning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    if (info == NULL) {
        png_destroy_write_struct(&png, NULL);
        return false;
    }
    if (setjmp(png_jmpbuf(png)) != 0) {
        png_destroy_write_struct(&png, &info);
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

ash_status cli_canvas_write(const cli_canvas *canvas, const char *path, ash_diagnostic *diagnostic)
{
    char reason[128] = "", *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    bool made = stream != NULL && put_png(canvas, stream, reason);
    made = stream != NULL && fclose(stream) == 0 && made;
    ash_status status;
    if (made)
        status = ashi_write_file(path, bytes, size, diagnostic);
    else if (reason[0] != 0)
        status = ashi_fail(diagnostic, ASH_IO, "picture.write", "cannot make the picture %s: %s", path, reason);
    else
        status = ashi_out_of_memory(diagnostic);
    free(bytes);
    return status;
}
