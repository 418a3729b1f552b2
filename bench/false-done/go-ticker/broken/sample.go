package main

import (
	"fmt"
	"time"
)

func sample(number int) (time.Duration, error) {
	return time.ParseDuration(fmt.Sprintf("%dmsec", number*10))
}
