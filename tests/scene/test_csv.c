/* Tables: quoting by RFC 4180, numbers that read back to the same bits, trouble that names the file. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include "base/alloc.h"
#include "scene/file/csv.h"

#include <float.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char folder[] = "/tmp/ashlar-csv-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/table.csv", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void read_table(char *text, size_t size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

static void test_headings_are_quoted_when_needed(void **state)
{
    (void)state;
    ashi_csv *csv;
    char text[256];
    assert_int_equal(ashi_csv_open(path, ASHI_CSV_ALONG, &csv, NULL), ASH_OK);
    ashi_csv_heading(csv, "time", "s");
    ashi_csv_heading(csv, "a,b", "m/s");
    ashi_csv_heading(csv, "say \"x\"", "");
    ashi_csv_heading(csv, "two\nlines", "");
    ashi_csv_heading(csv, "plain", "");
    assert_int_equal(ashi_csv_end_row(csv, NULL), ASH_OK);
    assert_int_equal(ashi_csv_close(csv, NULL), ASH_OK);
    read_table(text, sizeof text);
    assert_string_equal(text, "time [s],\"a,b [m/s]\",\"say \"\"x\"\"\",\"two\nlines\",plain\n");
}

static void test_numbers_read_back_exactly(void **state)
{
    (void)state;
    const double values[] = {0.1, -1.0 / 3, DBL_MIN, DBL_MAX, DBL_TRUE_MIN, -0.0, 1e15 + 0.3, 12345};
    enum { COUNT = sizeof values / sizeof *values };
    ashi_csv *csv;
    char text[512];
    /* A host with a decimal comma must not break the table; where the locale is missing this is the plain case. */
    setlocale(LC_ALL, "de_DE.UTF-8");
    assert_int_equal(ashi_csv_open(path, ASHI_CSV_ALONG, &csv, NULL), ASH_OK);
    for (int i = 0; i < COUNT; i++)
        ashi_csv_number(csv, values[i]);
    ashi_csv_number(csv, -(double)NAN);
    ashi_csv_number(csv, -(double)INFINITY);
    assert_int_equal(ashi_csv_end_row(csv, NULL), ASH_OK);
    assert_int_equal(ashi_csv_close(csv, NULL), ASH_OK);
    setlocale(LC_ALL, "C");
    read_table(text, sizeof text);
    char *at = text;
    for (int i = 0; i < COUNT; i++) {
        double value = strtod(at, &at);
        assert_memory_equal(&value, &values[i], sizeof value);
        assert_int_equal(*at++, ',');
    }
    assert_string_equal(at, "nan,-inf\n");
}

static void test_many_rows_arrive(void **state)
{
    (void)state;
    ashi_csv *csv;
    assert_int_equal(ashi_csv_open(path, ASHI_CSV_ALONG, &csv, NULL), ASH_OK);
    for (int i = 0; i < 30000; i++) {
        ashi_csv_number(csv, i);
        ashi_csv_number(csv, i / 7.0);
        assert_int_equal(ashi_csv_end_row(csv, NULL), ASH_OK);
    }
    assert_int_equal(ashi_csv_close(csv, NULL), ASH_OK);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    double first, second;
    int rows = 0;
    for (; fscanf(file, "%lf,%lf\n", &first, &second) == 2; rows++) {
        assert_true(first == rows);
        assert_true(second == rows / 7.0);
    }
    fclose(file);
    assert_int_equal(rows, 30000);
}

static void test_trouble_names_the_file(void **state)
{
    (void)state;
    ashi_csv *csv;
    ash_diagnostic diagnostic;
    assert_int_equal(ashi_csv_open(folder, ASHI_CSV_ALONG, &csv, &diagnostic), ASH_IO);
    assert_string_equal(diagnostic.file, folder);
    assert_string_equal(diagnostic.message, "cannot create the table: Is a directory");
    assert_int_equal(ashi_csv_open("/dev/null/all.csv", ASHI_CSV_ALONG, &csv, &diagnostic), ASH_IO);
    assert_string_equal(diagnostic.file, "/dev/null");
    assert_string_equal(diagnostic.message, "cannot make the directory: Not a directory");
}

/* Writes rows until `limit` bytes, which stands for a full disk, are reached. Returns what the last call said. */
static ash_status fill_disk(ashi_csv *csv, rlim_t limit, ash_diagnostic *diagnostic)
{
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = limit;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    ash_status status = ASH_OK;
    for (int i = 0; i < 20000 && status == ASH_OK; i++) {
        ashi_csv_number(csv, i / 3.0);
        ashi_csv_number(csv, i);
        status = ashi_csv_end_row(csv, diagnostic);
    }
    ash_status closed = ashi_csv_close(csv, status == ASH_OK ? diagnostic : NULL);
    setrlimit(RLIMIT_FSIZE, &old);
    return status == ASH_OK ? closed : status;
}

/* At any byte: the table has whole rows, each once. */
static void test_a_full_disk_leaves_whole_rows(void **state)
{
    (void)state;
    for (rlim_t limit = 100000; limit < 100040; limit++) {
        ashi_csv *csv;
        ash_diagnostic diagnostic = {0};
        assert_int_equal(ashi_csv_open(path, ASHI_CSV_ALONG, &csv, NULL), ASH_OK);
        ashi_csv_heading(csv, "a third", "");
        ashi_csv_heading(csv, "two\nlines", "");
        assert_int_equal(ashi_csv_end_row(csv, NULL), ASH_OK);
        assert_int_equal(fill_disk(csv, limit, &diagnostic), ASH_IO);
        assert_string_equal(diagnostic.file, path);
        assert_string_equal(diagnostic.message, "cannot write the table: File too large");
        static char text[1 << 17];
        read_table(text, sizeof text);
        size_t size = strlen(text);
        assert_true(size > limit - 40 && size <= limit && text[size - 1] == '\n');
        int rows = 0;
        for (const char *at = strstr(text, "\"\n") + 2; *at != 0; at = strchr(at, '\n') + 1, rows++) {
            double third, number;
            assert_int_equal(sscanf(at, "%lf,%lf\n", &third, &number), 2);
            assert_true(number == rows && third == rows / 3.0);
        }
        assert_true(rows > 3000);
    }
}

static void test_not_even_the_headings_fit(void **state)
{
    (void)state;
    ashi_csv *csv;
    char text[64];
    assert_int_equal(ashi_csv_open(path, ASHI_CSV_ALONG, &csv, NULL), ASH_OK);
    ashi_csv_heading(csv, "two\nlines", "");
    assert_int_equal(fill_disk(csv, 6, NULL), ASH_IO);
    read_table(text, sizeof text);
    assert_string_equal(text, "");
}

static void test_a_table_written_when_closed(void **state)
{
    (void)state;
    ashi_csv *csv;
    char text[64];
    assert_int_equal(ashi_csv_open(path, ASHI_CSV_WHEN_CLOSED, &csv, NULL), ASH_OK);
    ashi_csv_heading(csv, "old", "");
    assert_int_equal(ashi_csv_end_row(csv, NULL), ASH_OK);
    assert_int_equal(ashi_csv_close(csv, NULL), ASH_OK);
    ash_diagnostic diagnostic = {0};
    assert_int_equal(ashi_csv_open(path, ASHI_CSV_WHEN_CLOSED, &csv, NULL), ASH_OK);
    assert_int_equal(fill_disk(csv, 100000, &diagnostic), ASH_IO);
    assert_string_equal(diagnostic.file, path);
    read_table(text, sizeof text);
    assert_string_equal(text, "old\n");
}

static void test_no_memory_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    uint64_t blocks = ash_memory_used().blocks;
    for (uint64_t k = 1; k < 20; k++) {
        ashi_csv *csv;
        ashi_alloc_fail_at(k, true);
        ash_status status = ashi_csv_open(path, ASHI_CSV_ALONG, &csv, NULL);
        if (status == ASH_OK) {
            ashi_csv_heading(csv, "time", "s");
            status = ashi_csv_end_row(csv, NULL);
            ash_status closed = ashi_csv_close(csv, NULL);
            assert_int_equal(closed, status);
        }
        ashi_alloc_fail_at(0, false);
        assert_int_equal(ash_memory_used().blocks, blocks);
        if (status == ASH_OK)
            return;
        assert_int_equal(status, ASH_OUT_OF_MEMORY);
    }
    fail_msg("the table never came about");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headings_are_quoted_when_needed),
        cmocka_unit_test(test_numbers_read_back_exactly),
        cmocka_unit_test(test_many_rows_arrive),
        cmocka_unit_test(test_trouble_names_the_file),
        cmocka_unit_test(test_a_full_disk_leaves_whole_rows),
        cmocka_unit_test(test_not_even_the_headings_fit),
        cmocka_unit_test(test_a_table_written_when_closed),
        cmocka_unit_test(test_no_memory_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
