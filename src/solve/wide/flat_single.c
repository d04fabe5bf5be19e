/* Contacts of planar worlds in lanes of eight single numbers. */
#define ASHI_SINGLE 1
#include "solve/wide/flat_solve.h"

const ashi_wide_form ashi_flat_single = {solve, visit_all, store_forces};
