import { deadLetterId, type LogEntry } from '../../credit/deadLetter.ts';
import { areDeadLettered, readDeadLetters } from '../../credit/deadLetters.ts';
import { parseClaim, type Claim } from '../../rain/claim.ts';
import { iso } from '../../rain/figures.ts';
import type { QueueContext } from '../context.ts';
import type { Listed } from '../withParticipants.ts';

/** `pending`: won and on its way · `dead`: dead-lettered · `discarded`: the operator has discarded it. */
type WinnerStatus = 'credited' | 'pending' | 'dead' | 'discarded';

export interface Winner {
  redPacketId: string;
  userId: string;
  /** A decimal string. */
  amount: string;
  /** When it was won, or if that is unknown, when it was posted; ISO 8601. */
  at: string;
  status: WinnerStatus;
  participant?: Listed;
}

/** An entry of the claim log, and the claim in it. */
export interface Logged extends LogEntry {
  claim: Claim;
}

/** The status of these claims of one rain, in order. The ledger decides first, then the dead letters. */
export async function statusesOf(context: QueueContext, logged: readonly Logged[]): Promise<Winner[]> {
  const booked = new Map(
    (await context.ledger.postings(logged.map(({ claim }) => claim.redPacketId))).map(({ redPacketId, userId }) => [
      redPacketId,
      userId,
    ]),
  );
  const isCredited = ({ claim }: Logged): boolean => booked.get(claim.redPacketId) === claim.userId;
  const open = logged.filter((one) => !isCredited(one));
  const [discards, deadLettered] = await Promise.all([
    context.ledger.discardedClaims(open.map(deadLetterId)),
    areDeadLettered(context.queues.dead, open),
  ]);
  const dead = new Set(open.filter((_, i) => deadLettered[i]));
  return logged.map((one) =>
    toWinner(
      one.claim,
      isCredited(one) ? 'credited' : discards.has(deadLetterId(one)) ? 'discarded' : dead.has(one) ? 'dead' : 'pending',
    ),
  );
}

/** Dead letters read for one claim [R10]. */
const DEAD_LETTERS_MAX = 1_000;

/** The status of one claim whose position in the log is unknown and not worth a search. */
export async function statusOf(context: QueueContext, claim: Claim): Promise<Winner> {
  const [posting] = await context.ledger.postings([claim.redPacketId]);
  if (posting?.userId === claim.userId) return toWinner(claim, 'credited');
  if (posting && posting.userId === undefined) return toWinner(claim, 'discarded');
  return toWinner(claim, (await isDead(context, claim)) ? 'dead' : 'pending');
}

async function isDead({ queues }: QueueContext, { rainId, redPacketId, userId }: Claim): Promise<boolean> {
  const { letters } = await readDeadLetters(queues.dead, { rainId, limit: DEAD_LETTERS_MAX });
  // Compared after parsing, since one id can be written in several ways: cjson escapes slashes, and we do not.
  return letters.some(({ entry }) => {
    const parsed = parseClaim(entry);
    return parsed.ok && parsed.claim.redPacketId === redPacketId && parsed.claim.userId === userId;
  });
}

function toWinner({ redPacketId, userId, amount, at }: Claim, status: WinnerStatus): Winner {
  return { redPacketId, userId, amount, at: iso(Number(at)), status };
}
