import { shardKeys } from '../store/keys.ts';
import { ELEMENTS_PAGE, readEntries } from '../store/rains.ts';
import type { BookedRain } from '../ledger/rains.ts';
import { parseClaim } from '../rain/claim.ts';
import { checkReceipt, verifyFairness, type Receipt } from '../rain/commitment.ts';
import { canonicalJson, readJson } from '../rain/json.ts';
import { formatMoney } from '../rain/money.ts';
import type { TopUpPromise } from '../rain/top-up.ts';
import { receipt, receiptProblem } from '../rain/proof.ts';
import { redPacketIndex } from '../rain/red-packet.ts';
import { tellRefusal } from '../rain/refusal.ts';
import { readCredits } from './audit/booked.ts';
import { readDiscardedLetters } from './audit/discarded.ts';
import { recordedCommitment, revealedTopUps } from './commitment.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';

const PROBLEMS_MAX = 100;

/** Everything a sceptic needs, and what was found. A proof for `rain verify --offline`, too. */
export interface Verification {
  ok: true;
  fair: boolean;
  rainId: string;
  commitment: string;
  seed: string;
  plan: unknown;
  shards: number;
  /** What was added to the rain, in order; absent when nothing was. */
  topUps?: Required<TopUpPromise>[];
  packets: number;
  /** How many of each were compared with the promise; `left` and `claims` are 0 when Redis has forgotten the rain. */
  checked: { left: number; claims: number; credits: number; receipts: number };
  /**
   * Packets that stand in the log behind a later one of their shard. Gateways that put back wins after a failover do that, and
   * so would somebody who chose; the amounts tell nothing of it, so it is told and not judged.
   */
  outOfTurn: number;
  /** What differs from the promise, in plain words; the first hundred. */
  problems: string[];
}

/**
 * Compares what became of a settled rain with what was committed to when it was created: what players were shown, the
 * packets left over, the claim log and its order, the credits of the book, and receipts.
 */
export async function verifyRain(context: OperatorContext, rainId: string, receipts: readonly Receipt[]): Promise<Verification | Refused> {
  const rain = await context.ledger.rain(rainId);
  if (!rain) return refuse('id', `there is no rain ${rainId}`);
  const commitment = await recordedCommitment(context, rainId);
  if (commitment === undefined) return refuse('id', `the rain ${rainId} was created without a commitment; there is nothing to compare it with`);
  if (rain.settledAt === undefined) return refuse('id', `the rain ${rainId} is not settled: its seed is a secret until then; its commitment is ${commitment}`);
  const { seed, split: plan, shards, packets } = rain;
  const topUps = revealedTopUps(rain);
  const found = new Findings();
  await compareShown(context, rain, commitment, found);
  const verdict = verifyFairness({ rainId, commitment, seed, plan, shards, topUps });
  const whose = 'topUp' in verdict && verdict.topUp !== undefined ? ` of top-up ${verdict.topUp}` : '';
  switch (verdict.outcome) {
    case 'ok':
      await compareHandedOut(context, rain, verdict.allocation, found);
      for (const told of receipts) found.compare('receipts', receiptProblem(told, checkReceipt(verdict.allocation, rainId, told)));
      break;
    case 'commitment_differs':
      found.problem(`the commitment of ${topUps[(verdict.topUp ?? 0) - 1]?.commitment ?? commitment} was given, and seed and plan${whose} as they stand in the book now hash to ${verdict.recomputed}`);
      break;
    case 'bad_seed':
      found.problem(`the seed${whose} in the book is none: ${verdict.reason}`);
      break;
    case 'newer':
      return refuse('id', `the plan${whose} of the rain ${rainId} is the one that was committed to, and this version cannot carry it out (${verdict.refusals.map(tellRefusal).join('; ')}); verify it with the version that has made it`);
    case 'bad_plan':
      found.problem(`the plan${whose} in the book cannot be carried out: ${verdict.refusals.map(tellRefusal).join('; ')}`);
      break;
    default:
      return verdict satisfies never;
  }
  const { problems, checked, outOfTurn } = found;
  return { ok: true, fair: problems.length === 0, rainId, commitment, seed, plan, shards, ...(topUps.length > 0 && { topUps }), packets, checked, outOfTurn, problems };
}

class Findings {
  readonly checked = { left: 0, claims: 0, credits: 0, receipts: 0 };
  readonly problems: string[] = [];
  outOfTurn = 0;

  compare(what: keyof Findings['checked'], problem: string | undefined): void {
    this.checked[what]++;
    if (problem !== undefined) this.problem(problem);
  }

  problem(sentence: string): void {
    if (this.problems.length < PROBLEMS_MAX) this.problems.push(sentence);
  }
}

/** What gateways have told players, as far as Redis still knows it. */
async function compareShown(context: OperatorContext, rain: BookedRain, commitment: string, found: Findings): Promise<void> {
  const { id, seed, split, shards } = rain;
  const plan = canonicalJson(split);
  const promised = rain.topUps.length > 0 ? canonicalJson(revealedTopUps(rain)) : null;
  for (let shard = 0; shard < shards; shard++) {
    const [state, told, shownSeed, shownPlan, shownTopUps] = await context.redis.hmget(shardKeys(id, shard).state, 'state', 'commitment', 'seed', 'plan', 'topUps');
    if (state === null) continue;
    if (told !== commitment) found.problem(`players were shown the commitment ${told ?? 'of none'}, recorded is ${commitment}`);
    // Settled in the book a moment ago: the keys follow.
    if (state === 'settled' && (shownSeed !== seed || shownPlan !== plan)) found.problem('players are shown another seed or plan than those in the book');
    if (state === 'settled' && shownTopUps !== promised) found.problem('players are shown other top-ups than those in the book');
  }
}

async function compareHandedOut(context: OperatorContext, rain: BookedRain, allocation: BigInt64Array, found: Findings): Promise<void> {
  const compare = (what: 'left' | 'claims' | 'credits', packet: Receipt, how: string): void => {
    const verdict = checkReceipt(allocation, rain.id, packet);
    if (verdict.outcome === 'ok') found.compare(what, undefined);
    else if (verdict.outcome === 'amount_differs') found.compare(what, `${packet.redPacketId} ${how} as ${packet.amount} and was promised as ${verdict.promised}`);
    else found.compare(what, `${packet.redPacketId} ${how} and was never promised`);
  };
  const isResting = await readDiscardedLetters(context, rain.id);
  for (let shard = 0; shard < rain.shards; shard++) {
    for await (const element of elements(context, shardKeys(rain.id, shard).packets)) {
      const packet = receipt.safeParse({ rainId: rain.id, ...Object(readJson(element)) as object });
      // What would not decode was won by nobody.
      if (packet.success) compare('left', packet.data, 'lies in the list');
    }
    let [before, at] = [-1, 0];
    for await (const entry of entries(context, rain.id, shard)) {
      const parsed = parseClaim(entry);
      const place = { rainId: rain.id, shard, index: at++, entry };
      if (!parsed.ok) {
        // One that the operator has discarded is explained.
        if (isResting(place)) continue;
        found.compare('claims', `an entry of the claim log is no claim: ${parsed.reason}`);
        continue;
      }
      compare('claims', parsed.claim, 'was won');
      const index = redPacketIndex(rain.id, parsed.claim.redPacketId);
      if (index === undefined) continue;
      if (index <= before) found.outOfTurn++;
      else before = index;
    }
  }
  for (const [id, { cents }] of await readCredits(context, rain.id)) compare('credits', { rainId: rain.id, redPacketId: id, amount: formatMoney(cents) }, 'was credited');
}

/** Of a list that changes no more. */
async function* elements({ redis }: OperatorContext, key: string): AsyncGenerator<string> {
  for (let from = 0, length = await redis.llen(key); from < length; from += ELEMENTS_PAGE) yield* await redis.lrange(key, from, from + ELEMENTS_PAGE - 1);
}

/** The claim log of one shard, oldest first. */
async function* entries({ redis }: OperatorContext, rainId: string, shard: number): AsyncGenerator<string> {
  for (let from = 0, length = await redis.llen(shardKeys(rainId, shard).claims); from < length; from += ELEMENTS_PAGE) yield* await readEntries(redis, rainId, shard, from, from + ELEMENTS_PAGE);
}
