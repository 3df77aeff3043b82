import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { Hub } from '../../../src/gateway/broadcast/hub.ts';
import { LIMITS, type Limits } from '../../../src/gateway/limits.ts';
import { RateLimiter } from '../../../src/gateway/ratelimit/rateLimiter.ts';
import { createGatewayCounters } from '../../../src/gateway/telemetry/counters.ts';
import { checkUpgrade, type UpgradeRules } from '../../../src/gateway/sockets/upgrade.ts';

const request = {
  url: '/v1',
  headers: { 'sec-websocket-protocol': 'rain.v1, bearer.x' },
  socket: { remoteAddress: '203.0.113.1' },
} as unknown as IncomingMessage;

/** The result of an upgrade if this happens while its token is being verified. */
async function meanwhile(
  limits: Partial<Limits>,
  happens: (stage: { rules: UpgradeRules; blocked: Set<string>; closing: { now: boolean } }) => void,
  rawHeaders: string[] = [],
  own: Partial<UpgradeRules> = {},
) {
  const all: Limits = { ...LIMITS, ...limits };
  const counters = createGatewayCounters();
  const hub = new Hub();
  const blocked = new Set<string>();
  const closing = { now: false };
  const rules: UpgradeRules = {
    limits: all,
    hub,
    rateLimiter: new RateLimiter(all, counters, hub),
    counters,
    trustedProxies: 0,
    allowedOrigins: [],
    killSwitches: { off: { ticker: false, joins: false, sockets: false, grabs: false } },
    blocklist: { holdsUser: (userId) => blocked.has(userId), holdsAddress: () => false },
    accepting: () => !closing.now,
    verify: async () => {
      await Promise.resolve();
      happens({ rules, blocked, closing });
      return { userId: 'ann', expiresAt: Infinity, audience: undefined };
    },
    ...own,
  };
  return await checkUpgrade(Object.assign(Object.create(request) as IncomingMessage, { rawHeaders }), rules);
}

const somebody = (rules: UpgradeRules) =>
  rules.hub.add({ userId: 'bob', watched: new Set() } as unknown as Parameters<Hub['add']>[0]);

test('without such an event the user is admitted', async () => {
  expect(await meanwhile({}, () => {})).toMatchObject({
    ok: true,
    identity: { userId: 'ann' },
    address: '203.0.113.1',
  });
});

test.each(['Authorization', 'Origin', 'Host'])(
  'with a header %s that comes twice, which a proxy may read otherwise, the user is refused',
  async (name) => {
    expect(
      await meanwhile({}, () => {}, ['Upgrade', 'websocket', name, 'a', 'X-Other', 'b', 'X-Other', 'b']),
    ).toMatchObject({ ok: true });
    expect(await meanwhile({}, () => {}, [name, 'a', name.toLowerCase(), 'a'])).toMatchObject({
      ok: false,
      refusal: 400,
    });
  },
);

test.each<[string, Partial<Limits>, Parameters<typeof meanwhile>[1], number | string]>([
  ['the last place is taken', { socketsMax: 1 }, ({ rules }) => somebody(rules), 503],
  [
    'the last place of the address is taken',
    { socketsPerAddressMax: 1 },
    ({ rules }) => rules.rateLimiter.addresses.enter('203.0.113.1'),
    429,
  ],
  [
    'the gateway begins to close',
    {},
    ({ closing }) => {
      closing.now = true;
    },
    503,
  ],
  ['the user is blocked', {}, ({ blocked }) => blocked.add('ann'), 'blocked'],
])('%s while the token is being verified: the upgrade is refused', async (_, limits, happens, refusal) => {
  expect(await meanwhile(limits, happens)).toMatchObject({ ok: false, refusal });
});

test('while the issuer does not send its keys the upgrade is refused until later, and not for the token', async () => {
  expect(await meanwhile({}, () => {}, [], { verify: async () => 'unavailable' })).toEqual({
    ok: false,
    refusal: 503,
    retryInMs: 1_000,
  });
});
