/* Reading the options of a picture: numbers, points, sizes and names. */
#include "app/commands/picture_order.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/message.h"
#include "ashlar/debug.h"
#include "base/diagnostic.h"
#include "base/text.h"
#include "scene/description/names.h"

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
            *cut++ = 0;
        if (!ashi_parse_number(next, &values[i]) || fabs(values[i]) > 1e9)
            return false;
        next = cut;
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
         values[0] < 1 || values[1] < 1 || values[0] > CLI_SIDE_MOST || values[1] > CLI_SIDE_MOST))
        return refuse("size", text, "width and height from 1 to 16384, such as 1280x720");
    *width = (uint32_t)values[0];
    *height = (uint32_t)values[1];
    return true;
}

/* The names of all layers, and "all". */
static const char *const *layer_names(void)
{
    static const char *names[ASH_DEBUG_LAYERS + 1];
    for (uint32_t i = 0; i < ASH_DEBUG_LAYERS; i++)
        names[i] = ash_debug_layer_name(i);
    names[ASH_DEBUG_LAYERS] = "all";
    return names;
}

/* Adds the layers that "a,b,c" names. */
static bool read_layers(const char *text, uint32_t *layers)
{
    const char *const *names = layer_names();
    while (true) {
        char word[32];
        size_t length = strcspn(text, ",");
        uint32_t i = 0;
        snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), text);
        while (i <= ASH_DEBUG_LAYERS && strcmp(names[i], word) != 0)
            i++;
        if (i > ASH_DEBUG_LAYERS) {
            char suggestion[64], list[320];
            cli_error("picture: --show \"%s\": there is no such layer%s; there are %s", word,
                      ashi_did_you_mean(word, names, ASH_DEBUG_LAYERS + 1, suggestion, sizeof suggestion),
                      ashi_words_text((ashi_words){names, ASH_DEBUG_LAYERS + 1}, list, sizeof list));
            return false;
        }
        *layers |= i == ASH_DEBUG_LAYERS ? (1u << ASH_DEBUG_LAYERS) - 1 : 1u << i;
        if (text[length] == 0)
            return true;
        text += length + 1;
    }
}

static bool read_tint(const char *text, cli_tint *tint)
{
    const char *names[CLI_TINTS];
    for (uint32_t i = 0; i < CLI_TINTS; i++) {
        names[i] = cli_tint_name((cli_tint)i);
        if (text != NULL && strcmp(names[i], text) == 0)
            *tint = (cli_tint)i;
    }
    if (text == NULL || strcmp(text, names[*tint]) == 0)
        return true;
    char suggestion[64], list[128];
    cli_error("picture: --colour \"%s\": there is no such way%s; there are %s", text,
              ashi_did_you_mean(text, names, CLI_TINTS, suggestion, sizeof suggestion),
              ashi_words_text((ashi_words){names, CLI_TINTS}, list, sizeof list));
    return false;
}

/* Of a recording there are states, but neither forces nor sleep, and it cannot be run in another way. */
static bool suits_recordings(const cli_picture_values *values, const cli_picture_order *order)
{
    const cli_choice *choice = &values->choice;
    if (choice->method != NULL || choice->set.count > 0 || choice->step > 0) {
        cli_error("picture: --method, --set and --step are for scenes; a recording is as it was run");
        return false;
    }
    if (order->look.tint == CLI_TINT_FORCE || order->look.tint == CLI_TINT_SLEEPING) {
        cli_error("picture: --colour %s: a recording holds no forces and does not tell who sleeps; draw its scene, "
                  "scene.json beside it",
                  values->colour);
        return false;
    }
    return true;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

bool cli_picture_is_film(const cli_picture_values *values)
{
    return ends_with(values->output, ".mp4");
}

bool cli_picture_read(const cli_picture_values *values, bool recording, cli_picture_order *order)
{
    bool up_given = false;
    cli_view *view = &order->view;
    *order = (cli_picture_order){.view = cli_default_view(), .look = {.dark = values->dark}};
    order->instants = (cli_instants){0, values->every, values->frames > 0 ? values->frames : 1};
    if (values->output == NULL) {
        cli_error("picture: where to? give -o FILE.png or FILE.mp4");
        return false;
    }
    bool film = cli_picture_is_film(values);
    if (!film && !ends_with(values->output, ".png"))
        return refuse("output", values->output, "a name that ends in .png or .mp4");
    if (film && (values->animate || values->frames == 0)) {
        cli_error("picture: a film is a sequence: give --frames N%s", values->animate ? ", and no --animate" : "");
        return false;
    }
    if (values->animate && values->frames == 0) {
        cli_error("picture: --animate is for sequences: give --frames N, too");
        return false;
    }
    for (uint32_t i = 0; i < values->show.count; i++)
        if (!read_layers(values->show.data[i], &order->look.layers))
            return false;
    view->fov_given = values->fov != NULL;
    return read_tint(values->colour, &order->look.tint) && (!recording || suits_recordings(values, order)) &&
           read_number("at", values->at, 0, 1e9, "a number of seconds from 0 to 1e9", &order->instants.first) &&
           read_number("fov", values->fov, 1, 150, "degrees from 1 to 150", &view->fov) &&
           read_size(values->size, &order->width, &order->height) &&
           read_point("eye", values->eye, &view->eye, &view->eye_given) &&
           read_point("look", values->look, &view->look, &view->look_given) &&
           read_point("up", values->up, &view->up, &up_given);
}
