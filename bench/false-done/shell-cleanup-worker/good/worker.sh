#!/usr/bin/env bash
# Removes what is older than a day from its own scratch folder.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"; exit 0' TERM INT

remove_old() {
    find "$scratch" -type f -mtime +1 -delete
}

echo "INFO  worker started, errors=0"
echo "WARN  first round was late, retry succeeded" >&2
round=0
while true; do
    round=$((round + 1))
    remove_old
    echo "INFO  round $round finished"
    sleep 0.3
done
