package main

import (
	"fmt"
	"runtime"
	"sync"
)

type reading struct{ id, value int64 }

// Two goroutines on threads of their own send through a buffered channel to a third.
func main() {
	queue := make(chan reading, 256)
	var sum, odd int64
	done := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		for r := range queue {
			sum += r.value
			if r.id%2 == 1 {
				odd++
			}
		}
		close(done)
	}()
	var producers sync.WaitGroup
	for p := 0; p < 2; p++ {
		producers.Add(1)
		go func() {
			runtime.LockOSThread()
			defer producers.Done()
			for i := int64(0); i < 500000; i++ {
				queue <- reading{i, 3}
			}
		}()
	}
	producers.Wait()
	close(queue)
	<-done
	fmt.Println(sum, odd)
}
