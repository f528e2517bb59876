/*
 * A process and its descendants.
 *
 * New descendants are found by the numbers of new processes: the system reports the newest, so only those given out
 * since the last reading are asked for their parent. Each is asked at two readings, since a number is given out shortly
 * before its process can be seen. Where the system does not report it, all processes are looked through, ten times a
 * second at most. Where a control group was made for the tree, whoever is in it belongs to it, too.
 */
#include "measure/tree.h"
#include "base/checked.h"

#include <limits.h>

enum {
    COUNTS_FROM = 2, /* sightings: a process just forked has its parent's size until it runs its own program */
    MARKS_A_READING = 1,
    CALMEST = 3,             /* readings a process is left out at most, after that many that found nothing new */
    NUMBERS_A_READING = 256, /* more new processes than that are found faster by looking through all */
    MAX_OF_A_GROUP = 1024,
};

static const double SCAN_INTERVAL = 0.1;

/* ---- who belongs to it ---- */

static const struct member *
find_member(const struct tree *tree, int pid)
{
    for (size_t i = 0; i < tree->count; i++)
        if (tree->members[i].files.pid == pid)
            return &tree->members[i];
    return NULL;
}

bool
tree_has(const struct tree *tree, int pid)
{
    return find_member(tree, pid) != NULL;
}

static bool
belongs(const struct tree *tree, const struct process_identity *process)
{
    return tree_has(tree, process->parent) || (tree->group && process->group == tree->group) ||
           (tree->reaper && process->parent == tree->reaper);
}

static int
add_member(struct tree *tree, const struct process_identity *process)
{
    struct member new = {.parent = process->parent};
    int status = array_reserve(tree->context, &tree->members, &tree->capacity, tree->count + 1, sizeof *tree->members);

    if (status)
        return status;
    status = process_open(process->pid, &new.files);
    if (!status)
        tree->members[tree->count++] = new;
    return status;
}

/* Takes a process in if it is a new relative. One that has ended meanwhile is no error. */
static int
take_in(struct tree *tree, const struct process_identity *process, bool *adopted)
{
    int status = add_member(tree, process);

    *adopted = status == 0;
    return status_ends_call(status) ? status : 0;
}

static int
adopt(struct tree *tree, const struct process_identity *process, bool *adopted)
{
    if (tree_has(tree, process->pid) || !belongs(tree, process))
        return 0;
    return take_in(tree, process, adopted);
}

/* Asks each process the system has; into tree->all. */
static int
identify_all(struct tree *tree, size_t *count)
{
    size_t room = process_list(NULL, 0) + NUMBERS_A_READING, listed;
    int *pids = memory_allocate_zeroed(tree->context, room, sizeof *pids);
    int status;

    if (!pids)
        return MEMMODEL_ERROR_NO_MEMORY;
    listed = process_list(pids, room);
    listed = listed < room ? listed : room;
    status = array_reserve(tree->context, &tree->all, &tree->all_capacity, listed + 1, sizeof *tree->all);
    *count = 0;
    for (size_t i = 0; !status && i < listed; i++)
        *count += process_identify(pids[i], &tree->all[*count]);
    memory_release(tree->context, pids);
    return status;
}

/* A child may be listed before its parent, so it looks until nobody new is found. */
static int
adopt_all(struct tree *tree)
{
    size_t count;
    bool adopted = true;
    int status = identify_all(tree, &count);

    while (!status && adopted) {
        adopted = false;
        for (size_t i = 0; !status && i < count; i++)
            status = adopt(tree, &tree->all[i], &adopted);
    }
    return status;
}

static int
adopt_range(struct tree *tree, int after, int last)
{
    struct process_identity process;
    bool adopted;
    int status = 0;

    for (int pid = after + 1; !status && pid <= last; pid++)
        if (process_identify(pid, &process))
            status = adopt(tree, &process, &adopted);
    return status;
}

static int
adopt_by_time(struct tree *tree)
{
    double now = process_clock();

    if (now < tree->next_scan)
        return 0;
    tree->next_scan = now + SCAN_INTERVAL;
    return adopt_all(tree);
}

static int
adopt_group(struct tree *tree)
{
    struct process_identity process;
    int pids[MAX_OF_A_GROUP], status = 0;
    size_t count = tree->cgroup ? cgroup_members(tree->cgroup, pids, MAX_OF_A_GROUP) : 0;
    bool adopted;

    for (size_t i = 0; !status && i < count; i++)
        if (!tree_has(tree, pids[i]) && process_identify(pids[i], &process))
            status = take_in(tree, &process, &adopted);
    return status;
}

static int
adopt_newcomers(struct tree *tree)
{
    int newest = process_newest(tree->newest_file), after = tree->newest_before, status;

    if (newest < 0)
        return adopt_by_time(tree);
    tree->newest_before = tree->newest;
    tree->newest = newest;
    if (newest == after)
        return 0;
    /* numbers start again from below when they run out */
    status = newest > after && newest - after <= NUMBERS_A_READING ? adopt_range(tree, after, newest) : adopt_all(tree);
    if (status)
        tree->newest = tree->newest_before = after; /* the next reading asks all of them again */
    return status;
}

int
tree_adopt(struct tree *tree)
{
    int status = adopt_newcomers(tree);

    return status ? status : adopt_group(tree);
}

bool
member_counts(const struct member *member)
{
    return member->sightings >= COUNTS_FROM;
}

/* ---- how much memory they have ---- */

static void
read_member(struct member *member, bool with_mark)
{
    int64_t high_water_mark = member->now.high_water_mark;

    if (!with_mark)
        member->gone = !process_read_size(&member->files, &member->now);
    /* one without any memory may have ended: only the file with the marks says so */
    member->marked = with_mark || (!member->gone && member->now.rss == 0);
    if (member->marked)
        member->gone = !process_read_mark(&member->files, &member->now);
    /* a mark falls when the process runs another program */
    member->rose = member->rose || member->now.high_water_mark > high_water_mark;
}

/*
 * One that did not change lately is left out now and then: were it to change and change back, its high-water mark would
 * show it.
 */
static bool
is_left_out(struct member *member)
{
    if (member->left_out < member->calm) {
        member->left_out++;
        return true;
    }
    member->left_out = 0;
    return false;
}

static void
note_calm(struct member *member)
{
    if (member->rose || member->now.rss != member->previous.rss)
        member->calm = 0;
    else if (member->calm < CALMEST)
        member->calm++;
}

/* The marks of new ones are read each time, the others' in turn. */
static bool
mark_is_due(const struct tree *tree, size_t i)
{
    size_t ahead = (i + tree->count - tree->turn % tree->count) % tree->count;

    return tree->members[i].sightings < COUNTS_FROM || ahead < MARKS_A_READING;
}

static void
read_members(struct tree *tree)
{
    bool rose = false;

    for (size_t i = 0; i < tree->count; i++) {
        struct member *member = &tree->members[i];
        bool with_mark = mark_is_due(tree, i);

        member->previous = member->now;
        member->shared_before = member->shared;
        member->rose = member->marked = false;
        if (!with_mark && is_left_out(member))
            continue;
        read_member(member, with_mark);
        note_calm(member);
        rose = rose || member->rose || member->now.rss > member->now.high_water_mark;
    }
    for (size_t i = 0; rose && i < tree->count; i++)
        if (!tree->members[i].marked)
            read_member(&tree->members[i], true);
    tree->turn += MARKS_A_READING;
}

static void
drop_the_gone(struct tree *tree)
{
    size_t kept = 0;

    for (size_t i = 0; i < tree->count; i++) {
        tree->changed = tree->changed || (tree->members[i].gone && tree->members[i].sightings >= COUNTS_FROM);
        if (tree->members[i].gone)
            process_close(&tree->members[i].files);
        else
            tree->members[kept++] = tree->members[i];
    }
    tree->count = kept;
}

/* Another process counts once it was seen twice, and has memory of its own. */
static bool
counts(struct tree *tree, struct member *member)
{
    if (member->sightings < COUNTS_FROM) {
        member->sightings++;
        if (member->sightings < COUNTS_FROM)
            return false;
        if (process_share_memory(member->files.pid, member->parent)) {
            member->sightings--;
            return false;
        }
        tree->ever++;
        tree->changed = true;
        member->rose = true;
    }
    return true;
}

/* The most it had since the reading before. */
static int64_t
member_high_water(const struct member *member)
{
    int64_t between = member->rose ? member->now.high_water_mark : max_i64(member->previous.rss, member->now.rss);

    return max_i64(between, member->now.rss);
}

static void
add_size(const struct member *member, struct tree_size *size)
{
    size->rss += member->now.rss;
    size->high_water += member_high_water(member);
    size->max = max_i64(size->max, member_high_water(member));
    size->high_water_mark = max_i64(size->high_water_mark, max_i64(member->now.high_water_mark, member->now.rss));
    size->count++;
}

int
tree_read(struct tree *tree, struct tree_size *size)
{
    int status = tree_adopt(tree);

    if (status)
        return status;
    read_members(tree);
    drop_the_gone(tree);
    *size = (struct tree_size){.pss = -1};
    for (size_t i = 0; i < tree->count; i++) {
        if (counts(tree, &tree->members[i]))
            add_size(&tree->members[i], size);
        else
            size->growing = true;
    }
    size->changed = tree->changed;
    tree_charge(tree, size);
    return 0;
}

/* ---- its beginning and end ---- */

/* Those that are there from the beginning count at once, with what they have from now on. */
static void
begin_with(struct tree *tree, bool from_start)
{
    for (size_t i = 0; i < tree->count; i++) {
        tree->members[i].sightings = COUNTS_FROM;
        tree->members[i].looked_at = true;
        if (!from_start)
            process_read_mark(&tree->members[i].files, &tree->members[i].now);
    }
    tree->ever = tree->count < INT_MAX ? (int)tree->count : INT_MAX;
}

int
tree_open(struct tree *tree, memmodel_context *context, int pid, bool from_start, const struct cgroup *cgroup)
{
    struct process_identity root = {.pid = pid};
    int status;

    *tree = (struct tree){.context = context,
                          .newest_file = process_open_newest(),
                          .group = from_start ? pid : 0,
                          .cgroup = *cgroup->made ? cgroup : NULL};
    tree->newest = tree->newest_before = process_newest(tree->newest_file);
    status = add_member(tree, &root);
    if (!status)
        status = adopt_all(tree);
    if (status) {
        tree_close(tree);
        return status;
    }
    begin_with(tree, from_start);
    return 0;
}

void
tree_close(struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++)
        process_close(&tree->members[i].files);
    process_close_file(tree->newest_file);
    memory_release(tree->context, tree->members);
    memory_release(tree->context, tree->all);
    *tree = (struct tree){.context = tree->context, .newest_file = -1};
}
