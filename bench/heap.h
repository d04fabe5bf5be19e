/* Boxes dropped into a pit: the same ones for every engine, and how deep they overlap, measured by our geometry alone.
 *
 * Sides of the boxes are 0.4 to 0.8 m; the pit is a square whose width grows as the cube root of their number, so that
 * heaps of any size have the same shape. They start at random turns in layers above the floor, without touching. */
#ifndef BENCH_HEAP_H
#define BENCH_HEAP_H

#include "ashlar/ashlar.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct heap_box {
    ash_vec3 half;
    ash_transform place;
} heap_box;

enum { HEAP_WALLS = 5 };

typedef struct heap {
    double friction, density;
    heap_box walls[HEAP_WALLS]; /* the floor and four sides: immovable */
    uint32_t count;
    heap_box *boxes;
} heap;

/* False when there is no memory. */
bool heap_make(heap *h, uint32_t count);
void heap_release(heap *h);

/* A world with the heap in it, sleeping off, one thread; `bodies` receives the boxes. */
ash_status heap_world(const heap *h, const ash_method *method, ash_world **world, ash_body *bodies,
                      ash_diagnostic *diagnostic);

typedef struct heap_overlap {
    double largest, mean; /* m; the mean of the deepest points of all pairs that overlap */
    uint32_t pairs;       /* that overlap */
    double top;           /* m: centre of the highest box */
} heap_overlap;

/* Of boxes at these places. */
ash_status heap_measure(const heap *h, const ash_transform *places, heap_overlap *overlap, ash_diagnostic *diagnostic);

/* The same heap in Bullet, with its default settings, sleeping and damping off. Null when there is no memory. */
typedef struct bullet_heap bullet_heap;
bullet_heap *bullet_heap_create(const heap *h);
void bullet_heap_destroy(bullet_heap *engine);
void bullet_heap_step(bullet_heap *engine, double length);
void bullet_heap_read(const bullet_heap *engine, ash_transform *places);

#ifdef __cplusplus
}
#endif

#endif
