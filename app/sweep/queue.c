/* Cases go out in their order, one at a time to each worker, so that nobody waits for one who got the long ones.
 * Results come back in any order; the table has them by number. */
#include "app/sweep/queue.h"

#include <stdio.h>
#include <string.h>

#include "app/cli/message.h"
#include "base/alloc.h"

enum { WANT = 1, CASE, RESULT, BYE }; /* tags: want: a case for one worker; bye: there is nothing to be done any more */
static const uint32_t NO_CASE = UINT32_MAX;

/* With ranks to listen to, wait no longer than this (ms); MPI itself would wait at full load. */
enum { LISTEN = 2, PATIENCE = 100 };

static void take(const cli_case *result, void *user)
{
    cli_queue *queue = user;
    queue->lost += result->state == CLI_CASE_LOST;
    queue->broken += result->state == CLI_CASE_BROKEN;
    queue->refused += result->state == CLI_CASE_REFUSED;
    queue->failed = queue->failed || !cli_journal_add(queue->journal, result);
}

/* The next open case, or NO_CASE. */
static uint32_t next_case(cli_queue *queue)
{
    while (queue->next < queue->journal->count && queue->journal->cases[queue->next] != NULL)
        queue->next++;
    return queue->next < queue->journal->count ? queue->next++ : NO_CASE;
}

/* What the other ranks have to say; *served: those that will say no more. */
static void listen(cli_queue *queue, bool ended, cli_case *result, int *served)
{
    int from, tag;
    while (queue->ranks->receive != NULL && queue->ranks->receive(&from, &tag, result, queue->journal->size)) {
        if (tag == RESULT)
            take(result, queue);
        *served += tag == BYE;
        if (tag == WANT) {
            uint32_t number = ended ? (uint32_t)NO_CASE : next_case(queue);
            queue->ranks->send(from, CASE, &number, sizeof number);
        }
    }
}

void cli_queue_run(cli_queue *queue)
{
    cli_case *result = ashi_alloc(queue->journal->size);
    bool ended = result == NULL, several = queue->ranks->count > 1;
    int served = 0;
    while (result != NULL) {
        ended = ended || queue->failed || !queue->told(queue, queue->user);
        while (!ended && queue->crew->busy < queue->crew->count) {
            uint32_t number = next_case(queue);
            if (number == NO_CASE)
                break;
            if (!cli_crew_give(queue->crew, number)) {
                cli_error("sweep: no process can be started");
                queue->failed = ended = true;
            }
        }
        if (several)
            listen(queue, ended, result, &served);
        if (ended && queue->crew->busy > 0)
            cli_crew_end(queue->crew);
        if (queue->crew->busy == 0 && (ended || queue->next >= queue->journal->count) &&
            served == queue->ranks->count - 1)
            break;
        cli_crew_wait(queue->crew, several ? LISTEN : PATIENCE, take, queue);
    }
    ashi_dealloc(result);
}

static void pass_on(const cli_case *result, void *user)
{
    cli_queue *queue = user;
    queue->ranks->send(0, RESULT, result, cli_case_size(&queue->crew->work->measures));
}

void cli_queue_serve(cli_queue *queue)
{
    uint32_t wanted = 0; /* cases that were asked for and have not come */
    bool ended = false;
    while (!ended || queue->crew->busy > 0 || wanted > 0) {
        for (; !ended && queue->crew->busy + wanted < queue->crew->count; wanted++)
            queue->ranks->send(0, WANT, NULL, 0);
        int from, tag;
        uint32_t number;
        while (queue->ranks->receive(&from, &tag, &number, sizeof number)) {
            wanted--;
            ended = ended || number == NO_CASE;
            if (number != NO_CASE && !cli_crew_give(queue->crew, number))
                ended = true; /* it stays open */
        }
        cli_crew_wait(queue->crew, LISTEN, pass_on, queue);
    }
    queue->ranks->send(0, BYE, NULL, 0);
}
