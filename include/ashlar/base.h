/* What every part of the interface shares: status and diagnostics, handles, and the hooks that a host can install.
 *
 * Three kinds of trouble are never mixed. Bad data (a file, a definition, an option) gives a status and a diagnostic,
 * and nothing is created or changed. Misuse (a stale handle, a NaN argument) gives a status, is kept as the world's
 * last diagnostic, and the call has no effect. Numerics (no convergence, a NaN born inside a step) set flags in the
 * step report, and the last good state is kept. */
#ifndef ASHLAR_BASE_H
#define ASHLAR_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ASH_API __attribute__((visibility("default")))
#else
#define ASH_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define ASH_VERSION_MAJOR 0
#define ASH_VERSION_MINOR 1
#define ASH_VERSION_PATCH 0

/* The version of the library that is linked, "major.minor.patch". */
ASH_API const char *ash_version(void);

/* The result of a call. */
typedef enum ash_status {
    ASH_OK = 0,
    ASH_BAD_ARGUMENT,  /* an argument is not usable: not finite, out of range, null */
    ASH_BAD_HANDLE,    /* the handle is null, stale, or of another world */
    ASH_BAD_DATA,      /* a file, a definition or an option is not usable */
    ASH_NOT_FOUND,     /* no such file, name or key */
    ASH_UNSUPPORTED,   /* known, but not available in this version or for this object */
    ASH_OUT_OF_MEMORY, /* an allocation failed; nothing was changed */
    ASH_IO,            /* reading or writing failed */
    ASH_NUMERICS       /* the computation could not go on; the last good state is kept */
} ash_status;

/* The status in words, such as "bad data". */
ASH_API const char *ash_status_text(ash_status status);

/* What went wrong, where, and what was expected. Strings are empty and numbers zero where they do not apply. */
typedef struct ash_diagnostic {
    ash_status status;
    char code[40];      /* stable and short, for programs: "scene.unknown-key" */
    char file[256];     /* the file that was read */
    int line;           /* in that file, from 1 */
    int column;         /* in that line, from 1 */
    char path[256];     /* JSON path of the value, such as "/bodies/3/mass" */
    char message[512];  /* one sentence for people, naming the offending value */
    char expected[256]; /* what would have been right */
} ash_diagnostic;

/* Writes the diagnostic as one line, "file:line:column: message (expected ...)", and returns `text`. */
ASH_API const char *ash_diagnostic_text(const ash_diagnostic *diagnostic, char *text, size_t size);

/* Handles: an index, a generation and the number of the world. Zero is null. A handle may safely outlive its object: it
 * is then stale. Every call detects null and stale handles and those of another world, has no effect, and returns
 * ASH_BAD_HANDLE. Worlds are numbered 1 to 65 535 in the order of their creation, then from 1 again; if more worlds
 * than that exist at once, some of them cannot be told apart. A world keeps its number, except that ash_world_restore
 * takes over the number of the saved world, so that its handles are valid; the two worlds then accept each other's
 * handles. No result depends on the number. */
#define ASH_MAX_OBJECTS 67108863 /* the most bodies, shapes, forces, joints or materials in a world: each of them */
typedef struct ash_body {
    uint64_t id;
} ash_body;
typedef struct ash_shape {
    uint64_t id;
} ash_shape;
typedef struct ash_force {
    uint64_t id;
} ash_force;
typedef struct ash_joint {
    uint64_t id;
} ash_joint;
typedef struct ash_material {
    uint64_t id;
} ash_material;

/* Memory for everything the library makes. `allocate` returns memory aligned to at least 64 bytes, or null. Both are
 * called from any of the world's threads. */
typedef struct ash_allocator {
    void *(*allocate)(size_t size, void *user);
    void (*release)(void *memory, size_t size, void *user);
    void *user;
} ash_allocator;

/* Installs an allocator; null restores the default one. Allowed only while nothing made by the library exists. */
ASH_API ash_status ash_set_allocator(const ash_allocator *allocator);

/* Memory that the library holds now. */
typedef struct ash_memory {
    uint64_t bytes;
    uint64_t blocks;
    uint64_t allocations; /* since the start of the process: a test can see whether a step allocates */
} ash_memory;
/* The memory of all worlds, scenes and geometries of this process together. */
ASH_API ash_memory ash_memory_used(void);

/* Releases memory that a function of this library handed to the caller. Null is ignored. */
ASH_API void ash_free(void *memory);

/* Messages for people. The library never prints; without a hook messages are dropped. */
typedef enum ash_log_level { ASH_LOG_DEBUG, ASH_LOG_INFO, ASH_LOG_WARNING, ASH_LOG_ERROR } ash_log_level;
typedef void (*ash_log_hook)(ash_log_level level, const char *message, void *user);
/* Installs the function that receives messages, for the whole process; null drops messages again. */
ASH_API void ash_set_log_hook(ash_log_hook hook, void *user);

#define ASH_MAX_THREADS 1024 /* the most threads of a world or a solver */

/* How a host supplies its own threads. `run` must call task(item, worker, data) once for each item in [0, items), on
 * any threads, with worker in [0, workers), never the same worker twice at the same time, and return when all have
 * ended. Results do not depend on the order or the number of workers. */
typedef void (*ash_task)(uint32_t item, uint32_t worker, void *data);
typedef struct ash_jobs {
    void (*run)(void *host, uint32_t items, ash_task task, void *data);
    void *host;
    uint32_t workers; /* 1 to ASH_MAX_THREADS */
} ash_jobs;

#ifdef __cplusplus
}
#endif

#endif
