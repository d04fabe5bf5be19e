/* Cases go out in their order, one at a time to each worker, so that nobody waits for one who got the long ones.
 * Results come back in any order; the table has them by number. */
#include "app/sweep/queue.h"

#include <stdio.h>
#include <string.h>

#include "app/cli/message.h"
#include "base/alloc.h"

enum { WANT = 1, CASE, RESULT }; /* tags; want: a case for one worker */
static const uint32_t NO_CASE = UINT32_MAX;

/* With ranks to listen to, wait no longer than this (ms). */
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

/* The cases that a rank had are lost with it. */
static void lose(cli_queue *queue, uint32_t rank, cli_case *result)
{
    for (uint32_t i = 0; i < queue->journal->count; i++)
        if (queue->given[i] == rank + 1) {
            *result = (cli_case){.number = i, .state = CLI_CASE_LOST};
            queue->given[i] = 0;
            queue->away--;
            take(result, queue);
        }
}

/* What the other ranks have to say. */
static void listen(cli_queue *queue, bool ended, cli_case *result)
{
    uint32_t from, tag;
    while (cli_ranks_receive(queue->ranks, &from, &tag, result, queue->journal->size)) {
        if (tag == RESULT && result->number < queue->journal->count && queue->given[result->number] == from + 1) {
            queue->given[result->number] = 0;
            queue->away--;
            take(result, queue);
        } else if (tag == CLI_RANK_GONE) {
            lose(queue, from, result);
        } else if (tag == WANT) {
            uint32_t number = ended ? NO_CASE : next_case(queue);
            cli_ranks_send(queue->ranks, from, CASE, &number, sizeof number);
            if (number != NO_CASE) {
                queue->given[number] = from + 1;
                queue->away++;
            }
        }
    }
}

void cli_queue_run(cli_queue *queue)
{
    cli_case *result = ashi_alloc(queue->journal->size);
    queue->given = ashi_alloc_zeroed((queue->journal->count + 1) * sizeof *queue->given);
    bool ended = false, several = queue->ranks->count > 1;
    queue->failed = queue->failed || result == NULL || queue->given == NULL;
    while (!queue->failed || queue->crew->busy > 0) {
        ended = ended || queue->failed || !queue->told(queue, queue->user) || cli_ranks_deserted(queue->ranks);
        while (!ended && queue->crew->busy < queue->crew->count) {
            uint32_t number = next_case(queue);
            if (number == NO_CASE)
                break;
            if (!cli_crew_give(queue->crew, number)) {
                cli_error("sweep: no process can be started");
                queue->failed = ended = true;
            }
        }
        if (several && !ended)
            listen(queue, ended, result);
        if (ended && queue->crew->busy > 0)
            cli_crew_end(queue->crew);
        if (queue->crew->busy == 0 && (ended || (queue->next >= queue->journal->count && queue->away == 0)))
            break;
        cli_crew_wait(queue->crew, several ? LISTEN : PATIENCE, take, queue);
    }
    cli_ranks_leave(queue->ranks);
    ashi_dealloc(queue->given);
    ashi_dealloc(result);
}

static void pass_on(const cli_case *result, void *user)
{
    cli_queue *queue = user;
    cli_ranks_send(queue->ranks, 0, RESULT, result, cli_case_size(&queue->crew->work->measures));
}

void cli_queue_serve(cli_queue *queue)
{
    uint32_t wanted = 0; /* cases that were asked for and have not come */
    bool ended = false;
    while (!ended || queue->crew->busy > 0) {
        for (; !ended && queue->crew->busy + wanted < queue->crew->count; wanted++)
            cli_ranks_send(queue->ranks, 0, WANT, NULL, 0);
        uint32_t from, tag, number;
        while (cli_ranks_receive(queue->ranks, &from, &tag, &number, sizeof number)) {
            if (tag == CLI_RANK_GONE) {
                cli_crew_end(queue->crew); /* rank 0 has ended */
                return;
            }
            wanted--;
            ended = ended || number == NO_CASE;
            if (number != NO_CASE && !cli_crew_give(queue->crew, number))
                ended = true; /* it is lost when the link closes */
        }
        cli_crew_wait(queue->crew, LISTEN, pass_on, queue);
    }
}
