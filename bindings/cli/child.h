/* A command that the tool starts: held back until the monitor watches it, given the signals the tool gets. */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { CHILD_MEMBERS = 4096 }; /* processes that signals are passed on to one by one */

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

/* Says which processes the command consists of now, for signals; stops them and the tool if somebody wants that. */
void
child_note_members(const int64_t *pids, size_t count);

/* Kills the orphans that the tool has adopted, and what these leave, and waits for all; for some seconds at most. */
void
child_kill_all(void);

#endif
