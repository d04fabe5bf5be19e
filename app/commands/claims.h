/* The claims of the papers beside the rows of a validation that judge them. */
#ifndef CLI_CLAIMS_H
#define CLI_CLAIMS_H

#include <jansson.h>

#include "ashlar/scene.h"
#include "base/array.h"

typedef ASHI_ARRAY(ash_validation_row) cli_rows;

const char *cli_verdict_name(ash_verdict verdict);

/* A page in Markdown: paper by paper, claim by claim, ours beside it, the verdict. Claims whose scenes were not run are
 * left out. Returns how many there are; without any it prints nothing. */
uint32_t cli_claims_print(const cli_rows *rows);
/* The same as a JSON array. */
json_t *cli_claims_json(const cli_rows *rows);

#endif
