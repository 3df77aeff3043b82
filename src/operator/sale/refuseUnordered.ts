import { announceRefused } from '../../orders/announce.ts';
import { reservationId } from '../../sale/ids.ts';
import { foreignKeys, saleKeys } from '../../store/saleKeys.ts';
import { parseHeld } from '../../store/sales.ts';
import type { OperatorContext } from '../context.ts';

/** Buyers per read. */
const PAGE = 500;
const DETAIL = 'the sale was given up before this reservation had an order';

/**
 * Refuses the reservations without an order of a sale that was given up: their buyers hear that they have failed. Read
 * from the buyers, since the log may be what was lost. A reservation that no gateway has signed was told to nobody.
 * Safe to repeat.
 */
export async function refuseUnordered(
  { redis, ledger, signer }: Pick<OperatorContext, 'redis' | 'ledger' | 'signer'>,
  saleId: string,
): Promise<void> {
  if ((await foreignKeys(redis, saleId)).some(({ name }) => name === 'buyers')) return;
  let cursor = '0';
  do {
    const [next, fields] = await redis.hscan(saleKeys(saleId).buyers, cursor, 'COUNT', PAGE);
    const users = fields.filter((_, i) => i % 2 === 0);
    const waiting = users.flatMap((userId, i) =>
      (parseHeld(fields[2 * i + 1]!) ?? [])
        .filter(
          ({ status, mac, ...purchase }) =>
            status === 'reserved' && signer.isReservation(mac, { saleId, userId, ...purchase }),
        )
        .map(({ ordinal, sku, quantity }) => ({
          saleId,
          reservationId: reservationId(saleId, ordinal),
          userId,
          sku,
          quantity,
          reason: 'lost' as const,
          detail: DETAIL,
        })),
    );
    // An order that is written at this moment is found, and left out, the second time.
    const refused = await ledger.refuseReservations(waiting).catch(() => ledger.refuseReservations(waiting));
    await announceRefused(redis, signer, saleId, refused);
    cursor = next;
  } while (cursor !== '0');
}
