import { expect, test } from 'vitest';
import { gatewayAddress } from '../../src/console/gateway-address.ts';

test.each([
  ['the same machine', 'ws://127.0.0.1:8687/v1', 'localhost', 'ws://127.0.0.1:8687/v1'],
  ['the same machine over IPv6', 'ws://127.0.0.1:8687/v1', '[::1]', 'ws://127.0.0.1:8687/v1'],
  ['a phone in the same network', 'ws://127.0.0.1:8687/v1', '192.168.1.20', 'ws://192.168.1.20:8687/v1'],
  ['a phone that uses the host name', 'ws://localhost:8687/v1', 'party.local', 'ws://party.local:8687/v1'],
  ['a phone, IPv6', 'ws://[::1]:8687/v1', '[fd00::20]', 'ws://[fd00::20]:8687/v1'],
  ['a gateway on all interfaces', 'ws://0.0.0.0:8687/v1', '127.0.0.1', 'ws://127.0.0.1:8687/v1'],
  ['a gateway with a public address', 'wss://rain.example/v1', '192.168.1.20', 'wss://rain.example/v1'],
  ['a request without a host', 'ws://127.0.0.1:8687/v1', '', 'ws://127.0.0.1:8687/v1'],
  ['a host that is none', 'ws://127.0.0.1:8687/v1', 'a b<c>', 'ws://127.0.0.1:8687/v1'],
])('the gateway as seen from %s', (_who, configured, pageHost, expected) => {
  expect(gatewayAddress(configured, pageHost)).toBe(expected);
});
