import { z } from 'zod';
import { amount } from './claim.ts';
import { plainId, rainId } from './ids.ts';
import {
  checkReceipt,
  commitment,
  TOP_UPS_MAX,
  verifyFairness,
  type Receipt,
  type ReceiptVerdict,
} from './commitment.ts';
import { formatRefusal } from './refusal.ts';

/** The fields of a receipt, which claims, `result` and `credited` messages contain; other fields are dropped. */
export const receipt = z.object({ rainId, redPacketId: plainId, amount }, 'expected {"rainId","redPacketId","amount"}');

const SHARDS = 'expected a whole number from 1';

// Invalid seeds and plans are reported by the verification.
const shownFields = {
  commitment,
  seed: z.string('expected a seed of 64 hex digits (32 random bytes)'),
  plan: z.unknown().optional(),
};
const hasPlan = z.refine<object>((shown) => 'plan' in shown, {
  path: ['plan'],
  error: 'expected the plan, {"budget","packets","split"}',
});

const topUp = z.object(shownFields, 'expected {"commitment","seed","plan"}').check(hasPlan);

/** All data needed to verify a rain offline: the snapshot of a settled rain, and receipts. */
export const proof = z
  .object(
    {
      rainId,
      ...shownFields,
      shards: z.int(SHARDS).min(1, SHARDS).default(1),
      /** The rain's top-ups, in order. */
      topUps: z
        .array(topUp, 'expected a list of top-ups')
        .max(TOP_UPS_MAX, `expected at most ${TOP_UPS_MAX} topUps`)
        .default([]),
      receipts: z.array(receipt, 'expected a list of receipts').default([]),
    },
    'expected {"rainId","commitment","seed","plan","shards","receipts"}',
  )
  .check(hasPlan);
type Proof = z.output<typeof proof>;

/** @returns the number of packets in the proof (0 when it fails), and its problems in plain words */
export function checkProof({ receipts, topUps, ...shown }: Proof): { packets: number; problems: string[] } {
  const verdict = verifyFairness({
    ...shown,
    plan: shown.plan,
    topUps: topUps.map((added) => ({ ...added, plan: added.plan })),
  });
  const where = 'topUp' in verdict && verdict.topUp !== undefined ? `topUps.${verdict.topUp - 1}.` : '';
  switch (verdict.outcome) {
    case 'bad_seed':
      return { packets: 0, problems: [`${where}seed: ${verdict.reason}`] };
    case 'bad_plan':
      return { packets: 0, problems: verdict.refusals.map((refusal) => `${where}plan.${formatRefusal(refusal)}`) };
    case 'newer':
      return {
        packets: 0,
        problems: verdict.refusals.map(
          (refusal) =>
            `${where}plan.${formatRefusal(refusal)}; the plan matches the commitment: a newer version may be able to compute its packets`,
        ),
      };
    case 'commitment_differs': {
      const shownCommitment = verdict.topUp === undefined ? shown.commitment : topUps[verdict.topUp - 1]!.commitment;
      return {
        packets: 0,
        problems: [
          `${where && `${where.slice(0, -1)}: `}the commitment is ${shownCommitment}, but seed and plan hash to ${verdict.recomputed}`,
        ],
      };
    }
    case 'ok': {
      const problems = receipts.map((presented) =>
        receiptProblem(presented, checkReceipt(verdict.allocation, shown.rainId, presented)),
      );
      return { packets: verdict.allocation.length, problems: problems.filter((problem) => problem !== undefined) };
    }
    default:
      return verdict satisfies never;
  }
}

/** `undefined`: the receipt holds. */
export function receiptProblem(
  { rainId: ofRain, redPacketId, amount: claimed }: Receipt,
  verdict: ReceiptVerdict,
): string | undefined {
  switch (verdict.outcome) {
    case 'ok':
      return undefined;
    case 'other_rain':
      return `the receipt for ${redPacketId} is of another rain, ${ofRain}`;
    case 'no_such_packet':
      return `the receipt for ${redPacketId} names a packet that was never promised`;
    case 'amount_differs':
      return `the receipt for ${redPacketId} says ${claimed}, promised was ${verdict.promised}`;
    default:
      return verdict satisfies never;
  }
}
