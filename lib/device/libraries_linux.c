/*
 * The stand-ins of one run. The loader takes a library that is already there for one of the same name (DT_SONAME): so each
 * of NVIDIA's that a program may need gets one of that name, loaded before the program. cuDNN's is not loaded with them:
 * it hands questions on to NVIDIA's own, whose parts must find each other and not the stand-in, so that the program has to
 * open it for itself (the hook in Python does, bindings/cuda/python).
 */
#define _GNU_SOURCE
#include "device/libraries.h"

#include "device/header_names.h"
#include "device/ledger.h"
#include "device/stand_in.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char answers[] = "libmemmodel-cuda.so", dnn_answers[] = "libmemmodel-cuda-dnn.so";

/* Those that need a driver or a GPU. NVRTC and nvJitLink compile without either, and stay NVIDIA's. */
static const char *const replaced[] = {
    "libcudart",     "libcublas",   "libcublasLt",   "libcudnn",  "libcufft",
    "libcufftw",     "libcusparse", "libcusparseLt", "libcurand", "libcusolver",
    "libcusolverMg", "libnccl",     "libcupti",      "libcufile", "libnvshmem_host",
};

/* Without files of their own on a machine without a driver. */
static const char driver_soname[] = "libcuda.so.1", nvml_soname[] = "libnvidia-ml.so.1";
static const char functions_ending[] = ".functions";
static const char linked_name[] = "libcuda.so";

/* ---- paths ---- */

static char *
joined(memmodel_context *context, const char *folder, const char *name)
{
    struct text path = TEXT_INIT(context);

    text_printf(&path, "%s/%s", folder, name);
    return text_finish(&path);
}

static char *
with_ending(memmodel_context *context, const char *name, const char *ending)
{
    struct text text = TEXT_INIT(context);

    if (!name)
        return NULL;
    text_printf(&text, "%s%s", name, ending);
    return text_finish(&text);
}

/* Whether this project's own libraries lie there; keeps the folder if so. */
static bool
is_home(struct libraries *libraries, const char *folder)
{
    char *path = joined(libraries->context, folder, answers), *whole;
    bool found = path && access(path, R_OK) == 0;

    if (found) {
        whole = realpath(folder, NULL);
        libraries->home = memory_copy_text(libraries->context, whole ? whole : folder);
        free(whole);
    }
    memory_release(libraries->context, path);
    return found;
}

static int
find_home(struct libraries *libraries)
{
    /* beside libmemmodel, built or installed; beside the tool and the package of a wheel */
    static const char *const places[] = {"memmodel", "../bindings/cuda", "../share/memmodel/cuda",
                                         "../../../../share/memmodel/cuda"};
    const char *given = getenv("MEMMODEL_CUDA_HOME");
    char folder[PATH_MAX], *slash;
    Dl_info self;

    if (given && is_home(libraries, given))
        return libraries->home ? 0 : MEMMODEL_ERROR_NO_MEMORY;
    if (dladdr((void *)find_home, &self) && strlen(self.dli_fname) < sizeof folder) {
        strcpy(folder, self.dli_fname);
        slash = strrchr(folder, '/');
        if (slash)
            *slash = 0;
        for (size_t i = 0; i < sizeof places / sizeof *places && !libraries->home; i++) {
            char *place = joined(libraries->context, slash ? folder : ".", places[i]);

            if (place)
                is_home(libraries, place);
            memory_release(libraries->context, place);
        }
    }
    return libraries->home
               ? 0
               : context_error(libraries->context, MEMMODEL_ERROR_NOT_FOUND, answers,
                               "not installed beside libmemmodel: the library was built without simulated GPUs");
}

/* ---- stand-ins ---- */

static bool
is_cudnn(const char *soname)
{
    return strncmp(soname, "libcudnn.so", strlen("libcudnn.so")) == 0;
}

/*
 * Two files: one of the library's name with nothing in it, which needs the other one, with the functions. The loader asks
 * of a library of the very name that a program was linked with that it knows the versions of its symbols, and of no other.
 */
static int
write_stand_in(struct libraries *libraries, const struct elf_names *names)
{
    static const struct elf_names none = {0};
    bool dnn = is_cudnn(names->soname);
    memmodel_context *context = libraries->context;
    char *path = joined(context, libraries->folder.path, names->soname),
         *functions = with_ending(context, path, functions_ending);
    char *name = with_ending(context, names->soname, functions_ending),
         *own = joined(context, libraries->home, dnn_answers);
    struct stand_in empty = {path, names->soname, functions};
    struct stand_in full = {functions, name, dnn ? own : answers};
    int status = MEMMODEL_ERROR_NO_MEMORY;

    if (path && functions && name && own)
        status = stand_in_write(context, &full, names, dnn ? &libraries->written_dnn : &libraries->written);
    if (!status)
        status = stand_in_write(context, &empty, &none, &none);
    if (!status)
        status = elf_names_add(&libraries->made, names->soname);
    memory_release(context, path);
    memory_release(context, functions);
    memory_release(context, name);
    memory_release(context, own);
    return status;
}

static int
write_driver(struct libraries *libraries, const char *soname, struct elf_names *names)
{
    memory_release(libraries->context, names->soname);
    names->soname = memory_copy_text(libraries->context, soname);
    return names->soname ? write_stand_in(libraries, names) : MEMMODEL_ERROR_NO_MEMORY;
}

/* The name that a linker looks for (Triton links what it compiles with the driver). */
static int
link_driver(struct libraries *libraries)
{
    char *link = joined(libraries->context, libraries->folder.path, linked_name);
    int status = link ? 0 : MEMMODEL_ERROR_NO_MEMORY;

    if (link && symlink(driver_soname, link) != 0 && errno != EEXIST)
        status = context_error(libraries->context, MEMMODEL_ERROR_IO, link, "cannot make a link: %s", strerror(errno));
    memory_release(libraries->context, link);
    return status;
}

/* The driver's have no files to read names from: cuda.h has those of the one, and those written here are the other's. */
int
libraries_finish(struct libraries *libraries)
{
    struct elf_names none = ELF_NAMES_INIT(libraries->context);
    int status = 0;

    if (!elf_names_has(&libraries->made, driver_soname))
        status = write_driver(libraries, driver_soname, &libraries->driver);
    if (!status && !elf_names_has(&libraries->made, nvml_soname))
        status = write_driver(libraries, nvml_soname, &none);
    elf_names_release(&none);
    return status ? status : link_driver(libraries);
}

static int
read_own(struct libraries *libraries, const char *name, struct elf_names *names)
{
    char *path = joined(libraries->context, libraries->home, name);
    int status = path ? elf_names_read(names, path) : MEMMODEL_ERROR_NO_MEMORY;

    memory_release(libraries->context, path);
    return status;
}

int
libraries_open(struct libraries *libraries, memmodel_context *context)
{
    int status;

    *libraries = (struct libraries){.context = context,
                                    .made = ELF_NAMES_INIT(context),
                                    .driver = ELF_NAMES_INIT(context),
                                    .written = ELF_NAMES_INIT(context),
                                    .written_dnn = ELF_NAMES_INIT(context)};
    status = find_home(libraries);
    if (!status)
        status = read_own(libraries, answers, &libraries->written);
    if (!status)
        status = read_own(libraries, dnn_answers, &libraries->written_dnn);
    if (!status)
        status = run_folder_new(&libraries->folder, context);
    return status;
}

/* ---- NVIDIA's libraries ---- */

/* Whether a file is one of those replaced, with a version at the end of its name. */
static bool
is_replaced(const char *file)
{
    const char *end = strstr(file, ".so.");
    bool versioned = end && strspn(end + strlen(".so."), "0123456789.") == strlen(end + strlen(".so."));

    for (size_t i = 0; versioned && i < sizeof replaced / sizeof *replaced; i++)
        if (strlen(replaced[i]) == (size_t)(end - file) && strncmp(file, replaced[i], (size_t)(end - file)) == 0)
            return true;
    return false;
}

/* The version that the header says; else the name's, such as 13000 of libcudart.so.13. */
static int32_t
runtime_version(const char *header, const char *soname)
{
    enum { THOUSAND = 1000 };
    static const char definition[] = "#define CUDART_VERSION";
    int32_t version = THOUSAND * atoi(soname + strlen("libcudart.so."));
    FILE *file = fopen(header, "re");
    char line[256];

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, definition, strlen(definition)) == 0)
            version = atoi(line + strlen(definition));
    if (file)
        fclose(file);
    return version;
}

/* NVIDIA's headers come in the same package as the runtime. */
static int
look_at_headers(struct libraries *libraries, const char *directory, const char *soname)
{
    char *runtime = joined(libraries->context, directory, "../include/cuda_runtime_api.h");
    char *driver = joined(libraries->context, directory, "../include/cuda.h");
    int status = runtime && driver ? 0 : MEMMODEL_ERROR_NO_MEMORY;

    if (!status) {
        libraries->runtime = runtime_version(runtime, soname);
        status = header_names_read(&libraries->driver, driver);
    }
    memory_release(libraries->context, runtime);
    memory_release(libraries->context, driver);
    return status;
}

static int
replace(struct libraries *libraries, const char *directory, const char *path, int32_t *count)
{
    struct elf_names names = ELF_NAMES_INIT(libraries->context);
    int status = elf_names_read(&names, path);

    if (!status && *names.soname && !elf_names_has(&libraries->made, names.soname)) {
        status = write_stand_in(libraries, &names);
        *count += 1;
        if (!status && strncmp(names.soname, "libcudart.so.", strlen("libcudart.so.")) == 0)
            status = look_at_headers(libraries, directory, names.soname);
        if (is_cudnn(names.soname) && !libraries->cudnn)
            libraries->cudnn = memory_copy_text(libraries->context, path);
    }
    elf_names_release(&names);
    return status == MEMMODEL_ERROR_PARSE ? 0 : status;
}

int
libraries_add(struct libraries *libraries, const char *directory, int32_t *count)
{
    DIR *folder = opendir(directory);
    const struct dirent *entry;
    int status = 0;

    while (folder && !status && (entry = readdir(folder)) != NULL) {
        char *path = is_replaced(entry->d_name) ? joined(libraries->context, directory, entry->d_name) : NULL;

        if (path)
            status = replace(libraries, directory, path, count);
        memory_release(libraries->context, path);
    }
    if (folder)
        closedir(folder);
    return status;
}

/* ---- the environment ---- */

static void
append_own(struct text *environment, const char *name)
{
    const char *own = getenv(name);

    text_printf(environment, "%s%s\n", own && *own ? ":" : "", own ? own : "");
}

void
libraries_environment(const struct libraries *libraries, struct text *environment)
{
    text_printf(environment, "LD_PRELOAD=%s/%s", libraries->home, answers);
    for (size_t i = 0; i < libraries->made.count; i++)
        if (!is_cudnn(libraries->made.names[i]))
            text_printf(environment, ":%s/%s", libraries->folder.path, libraries->made.names[i]);
    append_own(environment, "LD_PRELOAD");
    text_printf(environment, "PYTHONPATH=%s/python", libraries->home);
    append_own(environment, "PYTHONPATH");
    text_printf(environment, "MEMMODEL_CUDA_LIBRARY=%s/%s\n", libraries->home, answers);
    text_printf(environment, "MEMMODEL_CUDA_STAND_INS=%s\nTRITON_LIBCUDA_PATH=%s\n", libraries->folder.path,
                libraries->folder.path);
    if (libraries->runtime)
        text_printf(environment, "MEMMODEL_CUDA_RUNTIME=%d\n", (int)libraries->runtime);
    if (libraries->cudnn) {
        const char *file = strrchr(libraries->cudnn, '/');

        text_printf(environment, "MEMMODEL_CUDNN=%s\nMEMMODEL_CUDA_DNN=%s%s\n", libraries->cudnn,
                    libraries->folder.path, file);
    }
}

void
libraries_close(struct libraries *libraries)
{
    run_folder_remove(&libraries->folder);
    memory_release(libraries->context, libraries->home);
    memory_release(libraries->context, libraries->cudnn);
    if (libraries->context) {
        elf_names_release(&libraries->made);
        elf_names_release(&libraries->driver);
        elf_names_release(&libraries->written);
        elf_names_release(&libraries->written_dnn);
    }
}
