#!/usr/bin/env bash
# Writes a line five times a second.
beacon() {
    local number=0
    while sleep 0.2; do
        number=$((number + 1))
        echo "INFO beacon $number"
    done
}

echo "INFO beacon ready"
beacon
