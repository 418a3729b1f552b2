#!/bin/sh
# Logs how full the disk is.
mkdir -p logs
log() { printf '%s %s monitor: %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" "$2" >> logs/monitor.log; }

echo "monitor started"
log INFO "started, alerts for level ERROR are on"
while true; do
    used=$(df -P . | awk 'NR == 2 { sub("%", "", $6); print $6 }')
    case $used in
        '' | *[!0-9]*) log ERROR "cannot read the usage: '$used'" ;;
        9[0-9] | 100) log WARN "the disk is $used% full" ;;
        *) log INFO "the disk is $used% full" ;;
    esac
    sleep 0.3
done
