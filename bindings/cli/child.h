/* A command that the tool starts: held back until the monitor watches it, given the signals the tool gets. */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include <sys/types.h>

struct child {
    pid_t pid;
    int go;     /* writing end: closing it lets the command start */
    int result; /* reading end: errno of a command that could not be started */
};

/* Forks; the new process waits for child_release(). 0, or errno. From here on signals go to the child. */
int
child_start(struct child *child, char **arguments);

/* Lets the command start. 0 once it runs, or the errno that says why it does not; it has ended then. */
int
child_release(struct child *child);

#endif
