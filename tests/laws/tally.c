/* Counting, and the list of known failures. */
#include "tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void law_tally_add(law_tally *tally, law_number law, law_family family, uint32_t method, uint64_t seed,
                   const law_verdict *verdict)
{
    law_cell *cell = &tally->cells[law][family][method];
    if (!verdict->applies)
        return;
    bool fails = law_fails(verdict);
    double ratio = verdict->limit > 0 ? verdict->figure / verdict->limit : fails ? (double)INFINITY : 0;
    cell->judged++;
    if (!(ratio <= cell->worst)) {
        cell->worst = ratio;
        cell->worst_seed = seed;
    }
    if (fails && cell->failed++ < KEPT_SEEDS)
        cell->seeds[cell->failed - 1] = seed;
}

void law_tally_sum(law_tally *sum, const law_tally *part)
{
    for (law_number law = 0; law < LAWS; law++)
        for (law_family family = 0; family < FAMILIES; family++)
            for (uint32_t method = 0; method < MOST_METHODS; method++) {
                law_cell *to = &sum->cells[law][family][method];
                const law_cell *from = &part->cells[law][family][method];
                for (uint64_t i = 0; i < from->failed && i < KEPT_SEEDS; i++)
                    if (to->failed + i < KEPT_SEEDS)
                        to->seeds[to->failed + i] = from->seeds[i];
                if (!(from->worst <= to->worst)) {
                    to->worst = from->worst;
                    to->worst_seed = from->worst_seed;
                }
                to->judged += from->judged;
                to->failed += from->failed;
            }
}

static law_cell row_cell(const law_tally *tally, law_number law, uint32_t method)
{
    law_cell sum = {0};
    for (law_family family = 0; family < FAMILIES; family++) {
        const law_cell *cell = &tally->cells[law][family][method];
        sum.judged += cell->judged;
        sum.failed += cell->failed;
        sum.worst = fmax(sum.worst, cell->worst);
    }
    return sum;
}

void law_tally_print(const law_tally *tally, FILE *file)
{
    fprintf(file, "failures of judgements, and the worst figure over its limit\n\n%-12s", "law");
    for (uint32_t method = 0; method < ash_method_count(); method++)
        fprintf(file, " %15.15s", ash_method_name(method));
    fprintf(file, "\n");
    for (law_number law = 0; law < LAWS; law++) {
        uint64_t judged = 0;
        for (uint32_t method = 0; method < ash_method_count(); method++)
            judged += row_cell(tally, law, method).judged;
        if (judged == 0)
            continue;
        fprintf(file, "%-12s", law_name(law));
        for (uint32_t method = 0; method < ash_method_count(); method++) {
            law_cell cell = row_cell(tally, law, method);
            char text[40] = "-";
            if (cell.judged > 0)
                snprintf(text, sizeof text, "%llu/%llu %.0e", (unsigned long long)cell.failed,
                         (unsigned long long)cell.judged, cell.worst);
            fprintf(file, " %15s", text);
        }
        fprintf(file, "\n");
    }
}

uint32_t law_method_find(const char *name)
{
    for (uint32_t method = 0; method < ash_method_count(); method++)
        if (strcmp(name, ash_method_name(method)) == 0)
            return method;
    return MOST_METHODS;
}

static bool parse_line(const char *line, law_known *known)
{
    static const char *const kinds[] = {"", "exception", "fault", "rare"};
    char law[32], family[32], method[32], kind[32];
    if (sscanf(line, "%31s %31s %31s %31s %159[^\n]", law, family, method, kind, known->reason) != 5)
        return false;
    known->law = law_find(law);
    known->family = law_family_find(family);
    known->method = law_method_find(method);
    known->kind = EXPECT_NONE;
    for (int i = 1; i < 4; i++)
        if (strcmp(kind, kinds[i]) == 0)
            known->kind = (law_expectation)i;
    return known->law < LAWS && (known->family < FAMILIES || strcmp(family, "*") == 0) &&
           (known->method < MOST_METHODS || strcmp(method, "*") == 0) && known->kind != EXPECT_NONE;
}

bool law_known_read(const char *path, law_known_list *list)
{
    FILE *file = fopen(path, "r");
    char line[512];
    *list = (law_known_list){0};
    if (file == NULL) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return false;
    }
    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        law_known known = {.line = number};
        if (line[0] == '#' || line[0] == '\n')
            continue;
        law_known *more = realloc(list->entries, (list->count + 1) * sizeof *more);
        if (more == NULL || !parse_line(line, &known)) {
            fprintf(stderr, "%s:%d: expected LAW FAMILY METHOD exception|fault|rare REASON\n", path, number);
            fclose(file);
            free(more != NULL ? more : list->entries);
            return false;
        }
        list->entries = more;
        list->entries[list->count++] = known;
    }
    fclose(file);
    return true;
}

void law_known_release(law_known_list *list)
{
    free(list->entries);
    *list = (law_known_list){0};
}

static bool covers(const law_known *known, law_number law, law_family family, uint32_t method)
{
    return known->law == law && (known->family == FAMILIES || known->family == family) &&
           (known->method == MOST_METHODS || known->method == method);
}

const law_known *law_known_find(const law_known_list *list, law_number law, law_family family, uint32_t method)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (covers(&list->entries[i], law, family, method))
            return &list->entries[i];
    return NULL;
}

/* Whether worlds that the line is about were judged, and none failed. */
static bool is_mended(const law_tally *tally, const law_known *known)
{
    uint64_t failed = 0, judged = 0;
    for (law_family family = 0; family < FAMILIES; family++)
        for (uint32_t method = 0; method < ash_method_count(); method++)
            if (covers(known, known->law, family, method)) {
                failed += tally->cells[known->law][family][method].failed;
                judged += tally->cells[known->law][family][method].judged;
            }
    return judged > 0 && failed == 0 && known->kind != EXPECT_RARE;
}

uint32_t law_tally_compare(const law_tally *tally, const law_known_list *list, bool complete, FILE *file)
{
    uint32_t differences = 0;
    for (law_number law = 0; law < LAWS; law++)
        for (law_family family = 0; family < FAMILIES; family++)
            for (uint32_t method = 0; method < ash_method_count(); method++) {
                const law_cell *cell = &tally->cells[law][family][method];
                if (cell->failed == 0 || law_known_find(list, law, family, method) != NULL)
                    continue;
                differences++;
                fprintf(file, "not known: %s %s %s: %llu of %llu fail, the worst by %.3g times the limit (seed %llu)\n",
                        law_name(law), law_family_name(family), ash_method_name(method),
                        (unsigned long long)cell->failed, (unsigned long long)cell->judged, cell->worst,
                        (unsigned long long)cell->worst_seed);
            }
    for (uint32_t i = 0; complete && i < list->count; i++) {
        const law_known *known = &list->entries[i];
        if (!is_mended(tally, known))
            continue;
        differences++;
        fprintf(file, "line %d of the list expects failures of %s that do not occur any more: %s\n", known->line,
                law_name(known->law), known->reason);
    }
    return differences;
}

/* The lines that still apply, comments included. */
static void copy_lines(FILE *from, FILE *to, const law_tally *tally)
{
    char line[512];
    while (fgets(line, sizeof line, from) != NULL) {
        law_known known = {0};
        bool entry = line[0] != '#' && line[0] != '\n' && parse_line(line, &known);
        if (!entry || !is_mended(tally, &known))
            fputs(line, to);
    }
}

static uint64_t unexpected(const law_tally *tally, const law_known_list *list, law_number law, uint32_t method)
{
    uint64_t failures = 0;
    for (law_family family = 0; family < FAMILIES; family++)
        if (law_known_find(list, law, family, method) == NULL)
            failures += tally->cells[law][family][method].failed;
    return failures;
}

bool law_known_update(const char *path, const law_tally *tally)
{
    law_known_list list;
    char next[512];
    snprintf(next, sizeof next, "%s.new", path);
    if (!law_known_read(path, &list))
        return false;
    FILE *from = fopen(path, "r"), *to = fopen(next, "w");
    bool written = from != NULL && to != NULL;
    if (written)
        copy_lines(from, to, tally);
    for (law_number law = 0; written && law < LAWS; law++)
        for (uint32_t method = 0; method < ash_method_count(); method++)
            if (unexpected(tally, &list, law, method) > 0)
                fprintf(to, "%s * %s fault not looked into yet\n", law_name(law), ash_method_name(method));
    if (from != NULL)
        fclose(from);
    if (to != NULL)
        written = fclose(to) == 0 && written;
    law_known_release(&list);
    return written && rename(next, path) == 0;
}
