package main

import (
	"bufio"
	"io"
	"strings"
)

// readLines sends the lines that say something, and closes at the end.
func readLines(r io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(r)
		for scanner.Scan() {
			if line := strings.TrimSpace(scanner.Text()); line != "" {
				lines <- line
			}
		}
	}()
	return lines
}
