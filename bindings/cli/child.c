/*
 * A command that the tool starts.
 *
 * With a controlling terminal it stays in the tool's process group: the terminal sends Ctrl-C and Ctrl-Z to both, and
 * a pipeline around the tool keeps working. Without one it gets a group of its own, so that a signal to the tool
 * reaches all of the command's processes.
 *
 * Whoever stops or continues the tool means the command: SIGTSTP and SIGCONT go to all of its processes, as the next
 * reading sees them, and then the tool stops as well, so that a shell sees its job stop. What a terminal sends on
 * Ctrl-Z the command already has.
 *
 * The tool is a subreaper (prctl(2)): a process that forks twice to be rid of its parent becomes the tool's child, not
 * that of init, and is still counted, limited and waited for.
 */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};
enum { FORWARDED_COUNT = sizeof forwarded / sizeof forwarded[0] };
enum { MAX_ROUNDS = 5000 }; /* of a millisecond: a process that hangs in the kernel is not waited for */

/* The argument of kill(): a process, a group (negative), or nobody yet (0). All that a signal handler can see. */
static volatile sig_atomic_t target;

/* The command's processes as the last reading saw them; changed while signals are blocked. */
static pid_t members[CHILD_MEMBERS];
static size_t member_count;

/* Somebody wants the tool to stop; it does at the next reading. */
static volatile sig_atomic_t stop_is_due;

/* To those that are not in the group that kill() signals. */
static void
signal_members(int number)
{
    for (size_t i = 0; i < member_count; i++)
        if (target > 0 || getpgid(members[i]) != (pid_t)-target)
            kill(members[i], number);
}

/* Stops this process as the signal does where nobody catches it; comes back when it is continued. */
static void
stop_oneself(void)
{
    struct sigaction usual = {.sa_handler = SIG_DFL}, own;
    sigset_t stop, before;

    sigemptyset(&usual.sa_mask);
    sigaction(SIGTSTP, &usual, &own);
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stop, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGTSTP, &own, NULL);
}

static void
forward(int number, siginfo_t *information, void *context)
{
    int before = errno;
    bool from_terminal = information->si_code > 0;

    (void)context;
    /* what the terminal sends to the tool's own group has reached the command already */
    if (target < 0 || (target > 0 && !from_terminal))
        kill((pid_t)target, number);
    if (number == SIGCONT)
        signal_members(number);
    if (number == SIGTSTP && from_terminal)
        stop_oneself();
    else if (number == SIGTSTP)
        stop_is_due = 1;
    errno = before;
}

static void
all_signals(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < FORWARDED_COUNT; i++)
        sigaddset(set, forwarded[i]);
}

/* A signal that is ignored, as under nohup, stays ignored, for the command too. */
static void
set_handlers(bool on)
{
    for (size_t i = 0; i < FORWARDED_COUNT; i++) {
        struct sigaction action = {.sa_flags = 0}, old;

        sigemptyset(&action.sa_mask);
        if (sigaction(forwarded[i], NULL, &old) != 0 || (!(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_IGN))
            continue;
        if (on) {
            action.sa_sigaction = forward;
            action.sa_flags = SA_SIGINFO;
            all_signals(&action.sa_mask); /* one after the other */
        } else {
            action.sa_handler = SIG_DFL;
        }
        sigaction(forwarded[i], &action, NULL);
    }
}

static void
block_signals(sigset_t *before)
{
    sigset_t set;

    all_signals(&set);
    sigprocmask(SIG_BLOCK, &set, before);
}

static bool
has_terminal(void)
{
    int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);

    if (terminal >= 0)
        close(terminal);
    return terminal >= 0;
}

static int
open_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        return errno;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
}

/* In the new process: waits for the pipe `go` to be closed, and becomes the command. */
static void
become(char **arguments, const int go[2], const int result[2], const sigset_t *signals)
{
    char end;
    int error;

    set_handlers(false);
    sigprocmask(SIG_SETMASK, signals, NULL);
    close(go[1]);
    while (read(go[0], &end, 1) < 0 && errno == EINTR)
        continue;
    execvp(arguments[0], arguments);
    error = errno;
    if (write(result[1], &error, sizeof error) != sizeof error)
        _exit(EXIT_FAILURE);
    _exit(EXIT_FAILURE);
}

static int
fork_child(struct child *child, char **arguments, const int go[2], const int result[2])
{
    bool own_group = !has_terminal();
    sigset_t before;
    int error;

#ifdef PR_SET_CHILD_SUBREAPER
    prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL);
#endif
    set_handlers(true);
    block_signals(&before);
    child->pid = fork();
    error = child->pid < 0 ? errno : 0;
    if (child->pid == 0) {
        if (own_group)
            setpgid(0, 0);
        become(arguments, go, result, &before);
    }
    if (!error) {
        if (own_group)
            setpgid(child->pid, child->pid); /* both do it, so that it is done whoever runs first */
        target = own_group ? -child->pid : child->pid;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return error;
}

int
child_start(struct child *child, char **arguments)
{
    int go[2], result[2];
    int error = open_pipe(go);

    if (error)
        return error;
    error = open_pipe(result);
    if (!error) {
        error = fork_child(child, arguments, go, result);
        close(result[1]);
        if (error)
            close(result[0]);
    }
    close(go[0]);
    if (error)
        close(go[1]);
    child->go = go[1];
    child->result = result[0];
    return error;
}

int
child_release(struct child *child)
{
    int error = 0;
    ssize_t length;

    close(child->go);
    do
        length = read(child->result, &error, sizeof error);
    while (length < 0 && errno == EINTR);
    close(child->result);
    return length == (ssize_t)sizeof error ? error : 0;
}

void
child_note_members(const int64_t *pids, size_t count)
{
    sigset_t before;

    block_signals(&before);
    member_count = count < CHILD_MEMBERS ? count : CHILD_MEMBERS;
    for (size_t i = 0; i < member_count; i++)
        members[i] = (pid_t)pids[i];
    if (stop_is_due) {
        stop_is_due = 0;
        signal_members(SIGTSTP);
        stop_oneself();
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Kills the children that the tool has now; false if it has none. */
static bool
kill_children(void)
{
    char path[64];
    FILE *children;
    int pid;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    children = fopen(path, "re");
    while (children && fscanf(children, "%d", &pid) == 1)
        kill((pid_t)pid, SIGKILL);
    if (children)
        fclose(children);
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
    return waitpid(-1, NULL, WNOHANG) == 0;
}

void
child_kill_all(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    for (int i = 0; i < MAX_ROUNDS && kill_children(); i++)
        nanosleep(&pause, NULL);
}
