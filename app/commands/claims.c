/* Claims of papers and the rows that judge them: of several rows one that fails, else one that is judged, else the
 * first. A claim without a row, whose scene has others, is "missing": its table or the experiment is wrong. */
#include "app/commands/claims.h"

#include <stdio.h>
#include <string.h>

#include "app/cli/document.h"
#include "app/cli/table.h"

const char *cli_verdict_name(ash_verdict verdict)
{
    static const char *const names[] = {
        [ASH_PASS] = "pass", [ASH_FAIL] = "fail", [ASH_REPORTED] = "reported", [ASH_POINT] = "point"};
    return names[verdict];
}

/* Whether the scene was run; `row` receives the row that judges, or null. */
static bool find_row(const cli_rows *rows, const ash_paper_entry *claim, const ash_validation_row **row)
{
    static const int rank[] = {[ASH_PASS] = 1, [ASH_FAIL] = 2, [ASH_REPORTED] = 0};
    bool seen = false;
    *row = NULL;
    for (uint32_t i = 0; i < rows->count; i++) {
        const ash_validation_row *r = &rows->data[i];
        if (strcmp(r->scene, claim->scene) != 0)
            continue;
        seen = true;
        if (r->verdict != ASH_POINT && strncmp(r->quantity, claim->row, strlen(claim->row)) == 0 &&
            (*row == NULL || rank[r->verdict] > rank[(*row)->verdict]))
            *row = r;
    }
    return seen;
}

static void print_claim(const ash_paper *paper, const ash_paper_entry *claim, const ash_validation_row *row)
{
    char number[32];
    printf("| %s, %s | ", paper->authors, claim->label);
    cli_put_markdown(stdout, claim->summary);
    if (row == NULL) {
        printf(" | %s: %s | - | - | - | missing |\n", claim->scene, claim->row);
        return;
    }
    printf(" | %s: ", row->scene);
    cli_put_markdown(stdout, row->quantity);
    printf(" | %s ", cli_number_text(row->expected, number, sizeof number));
    printf("| %s ", cli_number_text(row->ours, number, sizeof number));
    printf("| %s ", cli_number_text(row->limit, number, sizeof number));
    printf("| %s%s", cli_verdict_name(row->verdict), row->reason[0] != '\0' ? ": " : "");
    cli_put_markdown(stdout, row->reason);
    printf(" |\n");
}

uint32_t cli_claims_print(const cli_rows *rows)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < ash_paper_count(); p++) {
        const ash_paper *paper = ash_paper_get(p);
        for (uint32_t i = 0; i < paper->entry_count; i++) {
            const ash_validation_row *row;
            if (paper->entries[i].kind != ASH_PAPER_CLAIM || !find_row(rows, &paper->entries[i], &row))
                continue;
            if (count++ == 0)
                printf(
                    "## The claims of the papers\n\n| where | claim | judged by | expected | ours | limit | verdict |\n"
                    "|---|---|---|---:|---:|---:|---|\n");
            print_claim(paper, &paper->entries[i], row);
        }
    }
    return count;
}

json_t *cli_claims_json(const cli_rows *rows)
{
    json_t *list = json_array();
    for (uint32_t p = 0; p < ash_paper_count(); p++) {
        const ash_paper *paper = ash_paper_get(p);
        for (uint32_t i = 0; i < paper->entry_count; i++) {
            const ash_paper_entry *claim = &paper->entries[i];
            const ash_validation_row *row;
            if (claim->kind != ASH_PAPER_CLAIM || !find_row(rows, claim, &row))
                continue;
            cli_json_append(list, json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:s}", "paper", paper->name, "label",
                                            claim->label, "claim", claim->summary, "scene", claim->scene, "quantity",
                                            cli_json_text(row != NULL ? row->quantity : claim->row), "ours",
                                            row != NULL ? cli_json_number(row->ours) : json_null(), "verdict",
                                            row != NULL ? cli_verdict_name(row->verdict) : "missing"));
        }
    }
    return list;
}
