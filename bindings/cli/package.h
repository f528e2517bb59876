/* The Python package memmodel, which does what the tool has in Python alone. */
#ifndef CLI_PACKAGE_H
#define CLI_PACKAGE_H

/*
 * What `python -c` runs: main(words) of a module, a string literal. Its errors are one line each, written by itself; that
 * the package is not there is said here.
 */
#define PACKAGE_PROGRAM(module)                                                                                            \
    "import sys\n"                                                                                                         \
    "try:\n"                                                                                                               \
    "    from memmodel import " module "\n"                                                                                \
    "except ImportError as error:\n"                                                                                       \
    "    sys.exit(f'memmodel: this needs the Python package memmodel, which {sys.executable} does not have ({error}); '\n" \
    "             'MEMMODEL_PYTHON names another Python')\n"                                                               \
    "sys.exit(" module ".main(sys.argv[1:]))\n"

/* The Python that has it: MEMMODEL_PYTHON, else python3 beside this tool, else in PATH. */
const char *
package_python(void);

#endif
