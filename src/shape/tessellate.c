/* Tessellations. Corners lie on the exact surface, so that a curved solid's mesh converges from inside with the square
 * of the edge length. */
#include "shape/tessellate.h"

#include "base/alloc.h"
#include "math/elementary.h"
#include "math/vec3.h"

#include <string.h>

void ashi_tessellation_release(ashi_tessellation *mesh)
{
    ashi_dealloc(mesh->points);
    ashi_dealloc(mesh->triangles);
    *mesh = (ashi_tessellation){0};
}

ash_geometry_def ashi_tessellation_def(const ashi_tessellation *mesh)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_MESH);
    def.points = mesh->points;
    def.point_count = mesh->point_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    return def;
}

/* Room for this many; the counts start at 0 and grow as points and triangles are added. */
static bool begin(ashi_tessellation *mesh, size_t points, size_t triangles)
{
    *mesh = (ashi_tessellation){.points = ashi_alloc_array(points, sizeof *mesh->points),
                                .triangles = ashi_alloc_array(3 * triangles, sizeof *mesh->triangles)};
    if (mesh->points != NULL && mesh->triangles != NULL)
        return true;
    ashi_tessellation_release(mesh);
    return false;
}

static uint32_t add_point(ashi_tessellation *mesh, ash_vec3 point)
{
    mesh->points[mesh->point_count] = point;
    return mesh->point_count++;
}

static void add_triangle(ashi_tessellation *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *corner = mesh->triangles + 3 * (size_t)mesh->triangle_count++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
}

/* The midpoint of the edge a-b, moved out to the sphere. `middles` remembers those already made: at most six for each
 * lower numbered end, since no corner has more than six edges. */
static uint32_t middle_of(ashi_tessellation *mesh, uint32_t (*middles)[6][2], uint32_t a, uint32_t b, double radius)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a, slot = 0;
    while (slot < 6 && middles[low][slot][1] != 0) {
        if (middles[low][slot][0] == high)
            return middles[low][slot][1];
        slot++;
    }
    ash_vec3 sum = v3_add(mesh->points[a], mesh->points[b]);
    uint32_t middle = add_point(mesh, v3_scale(v3_unit(sum), radius));
    middles[low][slot][0] = high;
    middles[low][slot][1] = middle;
    return middle;
}

/* Splits each triangle in four. The new ones overwrite the old ones from the end: triangle t becomes 4 t ... 4
 * t + 3. */
static bool refine(ashi_tessellation *mesh, double radius)
{
    uint32_t count = mesh->triangle_count;
    size_t size = (size_t)mesh->point_count * sizeof(uint32_t[6][2]);
    uint32_t(*middles)[6][2] = ashi_alloc_zeroed(size);
    if (middles == NULL)
        return false;
    for (uint32_t t = count; t-- > 0;) {
        uint32_t corner[3], middle[3];
        memcpy(corner, mesh->triangles + 3 * (size_t)t, sizeof corner);
        for (int k = 0; k < 3; k++)
            middle[k] = middle_of(mesh, middles, corner[k], corner[(k + 1) % 3], radius);
        mesh->triangle_count = 4 * t;
        for (int k = 0; k < 3; k++)
            add_triangle(mesh, corner[k], middle[k], middle[(k + 2) % 3]);
        add_triangle(mesh, middle[0], middle[1], middle[2]);
    }
    mesh->triangle_count = 4 * count;
    ashi_dealloc(middles);
    return true;
}

bool ashi_mesh_sphere(uint32_t level, double radius, ashi_tessellation *mesh)
{
    static const uint32_t faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                          {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                          {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                          {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    *mesh = (ashi_tessellation){0};
    if (level > 12)
        return false;
    size_t fourfold = (size_t)1 << (2 * level);
    if (!begin(mesh, 10 * fourfold + 2, 20 * fourfold))
        return false;
    /* Three golden rectangles in the coordinate planes. */
    double golden = (1 + sqrt(5)) / 2;
    const ash_vec3 corners[12] = {{-1, golden, 0}, {1, golden, 0}, {-1, -golden, 0}, {1, -golden, 0},
                                  {0, -1, golden}, {0, 1, golden}, {0, -1, -golden}, {0, 1, -golden},
                                  {golden, 0, -1}, {golden, 0, 1}, {-golden, 0, -1}, {-golden, 0, 1}};
    for (int i = 0; i < 12; i++)
        add_point(mesh, v3_scale(v3_unit(corners[i]), radius));
    for (int f = 0; f < 20; f++)
        add_triangle(mesh, faces[f][0], faces[f][1], faces[f][2]);
    for (uint32_t i = 0; i < level; i++)
        if (!refine(mesh, radius)) {
            ashi_tessellation_release(mesh);
            return false;
        }
    return true;
}

/* The number of the lattice point (i, j, k) of the box's surface: layers z = k one after another, the bottom and the
 * top full, those between as rings. */
static uint32_t lattice_number(uint32_t n, uint32_t i, uint32_t j, uint32_t k)
{
    uint32_t full = (n + 1) * (n + 1), ring = 4 * n;
    if (k == 0)
        return j * (n + 1) + i;
    if (k == n)
        return full + (n - 1) * ring + j * (n + 1) + i;
    uint32_t start = full + (k - 1) * ring;
    if (j == 0)
        return start + i;
    if (i == n)
        return start + n + j;
    if (j == n)
        return start + 3 * n - i;
    return start + 4 * n - j;
}

static void set_lattice_point(ashi_tessellation *mesh, uint32_t n, ash_vec3 half, uint32_t i, uint32_t j, uint32_t k)
{
    ash_vec3 place = v3(2.0 * i / n - 1, 2.0 * j / n - 1, 2.0 * k / n - 1);
    mesh->points[lattice_number(n, i, j, k)] = v3_mul(half, place);
}

/* The two triangles of square (u, v) of the face `side` of `axis`. */
static void add_square(ashi_tessellation *mesh, uint32_t n, int axis, int side, uint32_t u, uint32_t v)
{
    uint32_t number[4];
    for (int c = 0; c < 4; c++) { /* counter-clockwise in (u, v) */
        uint32_t place[3];
        place[axis] = side > 0 ? n : 0;
        place[(axis + 1) % 3] = u + (c == 1 || c == 2);
        place[(axis + 2) % 3] = v + (c >= 2);
        number[c] = lattice_number(n, place[0], place[1], place[2]);
    }
    if (side > 0) {
        add_triangle(mesh, number[0], number[1], number[2]);
        add_triangle(mesh, number[0], number[2], number[3]);
    } else {
        add_triangle(mesh, number[0], number[2], number[1]);
        add_triangle(mesh, number[0], number[3], number[2]);
    }
}

bool ashi_mesh_box(uint32_t n, ash_vec3 half_extents, ashi_tessellation *mesh)
{
    *mesh = (ashi_tessellation){0};
    if (n == 0 || n > 4096)
        return false;
    size_t points = 6 * (size_t)n * n + 2;
    if (!begin(mesh, points, 12 * (size_t)n * n))
        return false;
    mesh->point_count = (uint32_t)points;
    for (uint32_t k = 0; k <= n; k++)
        for (uint32_t j = 0; j <= n; j++)
            for (uint32_t i = 0; i <= n; i += (k % n == 0 || j % n == 0) ? 1 : n)
                set_lattice_point(mesh, n, half_extents, i, j, k);
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2)
            for (uint32_t u = 0; u < n; u++)
                for (uint32_t v = 0; v < n; v++)
                    add_square(mesh, n, axis, side, u, v);
    return true;
}

bool ashi_mesh_cylinder(uint32_t n, double radius, double height, ashi_tessellation *mesh)
{
    *mesh = (ashi_tessellation){0};
    if (n < 3 || n > 1u << 24)
        return false;
    if (!begin(mesh, 2 * (size_t)n + 2, 4 * (size_t)n))
        return false;
    uint32_t bottom = add_point(mesh, v3(0, 0, -height / 2)), top = add_point(mesh, v3(0, 0, height / 2));
    for (uint32_t i = 0; i < n; i++) {
        double angle = 2 * ASHI_PI * i / n, x = radius * ashi_cos(angle), y = radius * ashi_sin(angle);
        add_point(mesh, v3(x, y, -height / 2));
        add_point(mesh, v3(x, y, height / 2));
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t low = 2 + 2 * i, next = 2 + 2 * ((i + 1) % n);
        add_triangle(mesh, bottom, next, low);
        add_triangle(mesh, low, next, next + 1);
        add_triangle(mesh, low, next + 1, low + 1);
        add_triangle(mesh, top, low + 1, next + 1);
    }
    return true;
}
