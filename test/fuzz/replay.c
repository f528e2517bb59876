/*
 * Stands in for libFuzzer: hands every file of the named folders to the fuzzer, so that what was found stays found, as
 * it is and with each of its numbers at the extremes.
 */
#include "extremes.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Only libFuzzer changes inputs. */
size_t
LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

size_t
LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
    (void)data;
    (void)max;
    return size;
}

/* The bytes of a file of at most 1 MiB, exactly as many as it has, so that reading past them is seen. NULL on error. */
static uint8_t *
read_file(const char *path, size_t *size)
{
    static uint8_t buffer[1 << 20];
    FILE *file = fopen(path, "rb");
    uint8_t *bytes;

    if (!file)
        return NULL;
    *size = fread(buffer, 1, sizeof buffer, file);
    fclose(file);
    bytes = malloc(*size ? *size : 1);
    if (bytes)
        memcpy(bytes, buffer, *size);
    return bytes;
}

static void
fuzz(const uint8_t *bytes, size_t size)
{
    LLVMFuzzerTestOneInput(bytes, size);
}

static int
replay_file(const char *path)
{
    size_t size = 0;
    uint8_t *bytes = read_file(path, &size);

    if (!bytes)
        return -1;
    fuzz(bytes, size);
    for_each_extreme((const char *)bytes, size, fuzz);
    free(bytes);
    return 0;
}

/* Number of files replayed, -1 if one cannot be read. */
static int
replay_folder(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    int count = 0;

    if (!folder)
        return -1;
    while (count >= 0 && (entry = readdir(folder))) {
        char file[4096];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        count = replay_file(file) ? -1 : count + 1;
    }
    closedir(folder);
    return count;
}

int
main(int argument_count, char **arguments)
{
    for (int i = 1; i < argument_count; i++) {
        int count = replay_folder(arguments[i]);

        printf("%s: %d files\n", arguments[i], count);
        if (count <= 0)
            return EXIT_FAILURE;
    }
    return argument_count > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
