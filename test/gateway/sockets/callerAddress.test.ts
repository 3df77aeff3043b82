import { expect, test } from 'vitest';
import { callerAddress } from '../../../src/gateway/sockets/callerAddress.ts';

const PROXY = '10.0.0.1';
const from = (trustedProxies: number, forwarded?: string, remoteAddress: string | undefined = PROXY) =>
  callerAddress(
    { headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }, socket: { remoteAddress } },
    trustedProxies,
  );

test.each<[string, number, string | undefined, string]>([
  ["without a proxy the header is the client's word", 0, '203.0.113.9', PROXY],
  ['one proxy: what it has written', 1, '203.0.113.9', '203.0.113.9'],
  [
    'one proxy: what the client has written before that counts for nothing',
    1,
    '8.8.8.8, 198.51.100.1, 203.0.113.9',
    '203.0.113.9',
  ],
  ['two proxies: what the outer one has written', 2, '8.8.8.8, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
  ['three: fewer entries than proxies, and the outermost of them', 3, '203.0.113.9, 10.0.0.2', '203.0.113.9'],
  ['a proxy that writes no header', 1, undefined, PROXY],
  ['an empty one', 1, '', PROXY],
  ['rubbish instead of an address: the next hop inwards', 2, 'unknown, 10.0.0.2', '10.0.0.2'],
  ['nothing but rubbish', 1, '<script>', PROXY],
  ['with a port', 1, '203.0.113.9:4711', '203.0.113.9'],
  ['IPv4 in IPv6', 1, '::ffff:203.0.113.9', '203.0.113.9'],
  ['IPv6 by its /64', 1, '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
])('%s', (_, trusted, forwarded, address) => expect(from(trusted, forwarded)).toBe(address));

test('the peer address: IPv4 in IPv6 is IPv4, and a disconnected peer has none', () => {
  expect(from(0, undefined, '::ffff:127.0.0.1')).toBe('127.0.0.1');
  expect(callerAddress({ headers: {}, socket: {} }, 0)).toBe('unknown');
});

test('[R10] a header of maximum length is read from its end', () => {
  expect(from(1, `${'8.8.8.8, '.repeat(1_500)}203.0.113.9`)).toBe('203.0.113.9');
});
