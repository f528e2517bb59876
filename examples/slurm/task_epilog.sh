#!/bin/sh
# TaskEpilog of slurm.conf, where jobs have control groups of version 2: adds "JOB,BYTES" with the group's own peak to a
# file that all may add to. The last task of a job says most.
peaks=${MEMMODEL_PEAKS:-/var/lib/memmodel/cgroup-peaks} groups=${MEMMODEL_CGROUPS:-/sys/fs/cgroup}
own=$(sed -n 's/^0:://p' "${MEMMODEL_OWN_CGROUP:-/proc/self/cgroup}")
job=${own%"${own#*/job_"$SLURM_JOB_ID"}"}
[ -n "$job" ] && peak=$(cat "$groups$job/memory.peak" 2>/dev/null) || exit 0
name=$SLURM_JOB_ID
[ -n "$SLURM_ARRAY_JOB_ID" ] && name=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
echo "$name,$peak" >>"$peaks"
