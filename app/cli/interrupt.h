/* Ctrl-C and a closed terminal: noticed, so that a run can end cleanly. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

/* From here on SIGINT, SIGTERM and SIGHUP (unless it is ignored) are noted instead of ending the program; a second one
 * ends it. */
void cli_interrupt_watch(void);

/* The signal that came, or 0. The exit status of a stopped command is 128 more. */
int cli_interrupted(void);

#endif
