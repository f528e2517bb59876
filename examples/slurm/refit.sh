#!/bin/sh
# usage: refit.sh MODEL INPUT,INPUT...
#
# Fits a model anew to all runs; those that ended early are lower limits. The file is replaced in one step: a submission sees the old model or
# the new one. With fewer than four runs there is no fit, and what was there stays.
exec memmodel fit "${MEMMODEL_SAMPLES:-/var/lib/memmodel/samples}/$1.csv" --target peak_bytes --inputs "$2" \
    -o "${MEMMODEL_MODELS:-/var/lib/memmodel}/$1.json"
