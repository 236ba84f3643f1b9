#!/bin/bash
# Score every file that is named: data/NAME.csv gives NAME-scored.csv in the present folder.
#     score.sh MODEL FILE...
# A file of scores appears only when it is complete, so a job that is stopped can simply be run again.
set -eu
model=$1
shift
for file; do
    scored=$(basename "$file" .csv)-scored.csv
    [ -e "$scored" ] && [ "$scored" -nt "$file" ] && continue
    heft predict "$model" "$file" --keep number --proba --reasons 1 -o "$scored" --quiet
    echo "$scored: $(($(wc -l <"$scored") - 1)) rows"
done
