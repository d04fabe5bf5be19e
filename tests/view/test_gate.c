/* Tokens, and which Host and Origin pass. */
#include "check.h"

#include <string.h>

#include "app/viewer/gate.h"

static view_gate gate_at(const char *address, uint16_t port)
{
    view_gate gate;
    assert_null(view_gate_open(&gate, address));
    gate.port = port;
    return gate;
}

static void test_tokens_are_random_and_must_be_whole(void **state)
{
    (void)state;
    view_gate one = gate_at("127.0.0.1", 1), two = gate_at("127.0.0.1", 1);
    char text[64];
    assert_int_equal(strlen(one.token), 32);
    assert_int_equal(strspn(one.token, "0123456789abcdef"), 32);
    assert_string_not_equal(one.token, two.token);
    assert_true(view_gate_takes_token(&one, one.token));
    assert_false(view_gate_takes_token(&one, two.token));
    assert_false(view_gate_takes_token(&one, ""));
    for (int i = 0; i < 32; i++) { /* every digit counts */
        snprintf(text, sizeof text, "%s", one.token);
        text[i] = text[i] == '0' ? '1' : '0';
        assert_false(view_gate_takes_token(&one, text));
    }
    snprintf(text, sizeof text, "%s0", one.token);
    assert_false(view_gate_takes_token(&one, text));
    text[31] = 0;
    assert_false(view_gate_takes_token(&one, text));
}

static void test_addresses_are_ip_addresses(void **state)
{
    (void)state;
    view_gate gate;
    char host[64];
    assert_null(view_gate_open(&gate, "localhost"));
    assert_string_equal(gate.address, "127.0.0.1");
    assert_non_null(view_gate_open(&gate, "example.com"));
    assert_non_null(view_gate_open(&gate, "127.0.0.1:80"));
    assert_non_null(view_gate_open(&gate, ""));
    gate = gate_at("::1", 8080);
    assert_string_equal(view_gate_host(&gate, host, sizeof host), "[::1]:8080");
    assert_true(view_gate_is_loopback(&gate));
    gate = gate_at("192.168.1.2", 8080);
    assert_string_equal(view_gate_host(&gate, host, sizeof host), "192.168.1.2:8080");
    assert_false(view_gate_is_loopback(&gate));
    gate = gate_at("0:0::0:1", 8080); /* written differently */
    assert_string_equal(gate.address, "::1");
    assert_true(view_gate_is_loopback(&gate));
    gate = gate_at("::ffff:127.0.0.1", 8080);
    assert_string_equal(gate.address, "127.0.0.1");
    assert_true(view_gate_is_loopback(&gate));
    assert_non_null(view_gate_open(&gate, "fe80::1"));
    assert_non_null(view_gate_open(&gate, "fe80::1%lo"));
    assert_non_null(view_gate_open(&gate, "[::1]"));
    assert_non_null(view_gate_open(&gate, "127.1"));
}

static void test_the_url_can_be_opened(void **state)
{
    (void)state;
    static const char *const places[][2] = {
        {"127.0.0.1", "http://127.0.0.1:8080/"},
        {"::1", "http://[::1]:8080/"},
        {"0.0.0.0", "http://127.0.0.1:8080/"},
        {"192.168.1.2", "http://192.168.1.2:8080/"},
        {"::", "http://[::1]:8080/"},
        {"2001:db8::7", "http://[2001:db8::7]:8080/"},
    };
    char url[128], expected[128], host[64];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        view_gate gate = gate_at(places[i][0], 8080);
        snprintf(expected, sizeof expected, "%s%s/", places[i][1], gate.token);
        assert_string_equal(view_gate_url(&gate, url, sizeof url), expected);
        assert_true(view_gate_takes_host(&gate, view_gate_host(&gate, host, sizeof host)));
    }
}

static void test_the_path_begins_with_the_token(void **state)
{
    (void)state;
    view_gate gate = gate_at("127.0.0.1", 8080);
    char path[128];
    snprintf(path, sizeof path, "/%s/page.js", gate.token);
    assert_string_equal(view_gate_takes_path(&gate, path), "page.js");
    snprintf(path, sizeof path, "/%s/", gate.token);
    assert_string_equal(view_gate_takes_path(&gate, path), "");
    assert_null(view_gate_takes_path(&gate, ""));
    assert_null(view_gate_takes_path(&gate, "/"));
    assert_null(view_gate_takes_path(&gate, path + 1));
    static const char *const forms[] = {"/%s", "//%s/", "/%s0/", "/?token=%s", "/ %s/"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        snprintf(path, sizeof path, forms[i], gate.token);
        assert_null(view_gate_takes_path(&gate, path));
    }
}

static void test_on_loopback_only_its_names_pass(void **state)
{
    (void)state;
    view_gate gate = gate_at("127.0.0.1", 8080);
    static const char *const good[] = {"127.0.0.1:8080", "localhost:8080", "LocalHost:8080", "[::1]:8080"};
    static const char *const bad[] = {
        "",      "127.0.0.1",        "127.0.0.1:",       "127.0.0.1:80800",       "127.0.0.1:8081",  "127.0.0.1:8080x",
        ":8080", "example.com",      "example.com:8080", "127.0.0.1.nip.io:8080", "10.0.0.1:8080",   "::1:8080",
        "[::1]", "[127.0.0.1]:8080", "[::1:8080",        "localhost.:8080",       "a@127.0.0.1:8080"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(view_gate_takes_host(&gate, good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (view_gate_takes_host(&gate, bad[i]))
            fail_msg("\"%s\" passed", bad[i]);
    gate.port = 80; /* which browsers leave out */
    assert_true(view_gate_takes_host(&gate, "127.0.0.1"));
    assert_true(view_gate_takes_host(&gate, "[::1]"));
}

static void test_elsewhere_its_address_or_any_address_passes(void **state)
{
    (void)state;
    view_gate one = gate_at("192.168.1.2", 8080), all = gate_at("0.0.0.0", 8080);
    assert_true(view_gate_takes_host(&one, "192.168.1.2:8080"));
    assert_false(view_gate_takes_host(&one, "192.168.1.3:8080"));
    assert_false(view_gate_takes_host(&one, "localhost:8080"));
    assert_true(view_gate_takes_host(&all, "192.168.1.2:8080"));
    assert_true(view_gate_takes_host(&all, "[fe80::1]:8080"));
    assert_true(view_gate_takes_host(&all, "localhost:8080"));
    assert_false(view_gate_takes_host(&all, "example.com:8080"));
    view_gate six = gate_at("2001:db8::7", 8080);
    assert_true(view_gate_takes_host(&six, "[2001:db8:0:0::7]:8080"));
    assert_false(view_gate_takes_host(&six, "[2001:db8::8]:8080"));
    assert_false(view_gate_takes_host(&six, "2001:db8::7:8080"));
    assert_false(view_gate_takes_host(&six, "[::1]:8080"));
}

static void test_the_origin_is_the_host(void **state)
{
    (void)state;
    assert_true(view_gate_takes_origin("http://127.0.0.1:8080", "127.0.0.1:8080"));
    assert_false(view_gate_takes_origin("https://127.0.0.1:8080", "127.0.0.1:8080"));
    assert_false(view_gate_takes_origin("http://localhost:8080", "127.0.0.1:8080"));
    assert_false(view_gate_takes_origin("http://127.0.0.1:8080.example.com", "127.0.0.1:8080"));
    assert_false(view_gate_takes_origin("null", "127.0.0.1:8080"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens_are_random_and_must_be_whole),
        cmocka_unit_test(test_addresses_are_ip_addresses),
        cmocka_unit_test(test_the_url_can_be_opened),
        cmocka_unit_test(test_the_path_begins_with_the_token),
        cmocka_unit_test(test_on_loopback_only_its_names_pass),
        cmocka_unit_test(test_elsewhere_its_address_or_any_address_passes),
        cmocka_unit_test(test_the_origin_is_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
