package main

import (
	"fmt"
	"log"
	"math/rand"
	"time"
)

// hear does what the table "What to do when" says. An error ends the connection.
func (p *player) hear(m *message) error {
	if m.RainID != "" && m.RainID != p.rainID {
		return nil
	}
	switch m.Type {
	case "welcome":
		p.failures = 0
		p.clock.heardTime(m.ServerTime)
		for i := 0; i < 3; i++ {
			if err := p.ping(); err != nil {
				return err
			}
		}
		return p.join()
	case "pong":
		p.clock.heardPong(m.T, m.ServerTime)
	case "rain":
		p.hearRain(m)
	case "result":
		return p.hearResult(m)
	case "credited":
		p.hearWin(m)
		fmt.Println("credited", m.Amount)
		p.credited = true
	case "ticket":
		p.ticket = m.Ticket
		log.Print("has a ticket")
		if p.barred {
			p.askIn(0)
		}
	case "challenge":
		if !p.solving {
			p.solving = true
			go p.solve(m, p.solved)
		}
	case "goodbye":
		return &goodbyeError{time.Duration(m.ReconnectInMs) * time.Millisecond}
	case "error":
		log.Printf("the gateway did not understand: %s, %s", m.Code, m.Reason)
		if m.Code == "not_solved" {
			return p.join()
		}
		p.over = m.Code
	}
	return nil
}

func (p *player) solve(m *message, solved chan<- solutionMessage) {
	answer, err := solve(m.Challenge)
	if err != nil {
		log.Print(err)
		return
	}
	solved <- solutionMessage{"solution", p.rainID, m.Challenge, answer}
}

func (p *player) hearRain(m *message) {
	p.clock.heardTime(m.ServerTime)
	before := p.rain
	p.rain = m
	moved := before != nil && before.OpensAt != m.OpensAt
	if moved {
		log.Print("the rain has moved")
	} else if before == nil || before.State != m.State {
		log.Printf("the rain is %s", m.State)
	}
	switch {
	case p.won != "":
	case m.State == "closed" || m.State == "settled":
		p.over = "the rain is over"
	case m.State == "paused":
		p.due = time.Time{}
	case p.asked.IsZero() && (p.due.IsZero() || moved):
		p.askAtOpening(0)
	}
	// Before `from` nothing is issued; then all do not come at once.
	if rules := m.TicketRules; rules != nil && rules.Tickets != "off" && p.ticket == "" && p.joinDue.IsZero() && p.clock.until(rules.From) > 0 {
		half := (m.OpensAt - rules.From) / 2
		p.joinDue = time.Now().Add(p.clock.until(rules.From + rand.Float64()*half))
	}
}

func (p *player) hearResult(m *message) error {
	p.asked = time.Time{}
	pause := 200*time.Millisecond + time.Duration(rand.Int63n(int64(800*time.Millisecond)))
	if m.RetryInMs != nil {
		pause = time.Duration(*m.RetryInMs) * time.Millisecond
	}
	switch {
	case m.RedPacketID != "" && m.Amount != "": // 0, 1, and codes that are younger than this program.
		p.hearWin(m)
	case m.Code == "-2":
		p.askAtOpening(100 * time.Millisecond)
	case m.Code == "-4": // A `rain` message says when it goes on.
	case m.Code == "-9":
		p.ticket, p.barred = "", true
		p.askIn(answerMax)
		return p.join()
	case m.Code == "-5" || m.Code == "-7" || m.RetryInMs != nil:
		if p.rain == nil { // The answer to a join.
			p.joinDue = time.Now().Add(pause)
		} else {
			p.askIn(pause)
		}
	default:
		p.over = m.Reason
	}
	return nil
}

// hearWin prints a packet once, whichever message tells of it first.
func (p *player) hearWin(m *message) {
	if p.won == "" {
		fmt.Println("won", m.Amount)
	}
	p.won, p.due = m.Amount, time.Time{}
}

func (p *player) askIn(pause time.Duration) { p.due = time.Now().Add(pause) }

func (p *player) askAtOpening(atLeast time.Duration) {
	pause := atLeast
	if p.rain != nil {
		if left := p.clock.until(p.rain.OpensAt); left > pause {
			pause = left
		}
	}
	p.askIn(pause)
}
