import { RECENT_WINS_MAX, SECOND_LOOK_MS } from './limits.ts';

interface SecondLookOptions<Told> {
  /** Looks whether Redis has these wins or reservations, and puts back or writes down those that it has not. */
  restore: (told: readonly Told[]) => Promise<void>;
  onFault: (error: unknown) => void;
  ms?: number;
}

interface SecondLook<Told> {
  /** To be called once with each win or reservation that its user is told. */
  add(told: Told): void;
  close(): void;
}

/**
 * Looks a moment later whether Redis still has what users were told. Until the ledger has it only Redis knows a win or
 * a reservation, and who can write there could take it out without a trace: no line is cut, and everything adds up.
 */
export function startSecondLook<Told>({
  restore,
  onFault,
  ms = SECOND_LOOK_MS,
}: SecondLookOptions<Told>): SecondLook<Told> {
  /** Each is checked at the second look after it was told: `older` holds the due ones. */
  let [older, younger]: [Told[], Told[]] = [[], []];
  let underWay = false;
  const timer = setInterval(() => {
    if (underWay) return;
    const due = older;
    [older, younger] = [younger, []];
    if (due.length === 0) return;
    underWay = true;
    void restore(due)
      .catch((error: unknown) => {
        onFault(error);
        // Redis may let us look later.
        younger = [...due, ...younger].slice(0, RECENT_WINS_MAX);
      })
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
