/* Orientation of three points: the sign of the determinant by doubles where its error bound allows, and otherwise from
 * the six products as an expansion, a sum of doubles whose digits do not overlap (Shewchuk 1997). */
#include "shape/orientation.h"

#include "math/exact.h"
#include "math/vec3.h"

enum { TERMS = 12 };

/* Adds one number to an expansion of `count` numbers in ascending order of size: count + 1 numbers. */
static void grow(double *expansion, int count, double number)
{
    for (int i = 0; i < count; i++) {
        exact_pair sum = exact_sum(number, expansion[i]);
        expansion[i] = sum.low;
        number = sum.high;
    }
    expansion[count] = number;
}

static int exact_sign(ash_vec3 a, ash_vec3 b, ash_vec3 c)
{
    const double factors[6][2] = {{a.x, b.y}, {-a.y, b.x}, {b.x, c.y}, {-b.y, c.x}, {c.x, a.y}, {-c.y, a.x}};
    double expansion[TERMS];
    int count = 0;
    for (int i = 0; i < 6; i++) {
        exact_pair product = exact_product(factors[i][0], factors[i][1]);
        grow(expansion, count++, product.low);
        grow(expansion, count++, product.high);
    }
    for (int i = TERMS - 1; i >= 0; i--) /* the largest that is not zero has the sign */
        if (expansion[i] != 0)
            return expansion[i] > 0 ? 1 : -1;
    return 0;
}

int ashi_orientation(ash_vec3 a, ash_vec3 b, ash_vec3 c)
{
    double left = (a.x - c.x) * (b.y - c.y), right = (a.y - c.y) * (b.x - c.x), determinant = left - right;
    /* Shewchuk's bound on the rounding of the four differences, two products and their difference. */
    double bound = 3.3306690738754716e-16 * (fabs(left) + fabs(right));
    if (determinant > bound)
        return 1;
    if (-determinant > bound)
        return -1;
    return exact_sign(a, b, c);
}
