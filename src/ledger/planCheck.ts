import type { Claim } from '../rain/claim.ts';
import { checkReceipt, commitmentOf, type ReceiptVerdict } from '../rain/commitment.ts';
import { allocationOf } from './allocation.ts';
import { breaksCommitment, recordedCommitment } from './commitment.ts';
import type { Ledger } from './ledger.ts';
import { createPlanCache } from './planCache.ts';
import type { BookedRain } from './rains.ts';

/**
 * Says of each claim, in order, whether the plan of this rain holds it: the packet, with exactly this amount [R14].
 * @returns undefined when the ledger has no such rain
 * @throws when the ledger cannot be read, or its plan of the rain is not the promised one
 */
export type PlanCheck = (rainId: string, claims: readonly Claim[]) => Promise<ReceiptVerdict[] | undefined>;

export interface PlanCheckOptions {
  /** How much memory all plans may take, bytes. */
  bytesMax?: number;
  allocate?: typeof allocationOf;
  /** Monotonic ms. */
  now?: () => number;
}

/** How long a plan may confirm claims before the ledger is asked whether it still is the plan, ms. */
const FRESH_MS = 10_000;
/** Rains whose broken plan is known to be reported [R10]. */
const BROKEN_MAX = 1_000;

/**
 * @param onBroken called when the plan in the ledger is found not to be the promised one, once until it is right again
 */
export function createPlanCheck(
  ledger: Pick<Ledger, 'rain' | 'actions'>,
  onBroken: (rainId: string) => void,
  options: PlanCheckOptions = {},
): PlanCheck {
  const { bytesMax, allocate = allocationOf, now = () => performance.now() } = options;
  const plans = createPlanCache(bytesMax);
  const reading = new Map<string, Promise<BigInt64Array | undefined>>();
  const broken = new Set<string>();

  function report(rainId: string): void {
    if (broken.has(rainId)) return;
    if (broken.size >= BROKEN_MAX) broken.clear();
    broken.add(rainId);
    onBroken(rainId);
  }

  async function read(rainId: string): Promise<BigInt64Array | undefined> {
    const readAt = now();
    const [rain, recorded] = await Promise.all([ledger.rain(rainId), recordedCommitment({ ledger }, rainId)]);
    if (!rain) {
      plans.forget(rainId);
      return undefined;
    }
    if (breaksCommitment(rain, recorded)) {
      plans.forget(rainId);
      report(rainId);
      throw new Error(
        `seed or plan of the rain ${rainId} in the ledger does not match the commitment; nothing of it is paid`,
      );
    }
    broken.delete(rainId);
    const promises = promisesOf(rain);
    const known = plans.get(rainId);
    // To compute the packets of a huge rain takes seconds, and blocks the process.
    const allocation = known?.promises === promises ? known.allocation : allocate(rain);
    plans.keep(rainId, { promises, allocation, readAt });
    return allocation;
  }

  /** One read of a rain at a time, for all who wait for it. */
  function readOnce(rainId: string): Promise<BigInt64Array | undefined> {
    let pending = reading.get(rainId);
    if (!pending) {
      pending = read(rainId).finally(() => reading.delete(rainId));
      reading.set(rainId, pending);
    }
    return pending;
  }

  return async (rainId, claims) => {
    const verdictsOf = (allocation: BigInt64Array | undefined) =>
      allocation && claims.map((claim) => checkReceipt(allocation, rainId, claim));
    const known = plans.get(rainId);
    const cached = known && now() - known.readAt < FRESH_MS ? verdictsOf(known.allocation) : undefined;
    if (holdsAll(cached)) return cached;
    // A read that began before these claims came may confirm them, not deny them: their top-up may have been booked
    // since.
    const earlier = verdictsOf(await reading.get(rainId));
    return holdsAll(earlier) ? earlier : verdictsOf(await readOnce(rainId));
  };
}

function holdsAll(verdicts: ReceiptVerdict[] | undefined): verdicts is ReceiptVerdict[] {
  return verdicts?.every(({ outcome }) => outcome === 'ok') ?? false;
}

function promisesOf({ id: rainId, seed, split: plan, shards, topUps }: BookedRain): string {
  return [commitmentOf({ rainId, seed, plan, shards }), ...topUps.map(({ commitment }) => commitment)].join();
}
