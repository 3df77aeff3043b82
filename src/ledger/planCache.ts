/** The packets of one rain, as the ledger gave them at `readAt`, ms. */
interface Plan {
  /** The commitments of the rain and its top-ups: the same ones mean the same packets. */
  promises: string;
  allocation: BigInt64Array;
  readAt: number;
}

/** Three rains of the largest size, or thousands of usual ones [R10]. */
const BYTES_MAX = 128 * 2 ** 20;
/** Bytes that a rain takes besides its packets, so that the number of rains is bounded too. */
const RAIN_BYTES = 1_024;

interface PlanCache {
  get(rainId: string): Plan | undefined;
  keep(rainId: string, plan: Plan): void;
  forget(rainId: string): void;
}

/** Plans of rains, by rain id; beyond the number of bytes, the one that was not asked for the longest goes first. */
export function createPlanCache(bytesMax = BYTES_MAX): PlanCache {
  /** The one asked for last comes last. */
  const plans = new Map<string, Plan>();
  let bytes = 0;

  function forget(rainId: string): void {
    const plan = plans.get(rainId);
    if (!plan) return;
    plans.delete(rainId);
    bytes -= sizeOf(plan);
  }

  return {
    forget,
    get(rainId) {
      const plan = plans.get(rainId);
      if (plan) {
        plans.delete(rainId);
        plans.set(rainId, plan);
      }
      return plan;
    },
    keep(rainId, plan) {
      forget(rainId);
      plans.set(rainId, plan);
      bytes += sizeOf(plan);
      for (const oldest of plans.keys()) {
        if (bytes <= bytesMax) return;
        forget(oldest);
      }
    },
  };
}

function sizeOf({ allocation }: Plan): number {
  return allocation.byteLength + RAIN_BYTES;
}
