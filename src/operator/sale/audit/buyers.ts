import { reservationId } from '../../../sale/ids.ts';
import { saleKeys } from '../../../store/saleKeys.ts';
import type { HeldReservation } from '../../../store/sales.ts';
import type { OperatorContext } from '../../context.ts';
import { readHeld } from './log.ts';
import type { SaleFindings } from './findings.ts';
import type { SaleLog } from './saleLog.ts';

type Unlogged = Pick<HeldReservation, 'ordinal' | 'quantity' | 'sku'> & { user: string };

/** Buyers per read. */
const PAGE = 1_000;

/**
 * Names the reservations that Redis has with a buyer, and the log has not, or that nobody has signed. One that has
 * failed is in no log where Redis had lost it: then the ledger has refused it.
 * @param made how many there were when the log was read; later ones are not compared
 * @returns the highest number of such a refused one
 */
export async function nameUnlogged(
  { redis, signer, ledger }: OperatorContext,
  { saleId, made, unsigned }: { saleId: string; made: number; unsigned: 'not_signed' | undefined },
  { userOf, excused }: SaleLog,
  findings: SaleFindings,
): Promise<number> {
  const noteUnlogged = ({ user, ordinal, quantity, sku }: Unlogged) =>
    findings.note(
      `unlogged ${user} ${ordinal}`,
      `Redis has the reservation ${saleId}-${ordinal}, ${quantity} ${sku}, with ${user}; the reservation log has it ${userOf.has(ordinal) ? `with ${userOf.get(ordinal)}` : 'not'}`,
      'unlogged',
    );
  let [cursor, highest] = ['0', 0];
  do {
    const [next, fields] = await redis.hscan(saleKeys(saleId).buyers, cursor, 'COUNT', PAGE);
    const failed: Unlogged[] = [];
    for (let i = 0; i < fields.length; i += 2) {
      const user = fields[i]!;
      for (const one of readHeld(user, fields[i + 1]!, findings)) {
        const { ordinal, quantity, sku, mac } = one;
        if (
          unsigned &&
          !excused.has(`${ordinal} ${user}`) &&
          !signer.isReservation(mac, { saleId, userId: user, ...one })
        )
          findings.note(
            `unsigned ${user} ${ordinal}`,
            `Redis has the reservation ${saleId}-${ordinal}, ${quantity} ${sku}, with ${user}, not signed with SIGNING_SECRET: the gateways tell nobody of it`,
            unsigned,
          );
        if (ordinal > made || userOf.get(ordinal) === user) continue;
        if (one.status === 'failed') failed.push({ user, ordinal, quantity, sku });
        else noteUnlogged({ user, ordinal, quantity, sku });
      }
    }
    const refused = new Set(
      (
        await ledger.refusalsAmong(
          failed.map(({ user, ordinal }) => ({ reservationId: reservationId(saleId, ordinal), userId: user })),
        )
      ).map((one) => `${one.reservationId} ${one.userId}`),
    );
    for (const one of failed) {
      if (refused.has(`${reservationId(saleId, one.ordinal)} ${one.user}`)) highest = Math.max(highest, one.ordinal);
      else noteUnlogged(one);
    }
    cursor = next;
  } while (cursor !== '0');
  return highest;
}
