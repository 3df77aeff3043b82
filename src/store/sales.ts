import { z } from 'zod';
import { readJson } from '../rain/json.ts';
import { STORED_STATES, type RainWindow } from '../rain/rain.ts';
import type { Visibility } from '../rain/terms.ts';
import { parseTicketRules } from '../rain/ticket-rules-check.ts';
import type { TicketRules } from '../rain/ticketRules.ts';
import { items, ITEMS_MAX, withLimits, type Item } from '../sale/item.ts';
import { STATUS_LETTERS, type OrderStatus } from '../sale/order.ts';
import type { Units } from '../sale/units.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { findInIndex, readIndex } from './liveIndex.ts';
import { cursorOf, STATE_LIMITS } from './rains.ts';
import { readHash, type HashLimits } from './readHash.ts';
import { LIVE_SALES_KEY, SETTLED_SALES_KEY, saleKeys } from './saleKeys.ts';
import { run } from './scripts.ts';

/** An entry of LIVE_SALES_KEY. */
const liveSale = z.object({ title: z.string(), rehearsal: z.literal(true).optional() });
export type LiveSale = z.infer<typeof liveSale>;

export const liveSales = (redis: RedisClient): Promise<Map<string, LiveSale>> =>
  readIndex(redis, LIVE_SALES_KEY, liveSale);
export const settledSales = (redis: RedisClient): Promise<Map<string, LiveSale>> =>
  readIndex(redis, SETTLED_SALES_KEY, liveSale);

/** The index's entry of this sale, settled or not. */
export const findSale = (redis: RedisClient, saleId: string): Promise<LiveSale | undefined> =>
  findInIndex(redis, [LIVE_SALES_KEY, SETTLED_SALES_KEY], saleId, liveSale);

/** Whether this sale is listed as not settled yet. */
export const isLiveSale = async (redis: RedisClient, saleId: string): Promise<boolean> =>
  (await redis.hexists(LIVE_SALES_KEY, saleId)) === 1;

/** Whether Redis has this sale and has not settled it: the index may have been on another master. */
export async function isUnindexedSale(redis: RedisClient, saleId: string): Promise<boolean> {
  return ((await redis.hget(saleKeys(saleId).state, 'state')) ?? 'settled') !== 'settled';
}

/** Whether Redis has anything of what buyers have done in this sale, or were told of it. */
export async function hasTraces(redis: RedisClient, saleId: string): Promise<boolean> {
  const { state, buyers, reservations, told } = saleKeys(saleId);
  return (await redis.exists(state, buyers, reservations, told)) > 0;
}

/** Puts a sale into the index of live ones, also over an entry that cannot be read. */
export async function listSale(redis: RedisClient, saleId: string, live: LiveSale): Promise<void> {
  await redis.hset(LIVE_SALES_KEY, saleId, JSON.stringify(live));
}

/** The keys of a sale that was settled expire; those of one that is not settled any more must not. */
export async function keepSale(redis: RedisClient, saleId: string): Promise<void> {
  const { state, stock, buyers, reservations, relayed, cancels, bought } = saleKeys(saleId);
  for (const key of [state, stock, buyers, reservations, relayed, cancels, bought]) await redis.persist(key);
}

export interface SaleDraft extends LiveSale, Visibility {
  saleId: string;
  /** Both in epoch ms. */
  opensAt: number;
  closesAt: number;
  holdMs: number;
  perUserMax?: Units | undefined;
  /** Units that a user may hold in all sales of the campaign. */
  boughtMax?: Units | undefined;
  /** `units` without top-ups. */
  items: readonly Item[];
}

/** The terms of a sale in its state, besides numbers and times; a flag that is off is left out. */
export function saleTerms({
  rehearsal,
  unlisted,
  invitedOnly,
}: { [Name in 'rehearsal' | keyof Visibility]?: boolean | undefined }): string {
  return JSON.stringify({
    rehearsal: rehearsal || undefined,
    unlisted: unlisted || undefined,
    invitedOnly: invitedOnly || undefined,
  });
}

/**
 * Creates the sale with its stock; nothing can be bought before `openSale`. Safe to repeat.
 * @returns `taken` when keys of another sale with this id exist
 */
export async function draftSale(
  redis: RedisClient,
  {
    saleId,
    title,
    rehearsal,
    unlisted,
    invitedOnly,
    opensAt,
    closesAt,
    holdMs,
    perUserMax,
    boughtMax,
    items: planned,
  }: SaleDraft,
): Promise<'created' | 'exists' | 'taken'> {
  const { state, stock, buyers, reservations, relayed } = saleKeys(saleId);
  const rows = planned
    .map(withLimits)
    .flatMap(({ sku, price, perOrderMax, perUserMax: itemMax, units }) => [
      sku,
      `${price}:${perOrderMax}:${itemMax}`,
      units,
    ]);
  const done = z
    .number()
    .parse(
      await run(
        redis,
        'saledraft',
        [state, stock, buyers, reservations, relayed],
        [
          saleId,
          opensAt,
          closesAt,
          holdMs,
          perUserMax ?? '',
          boughtMax ?? '',
          saleTerms({ rehearsal, unlisted, invitedOnly }),
          JSON.stringify(planned),
          ...rows,
        ],
      ),
    );
  if (done === -1) return 'taken';
  // The index comes last: a process that finds the sale there finds its keys.
  await listSale(redis, saleId, { title, ...(rehearsal && { rehearsal }) });
  // The users' counts in a campaign expire after its last sale; now there is another one.
  await redis.persist(saleKeys(saleId).bought);
  return done === 1 ? 'created' : 'exists';
}

/** Units of one item as Redis has them. */
export interface StoredItem extends Item {
  booked: Units;
  sold: Units;
  /** Given back to the shop: neither booked nor to be sold. */
  returned: Units;
}

export interface StoredSale extends RainWindow, Visibility {
  saleId: string;
  holdMs: number;
  perUserMax?: Units;
  /** `units` with top-ups. */
  items: StoredItem[];
  rehearsal?: true;
  /** Terms of a newer version, which may restrict who can buy; absent: none. */
  unknownTerms?: string[];
  /** Reservations so far; entries of the log; those that the queue has accepted. */
  made: number;
  logged: number;
  relayed: number;
  /** The newest entry of the log. If `made` and `newest` are unchanged, no reservation was added or lost in between. */
  newest: string;
  /** Absent: none. */
  ticketRules?: TicketRules | undefined;
  /** Why nothing is granted at present. */
  held?: string;
  /** Names the key with which the sale was loaded, see `Signer.keyId`; absent before. */
  signedBy?: string | undefined;
  /** Fields of the stock that are no whole numbers: their counts are `NaN`. Nothing can be sold while there is one. */
  damaged: string[];
}

const flag = z.literal(true).optional();
const saleFlags = { rehearsal: flag, unlisted: flag, invitedOnly: flag };
const storedSale = z.object({
  state: z.enum(STORED_STATES),
  opensAt: z.coerce.number(),
  closesAt: z.coerce.number(),
  holdMs: z.coerce.number(),
  perUserMax: z.string().optional(),
  items: z.string().transform(readJson).pipe(items),
  terms: z.string().transform(readJson).pipe(z.looseObject(saleFlags)),
  ticketRules: z.string().transform(parseTicketRules).optional(),
  made: z.coerce.number(),
  held: z.string().min(1).optional().catch(undefined),
  signedBy: z.string().optional(),
});

/** Five fields of each item, and a few that a newer version may add [R10]. */
const STOCK_LIMITS: HashLimits = { fieldsMax: 8 * ITEMS_MAX, bytesMax: 65_536 };

const COUNTED = ['units', 'booked', 'sold', 'returned'] as const;
const isCount = (text: string | undefined): boolean => /^-?\d{1,15}$/.test(text ?? '0');

/** @returns undefined: there is no such sale, or somebody has made of its state or stock what cannot be read */
export async function readSale(redis: RedisClient, saleId: string): Promise<StoredSale | undefined> {
  const keys = saleKeys(saleId);
  const [state, stock, logged, newest, relayed] = await Promise.all([
    readHash(redis, keys.state, STATE_LIMITS),
    readHash(redis, keys.stock, STOCK_LIMITS),
    redis.llen(keys.reservations),
    redis.lindex(keys.reservations, 0),
    redis.get(keys.relayed),
  ]);
  const parsed = storedSale.safeParse(state);
  if (!parsed.success || !stock) return undefined;
  const { terms, perUserMax, held, items: planned, ...plain } = parsed.data;
  const unknownTerms = Object.keys(terms).filter((name) => !Object.hasOwn(saleFlags, name));
  const count = (field: string): Units => (isCount(stock[field]) ? Number(stock[field] ?? 0) : NaN);
  return {
    saleId,
    ...plain,
    logged,
    damaged: planned
      .flatMap(({ sku }) => COUNTED.map((part) => `${sku}:${part}`))
      .filter((field) => !isCount(stock[field])),
    newest: newest ?? '',
    relayed: cursorOf(relayed),
    ...(perUserMax && { perUserMax: Number(perUserMax) }),
    ...(terms.rehearsal && { rehearsal: true }),
    ...(terms.unlisted && { unlisted: true }),
    ...(terms.invitedOnly && { invitedOnly: true }),
    ...(unknownTerms.length > 0 && { unknownTerms }),
    ...(held && { held }),
    items: planned.map((item) => ({
      ...item,
      units: count(`${item.sku}:units`),
      booked: count(`${item.sku}:booked`),
      sold: count(`${item.sku}:sold`),
      returned: count(`${item.sku}:returned`),
    })),
  };
}

/** A cheap text that changes with nearly everything in a sale. @returns undefined when Redis has nothing of it */
export async function readSaleCounts(redis: RedisClient, saleId: string): Promise<string | undefined> {
  const { state, stock, buyers, reservations, relayed } = saleKeys(saleId);
  const [held, counts, users, logged, newest, carried] = await Promise.all([
    readHash(redis, state, STATE_LIMITS),
    readHash(redis, stock, STOCK_LIMITS),
    redis.hlen(buyers),
    redis.llen(reservations),
    redis.lindex(reservations, 0),
    redis.get(relayed),
  ]);
  if (held && Object.keys(held).length === 0 && logged === 0) return undefined;
  return JSON.stringify([
    ...[held, counts].map((hash) => (hash ? Object.entries(hash).sort() : 'not one of ours')),
    users,
    logged,
    newest,
    carried,
  ]);
}

/** Adds a booked top-up. Safe to repeat. */
export async function addUnits(
  redis: RedisClient,
  saleId: string,
  topUp: { ordinal: number; sku: string; units: Units },
): Promise<'added' | 'exists' | 'no_sale' | 'no_item' | 'over'> {
  const { state, stock } = saleKeys(saleId);
  const done = z.int().parse(await run(redis, 'stock', [state, stock], [topUp.ordinal, topUp.sku, topUp.units]));
  return ({ 1: 'added', 0: 'exists', [-1]: 'no_sale', [-2]: 'no_item', [-3]: 'over' } as const)[
    done as 1 | 0 | -1 | -2 | -3
  ];
}

/** A status that the ledger has, to be known in Redis. */
export interface StatusToFollow {
  userId: string;
  ordinal: number;
  status: Exclude<OrderStatus, 'reserved'>;
  /** Whether units that the order does not hold any more can be sold again. */
  toStock: boolean;
  /** They stay booked: the ledger had none for the reservation, and an order of somebody else has them. */
  keepsBooked?: boolean;
}

/** Statuses per call of the script at most: each is a few operations. */
const FOLLOW_MAX = 128;

/** By the numbers of `lua/follow.lua`. `later`: the reservation has gone further since. */
const FOLLOWED = { 1: 'changed', 0: 'was', [-1]: 'unknown', [-2]: 'later' } as const;
type Followed = (typeof FOLLOWED)[keyof typeof FOLLOWED];
const followed = z.array(z.literal([1, 0, -1, -2]).transform((number): Followed => FOLLOWED[number]));

/**
 * Brings reservations to the status that their orders have. One call after the other: Redis would run those that are
 * sent together without a purchase in between. Safe to repeat.
 * @returns one word per status, in order; undefined: no such sale
 */
export async function follow(
  redis: RedisClient,
  saleId: string,
  statuses: readonly StatusToFollow[],
): Promise<Followed[] | undefined> {
  const { state, stock, buyers, bought } = saleKeys(saleId);
  const answers: Followed[] = [];
  for (let at = 0; at < statuses.length; at += FOLLOW_MAX) {
    const part = statuses.slice(at, at + FOLLOW_MAX);
    const reply = await run(
      redis,
      'follow',
      [state, stock, buyers, bought],
      part.flatMap(({ userId, ordinal, status, toStock, keepsBooked }) => [
        userId,
        ordinal,
        STATUS_LETTERS[status],
        keepsBooked ? 'none' : toStock ? 'stock' : 'shop',
      ]),
    );
    if (reply === null) return undefined;
    answers.push(...followed.parse(reply));
  }
  return answers;
}

/** One reservation of a user as Redis has it. */
export interface HeldReservation {
  ordinal: number;
  sku: string;
  quantity: Units;
  status: OrderStatus;
  /** Epoch ms. */
  payBy: number;
  /** '' where nobody has signed it: no order follows from it, and nobody is told of it. */
  mac: string;
  ref?: string;
}

const HELD = /^([1-9]\d{0,14}):([\w-]{1,32}):([1-9]\d{0,3}):([ropctfu]):(\d{13}):([\w-]{0,22}):([\w.-]{0,64})$/;
const STATUS_OF = new Map(Object.entries(STATUS_LETTERS).map(([status, letter]) => [letter, status as OrderStatus]));

/** @returns undefined: the text is not an entry of `buyers` */
export function parseHeld(entry: string): HeldReservation[] | undefined {
  const parts = entry.split(';');
  if (parts.pop() !== '') return undefined;
  const held: HeldReservation[] = [];
  for (const part of parts) {
    const match = HELD.exec(part);
    if (!match) return undefined;
    const one: HeldReservation = {
      ordinal: Number(match[1]),
      sku: match[2]!,
      quantity: Number(match[3]),
      status: STATUS_OF.get(match[4]!)!,
      payBy: Number(match[5]),
      mac: match[6]!,
    };
    if (match[7] !== '') one.ref = match[7]!;
    held.push(one);
  }
  return held;
}

/** Whether the buyer has the ref of this reservation under another number: a ref names one purchase. */
export function hasRefElsewhere(
  held: readonly HeldReservation[] | undefined,
  { ordinal, ref }: { ordinal: number | undefined; ref?: string | undefined },
): boolean {
  return ref !== undefined && held?.some((one) => one.ref === ref && one.ordinal !== ordinal) === true;
}

/**
 * The reservations of these users so far: `undefined` for one whose entry cannot be read.
 * @returns undefined: there is no such sale
 */
export async function heldByAll(
  redis: RedisClient,
  saleId: string,
  userIds: readonly string[],
): Promise<Map<string, HeldReservation[] | undefined> | undefined> {
  const { state, buyers } = saleKeys(saleId);
  const users = [...new Set(userIds)];
  const [exists, entries] = await Promise.all([
    redis.exists(state),
    users.length === 0 ? [] : redis.hmget(buyers, ...users),
  ]);
  return exists === 0 ? undefined : new Map(users.map((user, i) => [user, parseHeld(entries[i] ?? '')]));
}

/** The reservations of this user so far, oldest first. @throws when Redis holds something else there */
export async function heldBy(redis: RedisClient, saleId: string, userId: string): Promise<HeldReservation[]> {
  const entry = (await redis.hget(saleKeys(saleId).buyers, userId)) ?? '';
  const held = parseHeld(entry);
  if (!held) throw new Error(`the reservations of a buyer of ${saleId} cannot be read`);
  return held;
}
