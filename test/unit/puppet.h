/*
 * A puppet: a child that waits for one letter at a time, does what the letter says, and answers. What it holds and whom
 * it makes is what a monitor has to see.
 */
#ifndef TEST_PUPPET_H
#define TEST_PUPPET_H

#include "check.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    BLOCK = 64 << 20,
    LIFETIME = 60, /* seconds after which a puppet ends by itself, should its test have failed */
};

struct puppet {
    pid_t pid;
    int to, from;
};

static inline void *
take_block(void)
{
    void *block = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (block == MAP_FAILED)
        _exit(99);
    memset(block, 1, BLOCK);
    return block;
}

static inline void
spike(void)
{
    munmap(take_block(), BLOCK);
}

/* A child that holds a block until it is killed. Answers once it has it. */
static inline void
fork_holder(int answer)
{
    if (fork() != 0)
        return;
    alarm(LIFETIME);
    take_block();
    if (write(answer, "h", 1) != 1)
        _exit(99);
    for (;;)
        pause();
}

static inline void
fork_passing_child(void)
{
    pid_t child = fork();

    if (child == 0) {
        spike();
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static inline void
fork_orphan(int answer)
{
    pid_t parent = fork();

    if (parent == 0) {
        fork_holder(answer);
        _exit(0);
    }
    waitpid(parent, NULL, 0);
}

/* A daemon: it has left its parent and its process group before anybody could have seen it. */
static inline void
fork_daemon(int answer)
{
    pid_t parent = fork();

    if (parent == 0) {
        setsid();
        fork_holder(answer);
        _exit(0);
    }
    waitpid(parent, NULL, 0);
}

/* The child sleeps in its parent's own memory, for a second. */
static inline void
sleep_in_vfork(int answer)
{
    pid_t child;

    if (write(answer, "v", 1) != 1)
        _exit(99);
    child = vfork();
    if (child == 0) {
        usleep(1000000);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static inline void
obey(char letter, int answer)
{
    static void *block;

    switch (letter) {
    case 'a':
        block = take_block();
        break;
    case 'r':
        munmap(block, BLOCK);
        break;
    case 's':
        spike();
        break;
    case 'p':
        fork_passing_child();
        break;
    case 'h':
        fork_holder(answer);
        return;
    case 'o':
        fork_orphan(answer);
        return;
    case 'd':
        fork_daemon(answer);
        return;
    case 'v':
        sleep_in_vfork(answer);
        return;
    case 'w':
        memset(block, 2, BLOCK);
        break;
    case 'x':
        _exit(7);
    default:
        break;
    }
    if (write(answer, &letter, 1) != 1)
        _exit(99);
}

static inline struct puppet
new_puppet(void)
{
    int to[2], from[2];
    struct puppet puppet;
    char letter;

    assert_int_equal(pipe(to), 0);
    assert_int_equal(pipe(from), 0);
    puppet.pid = fork();
    assert_true(puppet.pid >= 0);
    if (puppet.pid == 0) {
        setpgid(0, 0);
        alarm(LIFETIME);
        close(to[1]);
        close(from[0]);
        while (read(to[0], &letter, 1) == 1)
            obey(letter, from[1]);
        _exit(0);
    }
    setpgid(puppet.pid, puppet.pid);
    close(to[0]);
    close(from[1]);
    puppet.to = to[1];
    puppet.from = from[0];
    return puppet;
}

static inline void
tell(const struct puppet *puppet, char letter)
{
    assert_int_equal(write(puppet->to, &letter, 1), 1);
    if (letter != 'x')
        assert_int_equal(read(puppet->from, &letter, 1), 1);
}

static inline void
end_puppet(const struct puppet *puppet)
{
    kill(-puppet->pid, SIGKILL);
    waitpid(puppet->pid, NULL, 0);
    close(puppet->to);
    close(puppet->from);
}

#endif
