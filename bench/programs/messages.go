package main

import "fmt"

type reading struct{ id, value int64 }

type sink struct{ sum, odd int64 }

func (s *sink) onReading(r reading) {
	s.sum += r.value
	if r.id%2 == 1 {
		s.odd++
	}
}

// A buffered channel in one goroutine: filled, then emptied.
func main() {
	queue := make(chan reading, 1000)
	s := &sink{}
	for r := int64(0); r < 10000; r++ {
		for i := r * 1000; i < r*1000+1000; i++ {
			queue <- reading{i, 3}
		}
		for len(queue) > 0 {
			s.onReading(<-queue)
		}
	}
	fmt.Println(s.sum, s.odd)
}
