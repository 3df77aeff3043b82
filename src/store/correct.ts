import { z } from 'zod';
import { STATUS_LETTERS } from '../sale/order.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { saleKeys } from './saleKeys.ts';
import type { HeldReservation } from './sales.ts';
import { run } from './scripts.ts';

/** The status that a buyer is told of a reservation. */
type ToldStatus = Pick<HeldReservation, 'status' | 'payBy'>;

/** A status of a reservation in Redis, and the right one. */
export interface Correction {
  userId: string;
  ordinal: number;
  found: ToldStatus;
  right: ToldStatus;
}

/** Corrections per call of correct.lua. */
const CORRECT_MAX = 128;
const reply = z.array(z.literal([0, 1]));
const textOf = ({ status, payBy }: ToldStatus) => `${STATUS_LETTERS[status]}:${payBy}`;

/**
 * Puts back what buyers are told of their reservations. Safe to repeat.
 * @returns the reservations that were changed; the others have another status by now
 */
export async function correct(
  redis: RedisClient,
  saleId: string,
  corrections: readonly Correction[],
): Promise<Correction[]> {
  const changed: Correction[] = [];
  for (let at = 0; at < corrections.length; at += CORRECT_MAX) {
    const part = corrections.slice(at, at + CORRECT_MAX);
    const answers = reply.parse(
      await run(
        redis,
        'correct',
        [saleKeys(saleId).buyers],
        part.flatMap(({ userId, ordinal, found, right }) => [userId, ordinal, textOf(found), textOf(right)]),
      ),
    );
    changed.push(...part.filter((_, i) => answers[i] === 1));
  }
  return changed;
}
