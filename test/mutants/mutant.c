/*
 * Which mutant of the program runs: the number in MUTANT. Where MUTANT_REACHED names a file, byte n of it becomes 1 when
 * mutant n is reached, by any process that shares the file.
 */
#include "mutant.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOT_ASKED = -2, NONE = -1 };

static atomic_int running = NOT_ASKED;
static unsigned char *reached;
static size_t reached_bytes;

static void
open_reached(const char *path)
{
    struct stat about;
    int file = open(path, O_RDWR);

    if (file < 0 || fstat(file, &about))
        abort();
    reached_bytes = (size_t)about.st_size;
    reached = mmap(NULL, reached_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (reached == MAP_FAILED)
        abort();
    close(file);
}

__attribute__((constructor)) static void
ask(void)
{
    const char *number = getenv("MUTANT"), *path = getenv("MUTANT_REACHED");

    if (path)
        open_reached(path);
    running = number ? atoi(number) : NONE;
}

int
mutant_runs(int number)
{
    if (reached && (size_t)number < reached_bytes)
        reached[number] = 1;
    return running == number;
}
