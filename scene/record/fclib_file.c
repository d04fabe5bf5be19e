/* Writing and reading FCLIB's files. Nothing in a file is trusted: every data set must have the length that follows
 * from those before it, and indices must be within their matrices. */
#include "scene/record/fclib_file.h"

#include "ashlar/scene.h"
#include "base/diagnostic.h"
#include "scene/record/hdf5_session.h"

#include <stdio.h>
#include <string.h>

static const char *const matrix_names[] = {"M", "H", "G"};

bool ashi_is_hdf5(const char *bytes, size_t size)
{
    return size >= 8 && memcmp(bytes, "\211HDF\r\n\032\n", 8) == 0;
}

/* ---- writing ---- */

static bool write_data(hid_t place, const char *name, hid_t file_type, hid_t type, size_t count, const void *data)
{
    hsize_t length = count;
    hid_t space = H5Screate_simple(1, &length, NULL);
    hid_t set = space >= 0 ? H5Dcreate2(place, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    bool done = set >= 0 && (count == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    if (set >= 0)
        H5Dclose(set);
    if (space >= 0)
        H5Sclose(space);
    return done;
}

static bool write_ints(hid_t place, const char *name, size_t count, const int32_t *data)
{
    return write_data(place, name, H5T_STD_I32LE, H5T_NATIVE_INT32, count, data);
}

static bool write_int(hid_t place, const char *name, int32_t value)
{
    return write_ints(place, name, 1, &value);
}

static bool write_numbers(hid_t place, const char *name, const ashi_numbers *numbers)
{
    return write_data(place, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, numbers->count, numbers->data);
}

static bool write_matrix(hid_t place, const char *name, const ashi_sparse *m)
{
    hid_t group = H5Gcreate2(place, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool done =
        group >= 0 && write_int(group, "nzmax", (int32_t)m->row.count) && write_int(group, "m", (int32_t)m->rows) &&
        write_int(group, "n", (int32_t)m->start.count - 1) && write_int(group, "nz", -1) && /* compressed columns */
        write_ints(group, "p", m->start.count, m->start.data) && write_ints(group, "i", m->row.count, m->row.data) &&
        write_data(group, "x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, m->value.count, m->value.data);
    if (group >= 0)
        H5Gclose(group);
    return done;
}

static bool write_vectors(hid_t place, const ashi_fclib *form)
{
    hid_t group = H5Gcreate2(place, "vectors", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool done = group >= 0 && write_numbers(group, "f", &form->f) && write_numbers(group, "w", &form->w) &&
                write_numbers(group, "mu", &form->mu) && (form->b.count == 0 || write_numbers(group, "b", &form->b));
    if (group >= 0)
        H5Gclose(group);
    return done;
}

static bool write_solution(hid_t file, const ashi_fclib *form)
{
    hid_t group = H5Gcreate2(file, "solution", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool done = group >= 0 && write_numbers(group, "v", &form->v) && write_numbers(group, "u", &form->u) &&
                write_numbers(group, "r", &form->r) && (form->l.count == 0 || write_numbers(group, "l", &form->l));
    if (group >= 0)
        H5Gclose(group);
    return done;
}

static bool write_text(hid_t file, const char *text, size_t size)
{
    hid_t group = H5Gcreate2(file, "ashlar", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool done = group >= 0 && write_data(group, "problem", H5T_STD_U8LE, H5T_NATIVE_UINT8, size, text);
    if (group >= 0)
        H5Gclose(group);
    return done;
}

static bool write_all(hid_t file, const ashi_fclib *form, bool solved, const char *text, size_t size)
{
    hid_t group = H5Gcreate2(file, "fclib_global", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool done = group >= 0 && write_int(group, "spacedim", (int32_t)form->dimension) &&
                write_matrix(group, "M", &form->mass) && write_matrix(group, "H", &form->contacts) &&
                (form->b.count == 0 || write_matrix(group, "G", &form->equals)) && write_vectors(group, form) &&
                (!solved || write_solution(file, form)) && write_text(file, text, size);
    if (group >= 0)
        H5Gclose(group);
    return done;
}

ash_status ash_problem_write_fclib(const ash_problem *problem, bool solved, const char *path,
                                   ash_diagnostic *diagnostic)
{
    if (problem == NULL || path == NULL)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "problem.null", "the problem or the path is null");
    ashi_fclib form;
    char *text = NULL;
    size_t size = 0;
    ash_status status = ashi_fclib_from_problem(problem, &form, diagnostic);
    if (status == ASH_OK)
        status = ash_problem_write(problem, &text, &size, diagnostic);
    if (status == ASH_OK) {
        ashi_hdf5_session session;
        ashi_hdf5_enter(&session);
        hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        bool done = file >= 0 && write_all(file, &form, solved, text, size);
        if (!done)
            status = ashi_hdf5_fail(diagnostic, path, "write");
        if (file >= 0 && H5Fclose(file) < 0 && done)
            status = ashi_hdf5_fail(diagnostic, path, "write");
        ashi_hdf5_leave(&session);
    }
    ash_free(text);
    ashi_fclib_release(&form);
    return status;
}

ash_status ash_problem_measure_fclib(const ash_problem *problem, double *merit, ash_diagnostic *diagnostic)
{
    if (problem == NULL || merit == NULL)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "problem.null",
                         "the problem or the place for its error is null");
    ashi_fclib form;
    ash_status status = ashi_fclib_from_problem(problem, &form, diagnostic);
    *merit = status == ASH_OK ? ashi_fclib_merit(&form) : (double)NAN;
    ashi_fclib_release(&form);
    return status;
}

/* ---- reading ---- */

typedef struct file_reader {
    hid_t file;
    const char *path;
    ash_diagnostic *diagnostic;
    ash_status status;
} file_reader;

static bool wrong(file_reader *r, const char *name, const char *what)
{
    if (r->status == ASH_OK) {
        r->status = ashi_fail(r->diagnostic, ASH_BAD_DATA, "fclib.file", "%s: %s", name, what);
        if (r->diagnostic != NULL)
            snprintf(r->diagnostic->file, sizeof r->diagnostic->file, "%s", r->path);
    }
    return false;
}

/* A data set of `count` values (ASHI_ANY_LENGTH: as many as there are, into *count); memory is the caller's. */
#define ANY_LENGTH SIZE_MAX
static bool read_data(file_reader *r, const char *name, hid_t type, size_t value_size, size_t *count, void **data)
{
    enum { MOST = 1 << 30 };
    *data = NULL;
    hid_t set = H5Dopen2(r->file, name, H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
    hssize_t length = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    bool done = length >= 0 && length < MOST && (*count == ANY_LENGTH || (hssize_t)*count == length);
    if (!done)
        wrong(r, name, set < 0 ? "there is no such data set" : "the data set has another length than it should have");
    if (done) {
        *count = (size_t)length;
        *data = ashi_alloc_array((uint32_t)length + 1, value_size);
        if (*data == NULL) {
            r->status = ashi_out_of_memory(r->diagnostic);
            done = false;
        } else if (length > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *data) < 0) {
            done = wrong(r, name, "the data set cannot be read as numbers");
        }
    }
    if (space >= 0)
        H5Sclose(space);
    if (set >= 0)
        H5Dclose(set);
    return done;
}

static bool read_int(file_reader *r, const char *name, int32_t *value)
{
    size_t count = 1;
    void *data;
    bool done = read_data(r, name, H5T_NATIVE_INT32, sizeof *value, &count, &data);
    if (done)
        memcpy(value, data, sizeof *value);
    ashi_dealloc(data);
    return done;
}

static bool read_numbers(file_reader *r, const char *name, size_t count, ashi_numbers *numbers)
{
    void *data;
    bool done = read_data(r, name, H5T_NATIVE_DOUBLE, sizeof(double), &count, &data);
    numbers->data = data;
    numbers->count = numbers->capacity = done ? (uint32_t)count : 0;
    for (uint32_t i = 0; i < numbers->count; i++)
        if (!isfinite(numbers->data[i]))
            return wrong(r, name, "it has a number that is not finite");
    return done;
}

/* The three parts of a matrix as they are in the file. */
typedef struct stored_matrix {
    int32_t rows, columns, most, kind;
    int32_t *p, *i;
    double *x;
    size_t starts, indices, values;
} stored_matrix;

/* Entries of any kind, one after the other: -1 are compressed columns, -2 compressed rows, else triplets. */
static bool entry(const stored_matrix *s, size_t k, size_t *major, int32_t *row, int32_t *column)
{
    if (s->kind >= 0) {
        *row = s->p[k];
        *column = s->i[k];
    } else {
        size_t lines = s->starts - 1;
        while (*major < lines && (size_t)s->p[*major + 1] <= k)
            ++*major;
        *row = s->kind == -1 ? s->i[k] : (int32_t)*major;
        *column = s->kind == -1 ? (int32_t)*major : s->i[k];
    }
    return *row >= 0 && *row < s->rows && *column >= 0 && *column < s->columns;
}

/* Into compressed columns, entries of a column in the order of the file. */
static bool compress(file_reader *r, const char *name, const stored_matrix *s, ashi_sparse *m)
{
    size_t count = s->kind >= 0 ? (size_t)s->kind : s->indices, major = 0;
    int32_t row, column;
    for (size_t k = 0; k + 1 < s->starts && s->kind < 0; k++)
        if (s->p[0] != 0 || s->p[k] > s->p[k + 1] || s->p[k + 1] > (int32_t)count)
            return wrong(r, name, "its pointers do not ascend");
    if (s->kind < 0)
        count = (size_t)s->p[s->starts - 1];
    if (!ashi_array_reserve(&m->start, (uint64_t)s->columns + 1) || !ashi_array_reserve(&m->row, count) ||
        !ashi_array_reserve(&m->value, count)) {
        r->status = ashi_out_of_memory(r->diagnostic);
        return false;
    }
    m->rows = (uint32_t)s->rows;
    m->start.count = (uint32_t)s->columns + 1;
    m->row.count = m->value.count = (uint32_t)count;
    memset(m->start.data, 0, m->start.count * sizeof *m->start.data);
    for (size_t k = 0; k < count; k++) {
        if (!entry(s, k, &major, &row, &column) || !isfinite(s->x[k]))
            return wrong(r, name, "it has an entry outside of itself, or one that is not finite");
        m->start.data[column + 1]++;
    }
    for (int32_t c = 0; c < s->columns; c++)
        m->start.data[c + 1] += m->start.data[c];
    major = 0;
    for (size_t k = 0; k < count; k++) { /* starts are cursors, then shifted back */
        entry(s, k, &major, &row, &column);
        int32_t to = m->start.data[column]++;
        m->row.data[to] = row;
        m->value.data[to] = s->x[k];
    }
    memmove(m->start.data + 1, m->start.data, (size_t)s->columns * sizeof *m->start.data);
    m->start.data[0] = 0;
    return true;
}

static bool read_matrix(file_reader *r, const char *group, ashi_sparse *m)
{
    static const char *const parts[] = {"m", "n", "nzmax", "nz", "p", "i", "x"};
    char names[7][64];
    stored_matrix s = {0};
    for (int k = 0; k < 7; k++)
        snprintf(names[k], sizeof names[k], "/fclib_global/%s/%s", group, parts[k]);
    if (!read_int(r, names[0], &s.rows) || !read_int(r, names[1], &s.columns) || !read_int(r, names[2], &s.most) ||
        !read_int(r, names[3], &s.kind))
        return false;
    if (s.rows < 0 || s.columns < 0 || s.most < 0 || s.kind < -2 || s.kind > s.most)
        return wrong(r, names[0], "the matrix has sizes that make no sense");
    s.starts = s.kind >= 0 ? (size_t)s.kind : (size_t)(s.kind == -1 ? s.columns : s.rows) + 1;
    s.indices = s.kind >= 0 ? (size_t)s.kind : (size_t)s.most;
    s.values = (size_t)s.most;
    void *p = NULL, *i = NULL, *x = NULL;
    bool done = read_data(r, names[4], H5T_NATIVE_INT32, sizeof(int32_t), &s.starts, &p) &&
                read_data(r, names[5], H5T_NATIVE_INT32, sizeof(int32_t), &s.indices, &i) &&
                read_data(r, names[6], H5T_NATIVE_DOUBLE, sizeof(double), &s.values, &x);
    s.p = p, s.i = i, s.x = x;
    done = done && compress(r, group, &s, m);
    ashi_dealloc(p);
    ashi_dealloc(i);
    ashi_dealloc(x);
    return done;
}

static bool exists(const file_reader *r, const char *group, const char *name)
{
    return H5Lexists(r->file, group, H5P_DEFAULT) > 0 && H5Lexists(r->file, name, H5P_DEFAULT) > 0;
}

static bool read_form(file_reader *r, ashi_fclib *form)
{
    int32_t dimension = 0;
    if (H5Lexists(r->file, "/fclib_global", H5P_DEFAULT) <= 0)
        return wrong(r, "/fclib_global",
                     H5Lexists(r->file, "/fclib_local", H5P_DEFAULT) > 0
                         ? "the file has a local problem (W, q), not a global one (M, H, f, w)"
                         : "there is no such group: this is no file of FCLIB");
    if (!read_int(r, "/fclib_global/spacedim", &dimension))
        return false;
    if (dimension != 2 && dimension != 3)
        return wrong(r, "/fclib_global/spacedim", "it is neither 2 nor 3");
    form->dimension = (uint32_t)dimension;
    bool equals = H5Lexists(r->file, "/fclib_global/G", H5P_DEFAULT) > 0;
    if (!read_matrix(r, matrix_names[0], &form->mass) || !read_matrix(r, matrix_names[1], &form->contacts) ||
        (equals && !read_matrix(r, matrix_names[2], &form->equals)))
        return false;
    size_t n = form->mass.rows, columns = form->contacts.start.count - 1,
           rows = equals ? form->equals.start.count - 1 : 0;
    if (form->mass.start.count - 1 != n || form->contacts.rows != n || (equals && form->equals.rows != n) ||
        columns % form->dimension != 0)
        return wrong(r, "/fclib_global/H", "the sizes of M, H and G do not fit each other");
    bool done = read_numbers(r, "/fclib_global/vectors/f", n, &form->f) &&
                read_numbers(r, "/fclib_global/vectors/w", columns, &form->w) &&
                read_numbers(r, "/fclib_global/vectors/mu", columns / form->dimension, &form->mu) &&
                (!equals || read_numbers(r, "/fclib_global/vectors/b", rows, &form->b));
    if (done && exists(r, "/solution", "/solution/r"))
        done = read_numbers(r, "/solution/r", columns, &form->r) &&
               (!equals || !exists(r, "/solution", "/solution/l") || read_numbers(r, "/solution/l", rows, &form->l));
    return done;
}

static bool same_numbers(const ashi_numbers *a, const ashi_numbers *b)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->data, b->data, a->count * sizeof *a->data) == 0);
}

static bool same_matrix(const ashi_sparse *a, const ashi_sparse *b)
{
    if (a->start.count <= 1 && b->start.count <= 1)
        return true;
    return a->rows == b->rows && a->start.count == b->start.count && a->row.count == b->row.count &&
           memcmp(a->start.data, b->start.data, a->start.count * sizeof *a->start.data) == 0 &&
           (a->row.count == 0 || (memcmp(a->row.data, b->row.data, a->row.count * sizeof *a->row.data) == 0 &&
                                  memcmp(a->value.data, b->value.data, a->row.count * sizeof *a->value.data) == 0));
}

/* Our text, where it makes the same matrices to the last bit. */
static bool read_own(const char *text, size_t size, const char *path, const ashi_fclib *form, ash_problem *problem)
{
    ash_problem own = {0};
    ashi_fclib made = {0};
    bool same = ash_problem_parse(text, size, path, &own, NULL) == ASH_OK &&
                ash_problem_measure(&own, &(ash_yardstick){0}, NULL) == ASH_OK &&
                ashi_fclib_from_problem(&own, &made, NULL) == ASH_OK && made.dimension == form->dimension &&
                same_matrix(&made.mass, &form->mass) && same_matrix(&made.contacts, &form->contacts) &&
                same_matrix(&made.equals, &form->equals) && same_numbers(&made.f, &form->f) &&
                same_numbers(&made.w, &form->w) && same_numbers(&made.b, &form->b) &&
                same_numbers(&made.mu, &form->mu) && (form->r.count == 0 || same_numbers(&made.r, &form->r)) &&
                (form->l.count == 0 || same_numbers(&made.l, &form->l));
    ashi_fclib_release(&made);
    if (same) {
        ash_problem_release(problem);
        *problem = own;
    } else {
        ash_problem_release(&own);
    }
    return same;
}

ash_status ashi_fclib_file_read(const char *path, ash_problem *problem, ash_diagnostic *diagnostic)
{
    ashi_fclib form = {0};
    ashi_hdf5_session session;
    ashi_hdf5_enter(&session);
    file_reader r = {H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), path, diagnostic, ASH_OK};
    void *text = NULL;
    size_t size = ANY_LENGTH;
    if (r.file < 0) {
        r.status = ashi_hdf5_fail(diagnostic, path, "read");
    } else {
        if (read_form(&r, &form) && exists(&r, "/ashlar", "/ashlar/problem"))
            read_data(&r, "/ashlar/problem", H5T_NATIVE_UINT8, 1, &size, &text);
        H5Fclose(r.file);
    }
    ashi_hdf5_leave(&session);
    if (r.status == ASH_OK && (text == NULL || !read_own(text, size, path, &form, problem))) {
        ash_problem made = {0};
        r.status = ashi_fclib_to_problem(&form, &made, diagnostic);
        if (r.status == ASH_OK) {
            ash_problem_release(problem);
            *problem = made;
        } else {
            ash_problem_release(&made);
        }
    }
    ashi_dealloc(text);
    ashi_fclib_release(&form);
    return r.status;
}
