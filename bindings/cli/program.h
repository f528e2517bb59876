/* Where the program that somebody typed would find CUDA's libraries. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include <stdbool.h>

enum torch_build { TORCH_NONE, TORCH_CPU, TORCH_CUDA };

struct program {
    bool is_static; /* an executable that loads no shared library */
    enum torch_build torch;
};

/* Called for each folder; what it returns other than 0 ends the search. */
typedef int (*program_folder)(void *user, const char *folder);

/*
 * Looks at the program (found as a shell finds it; a script by its first line), asks its Python, if it is one, or the
 * first that the command names, for its packages, and hands out each folder that may hold CUDA's libraries, the first to
 * be searched first. 0, or what `folder`
 * returned.
 */
int
program_look(struct program *program, char *const *arguments, program_folder folder, void *user);

#endif
