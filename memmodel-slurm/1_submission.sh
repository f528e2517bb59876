#!/bin/bash

# Parameters
#SBATCH --array=0-19%20
#SBATCH --error=/work/wt/scale/memmodel-slurm/%A_%a_0_log.err
#SBATCH --job-name=memmodel-campaign
#SBATCH --nodes=1
#SBATCH --open-mode=append
#SBATCH --output=/work/wt/scale/memmodel-slurm/%A_%a_0_log.out
#SBATCH --signal=USR2@90
#SBATCH --time=10
#SBATCH --wckey=submitit

# command
export SUBMITIT_EXECUTOR=slurm
srun --unbuffered --output /work/wt/scale/memmodel-slurm/%A_%a_%t_log.out --error /work/wt/scale/memmodel-slurm/%A_%a_%t_log.err /tmp/g/s36/scale/venv/bin/python -u -m submitit.core._submit /work/wt/scale/memmodel-slurm
