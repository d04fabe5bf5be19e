/* What a paper describes, printed. */
#ifndef CLI_PAPER_LIST_H
#define CLI_PAPER_LIST_H

#include <stdbool.h>

/* Prints the paper of that name as text, as JSON or as Markdown; the exit status. */
int cli_list_paper(const char *name, bool json, bool markdown);

#endif
