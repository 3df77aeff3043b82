// Joins one rain, grabs a red packet, and waits for the money. Written from docs/reference/protocol.md and RFC 6455, with Go's
// standard library only.
//
//	RAIN_TOKEN=<jwt> go run . wss://rain.example.com/v1 RAIN
//
// The exit code is 0 when the money is there, 1 when the rain went otherwise, 2 when the call is wrong.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 3 || os.Getenv("RAIN_TOKEN") == "" {
		fmt.Fprintln(os.Stderr, "usage: RAIN_TOKEN=<jwt> rain wss://HOST/v1 RAIN")
		os.Exit(2)
	}
	player := &player{address: os.Args[1], rainID: os.Args[2], token: os.Getenv("RAIN_TOKEN")}
	if why := player.play(); why != "" {
		fmt.Println("ended:", why)
		os.Exit(1)
	}
}
