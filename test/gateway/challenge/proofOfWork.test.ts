import type { Socket } from 'node:net';
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { expect, test } from 'vitest';
import type { GatewayOptions } from '../../../src/gateway/options.ts';
import type { Gateway } from '../../../src/gateway/server.ts';
import type { ChallengeMessage } from '../../../src/protocol/messages.ts';
import type { ChallengeSolution } from '../../../src/protocol/proofOfWork.ts';
import type { Client } from '../../support/client.ts';
import { through } from '../../support/handshake.ts';
import { claimLog } from '../../support/operatorContext.ts';
import { openRedis, stockRain } from '../../support/rain.ts';
import { callerOf } from '../http/stage.ts';
import { stockSale, tee } from '../sales/stage.ts';
import { enter, narrow, refusedHere, SHOWN_IN, TICKETED } from '../sockets/upgradeServers.ts';

const { server, redis } = await openRedis();
await stockRain(redis, { rainId: 'r1', amounts: Array.from({ length: 40 }, (_, i) => `${i + 1}.00`) });
await stockRain(redis, { rainId: 'r2', amounts: ['1.00', '2.00'] });
await stockSale(redis, { saleId: 's', items: [tee(5)] });

const open = (
  limits: NonNullable<GatewayOptions['limits']> = {},
  rules: Partial<typeof TICKETED> = {},
  pressed?: () => boolean,
): Promise<Gateway> =>
  narrow(server.url, limits, {
    challenges: { ...TICKETED, proofOfWork: 'always', ...rules },
    ...(pressed && { pressed }),
  });

async function challengeFor(client: Client, rainId = 'r1'): Promise<ChallengeMessage> {
  client.say({ type: 'join', rainId });
  return await client.next('challenge');
}

async function solve({ challenge }: ChallengeMessage): Promise<ChallengeSolution> {
  const { counter, derivedKey } = (await solveChallenge({ challenge, deriveKey }))!;
  return { counter, derivedKey };
}

/** Sends all messages in one packet. */
function inOneBreath({ socket }: Client, say: () => void): void {
  const { _socket: stream } = socket as unknown as { _socket: Socket };
  stream.cork();
  say();
  stream.uncork();
}

async function refusedAs(client: Client, solution: object): Promise<string> {
  client.say({ type: 'solution', rainId: 'r1', ...solution });
  return (await client.next('error')).code;
}

test('a challenge precedes the ticket: no ticket without its solution; with it the ticket is issued and wins', async () => {
  const gateway = await open();
  const ann = await enter(gateway, 'ann');
  const message = await challengeFor(ann);
  ann.say({ type: 'grab', rainId: 'r1' });
  expect((await ann.next('result')).code).toBe('-9');
  ann.say({ type: 'solution', rainId: 'r1', challenge: message.challenge, solution: await solve(message) });
  const { ticket } = await ann.next('ticket');
  ann.say({ type: 'grab', rainId: 'r1', ticket });
  expect((await ann.next('result')).code).toBe('0');
  expect(gateway.counters.issued).toEqual({ ticket: 1, challenge: 1 });
});

test('wrong, made easier, or for another user or rain: not solved', async () => {
  const gateway = await open();
  const [ann, bob] = [await enter(gateway, 'ann-1'), await enter(gateway, 'bob-1')];
  const message = await challengeFor(ann);
  const { challenge } = message;
  const solution = await solve(message);
  const { parameters } = challenge;
  expect(await refusedAs(ann, { challenge, solution: { ...solution, derivedKey: '00'.repeat(32) } })).toBe(
    'not_solved',
  );
  expect(await refusedAs(ann, { challenge, solution: { ...solution, derivedKey: parameters.keyPrefix } })).toBe(
    'not_solved',
  );
  expect(await refusedAs(ann, { challenge: { ...challenge, parameters: { ...parameters, cost: 1 } }, solution })).toBe(
    'not_solved',
  );
  expect(
    await refusedAs(ann, {
      challenge: { ...challenge, parameters: { ...parameters, data: { until: parameters.data.until + 1 } } },
      solution,
    }),
  ).toBe('not_solved');
  expect(await refusedAs(bob, { challenge, solution })).toBe('not_solved');
  ann.say({ type: 'solution', rainId: 'r2', challenge, solution });
  expect((await ann.next('error')).code).toBe('not_solved');
  ann.say({ type: 'solution', rainId: 'nowhere', challenge, solution });
  expect((await ann.next('result')).code).toBe('-8');
  expect(gateway.counters.refused.solutions).toBe(6);
  expect(gateway.counters.issued.ticket).toBe(0);
});

test('[R12] an invalid solution message is refused with the name of the field', async () => {
  const ann = await enter(await open(), 'ann-12');
  const { challenge } = await challengeFor(ann);
  const solution = { counter: 1, derivedKey: '00' };
  for (const wrong of [
    { challenge, solution: { ...solution, counter: -1 } },
    { challenge, solution: { ...solution, derivedKey: 'xyz' } },
    { challenge: { ...challenge, signature: '' }, solution },
    { challenge: { ...challenge, parameters: { ...challenge.parameters, algorithm: 'SCRYPT' } }, solution },
    { challenge: { ...challenge, parameters: { ...challenge.parameters, cost: 2e9 } }, solution },
    { challenge: { ...challenge, parameters: { ...challenge.parameters, salt: '00'.repeat(100) } }, solution },
    { solution },
  ])
    expect(await refusedAs(ann, wrong)).toBe('bad_field');
});

test('an expired challenge cannot be solved; a join issues another one', async () => {
  const gateway = await open({ challengeMs: 1 });
  const ann = await enter(gateway, 'ann-2');
  const message = await challengeFor(ann);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await refusedAs(ann, { challenge: message.challenge, solution: await solve(message) })).toBe('not_solved');
  expect((await challengeFor(ann)).challenge).not.toEqual(message.challenge);
});

test('[R1] a repeated solution, on any gateway, gives a ticket to the same rain, and no second packet', async () => {
  const [here, there] = [await open(), await open()];
  const ann = await enter(here, 'ann-3');
  const message = await challengeFor(ann);
  const shown = { type: 'solution', rainId: 'r1', challenge: message.challenge, solution: await solve(message) };
  ann.say(shown);
  const { ticket } = await ann.next('ticket');
  ann.say(shown);
  expect((await ann.next('ticket')).ticket, 'on the same socket').toBe(ticket);
  const other = await enter(there, 'ann-3');
  other.say(shown);
  const { ticket: second } = await other.next('ticket');
  ann.say({ type: 'grab', rainId: 'r1', ticket });
  other.say({ type: 'grab', rainId: 'r1', ticket: second });
  const won = await Promise.all([ann.next('result'), other.next('result')]);
  expect(won.map(({ code }) => code).sort()).toEqual(['0', '1']);
  expect(won[0].redPacketId).toBe(won[1].redPacketId);
  expect((await claimLog({ redis }, 'r1')).filter(({ userId }) => userId === 'ann-3')).toHaveLength(1);
});

test('[R10] repeated joins get the same challenge; challenges per second are limited, with a retry delay', async () => {
  const gateway = await open({ challengesPerSecondMax: 2 });
  const ann = await enter(gateway, 'ann-4');
  const { challenge } = await challengeFor(ann);
  for (let i = 0; i < 5; i++) expect((await challengeFor(ann)).challenge).toEqual(challenge);
  const others = await Promise.all(Array.from({ length: 12 }, (_, i) => enter(gateway, `crowd-${i}`)));
  for (const other of others) other.say({ type: 'join', rainId: 'r1' });
  const replies = await Promise.all(
    others.map((other) => Promise.any([other.next('challenge'), other.next('result')])),
  );
  const busy = replies.filter((message) => message.type === 'result');
  expect(busy.length).toBeGreaterThan(0);
  expect(busy.every((message) => message.code === '-7')).toBe(true);
  expect(gateway.counters.refused.challenges).toBe(busy.length);
}, 20_000);

test('[R10] a user who reconnects, asks over HTTP or has solved it gets the same challenge: one of a rain or sale', async () => {
  const gateway = await open();
  const first = await enter(gateway, 'ann-7');
  const message = await challengeFor(first);
  first.say({ type: 'solution', rainId: 'r1', challenge: message.challenge, solution: await solve(message) });
  await first.next('ticket');
  for (let i = 0; i < 3; i++) {
    const again = await enter(gateway, 'ann-7');
    expect((await challengeFor(again)).challenge).toEqual(message.challenge);
    await again.leave();
  }
  first.say({ type: 'visit', saleId: 's' });
  const { challenge } = await first.next('challenge');
  const overHttp = await callerOf(gateway, 'ann-7', { headers: through('203.0.113.1') });
  for (let i = 0; i < 3; i++) expect((await overHttp.sale('s')).body['challenge']).toEqual(challenge);
  expect(challenge).not.toEqual(message.challenge);
  expect(gateway.counters.issued).toEqual({ ticket: 1, challenge: 2 });
});

test('[R10] a socket has one solution verified at a time, and repeated guesses close it with 4429', async () => {
  const gateway = await open();
  const ann = await enter(gateway, 'ann-6');
  const message = await challengeFor(ann);
  const right = { type: 'solution', rainId: 'r1', challenge: message.challenge, solution: await solve(message) };
  // In one packet: after a wrong solution even the right one is not verified.
  inOneBreath(ann, () => {
    ann.say({ ...right, solution: { ...right.solution, derivedKey: '00'.repeat(32) } });
    ann.say(right);
  });
  expect([(await ann.next('error')).code, (await ann.next('error')).code]).toEqual(['not_solved', 'not_solved']);
  ann.say(right);
  await ann.next('ticket');

  const script = await enter(gateway, 'script');
  const { challenge } = await challengeFor(script);
  for (let i = 0; i < 60; i++)
    script.say({ type: 'solution', rainId: 'r1', challenge, solution: { counter: i, derivedKey: '00'.repeat(32) } });
  expect(await script.closed).toBe(4429);
});

test('challenges only under load: before, the ticket is issued without one', async () => {
  let pressed = false;
  const gateway = await open({}, { proofOfWork: 'pressure' }, () => pressed);
  const [ann, bob] = [await enter(gateway, 'ann-5'), await enter(gateway, 'bob-5')];
  ann.say({ type: 'join', rainId: 'r1' });
  const { ticket } = await ann.next('ticket');
  pressed = true;
  const message = await challengeFor(bob);
  // A user with a ticket keeps it.
  ann.say({ type: 'join', rainId: 'r1' });
  expect((await ann.next('ticket')).ticket).toBe(ticket);
  bob.say({ type: 'solution', rainId: 'r1', challenge: message.challenge, solution: await solve(message) });
  await bob.next('ticket');
});

test('the limits have refused somebody', () => {
  expect([...refusedHere()]).toEqual(expect.arrayContaining([...SHOWN_IN['challenge/proofOfWork.test.ts']]));
});
