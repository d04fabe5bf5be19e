/* A line of text with what sweep it is, then records of one size: a checksum and a result. What is behind the first bad
 * record, as when the machine went down while one was written, is cut off. */
#define _XOPEN_SOURCE 700
#include "app/sweep/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "app/cli/message.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "scene/file/output_file.h"

static const double SYNC_SECONDS = 1;

static bool fail(const cli_journal *journal, const char *what)
{
    cli_error("%s: cannot %s: %s", journal->path, what, strerror(errno));
    return false;
}

static uint64_t checksum(const void *bytes, size_t size)
{
    return ashi_hash(ASHI_HASH_START, bytes, size);
}

static bool keep(cli_journal *journal, const cli_case *result)
{
    if (result->number >= journal->count)
        return true;
    cli_case **place = &journal->cases[result->number];
    if (*place == NULL) {
        *place = ashi_alloc(journal->size);
        journal->known += *place != NULL;
    }
    if (*place == NULL) {
        cli_error("out of memory");
        return false;
    }
    memcpy(*place, result, journal->size);
    return true;
}

/* Reads what is there; the file is then at the end of the last good record. */
static bool read_records(cli_journal *journal)
{
    size_t size = sizeof(uint64_t) + journal->size;
    char *record = ashi_alloc(size);
    bool done = record != NULL;
    off_t end = lseek(journal->file, 0, SEEK_CUR);
    while (done && read(journal->file, record, size) == (ssize_t)size) {
        uint64_t sum;
        memcpy(&sum, record, sizeof sum);
        if (sum != checksum(record + sizeof sum, journal->size))
            break;
        end += (off_t)size;
        done = keep(journal, (const cli_case *)(void *)(record + sizeof sum));
    }
    ashi_dealloc(record);
    if (!done) {
        cli_error("out of memory");
        return false;
    }
    bool cut = lseek(journal->file, 0, SEEK_END) > end;
    if ((cut && ftruncate(journal->file, end) != 0) || lseek(journal->file, end, SEEK_SET) < 0)
        return fail(journal, "go on with it");
    return true;
}

/* The first line is `wanted`, or the file is empty and gets it. */
static bool check_head(cli_journal *journal, const char *wanted)
{
    char head[256];
    size_t length = strlen(wanted);
    ssize_t count = read(journal->file, head, length);
    if (count < 0)
        return fail(journal, "read it");
    if ((size_t)count == length && memcmp(head, wanted, length) == 0)
        return true;
    if (count == 0 || (count < (ssize_t)length && memcmp(head, wanted, (size_t)count) == 0))
        return (ftruncate(journal->file, 0) == 0 && lseek(journal->file, 0, SEEK_SET) == 0 &&
                ashi_write_bytes(journal->file, wanted, length, NULL)) ||
               fail(journal, "write it");
    cli_error("%s is of another sweep: give another --out, or remove that directory", journal->path);
    return false;
}

bool cli_journal_open(cli_journal *journal, const char *folder, uint32_t cases, size_t size, const char *identity)
{
    char head[256];
    ash_diagnostic diagnostic = {0};
    *journal = (cli_journal){.file = -1, .size = size, .count = cases};
    snprintf(journal->path, sizeof journal->path, "%s/journal", folder);
    if (ashi_make_parents(journal->path, &diagnostic) != ASH_OK) {
        cli_report(&diagnostic);
        return false;
    }
    journal->cases = ashi_alloc_zeroed(cases * sizeof *journal->cases);
    if (journal->cases == NULL) {
        cli_error("out of memory");
        return false;
    }
    journal->file = open(journal->path, O_RDWR | O_CREAT, 0666);
    if (journal->file < 0)
        return fail(journal, "open it");
    if (flock(journal->file, LOCK_EX | LOCK_NB) != 0) {
        cli_error("%s: another sweep works there at this moment", journal->path);
        return false;
    }
    snprintf(head, sizeof head, "ashlar sweep 1: %016llx, %u cases of %zu bytes\n",
             (unsigned long long)checksum(identity, strlen(identity)), (unsigned)cases, size);
    return check_head(journal, head) && read_records(journal);
}

bool cli_journal_add(cli_journal *journal, const cli_case *result)
{
    if (result->state == CLI_CASE_LOST)
        return true;
    size_t size = sizeof(uint64_t) + journal->size;
    char *record = ashi_alloc(size);
    if (record == NULL) {
        cli_error("out of memory");
        return false;
    }
    uint64_t sum = checksum(result, journal->size);
    memcpy(record, &sum, sizeof sum);
    memcpy(record + sizeof sum, result, journal->size);
    bool done = ashi_write_bytes(journal->file, record, size, NULL) || fail(journal, "write it");
    ashi_dealloc(record);
    double now = ashi_seconds();
    if (done && now - journal->synced > SYNC_SECONDS) {
        fsync(journal->file);
        journal->synced = now;
    }
    return done && keep(journal, result);
}

void cli_journal_close(cli_journal *journal)
{
    if (journal->file >= 0) {
        if (journal->synced > 0)
            fsync(journal->file);
        close(journal->file);
    }
    for (uint32_t i = 0; i < journal->count && journal->cases != NULL; i++)
        ashi_dealloc(journal->cases[i]);
    ashi_dealloc(journal->cases);
    *journal = (cli_journal){.file = -1};
}
