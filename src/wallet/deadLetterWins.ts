import type { DeadLetterPage } from '../credit/deadLetters.ts';
import { parseClaim, type Claim } from '../rain/claim.ts';

/** Letters that are read for one look, and how long it serves everybody, ms [R10]. */
const DEAD_LETTERS_MAX = 5_000;
const LOOK_MS = 500;

/** Whether a claim waits with the dead letters for the operator; `unknown`: there are more than were read. */
export type DeadWins = (claim: Claim) => Promise<boolean | 'unknown'>;

/**
 * A dead claim is the operator's: while he makes sure that a wallet has not paid it, nobody may ask that wallet once more.
 * Rejects when the letters cannot be read; then nobody knows.
 */
export function createDeadWins(readDeadLetters: (limit: number) => Promise<DeadLetterPage>): DeadWins {
  let look: Promise<{ names: Set<string>; complete: boolean }> | undefined;

  async function read(): Promise<{ names: Set<string>; complete: boolean }> {
    const { letters, complete } = await readDeadLetters(DEAD_LETTERS_MAX);
    const claims = letters.map(({ entry }) => parseClaim(entry));
    return { names: new Set(claims.flatMap((parsed) => (parsed.ok ? [nameOf(parsed.claim)] : []))), complete };
  }

  return async (claim) => {
    if (!look) {
      const forget = () => { look = undefined; };
      look = read();
      look.then(() => setTimeout(forget, LOOK_MS).unref(), forget);
    }
    const { names, complete } = await look;
    return names.has(nameOf(claim)) || (complete ? false : 'unknown');
  };
}

function nameOf({ rainId, redPacketId, userId }: Claim): string {
  return JSON.stringify([rainId, redPacketId, userId]);
}
