import { z } from 'zod';
import { plannedFor } from '../../store/loadPackets.ts';
import { shardKeys } from '../../store/keys.ts';
import { holdReasonOf, RESTORING } from '../../store/holds.ts';
import { findRain, redisNow } from '../../store/rains.ts';
import { iso } from '../../rain/figures.ts';
import { canonicalJson, readJson } from '../../rain/json.ts';
import { STORED_STATES } from '../../rain/rain.ts';
import type { OperatorContext } from '../context.ts';
import type { BookedPlan } from './bookedPlan.ts';
import type { TamperingList } from './tampering.ts';
import { isOpenAt, isSame, type Opening } from './windows.ts';

/** The fields of a shard's state that the ledger has as well. */
const FIELDS = [
  'rainId',
  'state',
  'opensAt',
  'closesAt',
  'packets',
  'loaded',
  'commitment',
  'terms',
  'winsMax',
  'topUps',
  'held',
] as const;
type Fields = Record<(typeof FIELDS)[number], string | null>;

const isState = (text: string) => (STORED_STATES as readonly string[]).includes(text);

const promises = z.array(z.looseObject({ commitment: z.string(), packets: z.int() }));

/**
 * Compares what Redis holds about a rain with the ledger. Redis is read first: window, top-ups and their packets are in
 * the ledger before.
 * @returns differences that a failover or a cut command may have left, and that let nobody win at a wrong time
 */
export async function compareState(
  context: OperatorContext,
  plan: BookedPlan,
  tampering: TamperingList,
): Promise<string[]> {
  const { id, shards } = plan.rain();
  const states = await Promise.all(
    Array.from({ length: shards }, async (_, shard) => {
      const values = await context.redis.hmget(shardKeys(id, shard).state, ...FIELDS);
      return Object.fromEntries(FIELDS.map((field, i) => [field, values[i] ?? null])) as Fields;
    }),
  );
  await plan.refresh();
  const now = await redisNow(context.redis);
  const windows = await plan.windows();
  const notices: string[] = [];
  for (const [shard, fields] of states.entries()) {
    if (fields.state === null) continue;
    if (!isState(fields.state))
      tampering.note(
        'state_gone',
        `${shard}=${fields.state}`,
        `the state of shard ${shard} is ${fields.state}, expected ${STORED_STATES.join(', ')}; put it back with rain restore apply ${id}`,
      );
    compareIdentity(fields, shard, plan, tampering);
    compareCounts(fields, shard, plan, tampering);
    notices.push(
      ...compareHold(fields, shard, id),
      ...compareWindow(fields, { shard, rainId: id, windows, now }, tampering),
    );
  }
  await compareIndex(context, plan, tampering);
  if (plan.isBroken())
    tampering.note(
      'book',
      '',
      'seed or plan in the ledger do not match the recorded commitment; these are not the promised packets',
    );
  return notices;
}

function compareIdentity(
  { rainId, commitment, terms, winsMax, topUps }: Fields,
  shard: number,
  plan: BookedPlan,
  tampering: TamperingList,
): void {
  const rain = plan.rain();
  if (rainId !== rain.id)
    tampering.note('rain_id', `${shard}=${rainId}`, `shard ${shard} says that it is of the rain ${rainId}`);
  if (commitment !== (plan.commitment ?? null))
    tampering.note('commitment', `${shard}=${commitment}`, `the commitment in shard ${shard} is not the recorded one`);
  // A rain that was loaded before terms existed has none in Redis.
  const differ =
    canonicalJson(terms === null ? {} : readJson(terms)) !== canonicalJson(rain.terms) ||
    (winsMax ?? '') !== String(rain.terms.winsMax ?? '');
  if (differ)
    tampering.note(
      'terms',
      `${shard}=${terms},${winsMax}`,
      `the terms in shard ${shard} are not those of the ledger: ${terms ?? 'none'}, with at most ${winsMax ?? 'any number of'} wins`,
    );
  const known = promises.safeParse(readJson(topUps ?? '[]'));
  const isPrefix =
    known.success &&
    known.data.every(
      (promise, i) => promise.commitment === rain.topUps[i]?.commitment && promise.packets === rain.topUps[i]?.packets,
    );
  if (!isPrefix)
    tampering.note('top_ups', `${shard}=${topUps}`, `the top-ups in shard ${shard} are not those of the ledger`);
}

/**
 * A hold that only an operator ends, or that none of our processes began. Not tampering: a worker would pause the rain,
 * and no shard must be stopped by a word.
 */
function compareHold({ held }: Fields, shard: number, rainId: string): string[] {
  if (held === null || holdReasonOf(held)) return [];
  if (held === RESTORING)
    return [
      `nothing is granted in shard ${shard}: ${RESTORING}; if nobody is restoring it now, repeat rain restore apply ${rainId}`,
    ];
  return [
    `nothing is granted in shard ${shard}, for no reason of ours: somebody has written "held" to its state; a worker compares the stores and ends that`,
  ];
}

/** Gateways tell players the title, and whether prizes are real, from the index, and find the shards by it. */
async function compareIndex({ redis }: OperatorContext, plan: BookedPlan, tampering: TamperingList): Promise<void> {
  const { id, title, shards, terms } = plan.rain();
  const listed = await findRain(redis, id);
  if (!listed || (listed.title === title && listed.shards === shards && listed.rehearsal === terms.rehearsal)) return;
  tampering.note(
    'terms',
    `index=${JSON.stringify(listed)}`,
    `the index of rains in Redis has ${id} as ${JSON.stringify(listed)}; the ledger has ${JSON.stringify({ shards, title, ...(terms.rehearsal && { rehearsal: true }) })}`,
  );
}

/** A top-up that is under way, or came too late, has reached no shard, some, or all. */
function compareCounts(
  { state, packets, loaded }: Fields,
  shard: number,
  plan: BookedPlan,
  tampering: TamperingList,
): void {
  const { shards } = plan.rain();
  const totals = plan.totals().map((total) => plannedFor(shard, shards, total));
  const [planned, count] = [Number(packets), Number(loaded)];
  if (!totals.includes(planned))
    tampering.note(
      'planned',
      `${shard}=${packets}`,
      `shard ${shard} plans ${packets} packets; the ledger has ${totals.at(-1)}`,
    );
  const [least, most] = [
    state === 'draft' || state === 'closed' || state === 'settled' ? 0 : totals[0]!,
    totals.at(-1)!,
  ];
  if (!(count >= least && count <= most))
    tampering.note(
      'loaded',
      `${shard}=${loaded}`,
      `shard ${shard} counts ${loaded} packets as loaded; by the ledger it has ${least} to ${most}`,
    );
}

interface At {
  shard: number;
  rainId: string;
  /** The present one first. */
  windows: readonly Opening[];
  /** By Redis's clock, epoch ms. */
  now: number;
}

function compareWindow(
  { state, ...fields }: Fields,
  { shard, rainId, windows, now }: At,
  tampering: TamperingList,
): string[] {
  const held = { opensAt: Number(fields.opensAt), closesAt: Number(fields.closesAt) };
  const [booked, ...earlier] = windows as readonly [Opening, ...Opening[]];
  if (isSame(held, booked)) return [];
  const differs = `shard ${shard} opens at ${momentOf(held.opensAt)} and closes at ${momentOf(held.closesAt)}; the ledger says ${iso(booked.opensAt)} to ${iso(booked.closesAt)}`;
  const isOver = state === 'closed' || state === 'settled';
  // A reschedule that was cut, or undone by a failover, is harmless while nobody can win at a time that the ledger does
  // not give.
  const grantsWrongly = !isOver && isOpenAt(held, now) && !isOpenAt(booked, now);
  if (grantsWrongly || !earlier.some((window) => isSame(window, held))) {
    tampering.note('window', `${shard}=${fields.opensAt},${fields.closesAt}`, differs);
    return [];
  }
  return isOver
    ? []
    : [
        `${differs}; a reschedule was cut, or undone by a failover: repeat it with rain schedule ${rainId} or rain start ${rainId}`,
      ];
}

function momentOf(at: number): string {
  return Number.isFinite(at) && Math.abs(at) < 8.64e15 ? iso(at) : 'no time at all';
}
