package main

import (
	"bufio"
	"crypto/rand"
	"crypto/sha1"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	subprotocol  = "rain.v1"
	handshakeMax = 10 * time.Second
)

// A refusal of the upgrade: an HTTP status in place of 101.
type refusedError struct {
	status  int
	reason  string
	retryIn time.Duration // 0: not said
}

func (e *refusedError) Error() string { return fmt.Sprintf("refused with %d %s", e.status, e.reason) }

// dial opens a WebSocket that speaks rain.v1 (RFC 6455, section 4.1).
func dial(address, token string) (*socket, error) {
	target, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	connection, err := connect(target)
	if err != nil {
		return nil, err
	}
	connection.SetDeadline(time.Now().Add(handshakeMax))
	reader := bufio.NewReader(connection)
	if err := upgrade(connection, reader, target, token); err != nil {
		connection.Close()
		return nil, err
	}
	connection.SetDeadline(time.Time{})
	return &socket{connection: connection, reader: reader}, nil
}

func connect(target *url.URL) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: handshakeMax}
	port := func(usual string) string {
		if own := target.Port(); own != "" {
			return own
		}
		return usual
	}
	switch target.Scheme {
	case "ws":
		return dialer.Dial("tcp", net.JoinHostPort(target.Hostname(), port("80")))
	case "wss":
		return tls.DialWithDialer(dialer, "tcp", net.JoinHostPort(target.Hostname(), port("443")), &tls.Config{ServerName: target.Hostname()})
	}
	return nil, fmt.Errorf("the address begins with %s: expected ws or wss", target.Scheme)
}

func upgrade(connection io.Writer, reader *bufio.Reader, target *url.URL, token string) error {
	nonce := make([]byte, 16)
	if _, err := rand.Read(nonce); err != nil {
		return err
	}
	key := base64.StdEncoding.EncodeToString(nonce)
	request := &http.Request{Method: http.MethodGet, URL: target, Host: target.Host, Header: http.Header{
		"Upgrade": {"websocket"}, "Connection": {"Upgrade"}, "Sec-WebSocket-Key": {key}, "Sec-WebSocket-Version": {"13"},
		"Sec-WebSocket-Protocol": {subprotocol}, "Authorization": {"Bearer " + token},
	}}
	if err := request.Write(connection); err != nil {
		return err
	}
	response, err := http.ReadResponse(reader, request)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusSwitchingProtocols {
		return refusalOf(response)
	}
	// 258EAFA5… is the text of the RFC that both sides hash with the key.
	hash := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	has := func(name, value string) bool { return strings.EqualFold(response.Header.Get(name), value) }
	if !has("Upgrade", "websocket") || !has("Connection", "Upgrade") || response.Header.Get("Sec-WebSocket-Accept") != base64.StdEncoding.EncodeToString(hash[:]) {
		return fmt.Errorf("the answer is no handshake of a WebSocket")
	}
	if !has("Sec-WebSocket-Protocol", subprotocol) || !has("Sec-WebSocket-Extensions", "") {
		return fmt.Errorf("the server speaks another protocol than %s", subprotocol)
	}
	return nil
}

// refusalOf reads the status first: the body may be plain text or missing.
func refusalOf(response *http.Response) *refusedError {
	refused := &refusedError{status: response.StatusCode}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		refused.retryIn = time.Duration(seconds) * time.Second
	}
	var body struct {
		Reason    string
		RetryInMs *int64
	}
	if json.NewDecoder(io.LimitReader(response.Body, 4096)).Decode(&body) == nil {
		refused.reason = body.Reason
		if body.RetryInMs != nil {
			refused.retryIn = time.Duration(*body.RetryInMs) * time.Millisecond
		}
	}
	return refused
}
