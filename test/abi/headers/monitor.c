/* memmodel/monitor.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/monitor.h"
#include "memmodel/monitor.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_monitor_options)
        + (int)sizeof(struct memmodel_monitor_reading)
        + (int)sizeof(struct memmodel_monitor_result)
        + (int)sizeof(struct memmodel_monitor_point)
        + (int)sizeof(&memmodel_monitor_new)
        + (int)sizeof(&memmodel_monitor_read)
        + (int)sizeof(&memmodel_monitor_run)
        + (int)sizeof(&memmodel_monitor_stop)
        + (int)sizeof(&memmodel_monitor_get_result)
        + (int)sizeof(&memmodel_monitor_curve)
        + (int)sizeof(&memmodel_monitor_processes)
        + (int)sizeof(&memmodel_monitor_ref)
        + (int)sizeof(&memmodel_monitor_unref)
};

#ifdef __cplusplus
size_t sizes();

size_t
sizes()
{
    memmodel_monitor_options of_memmodel_monitor_options{};
    of_memmodel_monitor_options.size = sizeof of_memmodel_monitor_options;
    memmodel_monitor_reading of_memmodel_monitor_reading{};
    of_memmodel_monitor_reading.size = sizeof of_memmodel_monitor_reading;
    memmodel_monitor_result of_memmodel_monitor_result{};
    of_memmodel_monitor_result.size = sizeof of_memmodel_monitor_result;
    return of_memmodel_monitor_options.size + of_memmodel_monitor_reading.size + of_memmodel_monitor_result.size;
}
#endif
