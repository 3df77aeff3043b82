import { Tickets } from '../../../src/gateway/challenge/tickets.ts';
import { setTickets } from '../../../src/operator/tickets.ts';
import { SECRET } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import type { Attempts, Family } from '../family.ts';
import { enter, inShort, playerOf, type Line } from '../player.ts';
import type { Scene } from '../scene.ts';

const RULES = { tickets: 'always', proofOfWork: 'off' } as const;
const HOUR_MS = 3_600_000;
/** Signs as the gateways do: they derive the key from JWT_SECRET where TICKET_SECRET is not set. */
const ours = new Tickets(SECRET);
/** Names of sales in tickets begin so. */
const saleName = (saleId: string) => `sale:${saleId}`;

const grab = async (line: Line, rainId: string, ticket?: string): Promise<string> =>
  inShort(await line.ask({ type: 'grab', rainId, ...(ticket !== undefined && { ticket }) }, 'result', 'error'));
const buy = async (line: Line, saleId: string, ref: string, ticket?: string): Promise<string> =>
  inShort(
    await line.ask({ type: 'buy', saleId, sku: 'tee', ref, ...(ticket !== undefined && { ticket }) }, 'order', 'error'),
  );
const ticketOf = async (line: Line, rainId: string): Promise<string> =>
  String((await line.ask({ type: 'join', rainId }, 'ticket'))['ticket']);

/** The same ticket, changed in one way each. */
function forgeries(ticket: string): [string, string | undefined][] {
  const changed = (at: number, change: (byte: number) => number): string => {
    const bytes = Buffer.from(ticket, 'base64url');
    bytes[at] = change(bytes[at]!);
    return bytes.toString('base64url');
  };
  return [
    ['none', undefined],
    ['an empty one', ''],
    ['one of nothing but A', 'A'.repeat(64)],
    ['another version', changed(0, () => 1)],
    ['one that says a challenge was solved', changed(0, () => 3)],
    ['a later end', changed(2, (byte) => byte + 1)],
    ['an earlier issue', changed(8, (byte) => byte - 1)],
    ['another nonce', changed(14, (byte) => byte ^ 1)],
    ['another last byte', changed(47, (byte) => byte ^ 1)],
    ['the head alone', ticket.slice(0, 22)],
    [
      'a signature of zeros',
      Buffer.concat([Buffer.from(ticket, 'base64url').subarray(0, 16), Buffer.alloc(32)]).toString('base64url'),
    ],
    ['one character less', ticket.slice(0, -1)],
    ['one character more', `${ticket}A`],
    ['padding', `${ticket}==`],
    ['small letters', ticket.toLowerCase()],
    ['other base64', `${ticket.slice(0, 62)}+/`],
    ['blanks around', ` ${ticket} `],
  ];
}

export const tickets: Family = {
  name: 'tickets',
  async attack(scene, attempts) {
    const [rainId, other, coming] = await Promise.all([
      scene.rain({ ticketRules: RULES }),
      scene.rain({ ticketRules: RULES }),
      scene.rain({ ticketRules: RULES, opensAt: Date.now() + HOUR_MS, closesAt: Date.now() + 2 * HOUR_MS }),
    ]);
    const saleId = await scene.sale({ ticketRules: RULES });
    const [ann, eve] = [await enter(scene, 'ticket-ann'), await enter(scene, 'ticket-eve')];
    const [annsTicket, otherTicket] = [await ticketOf(ann, rainId), await ticketOf(ann, other)];

    for (const [what, forged] of forgeries(annsTicket))
      attempts.refused(`a grab with ${what}`, await grab(ann, rainId, forged), ['result -9', 'error bad_field']);
    attempts.refused("a grab with another user's ticket", await grab(eve, rainId, annsTicket), 'result -9');
    attempts.refused(
      "a grab with a ticket of one's own for another rain",
      await grab(ann, rainId, otherTicket),
      'result -9',
    );
    attempts.refused(
      "a join with another user's ticket gives that ticket",
      (await eve.ask({ type: 'join', rainId, ticket: annsTicket }, 'ticket'))['ticket'] === annsTicket,
      false,
    );
    await signedTickets(attempts, ann, rainId);
    await beforeItsTime(attempts, ann, coming);
    await ofSales(scene, attempts, { saleId, rainTicket: annsTicket });
    await onManySockets(scene, attempts, other);
    attempts.control('a grab with the ticket that the join has given', await grab(ann, rainId, annsTicket), 'result 0');
    attempts.control(
      'the ticket of another user does for that user',
      await grab(eve, rainId, await ticketOf(eve, rainId)),
      'result 0',
    );
    await tightened(scene, attempts);
    for (const line of [ann, eve]) await line.leave();
  },
};

/** With the right signature, of another time or secret: what a gateway may have issued once. */
async function signedTickets(attempts: Attempts, ann: Line & { userId: string }, rainId: string): Promise<void> {
  const issue = (signing: Tickets, expiresAt: number, now: number, name = rainId) =>
    signing.issue(ann.userId, name, { expiresAt, now, solved: true }).text;
  const now = Date.now();
  attempts.refused(
    'a grab with a ticket that has expired',
    await grab(ann, rainId, issue(ours, now - 1, now - 1_000)),
    'result -9',
  );
  attempts.refused(
    'a grab with a ticket that was issued an hour before the opening',
    await grab(ann, rainId, issue(ours, now + HOUR_MS, now - HOUR_MS)),
    'result -9',
  );
  attempts.refused(
    'a grab with a ticket that is signed with another secret',
    await grab(ann, rainId, issue(new Tickets('a guess of thirty-two characters or more'), now + HOUR_MS, now)),
    'result -9',
  );
  attempts.refused(
    'a grab with a ticket for a sale of this id',
    await grab(ann, rainId, issue(ours, now + HOUR_MS, now, saleName(rainId))),
    'result -9',
  );
}

async function beforeItsTime(attempts: Attempts, ann: Line & { userId: string }, coming: string): Promise<void> {
  const mark = ann.heard.length;
  const shown = await ann.ask({ type: 'join', rainId: coming }, 'rain');
  await ann.settle();
  attempts.refused(
    'a join an hour before the opening, for the ticket',
    ann.heard.slice(mark).filter(({ type }) => type === 'ticket').length,
    0,
  );
  attempts.control(
    'the join shows the rain and its rules',
    (shown['ticketRules'] as { tickets?: string } | undefined)?.tickets ?? 'none',
    'always',
  );
  const now = Date.now();
  attempts.refused(
    'a grab before the opening with a ticket that is signed',
    await grab(ann, coming, ours.issue(ann.userId, coming, { expiresAt: now + HOUR_MS, now, solved: true }).text),
    ['result -2', 'result -9'],
  );
}

async function ofSales(
  scene: Scene,
  attempts: Attempts,
  { saleId, rainTicket }: { saleId: string; rainTicket: string },
): Promise<void> {
  const [ann, eve] = [await enter(scene, 'ticket-ann'), await enter(scene, 'ticket-eve')];
  const given = String((await ann.ask({ type: 'visit', saleId }, 'ticket'))['ticket']);
  const now = Date.now();
  for (const [what, ticket] of forgeries(given))
    attempts.refused(`a purchase with ${what}`, await buy(ann, saleId, 'forged', ticket), [
      'order -9',
      'error bad_field',
    ]);
  attempts.refused("a purchase with another user's ticket", await buy(eve, saleId, 'foreign', given), 'order -9');
  attempts.refused('a purchase with the ticket of a rain', await buy(ann, saleId, 'of-a-rain', rainTicket), 'order -9');
  attempts.refused(
    'a purchase with a ticket for a rain of this id',
    await buy(
      ann,
      saleId,
      'same-id',
      ours.issue(ann.userId, saleId, { expiresAt: now + HOUR_MS, now, solved: true }).text,
    ),
    'order -9',
  );
  const overHttp = async (ticket: string) => {
    const { json } = await eve.request(`/v1/sales/${saleId}/buy`, {
      method: 'POST',
      headers: { 'idempotency-key': 'http' },
      body: { sku: 'tee', ticket },
    });
    return `${String(json?.['type'])} ${String(json?.['code'])}`;
  };
  attempts.refused("a purchase over HTTP with another user's ticket", await overHttp(given), 'order -9');
  const own = await eve.request(`/v1/sales/${saleId}`);
  attempts.control(
    'a purchase over HTTP with the ticket that the sale shows',
    await overHttp(String(own.json?.['ticket'])),
    'order 0',
  );
  attempts.control(
    'a purchase with the ticket that the visit has given',
    await buy(ann, saleId, 'honest', given),
    'order 0',
  );
  for (const line of [ann, eve]) await line.leave();
}

async function onManySockets(scene: Scene, attempts: Attempts, rainId: string): Promise<void> {
  const player = await playerOf(scene, 'ticket-carl');
  const lines = await Promise.all(Array.from({ length: 6 }, () => player.connect()));
  const ticket = await ticketOf(lines[0]!, rainId);
  const results = await Promise.all(
    lines.flatMap((line) =>
      [1, 2, 3].map((ref) => line.ask({ type: 'grab', rainId, ref: String(ref), ticket }, 'result')),
    ),
  );
  attempts.refused(
    'one ticket on six sockets at once: packets',
    new Set(results.map(({ redPacketId }) => redPacketId)).size,
    1,
  );
  attempts.control(
    'each of the sockets hears of the packet',
    results.filter(({ code }) => code === '0' || code === '1').length,
    results.length,
  );
  for (const line of lines) await line.leave();
}

/** A rain that asks for no ticket while somebody enters, and for one afterwards. */
async function tightened(scene: Scene, attempts: Attempts): Promise<void> {
  const rainId = await scene.rain();
  const dora = await enter(scene, 'ticket-dora');
  await dora.ask({ type: 'join', rainId }, 'rain');
  const set = await setTickets(scene.context, rainId, RULES);
  if (!set.ok) throw new Error(JSON.stringify(set));
  await eventually(() =>
    dora.heard.some(
      ({ type, rainId: id, ticketRules }) => type === 'rain' && id === rainId && ticketRules !== undefined,
    ),
  );
  attempts.refused(
    'a grab without a ticket in a rain that was entered before it asked for one',
    await grab(dora, rainId),
    'result -9',
  );
  attempts.control(
    'the same with the ticket of another join',
    await grab(dora, rainId, await ticketOf(dora, rainId)),
    'result 0',
  );
  await dora.leave();
}
