#!/bin/sh
# Compare methods on several tables: the table of accuracies is printed; the rest goes to files.
#     compare.sh DATA...
set -eu
heft evaluate "$@" -m nb,lnb,rnb,auto --cv 10 --seed 1 \
    --latex accuracies.tex \
    --figure ranks.svg \
    --fold-csv folds.csv \
    --report comparison.html --quiet
ls accuracies.tex comparison.html folds.csv ranks.svg
