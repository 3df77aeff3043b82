import { createSemaphore } from '../../platform/concurrency/semaphore.ts';

/** Payments under way at a time: the stand-in of a shop is one small server. */
const PAYMENTS_MAX = 64;
const ANSWER_MS_MAX = 10_000;

/** The shop's answer. `failed`: it did not answer; `too_late`: it was not asked. */
type Paid = 'accepted' | `refused_${number}` | 'failed' | 'too_late';

/** Tells the shop, or its stand-in, that the buyer has paid. */
export class Payments {
  readonly url: string;
  readonly #inTurn = createSemaphore(PAYMENTS_MAX);
  readonly #signal: AbortSignal;

  constructor(url: string, signal: AbortSignal) {
    this.url = url;
    this.#signal = signal;
  }

  /** @param isInTime asked when the payment's turn comes */
  pay(reservationId: string, isInTime: () => boolean): Promise<Paid> {
    return this.#inTurn(async () => {
      if (!isInTime()) return 'too_late';
      try {
        const response = await fetch(this.url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ reservationId }),
          signal: AbortSignal.any([this.#signal, AbortSignal.timeout(ANSWER_MS_MAX)]),
        });
        // The connection is used again only when the body was read.
        await response.arrayBuffer();
        return response.ok ? 'accepted' : (`refused_${response.status}` as const);
      } catch {
        return 'failed';
      }
    });
  }
}
