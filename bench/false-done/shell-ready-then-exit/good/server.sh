#!/usr/bin/env bash
# Beats five times a second.
set -euo pipefail
beats=0
echo "heartbeat: ready (0 errors)"
while true; do
    sleep 0.2
    ((beats += 1))
    if ((beats % 5 == 0)); then
        echo "INFO beats=$beats failed=0"
    fi
done
