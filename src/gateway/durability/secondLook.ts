import type { SentReservation } from '../../grab/restoreReservations.ts';
import { RECENT_WINS_MAX, SECOND_LOOK_MS } from './limits.ts';

interface SecondLookOptions {
  /** Looks whether Redis has these reservations, and puts back or writes down those that it has not. */
  restore: (told: readonly SentReservation[]) => Promise<void>;
  onFault: (error: unknown) => void;
  ms?: number;
}

interface SecondLook {
  /** To be called once with each reservation that a buyer is told. */
  add(told: SentReservation): void;
  close(): void;
}

/**
 * Looks a moment later whether Redis still has what buyers were told. Until its order is written only Redis knows a
 * reservation, and who can write there could take it out without a trace: no line is cut, and the units add up.
 */
export function startSecondLook({ restore, onFault, ms = SECOND_LOOK_MS }: SecondLookOptions): SecondLook {
  /** A reservation is checked at the second look after it was told: `older` holds the due ones. */
  let [older, younger]: [SentReservation[], SentReservation[]] = [[], []];
  let underWay = false;
  const timer = setInterval(() => {
    if (underWay) return;
    const due = older;
    [older, younger] = [younger, []];
    if (due.length === 0) return;
    underWay = true;
    void restore(due)
      .catch(onFault)
      .finally(() => {
        underWay = false;
      });
  }, ms).unref();
  return {
    add(told) {
      if (younger.length < RECENT_WINS_MAX) younger.push(told);
    },
    close: () => clearInterval(timer),
  };
}
