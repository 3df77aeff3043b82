import { expect, test } from 'vitest';
import { lanAddresses } from '../../src/bin/up/event.ts';

const at = (address: string, more: object = {}) => ({
  address,
  netmask: '255.255.255.0',
  family: 'IPv4' as const,
  mac: '',
  internal: false,
  cidr: null,
  ...more,
});

test('phones reach this machine at its addresses in a network, not at those of containers, tunnels and of itself', () => {
  expect(
    lanAddresses({
      lo: [at('127.0.0.1', { internal: true })],
      wlan0: [at('192.168.1.20'), { ...at('fe80::1'), family: 'IPv6', scopeid: 2 }],
      en0: [at('10.0.0.7')],
      docker0: [at('172.17.0.1')],
      'br-1f2': [at('172.18.0.1')],
      tun0: [at('10.8.0.2')],
      veth12: undefined,
    }),
  ).toEqual(['192.168.1.20', '10.0.0.7']);
  expect(lanAddresses({ lo: [at('127.0.0.1', { internal: true })] })).toEqual([]);
});
