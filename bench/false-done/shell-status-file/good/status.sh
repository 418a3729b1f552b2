#!/bin/sh
# Writes run/status.json anew every 200 ms.
mkdir -p run
echo "level=info msg=started"
beat=0
while :; do
    beat=$((beat + 1))
    printf '{"state":"ok","beat":%d,"errors":0}\n' "$beat" > run/status.tmp
    mv run/status.tmp run/status.json
    sleep 0.2
done
