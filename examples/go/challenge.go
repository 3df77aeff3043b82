package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
)

type solution struct {
	Counter    uint32 `json:"counter"`
	DerivedKey string `json:"derivedKey"`
}

// solve tries the counters 0, 1, 2 … until the derived key begins as the challenge says.
func solve(challenge json.RawMessage) (solution, error) {
	var asked struct {
		Parameters struct {
			Algorithm, KeyPrefix, Nonce, Salt string
			Cost, KeyLength                   int
		}
	}
	if err := json.Unmarshal(challenge, &asked); err != nil {
		return solution{}, err
	}
	p := asked.Parameters
	if p.Algorithm != "PBKDF2/SHA-256" || p.KeyLength != sha256.Size {
		return solution{}, fmt.Errorf("a challenge of another kind: %s, %d bytes", p.Algorithm, p.KeyLength)
	}
	var parts [3][]byte
	for i, text := range []string{p.Nonce, p.Salt, p.KeyPrefix} {
		part, err := hex.DecodeString(text)
		if err != nil {
			return solution{}, err
		}
		parts[i] = part
	}
	nonce, salt, prefix := parts[0], parts[1], parts[2]
	for counter := uint32(0); counter < math.MaxUint32; counter++ {
		password := binary.BigEndian.AppendUint32(append([]byte{}, nonce...), counter)
		if key := pbkdf2(password, salt, p.Cost); bytes.HasPrefix(key, prefix) {
			return solution{counter, hex.EncodeToString(key)}, nil
		}
	}
	return solution{}, fmt.Errorf("no counter is right")
}

// pbkdf2 is the first block of PBKDF2-HMAC-SHA256 (RFC 8018), which is the whole key of 32 bytes.
func pbkdf2(password, salt []byte, rounds int) []byte {
	mac := hmac.New(sha256.New, password)
	mac.Write(salt)
	mac.Write([]byte{0, 0, 0, 1})
	block := mac.Sum(nil)
	key := append([]byte{}, block...)
	for i := 1; i < rounds; i++ {
		mac.Reset()
		mac.Write(block)
		block = mac.Sum(block[:0])
		for j := range key {
			key[j] ^= block[j]
		}
	}
	return key
}
