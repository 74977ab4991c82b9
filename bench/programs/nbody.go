package main

import (
	"fmt"
	"math"
)

func energy(p, v *[15]float64, m *[5]float64) float64 {
	e := 0.0
	for i := 0; i < 5; i++ {
		vx, vy, vz := v[i*3], v[i*3+1], v[i*3+2]
		e += 0.5 * m[i] * (vx*vx + vy*vy + vz*vz)
		for j := i + 1; j < 5; j++ {
			dx, dy, dz := p[i*3]-p[j*3], p[i*3+1]-p[j*3+1], p[i*3+2]-p[j*3+2]
			e -= m[i] * m[j] / math.Sqrt(dx*dx+dy*dy+dz*dz)
		}
	}
	return e
}

func advance(p, v *[15]float64, m *[5]float64, dt float64) {
	for i := 0; i < 5; i++ {
		for j := i + 1; j < 5; j++ {
			dx, dy, dz := p[i*3]-p[j*3], p[i*3+1]-p[j*3+1], p[i*3+2]-p[j*3+2]
			d2 := dx*dx + dy*dy + dz*dz
			mag := dt / (d2 * math.Sqrt(d2))
			v[i*3] -= dx * m[j] * mag
			v[i*3+1] -= dy * m[j] * mag
			v[i*3+2] -= dz * m[j] * mag
			v[j*3] += dx * m[i] * mag
			v[j*3+1] += dy * m[i] * mag
			v[j*3+2] += dz * m[i] * mag
		}
	}
	for i := range p {
		p[i] += dt * v[i]
	}
}

func main() {
	p := [15]float64{0.0, 0.0, 0.0, 4.8414, -1.1603, -0.1036, 8.3434, 4.1248, -0.4035, 12.8944, -15.1112, -0.2233, 15.3797, -25.9193, 0.1793}
	v := [15]float64{0.0, 0.0, 0.0, 0.6063, 2.8120, -0.0252, -1.0108, 1.8257, 0.0084, 1.0828, 0.8687, -0.0108, 0.9791, 0.5947, -0.0348}
	m := [5]float64{39.4784, 0.0377, 0.0113, 0.0017, 0.002}
	for step := 0; step < 2000000; step++ {
		advance(&p, &v, &m, 0.001)
	}
	fmt.Printf("%.9f\n", energy(&p, &v, &m))
}
