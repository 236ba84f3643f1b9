#!/bin/sh
# Train a model and write it for three places that know nothing of heft: a database, an ONNX runtime, a C program.
#     deploy.sh DATA
set -eu
heft train "$1" -m lnb -o model.heft --quiet
heft export model.heft -o model.sql --table loans --id id
heft export model.heft -o model.onnx
heft export model.heft -o model.c --with-header
heft predict model.heft "$1" --proba -o expected.csv --quiet
ls model.*
