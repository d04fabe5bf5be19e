/* The page that the program carries, with everything inside: style, script and data. Text that came from a scene stands
 * only in the data and in the title. In the data every '<' is written \u003c, so nothing in it can end the element that
 * it is in or open another; in the title characters that mean something are written as entities. The page says itself
 * that it may load nothing from anywhere. */
#define _GNU_SOURCE /* memmem */
#include "app/report/parts.h"
#include "app/viewer/assets.h"

#include "base/diagnostic.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char rules[] = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                            "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n";

typedef struct text_part {
    const char *begin, *end;
} text_part;

static bool put_part(report_bytes *page, text_part part)
{
    return report_put(page, part.begin, (size_t)(part.end - part.begin));
}

static bool put_text(report_bytes *page, const char *text)
{
    return report_put(page, text, strlen(text));
}

/* The element of index.html that begins with `opening`, holds `mark` and ends with `closing`. */
static bool find_element(text_part html, const char *opening, const char *mark, const char *closing, text_part *element)
{
    const char *at = html.begin;
    while ((at = memmem(at, (size_t)(html.end - at), opening, strlen(opening))) != NULL) {
        const char *end = memmem(at, (size_t)(html.end - at), closing, strlen(closing));
        if (end == NULL)
            return false;
        end += strlen(closing);
        if (memmem(at, (size_t)(end - at), mark, strlen(mark)) != NULL) {
            *element = (text_part){at, end};
            return true;
        }
        at++;
    }
    return false;
}

static bool begins(const char *text, const char *end, const char *with)
{
    return (size_t)(end - text) >= strlen(with) && strncasecmp(text, with, strlen(with)) == 0;
}

/* Script or style: what would end its element, or begin a comment of HTML, stands there in another way. */
static bool put_code(report_bytes *page, const char *name)
{
    view_asset asset;
    if (!view_asset_find(name, &asset))
        return false;
    const char *at = (const char *)asset.bytes, *end = at + asset.size;
    while (at < end) {
        const char *next = memchr(at, '<', (size_t)(end - at));
        const char *stop = next != NULL ? next : end;
        if (!report_put(page, at, (size_t)(stop - at)))
            return false;
        at = stop;
        if (next == NULL)
            break;
        bool ends = begins(next, end, "</script") || begins(next, end, "</style");
        if (!put_text(page, ends ? "<\\/" : begins(next, end, "<!--") ? "\\x3c" : "<"))
            return false;
        at += ends ? 2 : 1;
    }
    return true;
}

static bool put_data(report_bytes *page, const json_t *data)
{
    char *text = json_dumps(data, JSON_COMPACT | JSON_REAL_PRECISION(9));
    bool done = text != NULL;
    for (const char *at = text; done && *at != 0;) {
        size_t plain = strcspn(at, "<");
        done = report_put(page, at, plain);
        at += plain;
        if (done && *at == '<') {
            done = put_text(page, "\\u003c");
            at++;
        }
    }
    free(text);
    return done;
}

static bool put_title(report_bytes *page, const char *title)
{
    bool done = put_text(page, "<title>");
    for (const char *c = title; done && *c != 0; c++)
        done = *c == '<' ? put_text(page, "&lt;") : *c == '&' ? put_text(page, "&amp;") : report_put(page, c, 1);
    return done && put_text(page, " - Ashlar</title>");
}

static ash_status refuse_page(ash_diagnostic *diagnostic, const char *what)
{
    return ashi_fail(diagnostic, ASH_BAD_DATA, "report.page", "the page inside this program has no %s", what);
}

static ash_status assemble(report_bytes *page, const json_t *data, const char *title, ash_diagnostic *diagnostic)
{
    view_asset index, other;
    text_part name, style, script;
    if (!view_asset_find("index.html", &index) || !view_asset_find("page.js", &other) ||
        !view_asset_find("style.css", &other))
        return refuse_page(diagnostic, "files");
    text_part html = {(const char *)index.bytes, (const char *)index.bytes + index.size};
    if (!find_element(html, "<title>", "", "</title>", &name) ||
        !find_element((text_part){name.end, html.end}, "<link", "style.css", ">", &style) ||
        !find_element((text_part){style.end, html.end}, "<script", "page.js", "</script>", &script))
        return refuse_page(diagnostic, "title, style and script, in this order");
    bool done = put_part(page, (text_part){html.begin, name.begin}) && put_text(page, rules) &&
                put_title(page, title) && put_part(page, (text_part){name.end, style.begin}) &&
                put_text(page, "<style>") && put_code(page, "style.css") && put_text(page, "</style>") &&
                put_part(page, (text_part){style.end, script.begin}) &&
                put_text(page, "<script type=\"application/json\" id=\"ashlar-report\">") && put_data(page, data) &&
                put_text(page, "</script>\n<script type=\"module\">") && put_code(page, "page.js") &&
                put_text(page, "</script>") && put_part(page, (text_part){script.end, html.end});
    return done ? ASH_OK : ashi_out_of_memory(diagnostic);
}

char *report_page(const json_t *data, const char *title, size_t *size, ash_diagnostic *diagnostic)
{
    report_bytes page = {0};
    if (assemble(&page, data, title, diagnostic) != ASH_OK) {
        ashi_array_release(&page);
        return NULL;
    }
    *size = page.count;
    return (char *)page.data;
}
