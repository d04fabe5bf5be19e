/* Contacts of planar worlds in lanes of sixteen single numbers, for machines with registers of 64 bytes. */
#define ASHI_SINGLE 1
#define ASHI_LANES  16
#include "solve/wide/flat_solve.h"

const ashi_wide_form ashi_flat_broad = {solve, visit_all, store_forces};
