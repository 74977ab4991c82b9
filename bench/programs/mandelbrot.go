package main

import "fmt"

func depth(cr, ci float64) int64 {
	zr, zi := 0.0, 0.0
	for n := int64(0); n < 200; n++ {
		r2, i2 := zr*zr, zi*zi
		if r2+i2 > 4.0 {
			return n
		}
		zi = 2.0*zr*zi + ci
		zr = r2 - i2 + cr
	}
	return 200
}

func main() {
	var total int64
	for y := 0; y < 800; y++ {
		for x := 0; x < 800; x++ {
			total += depth(float64(x)/400.0-1.5, float64(y)/400.0-1.0)
		}
	}
	fmt.Println(total)
}
