import { shardKeys } from '../store/keys.ts';
import { ELEMENTS_PAGE } from '../store/rains.ts';
import { recordedCommitment } from '../ledger/commitment.ts';
import type { BookedRain } from '../ledger/rains.ts';
import { parseClaim } from '../rain/claim.ts';
import { checkReceipt, verifyFairness, type Receipt, type TopUpPromise } from '../rain/commitment.ts';
import { canonicalJson, readJson } from '../rain/json.ts';
import { formatMoney } from '../rain/money.ts';
import { receipt, receiptProblem } from '../rain/proof.ts';
import { redPacketIndex } from '../rain/red-packet.ts';
import { formatRefusal } from '../rain/refusal.ts';
import { creditPages, readDiscardedLetters } from './audit/booked.ts';
import { logPages } from './audit/claimLog.ts';
import { readBrought } from './audit/movedPackets.ts';
import { revealedTopUps } from './commitment.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';
import { unknownReason } from './restore/presence.ts';

const PROBLEMS_MAX = 100;

/** The result of a verification and all data needed to repeat it. Also a proof for `rain verify --offline`. */
export interface Verification {
  ok: true;
  fair: boolean;
  rainId: string;
  commitment: string;
  seed: string;
  plan: unknown;
  shards: number;
  /** Top-ups of the rain, in order; absent when there are none. */
  topUps?: Required<TopUpPromise>[];
  packets: number;
  /**
   * How many of each were compared with the commitment; `left` and `claims` are 0 when Redis no longer has the rain.
   */
  checked: { left: number; claims: number; credits: number; receipts: number };
  /**
   * Packets that are in the log after a later one of their shard: by gateways that restore wins, or by somebody who
   * chose. Not judged.
   */
  outOfTurn: number;
  /**
   * Packets that were won in another shard than they were planned for: they had moved to where somebody waited. They
   * have no turn there.
   */
  moved: number;
  /** Differences from the commitment in plain words. At most 100. */
  problems: string[];
}

/**
 * Compares a settled rain with its commitment: what players see, packets left over, claim log and its order, credits,
 * receipts.
 */
export async function verifyRain(
  context: OperatorContext,
  rainId: string,
  receipts: readonly Receipt[],
): Promise<Verification | Refused> {
  const rain = await context.ledger.rain(rainId);
  if (!rain) return refuse('id', await unknownReason(context, rainId));
  const commitment = await recordedCommitment(context, rainId);
  if (commitment === undefined)
    return refuse('id', `the rain ${rainId} was created without a commitment; there is nothing to compare it with`);
  if (rain.settledAt === undefined)
    return refuse(
      'id',
      `the rain ${rainId} is not settled: its seed is secret until then; its commitment is ${commitment}`,
    );
  const { seed, split: plan, shards, packets } = rain;
  const topUps = revealedTopUps(rain);
  const found = new Findings();
  await compareShown(context, rain, commitment, found);
  const fairness = verifyFairness({ rainId, commitment, seed, plan, shards, topUps });
  const whose = 'topUp' in fairness && fairness.topUp !== undefined ? ` of top-up ${fairness.topUp}` : '';
  switch (fairness.outcome) {
    case 'ok':
      await comparePackets(context, rain, fairness.allocation, found);
      for (const presented of receipts)
        found.compare('receipts', receiptProblem(presented, checkReceipt(fairness.allocation, rainId, presented)));
      break;
    case 'commitment_differs':
      found.problem(
        `the commitment of ${topUps[(fairness.topUp ?? 0) - 1]?.commitment ?? commitment} was published, but seed and plan${whose} in the ledger now hash to ${fairness.recomputed}`,
      );
      break;
    case 'bad_seed':
      found.problem(`the seed${whose} in the ledger is invalid: ${fairness.reason}`);
      break;
    case 'newer':
      return refuse(
        'id',
        `the plan${whose} of the rain ${rainId} matches the commitment, but this version cannot execute it (${fairness.refusals.map(formatRefusal).join('; ')}); verify it with the version that created it`,
      );
    case 'bad_plan':
      found.problem(
        `the plan${whose} in the ledger cannot be executed: ${fairness.refusals.map(formatRefusal).join('; ')}`,
      );
      break;
    default:
      return fairness satisfies never;
  }
  const { problems, checked, outOfTurn, moved } = found;
  return {
    ok: true,
    fair: problems.length === 0,
    rainId,
    commitment,
    seed,
    plan,
    shards,
    ...(topUps.length > 0 && { topUps }),
    packets,
    checked,
    outOfTurn,
    moved,
    problems,
  };
}

class Findings {
  readonly checked = { left: 0, claims: 0, credits: 0, receipts: 0 };
  readonly problems: string[] = [];
  outOfTurn = 0;
  moved = 0;

  compare(what: keyof Findings['checked'], problem: string | undefined): void {
    this.checked[what]++;
    if (problem !== undefined) this.problem(problem);
  }

  problem(sentence: string): void {
    if (this.problems.length < PROBLEMS_MAX) this.problems.push(sentence);
  }
}

/** Compares the values that players were shown, as far as Redis still has them. */
async function compareShown(
  context: OperatorContext,
  rain: BookedRain,
  commitment: string,
  found: Findings,
): Promise<void> {
  const { id, seed, split, shards } = rain;
  const plan = canonicalJson(split);
  const promised = rain.topUps.length > 0 ? canonicalJson(revealedTopUps(rain)) : null;
  for (let shard = 0; shard < shards; shard++) {
    const [state, shownCommitment, shownSeed, shownPlan, shownTopUps] = await context.redis.hmget(
      shardKeys(id, shard).state,
      'state',
      'commitment',
      'seed',
      'plan',
      'topUps',
    );
    if (state === null) continue;
    if (shownCommitment !== commitment)
      found.problem(`players were shown the commitment ${shownCommitment ?? '(none)'}, recorded is ${commitment}`);
    // Settled in the ledger a moment ago: the keys in Redis follow.
    if (state === 'settled' && (shownSeed !== seed || shownPlan !== plan))
      found.problem('players are shown another seed or plan than those in the ledger');
    if (state === 'settled' && shownTopUps !== promised)
      found.problem('players are shown other top-ups than those in the ledger');
  }
}

async function comparePackets(
  context: OperatorContext,
  rain: BookedRain,
  allocation: BigInt64Array,
  found: Findings,
): Promise<void> {
  const compare = (what: 'left' | 'claims' | 'credits', packet: Receipt, how: string): void => {
    const checked = checkReceipt(allocation, rain.id, packet);
    if (checked.outcome === 'ok') found.compare(what, undefined);
    else if (checked.outcome === 'amount_differs')
      found.compare(what, `${packet.redPacketId} ${how} as ${packet.amount} and was promised as ${checked.promised}`);
    else found.compare(what, `${packet.redPacketId} ${how} and was never promised`);
  };
  const isDiscarded = await readDiscardedLetters(context, rain.id);
  for (let shard = 0; shard < rain.shards; shard++) {
    for await (const element of elements(context, shardKeys(rain.id, shard).packets)) {
      const packet = receipt.safeParse({ rainId: rain.id, ...(Object(readJson(element)) as object) });
      // An element that cannot be decoded was won by nobody.
      if (packet.success) compare('left', packet.data, 'is in the list');
    }
    const brought = await readBrought(context, rain, shard);
    let previousIndex = -1;
    for await (const page of logPages(context.redis, rain.id, shard)) {
      for (const place of page) {
        const parsed = parseClaim(place.entry);
        if (parsed.ok) {
          compare('claims', parsed.claim, 'was won');
          const index = redPacketIndex(rain.id, parsed.claim.redPacketId);
          if (index !== undefined && brought.has(index)) found.moved++;
          else if (index !== undefined && index <= previousIndex) found.outOfTurn++;
          else previousIndex = index ?? previousIndex;
          // A discarded entry is explained.
        } else if (!isDiscarded(place))
          found.compare('claims', `an entry of the claim log is not a claim: ${parsed.reason}`);
      }
    }
  }
  for await (const page of creditPages(context, rain.id)) {
    for (const { redPacketId, amountCents } of page)
      compare('credits', { rainId: rain.id, redPacketId, amount: formatMoney(amountCents) }, 'was credited');
  }
}

/** Reads a list that no longer changes. */
async function* elements({ redis }: OperatorContext, key: string): AsyncGenerator<string> {
  for (let from = 0, length = await redis.llen(key); from < length; from += ELEMENTS_PAGE)
    yield* await redis.lrange(key, from, from + ELEMENTS_PAGE - 1);
}
