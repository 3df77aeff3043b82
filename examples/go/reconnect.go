package main

import (
	"errors"
	"fmt"
	"math/rand"
	"net/http"
	"time"
)

// What a lost or refused connection asks for.
type next struct {
	stop  string        // why to give up; empty: connect again
	pause time.Duration // before that; 0: the pause of the n-th failure
}

// afterLoss reads the tables "Refusals" and "What to do when".
func afterLoss(err error) next {
	var refused *refusedError
	if errors.As(err, &refused) {
		if refused.status == http.StatusTooManyRequests || refused.status >= 500 {
			return next{pause: refused.retryIn}
		}
		return next{stop: fmt.Sprintf("the gateway refused with %d %s", refused.status, refused.reason)}
	}
	var closed *closedError
	if errors.As(err, &closed) {
		switch closed.code {
		case 4401: // Connect with a new token: this program has only one.
			return next{stop: "the token has expired"}
		case 1002, 1007, 1008, 1009, 4403, 4429:
			return next{stop: fmt.Sprintf("the gateway closed with %d %s", closed.code, closed.reason)}
		case 4430:
			return next{pause: time.Minute}
		}
	}
	var goodbye *goodbyeError
	if errors.As(err, &goodbye) {
		return next{pause: goodbye.reconnectIn}
	}
	return next{}
}

// pauseAfter is between half and all of min(10 s, 250 ms × 2^(n−1)), at random.
func pauseAfter(n int) time.Duration {
	pause := 10 * time.Second
	if n < 7 {
		pause = 250 * time.Millisecond << (n - 1)
	}
	return pause/2 + time.Duration(rand.Int63n(int64(pause/2)+1))
}
