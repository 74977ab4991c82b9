package main

import "fmt"

func main() {
	a, b, c := make([]float64, 90000), make([]float64, 90000), make([]float64, 90000)
	for i := range a {
		a[i] = float64(i%7) + 0.5
		b[i] = float64(i%11) - 2.5
	}
	for r := 0; r < 3; r++ {
		for i := 0; i < 300; i++ {
			for j := 0; j < 300; j++ {
				sum := 0.0
				for k := 0; k < 300; k++ {
					sum += a[i*300+k] * b[k*300+j]
				}
				c[i*300+j] += sum
			}
		}
	}
	trace := 0.0
	for i := 0; i < 300; i++ {
		trace += c[i*301]
	}
	fmt.Printf("%.6g\n", trace)
}
