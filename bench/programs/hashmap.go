package main

import "fmt"

func main() {
	m := map[int64]int64{}
	seed, sum := int64(12345), int64(0)
	for i := 0; i < 5000000; i++ {
		seed = (seed*1103515245 + 12345) % 2147483648
		m[seed%100000]++
	}
	for k := int64(0); k < 100000; k++ {
		sum += m[k] * (k % 10)
	}
	fmt.Println(len(m), sum)
}
