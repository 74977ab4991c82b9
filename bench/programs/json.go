package main

import (
	"encoding/json"
	"fmt"
)

type event struct {
	ID    int64   `json:"id"`
	Name  string  `json:"name"`
	Score float64 `json:"score"`
	Live  bool    `json:"live"`
	City  string  `json:"city"`
	Count int64   `json:"count"`
	Note  string  `json:"note"`
}

func main() {
	sum, total := int64(0), 0.0
	for i := 0; i < 200000; i++ {
		text := fmt.Sprintf("{\"id\": %d, \"name\": \"Ada Lovelace\", \"score\": 12.75, \"live\": true, \"city\": \"London\", \"count\": %d, \"note\": \"said \\\"hello\\\" twice\"}", i, i*3)
		var e event
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			panic(err)
		}
		sum += e.ID + e.Count + int64(len(e.Name)+len(e.City)+len(e.Note))
		if e.Live {
			total += e.Score
		}
	}
	fmt.Printf("%d %g\n", sum, total)
}
