/* Short and in the order of the questions: what ran, what it cost, how wrong it is, what came out, where it went. */
#define _POSIX_C_SOURCE 200809L
#include "app/commands/summary.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/cli/choice.h"
#include "app/cli/interrupt.h"
#include "app/cli/message.h"
#include "app/cli/table.h"
#include "app/cli/terminal.h"
#include "ashlar/joint.h"

static void row(const char *name)
{
    printf("%s%-9s%s ", cli_style_begin(stdout, CLI_DIM), name, cli_style_end(stdout));
}

static const char *flags_text(uint32_t flags, char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "none");
    for (uint32_t bit = 1; bit != 0 && bit <= flags; bit <<= 1)
        if ((flags & bit) != 0 && used < size) {
            int length = snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", ash_flag_name((ash_flag)bit));
            used += (size_t)(length > 0 ? length : 0);
        }
    return text;
}

static void print_cost(const ash_run_summary *summary)
{
    row("cost");
    if (summary->steps == 0) {
        printf("no step was taken\n");
        return;
    }
    printf("%.4g ms a step (median %.4g ms, max %.4g ms), %.4g times real time\n", summary->step_ms_mean,
           summary->step_ms_median, summary->step_ms_max, summary->realtime_factor);
    double whole = 0;
    for (int i = 0; i < ASH_STAGES; i++)
        whole += summary->stages_ms[i];
    if (!(whole > 0))
        return;
    row("stages");
    for (int i = 0; i < ASH_STAGES; i++)
        printf("%s%s %.0f %%", i > 0 ? ", " : "", ash_stage_name((ash_stage)i), 100 * summary->stages_ms[i] / whole);
    if (summary->iterations_mean > 0)
        printf("; %.3g iterations a step", summary->iterations_mean);
    putchar('\n');
}

/* The works that are there, so that initial, works and remainder add up to final. */
static void print_energy(const ash_run_summary *summary)
{
    const ash_ledger *ledger = &summary->ledger;
    const struct {
        const char *name;
        double work;
    } works[] = {
        {"dampers", ledger->dampers},     {"drag", ledger->drag},        {"loads", ledger->loads},
        {"callbacks", ledger->callbacks}, {"impacts", ledger->impacts},  {"friction", ledger->friction},
        {"motors", ledger->motors},       {"joints", ledger->joints},    {"stabilization", ledger->stabilization},
        {"sleep", ledger->sleep},         {"external", ledger->external}};
    row("energy");
    printf("%.6g J at the start, %.6g J at the end", summary->energy_initial, summary->energy_final);
    bool any = false;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (works[i].work != 0) {
            printf("%s%s %.6g J", any ? ", " : "; work of ", works[i].name, works[i].work);
            any = true;
        }
    putchar('\n');
}

/* A joint that its method could not close is told by name: it may contradict others. */
static void print_open_joint(const ash_run *run, const ash_run_summary *summary)
{
    const double open = 1e-3; /* m */
    const ash_world *world = ash_run_get_world(run);
    uint32_t count = ash_world_get_joints(world, NULL, 0);
    ash_joint *joints = summary->joint_error_final > open ? malloc(count * sizeof *joints) : NULL;
    if (joints == NULL)
        return;
    ash_world_get_joints(world, joints, count);
    ash_joint worst = {0};
    double largest = 0;
    for (uint32_t i = 0; i < count; i++) {
        double error = ash_joint_get_enabled(world, joints[i]) ? ash_joint_get_error(world, joints[i]).distance : 0;
        if (error > largest) {
            largest = error;
            worst = joints[i];
        }
    }
    row("");
    printf("%sat the end a %s joint is open by %.3g m%s", cli_style_begin(stdout, CLI_WARN),
           ash_joint_kind_name(ash_joint_get_kind(world, worst)), largest, cli_style_end(stdout));
    if (ash_joint_get_name(world, worst)[0] != 0) {
        printf(": ");
        cli_put_text(stdout, ash_joint_get_name(world, worst));
    }
    putchar('\n');
    free(joints);
}

static void print_broken_joints(const ash_run *run)
{
    enum { SHOWN = 6 };
    uint32_t count = ash_run_get_broken_count(run);
    if (count == 0)
        return;
    row("broken");
    printf("%u %s\n", (unsigned)count, count == 1 ? "joint" : "joints");
    for (uint32_t i = 0; i < count && i < SHOWN; i++) {
        ash_broken_joint joint = ash_run_get_broken(run, i);
        row("");
        if (joint.name[0] != 0)
            cli_put_text(stdout, joint.name);
        else
            printf("joint %u", (unsigned)joint.number);
        printf(" at %.9g s: it carried %.4g N and %.4g N m\n", joint.time, joint.force, joint.torque);
    }
    if (count > SHOWN)
        printf("%10sand %u more\n", "", (unsigned)(count - SHOWN));
}

static void print_errors(const ash_run *run, const ash_run_summary *summary)
{
    const double shown_share = 1e-3;
    char flags[256];
    row("error");
    printf("energy remainder %.4g J ", summary->ledger.remainder);
    if (summary->energy_drift == 0)
        printf(summary->ledger.remainder == 0 ? "(none)" : "(rounding)");
    else
        printf("(%.3g of the energy exchanged)", summary->energy_drift);
    if (summary->residual_max > 0)
        printf(", residual %.3g m/s at most, %.3g m/s on average", summary->residual_max, summary->residual_mean);
    putchar('\n');
    if (summary->accuracy > 0) {
        row("");
        printf("error of positions about %.1g m (%.1g m wanted; %.1g m in a step at most, %llu steps taken back)\n",
               summary->error_total, summary->accuracy, summary->error_local,
               (unsigned long long)summary->steps_rejected);
    }
    if (summary->energy_made_share > shown_share) {
        row("");
        printf("energy made %.4g J at most (%.3g of what could move)\n", summary->energy_made,
               summary->energy_made_share);
    }
    if (summary->joints > 0 || summary->contacts_max > 0) {
        row("");
        printf("penetration %.3g m at most", summary->penetration_max);
        if (summary->joints > 0)
            printf(", joint error %.3g m at most", summary->joint_error_max);
        putchar('\n');
    }
    print_open_joint(run, summary);
    row("flags");
    cli_style style = summary->flags == 0 ? CLI_PLAIN : CLI_WARN;
    printf("%s%s%s\n", style != CLI_PLAIN ? cli_style_begin(stdout, style) : "",
           flags_text(summary->flags, flags, sizeof flags), style != CLI_PLAIN ? cli_style_end(stdout) : "");
}

void cli_warn_of_alarms(const ash_run *run, const char *label)
{
    fflush(stdout);
    for (uint32_t i = 0; i < ash_run_get_alarm_count(run); i++) {
        ash_run_alarm alarm = ash_run_get_alarm(run, i);
        char text[1024];
        fprintf(stderr, "ashlar: %swarning:%s ", cli_style_begin(stderr, CLI_WARN), cli_style_end(stderr));
        snprintf(text, sizeof text, "%s%s%s in %llu %s, first at %.6g s%s%s: %s. Advice: %s.",
                 label != NULL ? label : "", label != NULL ? ": " : "", ash_flag_name(alarm.flag),
                 (unsigned long long)alarm.steps, alarm.steps == 1 ? "step" : "steps", alarm.first,
                 alarm.where[0] != 0 ? ", worst at " : "", alarm.where, ash_flag_meaning(alarm.flag),
                 ash_flag_advice(alarm.flag));
        cli_put_wrapped(stderr, text, (int)strlen("ashlar: warning: "), cli_width(stderr));
        putc('\n', stderr);
    }
}

static void print_outputs(const ash_run *run)
{
    enum { SHOWN = 12 };
    uint32_t count = ash_run_get_series_count(run);
    if (count == 0)
        return;
    cli_table table = cli_table_begin("lrl", false);
    table.indent = 10;
    for (uint32_t i = 0; i < count && i < SHOWN; i++) {
        ash_series series = ash_run_get_series(run, i);
        cli_table_cell(&table, "%s", series.name);
        if (series.count > 0)
            cli_table_number(&table, series.values[series.count - 1]);
        else
            cli_table_cell(&table, "-");
        cli_table_cell(
            &table, "%s%s", series.unit,
            ash_run_series_is_indeterminate(run, i) ? "  one of many solutions: the joints are redundant here" : "");
    }
    row("outputs");
    printf("at the end:\n");
    cli_table_print(&table, stdout, 0);
    cli_table_release(&table);
    if (count > SHOWN)
        printf("%10sand %u more\n", "", (unsigned)(count - SHOWN));
}

static void print_checks(const ash_run *run)
{
    uint32_t count = ash_run_get_check_count(run), passed = 0;
    if (count == 0)
        return;
    cli_table table = cli_table_begin("llrr", false);
    table.indent = 10;
    for (uint32_t i = 0; i < count; i++) {
        ash_check_result check = ash_run_get_check(run, i);
        char value[32], limit[32];
        passed += check.pass;
        cli_table_styled(&table, check.pass ? CLI_GOOD : CLI_BAD, check.pass ? "pass" : "FAIL");
        cli_table_cell(&table, "%s", check.name);
        cli_table_cell(&table, "%s", cli_number_text(check.value, value, sizeof value));
        cli_table_cell(&table, "limit %s", cli_number_text(check.limit, limit, sizeof limit));
    }
    row("checks");
    printf("%u of %u pass\n", (unsigned)passed, (unsigned)count);
    cli_table_print(&table, stdout, 0);
    cli_table_release(&table);
}

static void print_files(const char *out)
{
    static const char *const names[] = {"recording.h5", "outputs.csv", "ledger.csv", "summary.json", "scene.json"};
    row("files");
    printf("in %s:", out);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[4096];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", out, names[i]);
        if (stat(path, &status) == 0)
            printf(" %s", names[i]);
    }
    putchar('\n');
}

void cli_summary_print(const ash_run *run, const ash_scene *scene, const char *out)
{
    ash_run_summary summary = ash_run_get_summary(run);
    char method[256];
    printf("%s", cli_style_begin(stdout, CLI_BOLD));
    cli_put_text(stdout, summary.scene);
    printf("%s%s", cli_style_end(stdout), ash_scene_get_summary(scene)[0] != 0 ? ": " : "");
    cli_put_text(stdout, ash_scene_get_summary(scene));
    putchar('\n');
    row("method");
    printf("%s, ", cli_method_text(&summary.method, method, sizeof method));
    if (summary.accuracy > 0)
        printf("accuracy %g m: steps of %.3g to %.3g s\n", summary.accuracy, summary.step_shortest,
               summary.step_longest);
    else
        printf("step %g s\n", summary.step);
    row("run");
    printf("%g s in %llu %s, %u %s", summary.time, (unsigned long long)summary.steps,
           summary.steps == 1 ? "step" : "steps", (unsigned)summary.bodies, summary.bodies == 1 ? "body" : "bodies");
    if (summary.joints > 0)
        printf(", %u %s", (unsigned)summary.joints, summary.joints == 1 ? "joint" : "joints");
    if (summary.contacts_max > 0)
        printf(", up to %u %s", (unsigned)summary.contacts_max, summary.contacts_max == 1 ? "contact" : "contacts");
    if (!summary.complete)
        printf("; %sstopped %s%s", cli_style_begin(stdout, CLI_WARN),
               cli_interrupted() == SIGINT    ? "by Ctrl-C"
               : cli_interrupted() == SIGTERM ? "by SIGTERM"
                                              : "before its end",
               cli_style_end(stdout));
    putchar('\n');
    print_cost(&summary);
    print_energy(&summary);
    print_errors(run, &summary);
    print_broken_joints(run);
    print_outputs(run);
    print_checks(run);
    if (out != NULL)
        print_files(out);
    row("hash");
    printf("%016llx\n", (unsigned long long)summary.hash);
}
