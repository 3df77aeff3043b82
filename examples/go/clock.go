package main

import "time"

// The server's clock, as far as the quickest pong of this connection tells. Our own is monotonic.
type clock struct {
	started  time.Time
	tripMs   float64
	aheadMs  float64
	measured bool
}

func (c *clock) nowMs() float64 { return float64(time.Since(c.started).Microseconds()) / 1000 }

func (c *clock) heardPong(t, serverTime float64) {
	now := c.nowMs()
	if trip := now - t; !c.measured || trip < c.tripMs {
		c.measured, c.tripMs, c.aheadMs = true, trip, serverTime+trip/2-now
	}
}

// heardTime is a first estimate, until a pong comes.
func (c *clock) heardTime(serverTime float64) {
	if !c.measured {
		c.aheadMs = serverTime - c.nowMs()
	}
}

// until is how long to wait for this time of the server; 0 when it has passed.
func (c *clock) until(serverMs float64) time.Duration {
	left := serverMs - c.aheadMs - c.nowMs()
	if left <= 0 {
		return 0
	}
	return time.Duration(left * float64(time.Millisecond))
}
