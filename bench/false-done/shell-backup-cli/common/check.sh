#!/usr/bin/env bash
# Five backups into a folder with a blank in its name leave three.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/source" "$work/my backups"
echo text > "$work/source/file"
for stamp in 1 2 3 4 5; do
    STAMP=$stamp bash "$(dirname "$0")/backup.sh" "$work/source" "$work/my backups"
done
left=$(ls "$work/my backups" | wc -l)
[ "$left" -eq 3 ] || { echo "expected 3 copies, found $left"; exit 1; }
[ -f "$work/my backups/copy-5/file" ] || { echo "the newest copy is missing"; exit 1; }
echo "3 copies, 0 errors"
