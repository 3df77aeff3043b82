import { expect, test } from 'vitest';
import { LIMITS } from '../../../src/gateway/limits.ts';
import { keepTicket, Tickets, type TicketHolder } from '../../../src/gateway/challenge/tickets.ts';
import { close } from '../../../src/store/transitions.ts';
import { eventually } from '../../support/eventually.ts';
import { dump, openRedis, stockRain } from '../../support/rain.ts';
import { enter, narrow, refusedHere, SHOWN_IN, TICKETED, ticketFor } from '../sockets/upgradeServers.ts';

const { server, redis } = await openRedis();
await stockRain(redis, { rainId: 'r1', amounts: Array.from({ length: 40 }, (_, i) => `${i + 1}.00`) });
await stockRain(redis, { rainId: 'r2', amounts: ['1.00'] });

const SECRET = TICKETED.secret;
const NOW = 1_900_000_000_000;
const AT = { expiresAt: NOW, now: NOW - 60_000, solved: true };
const open = (rules: Partial<typeof TICKETED> = {}, pressed?: () => boolean) =>
  narrow(server.url, {}, { challenges: { ...TICKETED, ...rules }, ...(pressed && { pressed }) });

test('a join issues a ticket, and with it a grab is decided; without it nothing is decided or changed [R11]', async () => {
  const gateway = await open();
  const ann = await enter(gateway, 'ann');
  const before = await dump(redis);
  ann.say({ type: 'grab', rainId: 'r1', ref: 'a' });
  expect(await ann.next('result')).toMatchObject({ code: '-9', reason: 'no_ticket', ref: 'a' });
  expect(await dump(redis)).toEqual(before);
  const { ticket, expiresAt } = await ticketFor(ann);
  expect(ticket).toMatch(/^[A-Za-z0-9_-]{64}$/);
  const rain = await ann.next('rain');
  expect(expiresAt).toBe(rain.closesAt + LIMITS.ticketSlackMs);
  ann.say({ type: 'grab', rainId: 'r1', ref: 'b', ticket });
  expect(await ann.next('result')).toMatchObject({ code: '0', ref: 'b' });
  expect([gateway.counters.refused.tickets, gateway.counters.answers['-9'], gateway.counters.issued.ticket]).toEqual([
    1, 1, 1,
  ]);
});

test("[R9] only the user's own ticket, unchanged, for this rain and not expired, is valid", () => {
  const tickets = new Tickets(SECRET);
  const { text } = tickets.issue('ann', 'r1', AT);
  expect(tickets.read(text, 'ann', 'r1', NOW - 1)).toEqual({
    text,
    expiresAt: NOW,
    issuedAt: NOW - 60_000,
    solved: true,
  });
  expect(new Tickets(SECRET).read(text, 'ann', 'r1', NOW - 1)).toEqual({
    text,
    expiresAt: NOW,
    issuedAt: NOW - 60_000,
    solved: true,
  });
  expect(tickets.read(text, 'ann', 'r1', NOW), 'run out').toBeUndefined();
  expect(tickets.read(text, 'bob', 'r1', NOW - 1), 'another user').toBeUndefined();
  expect(tickets.read(text, 'ann', 'r2', NOW - 1), 'another rain').toBeUndefined();
  expect(new Tickets(`${SECRET}!`).read(text, 'ann', 'r1', NOW - 1), 'another secret').toBeUndefined();
  // Every single character counts, and so does their number.
  for (let at = 0; at < text.length; at++) {
    const changed = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
    expect(tickets.read(changed, 'ann', 'r1', NOW - 1), `letter ${at}`).toBeUndefined();
  }
  for (const other of [
    '',
    'x',
    text.slice(1),
    `${text}A`,
    `${text}=`,
    ` ${text.slice(1)}`,
    '+'.repeat(64),
    'A'.repeat(64),
  ])
    expect(tickets.read(other, 'ann', 'r1', NOW - 1), other).toBeUndefined();
  // The signed text of one pair of names must not equal that of another pair.
  expect(tickets.read(tickets.issue('b/c', 'a', AT).text, 'c', 'a', NOW - 1)).toBeUndefined();
  expect(tickets.read(tickets.issue('/r1/ann', 'r1', AT).text, 'ann', 'r1', NOW - 1)).toBeUndefined();
});

test('no two tickets are equal', () => {
  const tickets = new Tickets(SECRET);
  const many = Array.from({ length: 200 }, () => tickets.issue('ann', 'r1', AT));
  expect(new Set(many.map(({ text }) => text)).size).toBe(200);
});

test('a forged or expired ticket, or one for another user or rain, gets "join again"; a ticket is valid on every gateway', async () => {
  const [here, there] = [await open(), await open()];
  const [ann, bob] = [await enter(here, 'ann-1'), await enter(here, 'bob-1')];
  const { ticket } = await ticketFor(ann);
  const { ticket: foreign } = await ticketFor(ann, 'r2');
  const shown = async (client: typeof ann, given: string) => {
    client.say({ type: 'grab', rainId: 'r1', ref: 'x', ticket: given });
    return (await client.next('result')).code;
  };
  expect(await shown(bob, ticket)).toBe('-9');
  expect(await shown(ann, foreign)).toBe('-9');
  expect(await shown(ann, `${ticket.slice(0, -1)}${ticket.endsWith('A') ? 'B' : 'A'}`)).toBe('-9');
  expect(
    await shown(
      ann,
      new Tickets(SECRET).issue('ann-1', 'r1', { expiresAt: Date.now() - 1_000, now: Date.now() - 2_000, solved: true })
        .text,
    ),
  ).toBe('-9');
  expect(await shown(ann, '红包')).toBe('-9');
  expect(await shown(await enter(there, 'ann-1'), ticket)).toBe('0');
});

test('after a change of the secret old tickets are refused, and a join issues a new one', async () => {
  const ann = await enter(await open(), 'ann-2');
  const { ticket } = await ticketFor(ann);
  const changed = await enter(await open({ secret: 'another-ticket-secret-0123456789-012' }), 'ann-2');
  changed.say({ type: 'grab', rainId: 'r1', ticket });
  expect((await changed.next('result')).code).toBe('-9');
  const renewed = await ticketFor(changed, 'r1', ticket);
  expect(renewed.ticket).not.toBe(ticket);
  changed.say({ type: 'grab', rainId: 'r1', ticket: renewed.ticket });
  expect((await changed.next('result')).code).toBe('0');
});

test('a user who reconnects and sends the ticket gets the same one', async () => {
  const gateway = await open();
  const first = await enter(gateway, 'ann-3');
  const { ticket } = await ticketFor(first);
  expect((await ticketFor(first)).ticket).toBe(ticket);
  await first.leave();
  const again = await enter(gateway, 'ann-3');
  expect((await ticketFor(again, 'r1', ticket)).ticket).toBe(ticket);
  expect(gateway.counters.issued.ticket).toBe(1);
});

test('[R6] a winner without a ticket gets the win by a join, and by any grab once the rain is over', async () => {
  await stockRain(redis, { rainId: 'r6', amounts: ['7.10', '1.00'] });
  const gateway = await open();
  const ann = await enter(gateway, 'ann-6');
  const { ticket } = await ticketFor(ann, 'r6');
  ann.say({ type: 'grab', rainId: 'r6', ticket });
  const win = await ann.next('result');
  expect(win).toMatchObject({ code: '0' });
  const again = await enter(await open(), 'ann-6');
  again.say({ type: 'grab', rainId: 'r6', ref: 'bare' });
  expect(await again.next('result')).toMatchObject({ code: '-9', ref: 'bare' });
  again.say({ type: 'join', rainId: 'r6' });
  expect(await again.next('result')).toMatchObject({ code: '1', redPacketId: win.redPacketId, amount: win.amount });
  await close(redis, 'r6', 1, 'early');
  const bob = await enter(gateway, 'bob-6');
  await eventually(async () => {
    ann.say({ type: 'grab', rainId: 'r6', ref: 'late' });
    expect(await ann.next('result')).toMatchObject({ code: '1', redPacketId: win.redPacketId });
    bob.say({ type: 'grab', rainId: 'r6', ref: 'late' });
    expect(await bob.next('result')).toMatchObject({ code: '-3' });
  });
});

test('a rain that is over issues no tickets', async () => {
  await stockRain(redis, { rainId: 'over', amounts: ['1.00'] });
  await close(redis, 'over', 1, 'early');
  const gateway = await open();
  const ann = await enter(gateway, 'ann');
  ann.say({ type: 'join', rainId: 'over' });
  expect(await ann.next('rain')).toMatchObject({ state: 'closed' });
  ann.say({ type: 'ping', t: 1 });
  await ann.next('pong');
  expect(gateway.counters.issued.ticket).toBe(0);
});

test('a rain that the gateway does not know yet does not bypass the ticket check', async () => {
  const gateway = await open();
  const ann = await enter(gateway, 'ann');
  await stockRain(redis, { rainId: 'fresh', amounts: ['1.00'] });
  ann.say({ type: 'grab', rainId: 'fresh' });
  expect((await ann.next('result')).code).toBe('-9');
  ann.say({ type: 'grab', rainId: 'nowhere' });
  expect((await ann.next('result')).code).toBe('-8');
});

test('required only under load: users who have joined have a ticket by then, others are told to join', async () => {
  let pressed = false;
  const gateway = await open({ tickets: 'pressure' }, () => pressed);
  const [ann, bob, eve] = [await enter(gateway, 'ann-p'), await enter(gateway, 'bob-p'), await enter(gateway, 'eve-p')];
  const { ticket } = await ticketFor(ann);
  bob.say({ type: 'grab', rainId: 'r1' });
  expect((await bob.next('result')).code).toBe('0');
  pressed = true;
  eve.say({ type: 'grab', rainId: 'r1' });
  expect((await eve.next('result')).code).toBe('-9');
  ann.say({ type: 'grab', rainId: 'r1', ticket });
  expect((await ann.next('result')).code).toBe('0');
  pressed = false;
  eve.say({ type: 'grab', rainId: 'r1' });
  expect((await eve.next('result')).code).toBe('0');
});

test('with tickets off a join sends none, and a ticket sent all the same does no harm', async () => {
  const gateway = await narrow(server.url, {});
  const ann = await enter(gateway, 'ann-off');
  ann.say({ type: 'join', rainId: 'r1', ticket: 'x' });
  await ann.next('rain');
  ann.say({ type: 'grab', rainId: 'r1', ticket: 'x', packet: 5 });
  expect((await ann.next('result')).code).toBe('0');
  ann.say({ type: 'solution', rainId: 'r1', challenge: {}, solution: {} });
  expect(await ann.next('error')).toMatchObject({ code: 'bad_field' });
});

test.each([
  [{ ticket: 5 }, 'ticket'],
  [{ ticket: 'x'.repeat(129) }, 'ticket'],
])('[R12] %j is refused by name', async (field, name) => {
  const gateway = await open();
  const ann = await enter(gateway, 'ann-12');
  ann.say({ type: 'grab', rainId: 'r1', ...field });
  expect(await ann.next('error')).toMatchObject({ code: 'bad_field', reason: expect.stringContaining(name) as string });
});

test('[R10] a socket keeps tickets of as many rains as it may watch', () => {
  const session: TicketHolder = { userId: 'ann', solving: false, tickets: undefined };
  const ticket = new Tickets(SECRET).issue('ann', 'r1', AT);
  for (let i = 0; i < 3 * LIMITS.joinsPerSocketMax; i++) keepTicket(session, `rain-${i}`, ticket, LIMITS);
  expect([...session.tickets!.keys()]).toEqual(
    Array.from({ length: LIMITS.joinsPerSocketMax }, (_, i) => `rain-${i + 2 * LIMITS.joinsPerSocketMax}`),
  );
});

test('the limit has refused somebody', () => {
  expect([...refusedHere()].sort()).toEqual([...SHOWN_IN['challenge/tickets.test.ts']].sort());
});
