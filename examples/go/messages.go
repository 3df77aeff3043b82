package main

import (
	"encoding/json"
	"fmt"
	"time"
)

// The fields of the server's messages that this program reads; all others are ignored.
type message struct {
	Type          string
	RainID        string `json:"rainId"`
	ServerTime    float64
	State         string
	OpensAt       float64
	TicketRules   *ticketRules
	Code          string
	Reason        string
	RetryInMs     *int64
	RedPacketID   string `json:"redPacketId"`
	Amount        string
	Ticket        string
	Challenge     json.RawMessage
	T             float64
	ReconnectInMs int64
}

type ticketRules struct {
	Tickets string
	From    float64
}

// The gateway restarts, and has said when to come back.
type goodbyeError struct{ reconnectIn time.Duration }

func (e *goodbyeError) Error() string {
	return fmt.Sprintf("the gateway restarts; back in %v", e.reconnectIn)
}

var known = map[string]bool{"welcome": true, "rain": true, "result": true, "credited": true, "ticket": true, "challenge": true, "pong": true, "goodbye": true, "error": true}

// parse returns nil for a message of a type that this program does not know.
func parse(text []byte) (*message, error) {
	var head struct{ Type string }
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, err
	}
	if !known[head.Type] {
		return nil, nil
	}
	heard := &message{}
	return heard, json.Unmarshal(text, heard)
}

// The messages that this program sends. The gateway refuses fields that it does not know.
type joinMessage struct {
	Type   string `json:"type"`
	RainID string `json:"rainId"`
	Ticket string `json:"ticket,omitempty"`
}

type grabMessage struct {
	Type   string `json:"type"`
	RainID string `json:"rainId"`
	Ref    string `json:"ref"`
	Ticket string `json:"ticket,omitempty"`
}

type solutionMessage struct {
	Type      string          `json:"type"`
	RainID    string          `json:"rainId"`
	Challenge json.RawMessage `json:"challenge"`
	Solution  solution        `json:"solution"`
}

type pingMessage struct {
	Type string  `json:"type"`
	T    float64 `json:"t"`
}
