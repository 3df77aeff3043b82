import { compareAll, compareRain } from './compare.ts';
import type { RestoreContext } from './context.ts';
import { agrees, DIFFERENCES, kindsOf, type DifferenceKind, type RainDifferences } from './difference.ts';
import type { Payments } from './payments.ts';

/** A rain that differs, and what to do about each kind of difference. */
type DifferingRain = RainDifferences & { waysOut: Partial<Record<DifferenceKind, string>> };

interface Checked {
  agree: boolean;
  /** How many rains were compared. */
  compared: number;
  rains: DifferingRain[];
}

/**
 * Compares both stores, and the wallet's payments if there are any, and changes nothing.
 * @param rainId absent: all rains
 * @returns undefined when no store knows this rain
 */
export async function checkStores(
  context: RestoreContext,
  rainId: string | undefined,
  payments?: Payments,
): Promise<Checked | undefined> {
  const checked: Checked = { agree: true, compared: 0, rains: [] };
  const note = (found: RainDifferences) => {
    checked.compared++;
    checked.agree &&= agrees(found);
    if (kindsOf(found).length > 0) checked.rains.push(withWaysOut(found));
  };
  if (rainId === undefined) {
    for await (const found of compareAll(context, payments)) note(found);
    return checked;
  }
  const found = await compareRain(context, rainId, payments);
  if (!found) return undefined;
  note(found);
  return checked;
}

export function withWaysOut({ rainId, title, counts, differences }: RainDifferences): DifferingRain {
  const waysOut = Object.fromEntries(
    kindsOf({ rainId, title, counts, differences }).map((kind) => [kind, DIFFERENCES[kind].wayOut(rainId)]),
  );
  return { rainId, title, counts, differences, waysOut };
}
