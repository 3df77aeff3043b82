package main

import (
	"encoding/json"
	"fmt"
	"log"
	"math/rand"
	"time"
)

const (
	pingEvery  = 5 * time.Second
	silenceMax = 10 * time.Second
	answerMax  = 5 * time.Second
)

// A player keeps over all its connections what it has won, its ticket, and how often it has failed.
type player struct {
	address, rainID, token string

	ticket       string
	won          string // the amount, as the text that came
	credited     bool
	over         string // why this ends without a packet
	failures     int
	refs         int
	connectionOf // of the present connection alone
}

type connectionOf struct {
	socket  *socket
	clock   clock
	rain    *message
	due     time.Time // when to grab; zero: not now
	asked   time.Time // since when a grab waits for its result; zero: none does
	joinDue time.Time // when to join again for a ticket; zero: never
	barred  bool      // a grab was answered -9, and waits for a ticket
	solving bool
	solved  chan solutionMessage
}

// play returns "" when the money is there, and otherwise why it ended.
func (p *player) play() string {
	rand.Seed(time.Now().UnixNano())
	for {
		err := p.connection()
		if p.over != "" || p.credited {
			return p.over
		}
		after := afterLoss(err)
		if after.stop != "" {
			return after.stop
		}
		if p.failures++; after.pause == 0 {
			after.pause = pauseAfter(p.failures)
		}
		log.Printf("%v; connecting again in %v", err, after.pause)
		time.Sleep(after.pause)
	}
}

// connection lives from a dial to the loss of the socket, or to the end of the rain for this player.
func (p *player) connection() error {
	opened, err := dial(p.address, p.token)
	if err != nil {
		return err
	}
	p.connectionOf = connectionOf{socket: opened, clock: clock{started: time.Now()}, solved: make(chan solutionMessage, 1)}
	defer opened.close()
	over := make(chan struct{})
	defer close(over)
	messages, lost := p.listen(over)
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for p.over == "" && !p.credited {
		select {
		case heard := <-messages:
			err = p.hear(heard)
		case err = <-lost:
		case solution := <-p.solved:
			p.solving = false
			err = p.say(solution)
		case <-ping.C:
			err = p.ping()
		case <-time.After(p.untilDue()):
			err = p.act()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// listen reads until the socket fails, or the connection is over.
func (p *player) listen(over <-chan struct{}) (<-chan *message, <-chan error) {
	messages, lost, from := make(chan *message), make(chan error, 1), p.socket
	go func() {
		for {
			text, err := from.read(silenceMax)
			if err != nil {
				lost <- err
				return
			}
			heard, err := parse(text)
			if err != nil {
				lost <- err
				return
			}
			if heard == nil {
				continue
			}
			select {
			case messages <- heard:
			case <-over:
				return
			}
		}
	}()
	return messages, lost
}

func (p *player) say(message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return p.socket.write(opText, text)
}

func (p *player) ping() error { return p.say(pingMessage{"ping", p.clock.nowMs()}) }

func (p *player) join() error {
	p.joinDue = time.Time{}
	return p.say(joinMessage{"join", p.rainID, p.ticket})
}

func (p *player) grab() error {
	p.refs++
	p.due, p.asked, p.barred = time.Time{}, time.Now(), false
	return p.say(grabMessage{"grab", p.rainID, fmt.Sprint(p.refs), p.ticket})
}

// untilDue is the time to the next thing to do unasked.
func (p *player) untilDue() time.Duration {
	soonest := time.Hour
	consider := func(at time.Time, more time.Duration) {
		if left := time.Until(at.Add(more)); !at.IsZero() && left < soonest {
			soonest = left
		}
	}
	consider(p.due, 0)
	consider(p.joinDue, 0)
	consider(p.asked, answerMax)
	return soonest
}

func (p *player) act() error {
	now := time.Now()
	if !p.joinDue.IsZero() && !now.Before(p.joinDue) {
		return p.join()
	}
	if !p.asked.IsZero() && now.Sub(p.asked) >= answerMax || !p.due.IsZero() && !now.Before(p.due) {
		return p.grab()
	}
	return nil
}
