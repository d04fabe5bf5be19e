/* The files of the page that the program carries: what `ashlar view` serves and `ashlar report` puts into one. */
#ifndef CLI_VIEW_ASSETS_H
#define CLI_VIEW_ASSETS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct view_asset {
    const char *type; /* as HTTP calls it */
    const unsigned char *bytes;
    size_t size;
} view_asset;

/* index.html, page.js or style.css; false when there is no such file. */
bool view_asset_find(const char *name, view_asset *asset);

/* Null when the page is all there; otherwise what was missing when the program was built, as the rest of a sentence on
 * it. */
const char *view_assets_missing(void);

#endif
