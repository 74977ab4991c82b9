package main

import (
	"fmt"
	"runtime"
)

// Two goroutines on threads of their own answer each other through channels.
func main() {
	questions, answers := make(chan int64, 8192), make(chan int64, 8192)
	go func() {
		runtime.LockOSThread()
		for n := range questions {
			answers <- n + 1
		}
		close(answers)
	}()
	runtime.LockOSThread()
	heard := 0
	questions <- 1
	for n := range answers {
		heard++
		if heard == 20000 {
			break
		}
		questions <- n + 1
	}
	close(questions)
	fmt.Println(heard)
}
