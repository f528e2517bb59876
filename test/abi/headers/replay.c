/* memmodel/replay.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/replay.h"
#include "memmodel/replay.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_replay_options)
        + (int)sizeof(struct memmodel_replay_usage)
        + (int)sizeof(struct memmodel_replay_result)
        + (int)sizeof(struct memmodel_replay_block)
        + (int)sizeof(MEMMODEL_BLOCK_STATE_FREE)
        + (int)sizeof(&memmodel_block_state_name)
        + (int)sizeof(&memmodel_trace_replay)
        + (int)sizeof(&memmodel_replay_ref)
        + (int)sizeof(&memmodel_replay_unref)
        + (int)sizeof(&memmodel_replay_get_result)
        + (int)sizeof(&memmodel_replay_get_usage)
        + (int)sizeof(&memmodel_replay_block_count)
        + (int)sizeof(&memmodel_replay_get_block)
        + (int)sizeof(&memmodel_replay_save_snapshot)
};

#ifdef __cplusplus
size_t sizes();

size_t
sizes()
{
    memmodel_replay_options of_memmodel_replay_options{};
    of_memmodel_replay_options.size = sizeof of_memmodel_replay_options;
    memmodel_replay_usage of_memmodel_replay_usage{};
    of_memmodel_replay_usage.size = sizeof of_memmodel_replay_usage;
    memmodel_replay_result of_memmodel_replay_result{};
    of_memmodel_replay_result.size = sizeof of_memmodel_replay_result;
    memmodel_replay_block of_memmodel_replay_block{};
    of_memmodel_replay_block.size = sizeof of_memmodel_replay_block;
    return of_memmodel_replay_options.size + of_memmodel_replay_usage.size + of_memmodel_replay_result.size + of_memmodel_replay_block.size;
}
#endif
