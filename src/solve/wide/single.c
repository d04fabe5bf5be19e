/* Contacts in lanes of eight single numbers. */
#define ASHI_SINGLE 1
#include "solve/wide/solve.h"

const ashi_wide_form ashi_wide_single = {solve, visit_all, store_forces};
