import type { Readable } from 'node:stream';
import { packetPartOf, userPartOf } from '../../credit/claimId.ts';
import { rainId } from '../../rain/ids.ts';
import { redPacketIndex } from '../../rain/red-packet.ts';
import { readStatement, type StatementRow } from '../reconcile/statement.ts';

/** The payments of a wallet's statement, by rain. */
export interface Payments {
  /** Rains that the payments name, known or not. */
  rainIds: readonly string[];
  /** The payments for one rain, in the order of the statement. */
  of(rainId: string): readonly StatementRow[];
  /** The same for a rain that the ledger does not know: only those whose id can be nothing else than a claim id. */
  ofUnknown(rainId: string): readonly StatementRow[];
  /** How many payments nobody has asked for so far: they are for other rains, or for none. */
  others(): number;
}

/** Reads a whole statement; all of it is in memory afterwards. @throws SheetRefused */
export async function readPayments(bytes: Readable): Promise<Payments> {
  const byRain = new Map<string, StatementRow[]>();
  let total = 0;
  for await (const row of readStatement(bytes)) {
    total++;
    const named = rainOf(packetPartOf(row.id));
    if (named === undefined) continue;
    const known = byRain.get(named);
    if (known) known.push(row);
    else byRain.set(named, [row]);
  }
  const asked = new Map<string, number>();
  const hand = (id: string, rows: readonly StatementRow[]) => {
    asked.set(id, rows.length);
    return rows;
  };
  return {
    rainIds: [...byRain.keys()],
    of: (id) => hand(id, byRain.get(id) ?? []),
    // An older id such as `order-7` may be a payment of somebody else.
    ofUnknown: (id) =>
      hand(
        id,
        (byRain.get(id) ?? []).filter((row) => row.id.includes(':')),
      ),
    others: () => [...asked.values()].reduce((rest, count) => rest - count, total),
  };
}

/** The rain that a packet id names; `undefined`: it is no packet id. */
function rainOf(packetId: string): string | undefined {
  const named = packetId.slice(0, Math.max(0, packetId.lastIndexOf('-')));
  return redPacketIndex(named, packetId) !== undefined && rainId.safeParse(named).success ? named : undefined;
}

/** The user whom a payment names, by its own column or by its claim id; `undefined`: neither does. */
export function payeeOf({ id, userId }: Pick<StatementRow, 'id' | 'userId'>): string | undefined {
  return userId ?? userPartOf(id);
}
