/* Ctrl-C: noticed, so that a run can end in order. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

/* From here on SIGINT and SIGTERM are noted instead of ending the program; a second one ends it. */
void cli_interrupt_watch(void);

/* The signal that came, or 0. The exit status of a stopped command is 128 more. */
int cli_interrupted(void);

#endif
