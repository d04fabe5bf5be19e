/* ashlar list --paper: what a paper describes, and the command that shows each piece. */
#include "app/commands/paper_list.h"

#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/document.h"
#include "app/cli/message.h"
#include "app/cli/table.h"
#include "ashlar/scene.h"

static const char *const kind_names[ASH_PAPER_KINDS] = {"algorithm", "table", "figure", "claim"};
static const char *const headings[ASH_PAPER_KINDS] = {"Algorithms and equations", "Tables", "Figures",
                                                      "Claims, judged by ashlar validate"};

static void heading(const char *text, bool markdown)
{
    if (markdown)
        printf("\n### %s\n\n", text);
    else
        printf("\n%s%s%s\n", cli_style_begin(stdout, CLI_BOLD), text, cli_style_end(stdout));
}

static bool print_table(cli_table *table, bool markdown)
{
    table->indent = 2;
    bool printed = markdown ? cli_table_print_markdown(table, stdout) : cli_table_print(table, stdout, 0);
    cli_table_release(table);
    return printed;
}

static bool print_entries(const ash_paper *paper, ash_paper_kind kind, bool markdown)
{
    cli_table table = cli_table_begin("lll", true);
    static const char *const titles[] = {"where", "what", "shown by"};
    for (int i = 0; i < 3; i++)
        cli_table_styled(&table, CLI_BOLD, "%s", titles[i]);
    for (uint32_t i = 0; i < paper->entry_count; i++) {
        const ash_paper_entry *entry = &paper->entries[i];
        if (entry->kind != kind)
            continue;
        cli_table_cell(&table, "%s", entry->label);
        cli_table_cell(&table, "%s", entry->summary);
        cli_table_cell(&table, "%s%s", entry->command != NULL ? "ashlar " : "-",
                       entry->command != NULL ? entry->command : "");
    }
    return print_table(&table, markdown);
}

static bool print_scenes(const ash_paper *paper, bool markdown)
{
    cli_table table = cli_table_begin("lll", true);
    static const char *const titles[] = {"scene", "what", "source"};
    for (int i = 0; i < 3; i++)
        cli_table_styled(&table, CLI_BOLD, "%s", titles[i]);
    for (uint32_t i = 0; i < ash_builtin_count(); i++) {
        ash_builtin_info info = ash_builtin_get(i);
        if (!ash_paper_has_scene(paper, &info))
            continue;
        cli_table_cell(&table, "%s", info.name);
        cli_table_cell(&table, "%s", info.summary);
        cli_table_cell(&table, "%s", info.source);
    }
    return print_table(&table, markdown);
}

static const char *summary_of(const char *method)
{
    for (uint32_t i = 0; i < ash_method_count(); i++)
        if (strcmp(ash_method_name(i), method) == 0)
            return ash_method_summary(i);
    return "";
}

static bool print_methods(const ash_paper *paper, bool markdown)
{
    cli_table table = cli_table_begin("ll", true);
    cli_table_styled(&table, CLI_BOLD, "method");
    cli_table_styled(&table, CLI_BOLD, "what");
    for (uint32_t i = 0; paper->methods[i] != NULL; i++) {
        cli_table_cell(&table, "%s", paper->methods[i]);
        cli_table_cell(&table, "%s", summary_of(paper->methods[i]));
    }
    return print_table(&table, markdown);
}

static int print_paper(const ash_paper *paper, bool markdown)
{
    if (markdown)
        printf("## %s: %s\n", paper->authors, paper->title);
    else
        printf("%s: %s\n", paper->authors, paper->title);
    heading("Methods", markdown);
    bool printed = print_methods(paper, markdown);
    heading("Scenes", markdown);
    printed = printed && print_scenes(paper, markdown);
    for (int kind = 0; kind < ASH_PAPER_KINDS; kind++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < paper->entry_count; i++)
            count += paper->entries[i].kind == (ash_paper_kind)kind;
        if (count == 0)
            continue;
        heading(headings[kind], markdown);
        printed = printed && print_entries(paper, (ash_paper_kind)kind, markdown);
    }
    if (!printed)
        cli_error("out of memory");
    return printed ? CLI_DONE : CLI_BAD_INPUT;
}

static json_t *text_or_null(const char *text)
{
    return text != NULL ? cli_json_text(text) : json_null();
}

static json_t *paper_json(const ash_paper *paper)
{
    json_t *methods = json_array(), *scenes = json_array(), *entries = json_array();
    for (uint32_t i = 0; paper->methods[i] != NULL; i++)
        cli_json_append(methods, cli_json_text(paper->methods[i]));
    for (uint32_t i = 0; i < ash_builtin_count(); i++) {
        ash_builtin_info info = ash_builtin_get(i);
        if (ash_paper_has_scene(paper, &info))
            cli_json_append(scenes, cli_json_text(info.name));
    }
    for (uint32_t i = 0; i < paper->entry_count; i++) {
        const ash_paper_entry *entry = &paper->entries[i];
        cli_json_append(entries,
                        json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "kind", kind_names[entry->kind], "label",
                                  entry->label, "summary", entry->summary, "command", text_or_null(entry->command),
                                  "scene", text_or_null(entry->scene), "row", text_or_null(entry->row)));
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "name", paper->name, "authors", paper->authors, "title",
                     paper->title, "methods", methods, "scenes", scenes, "entries", entries);
}

int cli_list_paper(const char *name, bool json, bool markdown)
{
    const ash_paper *paper = NULL;
    ash_diagnostic diagnostic = {0};
    if (ash_paper_find(name, &paper, &diagnostic) != ASH_OK)
        return cli_report(&diagnostic);
    return json ? cli_json_print(paper_json(paper)) : print_paper(paper, markdown);
}
