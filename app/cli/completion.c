/* Shell completion, made from the tables that the parser and the help read: "ashlar help --completion SHELL" prints it
 * as a script. What an option or an operand completes to follows from the word that the help has for it: M is a method,
 * FILE a file, SCENE a scene. */
#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "ashlar/ashlar.h"

/* Words by which the scripts know what to offer. */
static const char *kind_of_argument(const cli_option *option)
{
    const struct {
        const char *argument, *kind;
    } kinds[] = {{"M", "methods"}, {"S", "solvers"}, {"FILE", "files"}, {"DIR", "directories"}, {"KEY=VALUE", "keys"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(option->argument, kinds[i].argument) == 0)
            return kinds[i].kind;
    if (strcmp(option->name, "methods") == 0 || strcmp(option->name, "solvers") == 0)
        return option->name; /* lists of them */
    return "nothing";
}

static bool takes_scenes(const cli_command *command)
{
    return strstr(command->operands, "SCENE") != NULL || command == &cli_validate;
}

static bool takes_files(const cli_command *command)
{
    return command->operands[0] != 0 && strchr(command->operands, '.') == NULL;
}

static void put_scenes(void)
{
    for (uint32_t i = 0; i < ash_builtin_count(); i++)
        printf("%s%s", i > 0 ? " " : "", ash_builtin_get(i).name);
}

static void put_methods(void)
{
    for (uint32_t i = 0; i < ash_method_count(); i++)
        printf("%s ", ash_method_name(i));
    for (int i = 0; i < ASH_INTEGRATORS; i++)
        printf("%s%s", i > 0 ? " " : "", ash_integrator_name((ash_integrator)i));
}

static void put_solvers(void)
{
    for (int i = 0; i < ASH_SOLVERS; i++)
        printf("%s%s", i > 0 ? " " : "", ash_solver_name((ash_solver)i));
}

static void put_fields(void)
{
    for (uint32_t i = 0; i < ash_method_field_count(); i++)
        printf("%s%s=", i > 0 ? " " : "", ash_method_field_name(i));
}

static void put_options(const cli_command *command)
{
    for (uint32_t i = 0; i < command->option_count; i++)
        printf("--%s ", command->options[i].name);
    printf("--help");
}

/* ---- bash ---- */

static void put_bash_lists(void)
{
    printf("    local scenes='");
    put_scenes();
    printf("'\n    local methods='");
    put_methods();
    printf("'\n    local solvers='");
    put_solvers();
    printf("'\n    local keys='");
    put_fields();
    printf("'\n");
}

/* What --set takes: the fields of methods and the parameters of the scene named before. */
static void put_bash_parameters(void)
{
    printf("    for word in \"${COMP_WORDS[@]:2}\"; do\n        case $word in\n");
    for (uint32_t i = 0; i < ash_builtin_count(); i++) {
        ash_builtin_info info = ash_builtin_get(i);
        if (info.parameter_count == 0)
            continue;
        printf("        %s) keys+='", info.name);
        for (uint32_t p = 0; p < info.parameter_count; p++)
            printf(" %s=", info.parameters[p].name);
        printf("' ;;\n");
    }
    printf("        esac\n    done\n");
}

static void put_bash_command(const cli_command *command)
{
    printf("    %s)\n        options='", command->name);
    put_options(command);
    printf("'\n");
    if (takes_scenes(command))
        printf("        operands=$scenes\n");
    if (!takes_files(command))
        printf("        files=no\n");
    printf("        case $previous in\n");
    for (uint32_t i = 0; i < command->option_count; i++) {
        const cli_option *option = &command->options[i];
        if (option->kind == CLI_FLAG)
            continue;
        printf("        --%s", option->name);
        if (option->letter != 0)
            printf(" | -%c", option->letter);
        printf(") kind=%s ;;\n", kind_of_argument(option));
    }
    printf("        esac\n        ;;\n");
}

static void put_bash(void)
{
    printf("# bash completion for ashlar %s, made by \"ashlar help --completion bash\"\n", ash_version());
    printf("_ashlar()\n{\n"
           "    local word options= operands= files=yes kind= commands='");
    for (uint32_t i = 0; cli_command_at(i) != NULL; i++)
        printf("%s ", cli_command_at(i)->name);
    printf("help'\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    # bash takes --name=value apart at the equals sign.\n"
           "    if [ \"$current\" = = ]; then\n"
           "        current=\n"
           "    elif [ \"$previous\" = = ]; then\n"
           "        previous=${COMP_WORDS[COMP_CWORD-2]}\n"
           "    fi\n");
    put_bash_lists();
    put_bash_parameters();
    printf("    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        COMPREPLY=($(compgen -W \"$commands --help --version\" -- \"$current\"))\n"
           "        return\n"
           "    fi\n"
           "    case ${COMP_WORDS[1]} in\n"
           "    help) operands=$commands files=no ;;\n");
    for (uint32_t i = 0; cli_command_at(i) != NULL; i++)
        put_bash_command(cli_command_at(i));
    printf("    esac\n"
           "    case $kind in\n"
           "    methods | solvers | keys)\n"
           "        # The last of a list; what stands before it is kept.\n"
           "        local before=\n"
           "        [[ $current == *,* ]] && before=${current%%,*},\n"
           "        [ $kind = keys ] && compopt -o nospace 2>/dev/null\n"
           "        COMPREPLY=($(compgen -P \"$before\" -W \"${!kind}\" -- \"${current##*,}\")) ;;\n"
           "    files) COMPREPLY=($(compgen -f -- \"$current\")); compopt -o filenames 2>/dev/null ;;\n"
           "    directories) COMPREPLY=($(compgen -d -- \"$current\")); compopt -o filenames 2>/dev/null ;;\n"
           "    nothing) ;;\n"
           "    *)\n"
           "        if [[ $current == -* ]]; then\n"
           "            COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
           "        else\n"
           "            COMPREPLY=($(compgen -W \"$operands\" -- \"$current\"))\n"
           "            if [ $files = yes ]; then\n"
           "                COMPREPLY+=($(compgen -f -- \"$current\"))\n"
           "                compopt -o filenames 2>/dev/null\n"
           "            fi\n"
           "        fi ;;\n"
           "    esac\n"
           "}\n"
           "complete -F _ashlar ashlar\n");
}

/* ---- fish ---- */

static void put_fish_option(const cli_command *command, const cli_option *option)
{
    printf("complete -c ashlar -n '__fish_seen_subcommand_from %s' -l %s", command->name, option->name);
    if (option->letter != 0)
        printf(" -s %c", option->letter);
    if (option->kind != CLI_FLAG) {
        const char *kind = kind_of_argument(option);
        if (strcmp(kind, "files") == 0)
            printf(" -rF");
        else if (strcmp(kind, "directories") == 0)
            printf(" -xa '(__fish_complete_directories)'");
        else if (strcmp(kind, "nothing") == 0)
            printf(" -x");
        else
            printf(" -xa \"$__ashlar_%s\"", kind);
    }
    printf(" -d '");
    for (const char *c = option->help; *c != 0; c++)
        printf(*c == '\'' || *c == '\\' ? "\\%c" : "%c", *c);
    printf("'\n");
}

static void put_fish(void)
{
    printf("# fish completion for ashlar %s, made by \"ashlar help --completion fish\"\nset -g __ashlar_scenes '",
           ash_version());
    put_scenes();
    printf("'\nset -g __ashlar_methods '");
    put_methods();
    printf("'\nset -g __ashlar_solvers '");
    put_solvers();
    printf("'\nset -g __ashlar_keys '");
    put_fields();
    printf("'\n");
    for (uint32_t i = 0; cli_command_at(i) != NULL; i++) {
        const cli_command *command = cli_command_at(i);
        printf("complete -c ashlar -n __fish_use_subcommand -fa %s -d '%s'\n", command->name, command->summary);
        if (!takes_files(command))
            printf("complete -c ashlar -n '__fish_seen_subcommand_from %s' -f\n", command->name);
        if (takes_scenes(command))
            printf("complete -c ashlar -n '__fish_seen_subcommand_from %s' -a \"$__ashlar_scenes\"\n", command->name);
        for (uint32_t k = 0; k < command->option_count; k++)
            put_fish_option(command, &command->options[k]);
    }
}

/* ---- zsh ---- */

/* A text within single quotes. */
static void put_zsh_text(const char *text)
{
    for (const char *c = text; *c != 0; c++)
        printf(*c == '\'' ? "'\\''" : "%c", *c);
}

static void put_zsh_lists(void)
{
    printf("    commands=(\n");
    for (uint32_t i = 0; cli_command_at(i) != NULL; i++) {
        printf("        '%s:", cli_command_at(i)->name);
        put_zsh_text(cli_command_at(i)->summary);
        printf("'\n");
    }
    printf("        'help:how a command is used')\n    scenes=(");
    put_scenes();
    printf(")\n    methods=(");
    put_methods();
    printf(")\n    solvers=(");
    put_solvers();
    printf(")\n    keys=(");
    put_fields();
    printf(")\n    for word in $words[3,-1]; do\n        case $word in\n");
    for (uint32_t i = 0; i < ash_builtin_count(); i++) {
        ash_builtin_info info = ash_builtin_get(i);
        if (info.parameter_count == 0)
            continue;
        printf("        %s) keys+=(", info.name);
        for (uint32_t p = 0; p < info.parameter_count; p++)
            printf(" %s=", info.parameters[p].name);
        printf(") ;;\n");
    }
    printf("        esac\n    done\n");
}

static void put_zsh_command(const cli_command *command)
{
    printf("    %s)\n        options=(\n", command->name);
    for (uint32_t i = 0; i < command->option_count; i++) {
        printf("            '--%s:", command->options[i].name);
        put_zsh_text(command->options[i].help);
        printf("'\n");
    }
    printf("            '--help:how the command is used')\n");
    if (takes_scenes(command))
        printf("        operands=($scenes)\n");
    if (!takes_files(command))
        printf("        files=no\n");
    printf("        case $previous in\n");
    for (uint32_t i = 0; i < command->option_count; i++) {
        const cli_option *option = &command->options[i];
        if (option->kind == CLI_FLAG)
            continue;
        printf("        --%s", option->name);
        if (option->letter != 0)
            printf(" | -%c", option->letter);
        printf(") kind=%s ;;\n", kind_of_argument(option));
    }
    printf("        esac\n        ;;\n");
}

static void put_zsh(void)
{
    printf("#compdef ashlar\n# zsh completion for ashlar %s, made by \"ashlar help --completion zsh\"\n",
           ash_version());
    printf("_ashlar()\n{\n"
           "    local word kind= files=yes current=$words[CURRENT] previous=$words[CURRENT-1]\n"
           "    local -a commands scenes methods solvers keys options operands\n");
    put_zsh_lists();
    printf("    if (( CURRENT == 2 )); then\n"
           "        _describe command commands\n"
           "        compadd -- --help --version\n"
           "        return\n"
           "    fi\n"
           "    if [[ $current == --*=* ]]; then # the value of an option, in one word with it\n"
           "        previous=${current%%%%=*}\n"
           "        compset -P '*='\n"
           "    fi\n"
           "    case $words[2] in\n"
           "    help) operands=(${commands%%%%:*}) files=no ;;\n");
    for (uint32_t i = 0; cli_command_at(i) != NULL; i++)
        put_zsh_command(cli_command_at(i));
    printf("    esac\n"
           "    case $kind in\n"
           "    methods | solvers)\n"
           "        compset -P '*,' # the last of a list\n"
           "        compadd -- ${(P)kind} ;;\n"
           "    keys) compadd -S '' -- $keys ;;\n"
           "    files) _files ;;\n"
           "    directories) _files -/ ;;\n"
           "    nothing) ;;\n"
           "    *)\n"
           "        if [[ $current == -* ]]; then\n"
           "            _describe -o option options\n"
           "        else\n"
           "            compadd -- $operands\n"
           "            [[ $files == no ]] || _files\n"
           "        fi ;;\n"
           "    esac\n"
           "}\n"
           "if [ \"$funcstack[1]\" = _ashlar ]; then\n"
           "    _ashlar \"$@\"\n"
           "else\n"
           "    compdef _ashlar ashlar\n"
           "fi\n");
}

bool cli_print_completion(const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        put_bash();
    else if (strcmp(shell, "zsh") == 0)
        put_zsh();
    else if (strcmp(shell, "fish") == 0)
        put_fish();
    else
        return false;
    return true;
}
