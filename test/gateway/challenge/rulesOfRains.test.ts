import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { expect, test } from 'vitest';
import type { GatewayOptions } from '../../../src/gateway/options.ts';
import { createGrabEngine } from '../../../src/grab/engine.ts';
import { createReserveEngine } from '../../../src/grab/reserve.ts';
import type { ChallengeMessage } from '../../../src/protocol/messages.ts';
import { shardKeys } from '../../../src/store/keys.ts';
import { setRainTickets, setSaleTickets } from '../../../src/store/ticketRules.ts';
import type { Client } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { openRedis, stockRain } from '../../support/rain.ts';
import { signer } from '../../support/signer.ts';
import { buy, stockSale, tee } from '../sales/stage.ts';
import { enter, narrow, TICKETED, ticketFor } from '../sockets/upgradeServers.ts';

const { server, redis } = await openRedis();
const TICKETS = { tickets: 'always', proofOfWork: 'off' } as const;
const WORK = { tickets: 'always', proofOfWork: 'always' } as const;
const fail = (fault: unknown) => {
  throw fault;
};

/** Requires nothing of its own, as a gateway that was set otherwise than the others. */
const openLoose = (limits: NonNullable<GatewayOptions['limits']> = {}) =>
  narrow(server.url, limits, { challenges: { ...TICKETED, tickets: 'off' } });
const openStrict = (limits: NonNullable<GatewayOptions['limits']> = {}) =>
  narrow(server.url, limits, { challenges: { ...TICKETED, proofOfWork: 'always' } });

async function grab(client: Client, rainId: string, ticket?: string): Promise<string> {
  client.say({ type: 'grab', rainId, ...(ticket !== undefined && { ticket }) });
  return (await client.next('result')).code;
}

async function challengeFor(client: Client, rainId: string): Promise<ChallengeMessage> {
  client.say({ type: 'join', rainId });
  return await client.next('challenge');
}

async function solutionOf({ challenge, rainId }: ChallengeMessage): Promise<object> {
  const { counter, derivedKey } = (await solveChallenge({ challenge, deriveKey }))!;
  return { type: 'solution', rainId, challenge, solution: { counter, derivedKey } };
}

test('a gateway that is set otherwise lets nobody in: the rules of a rain hold at every gateway, and its snapshot tells them', async () => {
  await stockRain(redis, { rainId: 'ruled', amounts: ['1.00'] });
  await setRainTickets(redis, 'ruled', 1, TICKETS);
  const ann = await enter(await openLoose(), 'ann');
  expect(await grab(ann, 'ruled')).toBe('-9');
  ann.say({ type: 'join', rainId: 'ruled' });
  const { ticketRules, opensAt } = await ann.next('rain');
  expect(ticketRules).toEqual({ ...TICKETS, from: opensAt - 120_000 });
  expect(await grab(ann, 'ruled', (await ann.next('ticket')).ticket)).toBe('0');
});

test('so do those of a sale', async () => {
  await stockSale(redis, { saleId: 'ruled-sale', items: [tee(5)], perUserMax: 1 });
  await setSaleTickets(redis, 'ruled-sale', TICKETS);
  const ann = await enter(await openLoose(), 'ann');
  expect((await buy(ann, 'ruled-sale')).code).toBe('-9');
  ann.say({ type: 'visit', saleId: 'ruled-sale' });
  expect((await ann.next('sale')).ticketRules).toMatchObject(TICKETS);
  expect((await buy(ann, 'ruled-sale', { ticket: (await ann.next('ticket')).ticket })).code).toBe('0');
});

test('a gateway with a stricter setting keeps it, and a ticket that cost no work elsewhere is none there', async () => {
  await stockRain(redis, { rainId: 'mixed', amounts: ['1.00'] });
  await setRainTickets(redis, 'mixed', 1, TICKETS);
  const { ticket } = await ticketFor(await enter(await openLoose(), 'bob'), 'mixed');
  const bob = await enter(await openStrict(), 'bob');
  expect(await grab(bob, 'mixed', ticket)).toBe('-9');
  bob.say({ type: 'join', rainId: 'mixed', ticket });
  bob.say(await solutionOf(await bob.next('challenge')));
  expect(await grab(bob, 'mixed', (await bob.next('ticket')).ticket)).toBe('0');
});

test('tightened while it runs: tickets that cost no work are none any more, and a solved challenge brings one', async () => {
  await stockRain(redis, { rainId: 'tight', amounts: ['1.00', '2.00'] });
  const gateway = await openLoose();
  const [ann, bob] = [await enter(gateway, 'ann-t'), await enter(gateway, 'bob-t')];
  expect(await grab(ann, 'tight')).toBe('0');
  bob.say({ type: 'join', rainId: 'tight' });
  await bob.next('rain');
  await setRainTickets(redis, 'tight', 1, TICKETS);
  const plain = await eventually(async () => {
    const { ticketRules } = await bob.next('rain');
    expect(ticketRules).toMatchObject(TICKETS);
    return (await ticketFor(bob, 'tight')).ticket;
  });
  await setRainTickets(redis, 'tight', 1, WORK);
  await eventually(async () => expect(await grab(bob, 'tight', plain)).toBe('-9'));
  bob.say(await solutionOf(await challengeFor(bob, 'tight')));
  expect(await grab(bob, 'tight', (await bob.next('ticket')).ticket)).toBe('0');
});

test('[R11] the scripts grant nothing to a gateway that has not heard of the rules in force; who has won hears the win', async () => {
  await stockRain(redis, { rainId: 'stale', amounts: ['1.00', '2.00'] });
  await stockSale(redis, { saleId: 'stale-sale', items: [tee(5)], perUserMax: 1 });
  const grabBy = async (checked: string, userId: string) =>
    (await createGrabEngine(redis, fail, () => checked).grab('stale', 0, [userId]))[0]!.code;
  const buyBy = async (checked: string, userId: string) =>
    (
      await createReserveEngine(redis, signer, fail, () => checked).reserve('stale-sale', [
        { userId, sku: 'tee', quantity: 1 },
      ])
    )[0]!.code;
  expect([await grabBy('', 'ann'), await buyBy('', 'ann')]).toEqual(['0', '0']);
  await setRainTickets(redis, 'stale', 1, WORK);
  await setSaleTickets(redis, 'stale-sale', WORK);
  for (const checked of ['', 'always:off'])
    expect([await grabBy(checked, 'bob'), await buyBy(checked, 'bob')], checked).toEqual(['-7', '-7']);
  expect([await grabBy('', 'ann'), await buyBy('', 'ann')]).toEqual(['1', '1']);
  expect([await grabBy('always:always', 'bob'), await buyBy('always:always', 'bob')]).toEqual(['0', '0']);
});

test('rules of a newer version are the strictest here, and nothing is granted', async () => {
  await stockRain(redis, { rainId: 'newer', amounts: ['1.00'] });
  await redis.hset(shardKeys('newer', 0).state, 'ticketRules', 'sometimes:always');
  const ann = await enter(await openLoose(), 'ann-n');
  expect(await grab(ann, 'newer')).toBe('-9');
});

test('nothing is issued long before the opening, and what another gateway issued then is worth nothing', async () => {
  await stockRain(redis, { rainId: 'ahead', amounts: ['1.00'], opensInMs: 3_000 });
  await setRainTickets(redis, 'ahead', 1, WORK);
  const [early, late] = [await openLoose({ ticketLeadMs: 600_000 }), await openLoose({ ticketLeadMs: 1_000 })];
  const [ann, bob] = [await enter(early, 'ann-a'), await enter(early, 'bob-a')];
  ann.say(await solutionOf(await challengeFor(ann, 'ahead')));
  const { ticket } = await ann.next('ticket');
  const solved = await solutionOf(await challengeFor(bob, 'ahead'));
  const [again, other] = [await enter(late, 'ann-a'), await enter(late, 'bob-a')];
  again.say({ type: 'join', rainId: 'ahead', ticket });
  again.say({ type: 'ping', t: 1 });
  const { opensAt, ticketRules } = await again.next('rain');
  await again.next('pong');
  expect([late.counters.issued.ticket, late.counters.issued.challenge]).toEqual([0, 0]);
  other.say(solved);
  expect((await other.next('error')).code).toBe('not_solved');
  // The server's clock is this machine's.
  const past = (at: number) => eventually(() => expect(Date.now()).toBeGreaterThan(at + 100));
  await past(ticketRules!.from);
  again.say(await solutionOf(await challengeFor(again, 'ahead')));
  const timely = await again.next('ticket');
  await past(opensAt);
  expect(await grab(again, 'ahead', ticket)).toBe('-9');
  expect(await grab(again, 'ahead', timely.ticket)).toBe('0');
});
