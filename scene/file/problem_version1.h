/* Problem files of version 1, whose contacts are blocks with rows. */
#ifndef ASHI_SCENE_PROBLEM_VERSION1_H
#define ASHI_SCENE_PROBLEM_VERSION1_H

#include "problem/problem.h"

/* Turns contact blocks whose rows are those of one point of both bodies into contacts; those that follow each other
 * with the same directions are one. Others stay. False when memory ran out. */
bool ashi_contacts_of_blocks(ash_problem *problem);

#endif
