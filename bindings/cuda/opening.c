/*
 * dlopen(), for programs that open a library of NVIDIA's by its path, as PyTorch does: they get the stand-in of that name.
 *
 * A library without a slash in its name is looked for where the caller says (DT_RUNPATH), and the caller is known by the
 * return address: so the call is handed on by a jump, as if this function had not been there.
 */
#define _GNU_SOURCE
#include "device.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void *(*opener)(const char *, int);

/* What the jump needs. */
__attribute__((visibility("hidden"))) opener opening_next;
__attribute__((visibility("hidden"))) const char *
opening_path(const char *path, const void *caller);

/* The stand-in for the file, or NULL. Where cuDNN's asks NVIDIA's own, it means that one. */
static const char *
stand_in_of(const char *path, const void *caller, char place[PATH_MAX])
{
    const char *folder = getenv("MEMMODEL_CUDA_STAND_INS"), *slash = strrchr(path, '/');

    if (!folder || !slash || strncmp(slash, "/lib", strlen("/lib")) != 0 ||
        strcmp(note_module(caller), "libmemmodel-cuda-dnn.so") == 0 ||
        snprintf(place, PATH_MAX, "%s%s", folder, slash) >= PATH_MAX)
        return NULL;
    return access(place, R_OK) == 0 ? place : NULL;
}

const char *
opening_path(const char *path, const void *caller)
{
    static _Thread_local char place[PATH_MAX];
    const char *found;

    if (!opening_next)
        *(void **)&opening_next = dlsym(RTLD_NEXT, "dlopen");
    found = path ? stand_in_of(path, caller, place) : NULL;
    return found ? found : path;
}

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl dlopen\n"
        ".type dlopen, @function\n"
        "dlopen:\n"
        "    push %rsi\n"
        "    mov 8(%rsp), %rsi\n"
        "    call opening_path\n"
        "    mov %rax, %rdi\n"
        "    pop %rsi\n"
        "    jmp *opening_next(%rip)\n"
        ".size dlopen, . - dlopen\n");
#endif
