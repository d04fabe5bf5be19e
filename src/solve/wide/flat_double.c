/* Contacts of planar worlds in lanes of four doubles. */
#define ASHI_SINGLE 0
#include "solve/wide/flat_solve.h"

const ashi_wide_form ashi_flat_double = {solve, visit_all, store_forces};
