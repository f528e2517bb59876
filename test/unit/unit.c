/*
 * Unit tests in one program, which is linked once: the main() of test_NAME.c has the name test_NAME() in it.
 *
 *     unit NAME [PATTERN]    the tests of one file, or those whose names match
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include UNIT_TESTS /* made by meson.build: TEST(NAME) for each */

#define TEST(name) int test_##name(void);
TESTS
#undef TEST

static const struct {
    const char *name;
    int (*run)(void);
} files[] = {
#define TEST(name) {#name, test_##name},
    TESTS};

int
main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (argc < 2)
            puts(files[i].name);
        else if (strcmp(argv[1], files[i].name) == 0) {
            if (argc > 2)
                cmocka_set_test_filter(argv[2]);
            return files[i].run();
        }
    }
    return 2;
}
