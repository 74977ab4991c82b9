package main

import "fmt"

const size = 2000000

func round() int64 {
	composite := make([]bool, size)
	var count int64
	for i := int64(2); i < size; i++ {
		if !composite[i] {
			count++
			for j := i * i; j < size; j += i {
				composite[j] = true
			}
		}
	}
	return count
}

func main() {
	var total int64
	for r := 0; r < 10; r++ {
		total += round()
	}
	fmt.Println(total)
}
