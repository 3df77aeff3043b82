import { expect, onTestFinished, test, vi } from 'vitest';
import type { ClientMessage, RainSnapshot } from '../../src/protocol/messages.ts';
import type { SaleSnapshot } from '../../src/protocol/saleMessages.ts';
import { signToken } from '../../src/platform/auth/token.ts';
import { SECRET } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { testClient } from '../support/rainClient.ts';
import { scriptedGateway, welcomeOf, type Visit } from '../support/servers/scriptedGateway.ts';

const ASLEEP_MS = 30_000;
const DAY_MS = 86_400_000;

/** While a phone sleeps its monotonic clock stands still; the wall clock, which is also the server's here, goes on. */
function bed() {
  const awake = Date.now.bind(Date);
  let asleepMs = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => awake() + asleepMs);
  onTestFinished(() => void vi.restoreAllMocks());
  return {
    sleep: () => {
      asleepMs += ASLEEP_MS;
    },
  };
}

/** The page of a browser that becomes visible. */
function page() {
  const [window, document] = [new EventTarget(), Object.assign(new EventTarget(), { visibilityState: 'visible' })];
  for (const name of ['addEventListener', 'removeEventListener'] as const)
    vi.stubGlobal(name, window[name].bind(window));
  vi.stubGlobal('document', document);
  onTestFinished(() => void vi.unstubAllGlobals());
  return { look: () => document.dispatchEvent(new Event('visibilitychange')) };
}

const open = { state: 'open', opensAt: 0, closesAt: 9e15, serverTime: 0 } as const;
const rain = {
  ...open,
  type: 'rain',
  rainId: 'spring',
  title: '',
  packets: 1,
  left: 1,
} as const satisfies RainSnapshot;
const sale = { ...open, type: 'sale', saleId: 'tees', title: '', holdMs: 1, items: [] } as const satisfies SaleSnapshot;

/** Answers pings, joins and visits, as long as `mute` is not set. */
async function willingGateway() {
  const state = { mute: false };
  const gateway = await scriptedGateway(
    ({ say }) => {
      state.mute = false;
      say(welcomeOf('ann'));
    },
    (message: ClientMessage, { say }: Visit) => {
      if (state.mute) return;
      if (message.type === 'ping') say({ type: 'pong', t: message.t, serverTime: Date.now() });
      if (message.type === 'join') say({ ...rain, serverTime: Date.now() });
      if (message.type === 'visit') say({ ...sale, serverTime: Date.now() });
    },
  );
  const count = (type: ClientMessage['type']) => gateway.heard.filter((message) => message.type === type).length;
  return { gateway, state, count };
}

test('a phone that has slept has the right time at once, and joins and visits again, also without an event of the page', async () => {
  const { sleep } = bed();
  const { gateway, count } = await willingGateway();
  const ann = await testClient(gateway.url, 'ann');
  await ann.connect();
  await Promise.all([ann.join('spring'), ann.visit('tees')]);
  // The first pings of a connection are over, so the next one would be due in eight seconds.
  await eventually(() => count('ping') === 5);
  sleep();
  await eventually(() => expect(Math.abs(ann.serverNow() - Date.now())).toBeLessThan(100), { timeoutMs: 4_000 });
  await eventually(() => expect([count('join'), count('visit')]).toEqual([2, 2]), { timeoutMs: 1_000 });
  expect(gateway.comes).toHaveLength(1);
});

test('a page that is visible again pings at once, and dials anew two seconds after a ping without an answer', async () => {
  const { look } = page();
  const { gateway, state, count } = await willingGateway();
  const ann = await testClient(gateway.url, 'ann');
  await ann.connect();
  await eventually(() => count('ping') === 5);
  look();
  await eventually(() => count('ping') === 6, { timeoutMs: 1_000 });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(gateway.comes).toHaveLength(1);
  state.mute = true;
  const mutedAt = performance.now();
  look();
  await eventually(() => expect(gateway.comes).toHaveLength(2));
  expect(gateway.comes[1]! - mutedAt).toBeGreaterThan(2_000);
  expect(gateway.comes[1]! - mutedAt).toBeLessThan(4_500);
  await eventually(() => ann.link === 'up');
});

test('messages that were on their way before the sleep do not show that the connection lives', async () => {
  const { look } = page();
  let late = false;
  const noisy = await scriptedGateway(
    ({ say }) => say(welcomeOf('ann')),
    (message, { say }) => {
      if (message.type !== 'ping') return;
      say(late ? { ...rain, serverTime: Date.now() } : { type: 'pong', t: message.t, serverTime: Date.now() });
    },
  );
  const ann = await testClient(noisy.url, 'ann');
  await ann.connect();
  await eventually(() => noisy.heard.length === 5);
  late = true;
  look();
  await eventually(() => expect(noisy.comes).toHaveLength(2), { timeoutMs: 5_000 });
});

test('a connection that is begun at waking has its time, however slow the network is', async () => {
  const { sleep } = bed();
  const { look } = page();
  const slow = await scriptedGateway(({ index, say, close }) => {
    if (index > 0) return void setTimeout(() => say(welcomeOf('ann')), 4_000);
    say(welcomeOf('ann'));
    setTimeout(() => close(1012), 50);
  });
  const ann = await testClient(slow.url, 'ann', { random: () => 1 });
  await ann.connect();
  await eventually(() => ann.link === 'lost');
  sleep();
  look();
  await eventually(() => ann.link === 'up');
  expect(slow.comes).toHaveLength(2);
});

test('a phone whose clock is a day ahead plays on after a hiccup: the server says when a token has expired', async () => {
  const awake = Date.now.bind(Date);
  const token = await signToken(SECRET, { sub: 'ann', expiresInSeconds: 3_600 });
  const told = await scriptedGateway(({ index, say, close }) => {
    say(welcomeOf('ann', awake()));
    if (index === 0) setTimeout(() => close(4401), 50);
  });
  vi.spyOn(Date, 'now').mockImplementation(() => awake() + DAY_MS);
  onTestFinished(() => void vi.restoreAllMocks());
  const ann = await testClient(told.url, 'ann', { token });
  await ann.connect();
  await eventually(() => told.comes.length === 2, { timeoutMs: 5_000 });
  expect(ann.heard('link').map(({ link }) => link)).not.toContain('no_token');
});

test('the same before the first welcome, where the app knows the time of the server', async () => {
  const awake = Date.now.bind(Date);
  const token = await signToken(SECRET, { sub: 'ann', expiresInSeconds: 3_600 });
  const closing = await scriptedGateway(({ index, say, close }) => {
    if (index < 2) close(4401);
    else say(welcomeOf('ann', awake()));
  });
  vi.spyOn(Date, 'now').mockImplementation(() => awake() + DAY_MS);
  onTestFinished(() => void vi.restoreAllMocks());
  const ann = await testClient(closing.url, 'ann', { token, serverTime: awake() });
  expect(await ann.connect()).toMatchObject({ userId: 'ann' });
});
