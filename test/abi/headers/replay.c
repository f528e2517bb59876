/* memmodel/replay.h alone, twice, in C11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/replay.h"
#include "memmodel/replay.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_replay_options)
        + (int)sizeof(struct memmodel_replay_moment)
        + (int)sizeof(struct memmodel_replay_summary)
        + (int)sizeof(struct memmodel_replay_block)
        + (int)sizeof(MEMMODEL_BLOCK_FREE)
        + (int)sizeof(&memmodel_replay_new)
        + (int)sizeof(&memmodel_replay_ref)
        + (int)sizeof(&memmodel_replay_unref)
        + (int)sizeof(&memmodel_replay_summary)
        + (int)sizeof(&memmodel_replay_moment)
        + (int)sizeof(&memmodel_replay_block_count)
        + (int)sizeof(&memmodel_replay_block)
        + (int)sizeof(&memmodel_replay_write)
};
