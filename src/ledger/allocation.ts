import { joined } from '../rain/commitment.ts';
import type { Cents } from '../rain/money.ts';
import { checkPlan } from '../rain/plan-check.ts';
import { formatRefusal } from '../rain/refusal.ts';
import { splitBudget } from '../rain/split.ts';
import type { Json } from './actions.ts';
import type { Transaction } from './database.ts';

/** A recorded plan of packets, and the seed that reproduces them. */
interface Planned {
  split: Json;
  seed: string;
}

/** The packets of a rain as its recorded plan and seed give them, then those of each top-up; cents. */
export function allocationOf(rain: Planned & { topUps: readonly Planned[] }): BigInt64Array {
  return joined(
    [rain, ...rain.topUps].map(({ split, seed }) => {
      const checked = checkPlan(split);
      // Checked when it was booked: a plan that no longer passes has been tampered with.
      if (!checked.ok)
        throw new Error(`the booked plan is not valid: ${checked.refusals.map(formatRefusal).join('; ')}`);
      return splitBudget(checked.plan, seed);
    }),
  );
}

/** Bytes of one amount in the database. */
const AMOUNT_BYTES = 8;

/** The packets of one plan in the form that the database compares transfers with: 8 bytes each, big-endian, cents. */
type StoredAmounts = Uint8Array<ArrayBuffer>;

/** @returns undefined for a plan that this version cannot compute: then no worker pays a claim of the rain either */
export function amountsOf({ split, seed }: Planned): StoredAmounts | undefined {
  const checked = checkPlan(split);
  if (!checked.ok) return undefined;
  const allocation = splitBudget(checked.plan, seed);
  const bytes = new DataView(new ArrayBuffer(allocation.length * AMOUNT_BYTES));
  allocation.forEach((cents, index) => bytes.setBigInt64(index * AMOUNT_BYTES, cents));
  return new Uint8Array(bytes.buffer);
}

/**
 * The sum of the packets of each account, cents; in all the budget. `undefined`: there are no packets to go by.
 */
export function sharesOf(
  amounts: StoredAmounts | undefined,
  { budgetCents, accounts, firstPacket }: { budgetCents: Cents; accounts: number; firstPacket: number },
): Cents[] | undefined {
  if (accounts === 1) return [budgetCents];
  if (!amounts) return undefined;
  const shares = Array.from({ length: accounts }, () => 0n);
  const stored = new DataView(amounts.buffer);
  for (let i = 0; i < amounts.length / AMOUNT_BYTES; i++)
    shares[(firstPacket + i) % accounts]! += stored.getBigInt64(i * AMOUNT_BYTES);
  return shares.reduce((sum, share) => sum + share, 0n) === budgetCents ? shares : undefined;
}

/**
 * Lets the database know the packets of a rain, or of one of its top-ups: from then on it refuses to credit any others
 * [R14].
 */
export async function allocate(
  transaction: Transaction,
  part: { rainId: string; ordinal: number; firstPacket: number },
  amounts: StoredAmounts | undefined,
): Promise<void> {
  if (amounts) await transaction.allocation.create({ data: { ...part, amounts }, select: { rainId: true } });
}
