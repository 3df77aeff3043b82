import { refusalsOf } from '../rain/refusal.ts';
import { changedTicketRules, ticketRules } from '../rain/ticket-rules-check.ts';
import { NO_TICKETS, ticketRulesText, type TicketRules } from '../rain/ticketRules.ts';
import { readRainTickets, readSaleTickets, setRainTickets, setSaleTickets } from '../store/ticketRules.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';
import { unknownReason } from './restore/presence.ts';
import { noSaleReason } from './sale/lost.ts';

type TicketsSet = ({ ok: true } & TicketRules) | Refused;
type Kind = 'rain' | 'sale';

/** Attempts to follow the ledger in one call; whoever changes the rules again updates Redis too [R10]. */
const UPDATES_MAX = 5;

/**
 * Rules are stricter or looser from now on, also while it runs. The record of actions keeps them: see `followTickets`.
 */
export const setTickets = (context: OperatorContext, rainId: string, requested: unknown) =>
  set(context, 'rain', rainId, requested);
export const setTicketsOfSale = (context: OperatorContext, saleId: string, requested: unknown) =>
  set(context, 'sale', saleId, requested);

async function set(context: OperatorContext, kind: Kind, id: string, requested: unknown): Promise<TicketsSet> {
  const change = changedTicketRules.safeParse(requested);
  if (!change.success) return { ok: false, refusals: refusalsOf(change.error, 'tickets') };
  const booked = kind === 'rain' ? await context.ledger.rain(id) : await context.ledger.sale(id);
  if (!booked)
    return refuse('id', kind === 'rain' ? await unknownReason(context, id) : await noSaleReason(context, id));
  if (booked.sealedAt !== undefined || booked.settledAt !== undefined)
    return refuse('state', `the ${kind} ${id} is over`);
  const parsed = ticketRules.safeParse({ ...(await recordedTickets(context, id)), ...change.data });
  if (!parsed.success) return { ok: false, refusals: refusalsOf(parsed.error, 'tickets') };
  await context.ledger.record({ actor: context.actor, verb: 'tickets', rainId: id, details: { ...parsed.data } });
  const done = await followTickets(context, kind, id, 'shards' in booked ? booked.shards : 1);
  if (done === 'over') return refuse('state', `the ${kind} ${id} is over`);
  if (done === 'gone')
    return refuse('id', `Redis does not know the ${kind} ${id}; the rules hold once it is there again`);
  return { ok: true, ...parsed.data };
}

/** The rules that were recorded last; undefined: none were. */
export async function recordedTickets(
  { ledger }: Pick<OperatorContext, 'ledger'>,
  id: string,
): Promise<TicketRules | undefined> {
  const details = await ledger.lastDetails(id, 'tickets');
  return details && ticketRules.parse(details);
}

/**
 * Brings the recorded rules to Redis, and again if they have changed meanwhile: the slower of two callers must not win.
 * Safe to repeat.
 * @param otherwise where none are recorded; absent: Redis is left as it is
 */
export async function followTickets(
  context: Pick<OperatorContext, 'ledger' | 'redis'>,
  kind: Kind,
  id: string,
  shards: number,
  otherwise?: TicketRules,
): Promise<'set' | 'over' | 'gone'> {
  let rules = (await recordedTickets(context, id)) ?? otherwise;
  for (let updates = 0; rules; updates++) {
    const done =
      kind === 'rain'
        ? await setRainTickets(context.redis, id, shards, rules)
        : await setSaleTickets(context.redis, id, rules);
    const latest = (await recordedTickets(context, id)) ?? otherwise;
    if (done !== 'set' || updates === UPDATES_MAX || ticketRulesText(latest) === ticketRulesText(rules)) return done;
    rules = latest;
  }
  return 'set';
}

/**
 * A failover of Redis may lose rules, and somebody may write others there.
 * @returns whether they were not those of the record, and now are
 */
export async function restoreTickets(
  context: Pick<OperatorContext, 'ledger' | 'redis'>,
  kind: Kind,
  id: string,
  shards: number,
): Promise<boolean> {
  // Redis first: whoever changes the rules records them before.
  const found =
    kind === 'rain' ? await readRainTickets(context.redis, id, shards) : await readSaleTickets(context.redis, id);
  const recorded = ticketRulesText(await recordedTickets(context, id));
  if (found.every((text) => text === recorded)) return false;
  return (await followTickets(context, kind, id, shards, NO_TICKETS)) === 'set';
}
