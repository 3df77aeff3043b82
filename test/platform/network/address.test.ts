import fc from 'fast-check';
import { isIP } from 'node:net';
import { expect, test } from 'vitest';
import { addressOf, networkMatcher, networkOf } from '../../../src/platform/network/address.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:51234', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
  ['2001:db8:0:1:aaaa:bbbb:cccc:dddd', '2001:db8:0:1::/64'],
  ['2001:DB8:0:1::2', '2001:db8:0:1::/64'],
  ['[2001:db8:0:1::2]:443', '2001:db8:0:1::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['unknown', undefined],
  ['', undefined],
  ['203.0.113', undefined],
  ['203.0.113.700', undefined],
  ['203.0.113.7, 10.0.0.1', undefined],
  ['_hidden', undefined],
  [':::', undefined],
])('%s is counted as %s', (text, name) => expect(addressOf(text)).toBe(name));

test('however an address is written, it is counted as one; neighbours in a /64 are one, those beside it are not', () => {
  const group = fc.integer({ min: 0, max: 0xffff });
  fc.assert(
    fc.property(
      fc.tuple(group, group, group, group),
      fc.array(group, { minLength: 4, maxLength: 4 }),
      fc.array(group, { minLength: 4, maxLength: 4 }),
      (site, one, other) => {
        const write = (parts: readonly number[]) => parts.map((part) => part.toString(16)).join(':');
        fc.pre(site[0] !== 0);
        const short = new URL(`http://[${write([...site, ...one])}]/`).hostname;
        expect(isIP(short.slice(1, -1))).toBe(6);
        expect(addressOf(short)).toBe(addressOf(write([...site, ...one]).toUpperCase()));
        expect(addressOf(write([...site, ...other]))).toBe(addressOf(short));
        expect(addressOf(write([site[0], site[1], site[2], site[3] ^ 1, ...one]))).not.toBe(addressOf(short));
      },
    ),
    { numRuns: 300 },
  );
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7/24', '203.0.113.0/24'],
  ['203.0.113.255/30', '203.0.113.252/30'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7/120', '203.0.113.0/24'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8::1/128', '2001:db8:0:0::/64'],
  ['2001:db8:ffff::/33', '2001:db8:8000::/33'],
  ['0.0.0.0/0', undefined],
  ['10.0.0.0/33', undefined],
  ['2001:db8::/8', undefined],
  ['2001:db8::/80', undefined],
  ['example.org', undefined],
  ['10.0.0.0/', undefined],
])('the network %s is %s', (text, name) => expect(networkOf(text)?.name).toBe(name));

test('matches addresses inside a network and no others', () => {
  const inside = networkMatcher(
    ['203.0.113.0/30', '2001:db8:8000::/33', '198.51.100.7'].map((text) => networkOf(text)!),
  );
  const found = ['203.0.113.3', '::ffff:203.0.113.1', '2001:db8:ffff::9', '198.51.100.7'];
  const beside = ['203.0.113.4', '2001:db8:7fff::9', '198.51.100.8', '::1'];
  expect([...found, ...beside].map((text) => inside(addressOf(text)!))).toEqual([
    ...found.map(() => true),
    ...beside.map(() => false),
  ]);
});
