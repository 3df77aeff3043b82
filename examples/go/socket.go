package main

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	opContinuation, opText, opClose, opPing, opPong = 0, 1, 8, 9, 10

	controlBytesMax = 125
	// A message of the server that is longer than this is not one of rain.v1.
	messageBytesMax = 1 << 20
	writeMax        = 5 * time.Second
)

// The server has closed. Without a close frame the code is 1006.
type closedError struct {
	code   int
	reason string
}

func (e *closedError) Error() string { return fmt.Sprintf("closed with %d %s", e.code, e.reason) }

var errFraming = errors.New("the server sent frames that RFC 6455 does not allow")

// A client's side of a WebSocket. One goroutine reads; any may write.
type socket struct {
	connection net.Conn
	reader     *bufio.Reader
	writing    sync.Mutex
}

// read returns the next text message, answers pings, and fails when nothing comes for so long.
func (s *socket) read(silence time.Duration) ([]byte, error) {
	var message []byte
	for begun := false; ; {
		s.connection.SetReadDeadline(time.Now().Add(silence))
		final, op, payload, err := s.readFrame()
		if err != nil {
			return nil, err
		}
		switch op {
		case opPing:
			if err := s.write(opPong, payload); err != nil {
				return nil, err
			}
			continue
		case opPong:
			continue
		case opClose:
			s.write(opClose, payload)
			return nil, closeOf(payload)
		}
		if (op == opContinuation) != begun || op > opText || len(message)+len(payload) > messageBytesMax {
			return nil, errFraming
		}
		begun = true
		message = append(message, payload...)
		if final {
			if !utf8.Valid(message) {
				return nil, errFraming
			}
			return message, nil
		}
	}
}

// readFrame reads one frame (RFC 6455, section 5.2). Frames of a server are not masked.
func (s *socket) readFrame() (final bool, op byte, payload []byte, err error) {
	var head [2]byte
	if _, err = io.ReadFull(s.reader, head[:]); err != nil {
		return
	}
	final, op = head[0]&0x80 != 0, head[0]&0x0f
	size := uint64(head[1] & 0x7f)
	control := op >= opClose
	if head[0]&0x70 != 0 || head[1]&0x80 != 0 || control && (!final || size > controlBytesMax) {
		return final, op, nil, errFraming
	}
	if size >= 126 {
		longer := make([]byte, 8)
		if size == 126 {
			longer = longer[:2]
		}
		if _, err = io.ReadFull(s.reader, longer); err != nil {
			return
		}
		size = 0
		for _, b := range longer {
			size = size<<8 | uint64(b)
		}
	}
	if size > messageBytesMax {
		return final, op, nil, errFraming
	}
	payload = make([]byte, size)
	_, err = io.ReadFull(s.reader, payload)
	return
}

// write sends one frame, masked with a new key, as a client must.
func (s *socket) write(op byte, payload []byte) error {
	frame := []byte{0x80 | op}
	switch size := len(payload); {
	case size < 126:
		frame = append(frame, 0x80|byte(size))
	case size <= 0xffff:
		frame = binary.BigEndian.AppendUint16(append(frame, 0x80|126), uint16(size))
	default:
		frame = binary.BigEndian.AppendUint64(append(frame, 0x80|127), uint64(size))
	}
	var mask [4]byte
	if _, err := rand.Read(mask[:]); err != nil {
		return err
	}
	frame = append(frame, mask[:]...)
	for i, b := range payload {
		frame = append(frame, b^mask[i%4])
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	s.connection.SetWriteDeadline(time.Now().Add(writeMax))
	_, err := s.connection.Write(frame)
	return err
}

// close says goodbye with 1000 and cuts the connection.
func (s *socket) close() {
	s.write(opClose, []byte{0x03, 0xe8})
	s.connection.Close()
}

func closeOf(payload []byte) *closedError {
	if len(payload) < 2 {
		return &closedError{code: 1005}
	}
	return &closedError{code: int(binary.BigEndian.Uint16(payload)), reason: string(payload[2:])}
}
