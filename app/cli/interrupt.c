/* The handler only notes the signal's number, which is all that a handler may safely do. */
#define _POSIX_C_SOURCE 200809L
#include "app/cli/interrupt.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t came;

static void note(int number)
{
    came = number;
}

void cli_interrupt_watch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    action.sa_flags = (int)SA_RESETHAND; /* the second one is deadly: nobody is locked in */
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 &&
        before.sa_handler != SIG_IGN) /* nohup: the run outlives its terminal */
        sigaction(SIGHUP, &action, NULL);
}

int cli_interrupted(void)
{
    return came;
}
