/* Contacts in lanes of four doubles, for masses that single numbers cannot hold side by side. */
#define ASHI_SINGLE 0
#include "solve/wide/solve.h"

const ashi_wide_form ashi_wide_double = {solve, visit_all, store_forces};
