/* The table of the files. Built without Node.js, the program has none; built where npm could not fetch the packages,
 * they are empty (cmake/page.cmake). */
#include "app/viewer/assets.h"

#include <string.h>

#ifdef ASHLAR_PAGE

extern const unsigned char view_index_begin[], view_index_end[];
extern const unsigned char view_script_begin[], view_script_end[];
extern const unsigned char view_style_begin[], view_style_end[];

typedef struct carried {
    const char *name, *type;
    const unsigned char *begin, *end;
} carried;

static const carried files[] = {
    {"index.html", "text/html; charset=utf-8", view_index_begin, view_index_end},
    {"page.js", "text/javascript; charset=utf-8", view_script_begin, view_script_end},
    {"style.css", "text/css; charset=utf-8", view_style_begin, view_style_end},
};

bool view_asset_find(const char *name, view_asset *asset)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(files[i].name, name) == 0) {
            asset->type = files[i].type;
            asset->bytes = files[i].begin;
            asset->size = (size_t)(files[i].end - files[i].begin);
            return true;
        }
    return false;
}

const char *view_assets_missing(void)
{
    view_asset page;
    return view_asset_find("page.js", &page) && page.size > 0
               ? NULL
               : "npm could not fetch the packages of its page when it was built; build it again with a network";
}

#else

bool view_asset_find(const char *name, view_asset *asset)
{
    (void)name, (void)asset;
    return false;
}

const char *view_assets_missing(void)
{
    return "Node.js and npm, which make its page, were missing when it was built (tools/setup installs them)";
}

#endif
