/* memmodel/monitor.h alone, twice, in C11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/monitor.h"
#include "memmodel/monitor.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_monitor_options)
        + (int)sizeof(struct memmodel_monitor_reading)
        + (int)sizeof(struct memmodel_monitor_summary)
        + (int)sizeof(struct memmodel_monitor_point)
        + (int)sizeof(&memmodel_monitor_new)
        + (int)sizeof(&memmodel_monitor_read)
        + (int)sizeof(&memmodel_monitor_run)
        + (int)sizeof(&memmodel_monitor_stop)
        + (int)sizeof(&memmodel_monitor_summarize)
        + (int)sizeof(&memmodel_monitor_curve)
        + (int)sizeof(&memmodel_monitor_processes)
        + (int)sizeof(&memmodel_monitor_ref)
        + (int)sizeof(&memmodel_monitor_unref)
};
