import { randomSource } from '../../rain/fairness.ts';

/**
 * Behaviour of a user: a good client; a connection that breaks again and again; a reader that stops reading; a cheater.
 */
export type Behaviour = 'good' | 'flaky' | 'slow' | 'cheater';

/** Shares of all users, each from 0 to 1, together at most 1. */
export interface Shares {
  flaky: number;
  slow: number;
  cheaters: number;
}

/** The behaviour of each user, drawn from the seed; the numbers are exact. @throws RangeError for invalid shares */
export function behavioursOf({ flaky, slow, cheaters }: Shares, users: number, seed: string): Behaviour[] {
  for (const share of [flaky, slow, cheaters])
    if (!(share >= 0 && share <= 1)) throw new RangeError(`expected shares from 0 to 1, got ${share}`);
  if (flaky + slow + cheaters > 1)
    throw new RangeError(`expected shares with a sum of at most 1, got ${flaky + slow + cheaters}`);
  const behaviours: Behaviour[] = (['flaky', 'slow', 'cheater'] as const).flatMap((behaviour, i) =>
    Array.from({ length: Math.floor(users * [flaky, slow, cheaters][i]!) }, () => behaviour),
  );
  while (behaviours.length < users) behaviours.push('good');
  const random = randomSource(seed, 'habits');
  for (let last = users - 1; last > 0; last--) {
    const other = random.belowNumber(last + 1);
    [behaviours[last], behaviours[other]] = [behaviours[other]!, behaviours[last]!];
  }
  return behaviours;
}
