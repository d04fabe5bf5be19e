/* Faure: articulated solids by structure, gradients and projections. The slides have no numbers: entries have their
 * headings. */
#include "scene/papers.h"

static const char *const methods[] = {"faure", NULL};

static const ash_paper_entry entries[] = {
    {ASH_PAPER_ALGORITHM, "joints by projected frames", "removed translations and rotations, all combinations",
     "run plane-joint --check", NULL, NULL},
    {ASH_PAPER_ALGORITHM, "Lagrange multipliers", "accelerations that keep the joints", "run chain --check", NULL,
     NULL},
    {ASH_PAPER_ALGORITHM, "acyclic constraints", "a factor without fill, in linear time", "bench joints", NULL, NULL},
    {ASH_PAPER_ALGORITHM, "loops", "conjugate gradients on what the tree leaves", "run ladder --check", NULL, NULL},
    {ASH_PAPER_ALGORITHM, "projections", "of positions and velocities, instead of Baumgarte", "run assembly --check",
     NULL, NULL},
    {ASH_PAPER_ALGORITHM, "active set", "contact forces inside the gradient loop", "run frictionless-pile --check",
     NULL, NULL},
    {ASH_PAPER_ALGORITHM, "accuracy against time", "stopped by either", "run refine --set accuracy=1e-5", NULL, NULL},
    {ASH_PAPER_TABLE, "table of costs", "full dense, full iterative, structured dense, structured",
     "validate chain ladder", NULL, NULL},
    {ASH_PAPER_CLAIM, "table of costs", "structured: linear in the rows of a tree", "validate chain", "chain",
     "chain: exponent of work over a, structured (paper"},
    {ASH_PAPER_CLAIM, "table of costs", "full dense: cubic", "validate chain", "chain",
     "chain: exponent of work over a, full dense"},
    {ASH_PAPER_CLAIM, "table of costs", "full iterative: quadratic", "validate chain", "chain",
     "chain: exponent of work over a, full iterative"},
    {ASH_PAPER_CLAIM, "table of costs", "structured: at most quadratic in the rows of loops", "validate ladder",
     "ladder", "ladder: exponent of work over l, structured (paper"},
    {ASH_PAPER_CLAIM, "projections", "a structure in pieces pulls itself together", "validate assembly", "assembly",
     "seed 1: widest gap after projection"},
    {ASH_PAPER_CLAIM, "active set", "agrees with an exact solver", "validate frictionless-pile", "frictionless-pile",
     "at 0.6 s: velocities by structured and by newton differ"},
    {ASH_PAPER_CLAIM, "accuracy", "the error is the one that was asked for", "validate refine", "refine",
     "accuracy 1e-07: largest joint error"},
};

const ash_paper ashi_paper_faure = {
    .name = "faure",
    .authors = "Faure",
    .title = "Physically-based simulation of rigid bodies",
    .methods = methods,
    .entries = entries,
    .entry_count = sizeof entries / sizeof *entries,
};
