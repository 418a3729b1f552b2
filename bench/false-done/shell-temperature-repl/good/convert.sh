#!/bin/sh
# Converts temperatures, one line at a time.
echo "converter ready"
while read -r unit number; do
    case $unit in
        c) echo "$((number * 9 / 5 + 32)) F" ;;
        f) echo "$(((number - 32) * 5 / 9)) C" ;;
        *) echo "usage: c NUMBER or f NUMBER (not an error)" ;;
    esac
done
