/* The main of a target without libFuzzer: tries the files that it is given, and those in the directories. */
#define _POSIX_C_SOURCE 200809L
#include "target.h"

#include <dirent.h>
#include <sys/stat.h>

static int count;

static void try_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    CHECK(fseek(file, 0, SEEK_END) == 0);
    size_t size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(size > 0 ? size : 1);
    CHECK(bytes != NULL && fread(bytes, 1, size, file) == size);
    fclose(file);
    printf("%s\n", path); /* before it is tried: this is the last line when it crashes */
    fflush(stdout);
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    count++;
}

static void try_path(const char *path)
{
    struct stat state;
    if (stat(path, &state) != 0) {
        fprintf(stderr, "%s: there is no such file\n", path);
        exit(2);
    }
    if (!S_ISDIR(state.st_mode)) {
        try_file(path);
        return;
    }
    struct dirent **entries;
    int entry_count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < entry_count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            try_path(name);
        free(entries[i]);
    }
    if (entry_count >= 0)
        free(entries);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        try_path(argv[i]);
    printf("%d files were tried\n", count);
    return count > 0 ? 0 : 2;
}
