import { compareAll, compareRain } from './compare.ts';
import { compareSale } from './compareSale.ts';
import type { RestoreContext } from './context.ts';
import { agrees, kindsOf, type RainDifferences } from './difference.ts';
import type { Payments } from './payments.ts';
import { withWaysOut, type DifferingRain } from './waysOut.ts';

interface Checked {
  agree: boolean;
  /** How many rains and sales were compared. */
  compared: number;
  rains: DifferingRain[];
}

/**
 * Compares both stores, and the wallet's payments if there are any, and changes nothing.
 * @param rainId the rain, or the sale; absent: all of them
 * @returns undefined when no store knows it
 */
export async function checkStores(
  context: RestoreContext,
  rainId: string | undefined,
  payments?: Payments,
): Promise<Checked | undefined> {
  const checked: Checked = { agree: true, compared: 0, rains: [] };
  const note = async (found: RainDifferences) => {
    checked.compared++;
    checked.agree &&= agrees(found);
    if (kindsOf(found).length > 0) checked.rains.push(await withWaysOut(context, found));
  };
  if (rainId === undefined) {
    for await (const found of compareAll(context, payments)) await note(found);
    return checked;
  }
  const found = (await compareRain(context, rainId, payments)) ?? (await compareSale(context, rainId));
  if (!found) return undefined;
  await note(found);
  return checked;
}
