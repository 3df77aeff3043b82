import type { ShownPlan } from './plan.ts';

/** What is added to a rain is a promise of its own, shown to everybody: few enough to be told with every snapshot [R10]. */
export const TOP_UPS_MAX = 32;

/** What was added to a rain after its creation, as everybody may see it. Its packets follow those that were there before. */
export interface TopUpPromise {
  /** SHA-256 of what decides about its packets, told before the first of them can be grabbed. */
  commitment: string;
  packets: number;
  /** Once the rain is settled. */
  seed?: string;
  /** Once the rain is settled. */
  plan?: ShownPlan;
}
