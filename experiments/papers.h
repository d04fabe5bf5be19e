/* The five papers: what each describes, where it is here, and the command that shows it. One table a paper, in
 * experiments/papers/; `ashlar list --paper`, docs/papers.md and the first page of docs/validation.md come from them.
 */
#ifndef ASHI_SCENE_PAPERS_H
#define ASHI_SCENE_PAPERS_H

#include "ashlar/scene.h"

extern const ash_paper ashi_paper_gribel_2009, ashi_paper_dejong_2014, ashi_paper_faure, ashi_paper_bender_schmitt_2006,
    ashi_paper_erleben_2007;

#endif
