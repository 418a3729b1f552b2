package main

import (
	"encoding/json"
	"os"
	"time"
)

func note(level, text string, fields map[string]any) {
	line := map[string]any{"time": time.Now().Format(time.RFC3339), "level": level, "msg": text}
	for key, value := range fields {
		line[key] = value
	}
	_ = json.NewEncoder(os.Stdout).Encode(line)
}

func main() {
	note("INFO", "started", map[string]any{"errors": 0})
	note("WARN", "retry after error succeeded", nil)
	for number := 1; ; number++ {
		if wait, err := sample(number); err != nil {
			note("ERROR", "sample failed", map[string]any{"error": err.Error()})
		} else {
			note("INFO", "sample", map[string]any{"wait": wait.String()})
		}
		time.Sleep(200 * time.Millisecond)
	}
}
