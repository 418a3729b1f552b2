#!/usr/bin/env bash
# Copies SOURCE to TARGET/copy-STAMP and keeps the newest three copies.
set -u
source_dir=$1
target=$2
stamp=${STAMP:-$(date +%Y%m%d%H%M%S)}
cp -r "$source_dir" "$target/copy-$stamp"
ls -d "$target"/copy-* | sort -r | tail -n +4 | xargs rm -rf
