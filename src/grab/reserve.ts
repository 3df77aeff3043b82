import type { RedisClient } from '../platform/redis/connect.ts';
import { reservationId } from '../sale/ids.ts';
import { holdsUnits } from '../sale/order.ts';
import type { Units } from '../sale/units.ts';
import { saleKeys } from '../store/saleKeys.ts';
import { parseHeld, type HeldReservation } from '../store/sales.ts';
import { run } from '../store/scripts.ts';
import type { Signer } from '../store/signer.ts';

/** One purchase as its buyer asks for it; already checked at the door. */
export interface Purchase {
  userId: string;
  sku: string;
  quantity: Units;
  /** Absent: the buyer may hold one reservation, and gets it again. */
  ref?: string | undefined;
}

const REFUSALS = ['-1', '-2', '-3', '-4', '-7', '-8', '-11', '-12', '-13', '-14', '-15'] as const;

/** The answer for one purchase. "-7": the outcome is unknown; asking again with the same ref is safe and returns it. */
export type ReserveAnswer =
  | ({ code: '0' | '1'; reservationId: string } & Omit<HeldReservation, 'ordinal' | 'ref' | 'mac'>)
  | { code: (typeof REFUSALS)[number] };

export const SALE_BUSY: ReserveAnswer = { code: '-7' };

/** Most buyers get nothing. Their answers are looked up. */
const REFUSED: ReadonlyMap<unknown, ReserveAnswer> = new Map(REFUSALS.map((code) => [code, { code }]));

/** Signs purchases, and tells whether a reservation that Redis has was signed by a gateway. */
export type ReservationSigner = Pick<Signer, 'reservationMac' | 'isReservation'>;

/**
 * A reply of `lua/reserve.lua`: a code, or 0 or 1 and reservations of the buyer, one of which is the answer.
 * @throws when none of them is
 */
function parse(reply: unknown, saleId: string, { userId, ref }: Purchase, signer: ReservationSigner): ReserveAnswer {
  const refused = REFUSED.get(reply);
  if (refused) return refused;
  const [code, held] = typeof reply === 'string' ? [reply[0], parseHeld(reply.slice(1))] : [];
  const asked = held?.filter((one) => one.ref === ref && (ref !== undefined || holdsUnits(one.status))) ?? [];
  if (asked.length === 0) throw new TypeError('lua/reserve.lua answered without the reservation of the buyer');
  // The signature of a new reservation came with this call.
  const mine = asked.find((one) => code === '0' || signer.isReservation(one.mac, { saleId, userId, ...one }));
  if (!mine) return SALE_BUSY;
  const { ordinal, sku, quantity, status, payBy } = mine;
  return {
    code: code === '0' ? '0' : '1',
    reservationId: reservationId(saleId, ordinal),
    sku,
    quantity,
    status,
    payBy,
  };
}

export interface ReserveEngine {
  /**
   * Decides for up to BATCH_USERS_MAX purchases of one sale, in order. Never rejects: if Redis cannot be reached or its
   * answer is no answer, every buyer gets "-7", since the script may or may not have run. So does one whose
   * reservations somebody else has written.
   */
  reserve(saleId: string, purchases: readonly Purchase[]): Promise<ReserveAnswer[]>;
}

/** @param checked the ticket rules that the caller has checked for the purchases of a sale, as text */
export function createReserveEngine(
  redis: RedisClient,
  signer: ReservationSigner,
  onFault: (error: unknown) => void,
  checked: (saleId: string) => string = () => '',
): ReserveEngine {
  /** One buyer's entry that cannot be read must not hold up the others of the batch. */
  function answerOf(reply: unknown, saleId: string, purchase: Purchase): ReserveAnswer {
    try {
      return parse(reply, saleId, purchase, signer);
    } catch (error) {
      onFault(error);
      return SALE_BUSY;
    }
  }
  return {
    async reserve(saleId, purchases) {
      const { state, stock, buyers, reservations, bought } = saleKeys(saleId);
      try {
        const args: (string | number)[] = [];
        for (const { userId, sku, quantity, ref = '' } of purchases)
          args.push(userId, sku, quantity, ref, signer.reservationMac({ saleId, userId, sku, quantity, ref }));
        args.push(checked(saleId));
        const replies = await run(redis, 'reserve', [state, stock, buyers, reservations, bought], args);
        if (!Array.isArray(replies) || replies.length !== purchases.length)
          throw new TypeError('lua/reserve.lua did not answer once per purchase');
        return replies.map((reply, i) => answerOf(reply, saleId, purchases[i]!));
      } catch (error) {
        onFault(error);
        return purchases.map(() => SALE_BUSY);
      }
    },
  };
}
