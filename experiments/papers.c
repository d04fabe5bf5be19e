/* The register of papers. */
#include "experiments/papers.h"

#include "base/diagnostic.h"

#include <stdio.h>
#include <string.h>

static const ash_paper *const papers[] = {&ashi_paper_gribel_2009, &ashi_paper_dejong_2014, &ashi_paper_faure,
                                          &ashi_paper_bender_schmitt_2006, &ashi_paper_erleben_2007};
enum { PAPERS = sizeof papers / sizeof *papers };

uint32_t ash_paper_count(void)
{
    return PAPERS;
}

const ash_paper *ash_paper_get(uint32_t index)
{
    return index < PAPERS ? papers[index] : NULL;
}

ash_status ash_paper_find(const char *name, const ash_paper **paper, ash_diagnostic *diagnostic)
{
    const char *names[PAPERS];
    char hint[80];
    for (uint32_t i = 0; i < PAPERS; i++) {
        names[i] = papers[i]->name;
        if (name != NULL && strcmp(names[i], name) == 0) {
            *paper = papers[i];
            return ASH_OK;
        }
    }
    ashi_fail(diagnostic, ASH_NOT_FOUND, "paper.unknown", "there is no paper \"%s\"%s", name != NULL ? name : "",
              ashi_did_you_mean(name != NULL ? name : "", names, PAPERS, hint, sizeof hint));
    return ashi_expect(diagnostic, "gribel-2009, dejong-2014, faure, bender-schmitt-2006 or erleben-2007");
}

bool ash_paper_has_scene(const ash_paper *paper, const ash_builtin_info *scene)
{
    return strstr(scene->source, paper->authors) != NULL;
}
