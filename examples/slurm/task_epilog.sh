#!/bin/sh
# TaskEpilog of slurm.conf, where jobs have control groups: adds "JOB,BYTES,KILLS,LIMIT" with what the job's own group has
# counted, its peak, processes that the kernel killed because memory ran out, and what it may have, to a file that all may
# add to. The last task of a job says most.
peaks=${MEMMODEL_PEAKS:-/var/lib/memmodel/cgroup-peaks} groups=${MEMMODEL_CGROUPS:-/sys/fs/cgroup}
all=${MEMMODEL_OWN_CGROUP:-/proc/self/cgroup}
own=$(sed -n 's/^[0-9]*:\([^:]*,\)\{0,1\}memory\(,[^:]*\)\{0,1\}://p' "$all") # of version 1
if [ -n "$own" ]; then
    groups=$groups/memory peak=memory.max_usage_in_bytes limit=memory.limit_in_bytes events=memory.oom_control
else
    own=$(sed -n 's/^0:://p' "$all") peak=memory.peak limit=memory.max events=memory.events
fi
job=${own%"${own#*/job_"$SLURM_JOB_ID"}"}
[ -n "$job" ] && peak=$(cat "$groups$job/$peak" 2>/dev/null) || exit 0
limit=$(cat "$groups$job/$limit" 2>/dev/null)
case $limit in max | ???????????????????*) limit= ;; esac # 19 digits are no limit, either
# Version 1 counts in each group alone, version 2 in those above, too.
if [ "$events" = memory.events ]; then depth=1; else depth=9; fi
kills=$(find "$groups$job" -maxdepth "$depth" -name "$events" -exec sed -n 's/^oom_kill //p' {} + 2>/dev/null |
    awk '{ count += $1 } END { print count + 0 }')
name=$SLURM_JOB_ID
[ -n "$SLURM_ARRAY_JOB_ID" ] && name=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
echo "$name,$peak,$kills,$limit" >>"$peaks"
