#!/bin/sh
#SBATCH --job-name=train
#SBATCH --time=10
#SBATCH --output=train-%j.out
#MEMMODEL model=train size=$1 batch=$2

# The same two inputs, and the peak that was measured, become a row of the samples.
exec memmodel run --append "${MEMMODEL_SAMPLES:-/var/lib/memmodel/samples}/train.csv" --set size="$1" --set batch="$2" \
    -- python3 train.py "$1" "$2"
