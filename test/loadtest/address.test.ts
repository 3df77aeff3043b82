import { describe, expect, test } from 'vitest';
import { gatewayAddress, sourceAddresses } from '../../src/loadtest/address.ts';
import { parseServerMessage } from '../../src/loadtest/bots/serverMessage.ts';

describe("the gateway's address", () => {
  test.each([
    ['ws://127.0.0.1:8687', 'ws://127.0.0.1:8687/v1'],
    ['ws://127.0.0.1:8687/', 'ws://127.0.0.1:8687/v1'],
    ['ws://127.0.0.1:8687/v1', 'ws://127.0.0.1:8687/v1'],
    ['wss://rain.example.org/gateway/v1', 'wss://rain.example.org/gateway/v1'],
  ])('%s is %s', (url, address) => {
    expect(gatewayAddress(url).href).toBe(address);
  });

  test.each(['', '127.0.0.1:8687', 'http://127.0.0.1', 'ws//x'])('[R12] %j is none', (url) => {
    expect(() => gatewayAddress(url)).toThrow('expected ws://');
  });
});

describe('where the bots call from', () => {
  const loopback = gatewayAddress('ws://127.0.0.1:8687');

  test('from several addresses when one has too few ports', () => {
    expect(sourceAddresses(loopback, 10_000, 'linux')).toEqual([]);
    expect(sourceAddresses(loopback, 25_000, 'linux')).toEqual(['127.0.0.1', '127.0.0.2', '127.0.0.3']);
  });

  test('from wherever the system likes when the target is elsewhere, or the system has but one', () => {
    expect(sourceAddresses(gatewayAddress('ws://10.0.0.7:8687'), 25_000, 'linux')).toEqual([]);
    expect(sourceAddresses(loopback, 25_000, 'darwin')).toEqual([]);
  });
});

describe('what a bot understands', () => {
  test('a newer server may send more fields', () => {
    expect(parseServerMessage('{"type":"pong","t":1,"serverTime":2,"weather":"rain"}')).toEqual({
      type: 'pong',
      t: 1,
      serverTime: 2,
    });
  });

  test.each([
    '',
    'hello',
    '[]',
    'null',
    '{"type":"gift"}',
    '{"type":"result","rainId":"r","code":99}',
    '{"type":"rain","rainId":"r"}',
  ])('[R12] %j is not understood, and harms nothing', (frame) => {
    expect(parseServerMessage(frame)).toBeUndefined();
  });
});
