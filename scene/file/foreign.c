/* Kinds of files by their first bytes, and JSON files of Ashlar by their keys. */
#include "scene/file/foreign.h"

#include <string.h>

static const struct {
    const char *bytes;
    size_t count;
    const char *what, *advice;
} signatures[] = {
    {"\x89HDF\r\n\x1a\n", 8, "a recording (HDF5)", "ashlar view, picture, report and check take recordings"},
    {"\x89PNG\r\n\x1a\n", 8, "a PNG picture", NULL},
    {"\xff\xd8\xff", 3, "a JPEG picture", NULL},
    {"%PDF-", 5, "a PDF document", NULL},
    {"PK\x03\x04", 4, "a ZIP archive", NULL},
    {"\x1f\x8b", 2, "compressed by gzip", "the file unpacked"},
    {"\x7f"
     "ELF",
     4, "a program", NULL},
    {"<?xml", 5, "XML", NULL},
    {"<mujoco", 7, "a MuJoCo model (XML)", NULL},
    {"<robot", 6, "a robot description (URDF)", NULL},
    {"<!DOCTYPE html", 14, "an HTML page", NULL},
    {"<html", 5, "an HTML page", NULL},
    {"<svg", 4, "an SVG drawing", NULL},
};

static const char *kind_of(const ashi_reader *reader)
{
    return reader->kind != NULL ? reader->kind : "scene";
}

static bool refuse(ashi_reader *reader, const char *what, const char *advice)
{
    const ashi_place whole = {0};
    ashi_read_fail(reader, &whole, ASH_BAD_DATA, "scene.foreign", "this is not a %s file: it is %s", kind_of(reader),
                   what);
    reader->diagnostic.line = reader->diagnostic.column = 0; /* it is the whole file */
    if (advice != NULL)
        ashi_read_expect(reader, "a %s file (JSON); %s", kind_of(reader), advice);
    else
        ashi_read_expect(reader, "a %s file (JSON)", kind_of(reader));
    return true;
}

static bool is_blank(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (strchr(" \t\r\n", text[i]) == NULL || text[i] == 0)
            return false;
    return true;
}

bool ashi_refuse_foreign_bytes(ashi_reader *reader)
{
    if (is_blank(reader->text, reader->size))
        return refuse(reader, "empty", NULL);
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
        if (reader->size >= signatures[i].count && memcmp(reader->text, signatures[i].bytes, signatures[i].count) == 0)
            return refuse(reader, signatures[i].what, signatures[i].advice);
    /* A file that starts like JSON is read as JSON, so that a damaged byte is reported with its line. */
    size_t looked_at = reader->size < 512 ? reader->size : 512, begin = 0;
    while (begin < looked_at && reader->text[begin] <= ' ' && reader->text[begin] > 0)
        begin++;
    bool like_json = begin < looked_at && (reader->text[begin] == '{' || reader->text[begin] == '[');
    return !like_json && memchr(reader->text, 0, looked_at) != NULL && refuse(reader, "not text", NULL);
}

bool ashi_refuse_foreign_json(ashi_reader *reader, const ashi_place *root)
{
    const json_t *json = root->value;
    bool scene = json_object_get(json, "ashlar") != NULL, problem = json_object_get(json, "ashlar_problem") != NULL;
    if (reader->kind == NULL ? scene : problem)
        return false; /* it is of the expected kind */
    if (problem)
        return refuse(reader, "a contact problem", "ashlar solve, spectrum and check take problems");
    if (scene)
        return refuse(reader, "a scene", "ashlar problem makes a problem file of a scene");
    if (json_object_get(json, "hash") != NULL && json_object_get(json, "steps") != NULL)
        return refuse(reader, "the summary of a run", "the scene that was run is in scene.json beside it");
    return json_object_get(json, "rows") != NULL && json_object_size(json) == 1 &&
           refuse(reader, "the result of ashlar validate", NULL);
}
