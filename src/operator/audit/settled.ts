import { readDeadLetters } from '../../credit/deadLetters.ts';
import type { OperatorContext } from '../context.ts';

/** A rain that has to be audited although nobody asks for settled rains. `unknown`: the ledger does not have it. */
interface Suspect {
  rainId: string;
  title: string;
  unknown?: true;
}

/** Dead letters read for this [R10]; a rain that has none among them is found with its own audit. */
const LETTERS_MAX = 10_000;

/**
 * Settled rains whose transfers or account do not come to zero, and those with dead letters: two cheap looks instead of
 * their audits.
 */
export async function findSuspects(context: OperatorContext, limit: number): Promise<Suspect[]> {
  const suspects = new Map<string, Suspect>();
  for (const { id, title } of await context.ledger.settledFaults(limit)) suspects.set(id, { rainId: id, title });
  const letters = context.queues ? (await readDeadLetters(context.queues.dead, { limit: LETTERS_MAX })).letters : [];
  for (const rainId of new Set(letters.map((letter) => letter.rainId))) {
    if (suspects.size >= limit) break;
    const rain = await context.ledger.rain(rainId);
    if (!rain) suspects.set(rainId, { rainId, title: '', unknown: true });
    else if (rain.settledAt !== undefined) suspects.set(rainId, { rainId, title: rain.title });
  }
  return [...suspects.values()];
}
