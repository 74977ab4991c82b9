package main

import "fmt"

func main() {
	sum := int64(0)
	for r := 0; r < 20; r++ {
		var v []int64
		for i := int64(0); i < 1000000; i++ {
			v = append(v, i*3)
		}
		at := r
		for i := 0; i < 1000000; i++ {
			sum += v[at]
			at += 7919
			if at >= 1000000 {
				at -= 1000000
			}
		}
		for _, x := range v {
			sum += x & 1
		}
		for i := 0; i < 500000; i++ {
			sum += v[len(v)-1]
			v = v[:len(v)-1]
		}
	}
	fmt.Println(sum)
}
