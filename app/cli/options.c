/* A small option parser. Each option is a line of a table that says what it takes and which field it fills, so that the
 * help and the parser cannot disagree. Long options take "--name value" and "--name=value", short ones "-o value" and
 * "-ovalue". */
#include "app/cli/options.h"

#include <stdio.h>
#include <string.h>

#include "base/diagnostic.h"
#include "base/text.h"

enum { OPTIONS_MOST = 32 };

/* The arguments as they are used up, and where to tell what is wrong. */
typedef struct option_reader {
    const cli_option *options;
    uint32_t option_count;
    int argc, next;
    char **argv;
    void *values;
    char *message;
    size_t message_size;
} option_reader;

static bool store_number(option_reader *reader, const cli_option *option, const char *text, void *field)
{
    if (option->kind == CLI_SECONDS || option->kind == CLI_NUMBER) {
        double seconds;
        if (ashi_parse_number(text, &seconds) && seconds > 0) {
            memcpy(field, &seconds, sizeof seconds);
            return true;
        }
        snprintf(reader->message, reader->message_size, "--%s is \"%s\", expected a number %sabove 0", option->name,
                 text, option->kind == CLI_SECONDS ? "of seconds " : "");
        return false;
    }
    uint32_t count, least = option->kind == CLI_COUNT ? 1 : 0;
    if (ashi_parse_count(text, &count) && count >= least && count <= option->most) {
        memcpy(field, &count, sizeof count);
        return true;
    }
    snprintf(reader->message, reader->message_size, "--%s is \"%s\", expected a whole number from %u to %u",
             option->name, text, (unsigned)least, (unsigned)option->most);
    return false;
}

static bool store(option_reader *reader, const cli_option *option, const char *text)
{
    void *field = (char *)reader->values + option->offset;
    if (option->kind == CLI_SECONDS || option->kind == CLI_NUMBER || option->kind == CLI_COUNT ||
        option->kind == CLI_WHOLE)
        return store_number(reader, option, text, field);
    if (text[0] == 0) {
        snprintf(reader->message, reader->message_size, "--%s is empty, expected %s", option->name, option->argument);
        return false;
    }
    if (option->kind == CLI_TEXT) {
        memcpy(field, &text, sizeof text);
        return true;
    }
    cli_texts *texts = field;
    if (!ashi_array_extend(texts)) {
        snprintf(reader->message, reader->message_size, "out of memory");
        return false;
    }
    texts->data[texts->count - 1] = text;
    return true;
}

/* `value` is what stood in the same argument, or null. */
static bool take(option_reader *reader, const cli_option *option, const char *value)
{
    if (option->kind == CLI_FLAG) {
        if (value != NULL) {
            snprintf(reader->message, reader->message_size, "--%s takes no value, but \"%s\" was given", option->name,
                     value);
            return false;
        }
        *((bool *)((char *)reader->values + option->offset)) = true;
        return true;
    }
    if (value == NULL && reader->next == reader->argc) {
        snprintf(reader->message, reader->message_size, "--%s needs a value: --%s %s", option->name, option->name,
                 option->argument);
        return false;
    }
    return store(reader, option, value != NULL ? value : reader->argv[reader->next++]);
}

static cli_parsed take_long(option_reader *reader, const char *text)
{
    const char *equals = strchr(text, '=');
    size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    const char *names[OPTIONS_MOST + 1] = {"help"};
    if (length == 4 && strncmp(text, "help", 4) == 0 && equals == NULL)
        return CLI_HELP_WANTED;
    for (uint32_t i = 0; i < reader->option_count; i++) {
        const cli_option *option = &reader->options[i];
        if (strlen(option->name) == length && strncmp(option->name, text, length) == 0)
            return take(reader, option, equals != NULL ? equals + 1 : NULL) ? CLI_PARSED : CLI_REFUSED;
        if (i < OPTIONS_MOST)
            names[i + 1] = option->name;
    }
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), text);
    const char *nearest =
        ashi_nearest(word, names, (reader->option_count < OPTIONS_MOST ? reader->option_count : OPTIONS_MOST) + 1);
    if (nearest != NULL)
        snprintf(reader->message, reader->message_size, "unknown option --%s (did you mean --%s?)", word, nearest);
    else
        snprintf(reader->message, reader->message_size, "unknown option --%s", word);
    return CLI_REFUSED;
}

static cli_parsed take_short(option_reader *reader, const char *text)
{
    if (strcmp(text, "h") == 0)
        return CLI_HELP_WANTED;
    for (uint32_t i = 0; i < reader->option_count; i++) {
        const cli_option *option = &reader->options[i];
        if (option->letter != 0 && option->letter == text[0])
            return take(reader, option, text[1] != 0 ? text + 1 : NULL) ? CLI_PARSED : CLI_REFUSED;
        if (strcmp(option->name, text) == 0) {
            snprintf(reader->message, reader->message_size, "unknown option -%s (did you mean --%s?)", text, text);
            return CLI_REFUSED;
        }
    }
    snprintf(reader->message, reader->message_size, "unknown option -%s", text);
    return CLI_REFUSED;
}

cli_parsed cli_options_read(const cli_option *options, uint32_t option_count, int argc, char **argv, void *values,
                            uint32_t *operand_count, char *message, size_t message_size)
{
    option_reader reader = {options, option_count, argc, 0, argv, values, message, message_size};
    bool only_operands = false;
    *operand_count = 0;
    while (reader.next < argc) {
        char *text = argv[reader.next++];
        cli_parsed parsed = CLI_PARSED;
        if (only_operands || text[0] != '-' || text[1] == 0)
            argv[(*operand_count)++] = text;
        else if (strcmp(text, "--") == 0)
            only_operands = true;
        else
            parsed = text[1] == '-' ? take_long(&reader, text + 2) : take_short(&reader, text + 1);
        if (parsed != CLI_PARSED)
            return parsed;
    }
    return CLI_PARSED;
}

void cli_options_release(const cli_option *options, uint32_t option_count, void *values)
{
    for (uint32_t i = 0; i < option_count; i++)
        if (options[i].kind == CLI_TEXTS) {
            cli_texts *texts = (cli_texts *)(void *)((char *)values + options[i].offset);
            ashi_array_release(texts);
        }
}
