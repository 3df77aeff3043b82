import type { ShownPlan } from './plan.ts';

/** Each top-up has its own commitment, shown to everybody. The limit keeps snapshots small [R10]. */
export const TOP_UPS_MAX = 32;

/** A top-up of a rain as everybody may see it. Its packets follow all earlier ones. */
export interface TopUpPromise {
  /** SHA-256 of everything that determines its packets, shown before the first of them can be grabbed. */
  commitment: string;
  packets: number;
  /** Both once the rain is settled. */
  seed?: string;
  plan?: ShownPlan;
}
