package main

import "fmt"

type meter struct{ n, total int64 }

//go:noinline
func newMeter(n int64) *meter { return &meter{n: n, total: n + 1} }
func (m *meter) read() int64  { return m.total }
func (m *meter) dissolve()    { m.n = 0 }

func once(i int64) int64 {
	m := newMeter(i)
	defer m.dissolve()
	return m.read()
}

func main() {
	var sum int64
	for i := int64(0); i < 20000000; i++ {
		sum += once(i)
	}
	fmt.Println(sum)
}
