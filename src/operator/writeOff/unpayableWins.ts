import { deadLetterId, type LogEntry } from '../../credit/deadLetter.ts';
import { parseClaim, type Claim } from '../../rain/claim.ts';
import { shardKeys } from '../../store/keys.ts';
import { readTold, type LostWin } from '../../store/told.ts';
import { logPages } from '../audit/claimLog.ts';
import type { OperatorContext } from '../context.ts';
import type { JudgedWin } from '../restore/toldWins.ts';

/** A win that a user was told, and that the ledger can never pay: it knows no budget and no plan for it. */
export interface UnpayableWin extends LostWin {
  verdict: 'unpayable' | Extract<JudgedWin['verdict'], 'contested' | 'unverified'>;
  why: string;
  /** Its entry in the claim log, if it has one. */
  place?: LogEntry;
}

/** The discard of such a win has this in place of the reason of a dead letter. */
const WRITTEN_OFF = 'written_off';
const CONTESTED = 'another user was told the same packet before';

/**
 * The wins of a rain as Redis has them, the oldest first: of the claim log, of the claims by user, and those that were
 * written down.
 * @param isMeant whether a win is one of those that are given up
 */
export async function readUnpayableWins(
  { redis, signer }: OperatorContext,
  rainId: string,
  shards: number,
  isMeant: (win: Pick<Claim, 'redPacketId'>) => boolean = () => true,
): Promise<UnpayableWin[]> {
  const wins = new Map<string, UnpayableWin>();
  const users = new Map<string, string>();
  const add = (win: LostWin & { mac?: string | undefined }, genuine: boolean, place?: LogEntry): void => {
    const { redPacketId, userId, amount, at } = win;
    const name = `${redPacketId}\n${userId}\n${amount}`;
    if (wins.has(name) || !isMeant(win)) return;
    const isContested = genuine && (users.get(redPacketId) ?? userId) !== userId;
    if (genuine && !isContested) users.set(redPacketId, userId);
    const [verdict, why] = !genuine
      ? (['unverified', 'no packet of ours: somebody else has written it'] as const)
      : isContested
        ? (['contested', CONTESTED] as const)
        : (['unpayable', 'the ledger has neither its seed nor its money'] as const);
    wins.set(name, { redPacketId, userId, amount, at, verdict, why, ...(place && { place }) });
  };
  const addEntry = (entry: string, place?: LogEntry): void => {
    const parsed = parseClaim(entry);
    if (!parsed.ok || parsed.claim.rainId !== rainId) return;
    const { redPacketId, userId, amount, at, mac = '' } = parsed.claim;
    add({ redPacketId, userId, amount, at: Number(at) }, signer.isGenuine(rainId, { redPacketId, amount, mac }), place);
  };
  for (let shard = 0; shard < shards; shard++) {
    for await (const page of logPages(redis, rainId, shard)) for (const place of page) addEntry(place.entry, place);
    for (let cursor = '0', first = true; first || cursor !== '0'; first = false) {
      const [next, fields] = await redis.hscan(shardKeys(rainId, shard).claimed, cursor, 'COUNT', 1_000);
      cursor = next;
      for (let i = 1; i < fields.length; i += 2) addEntry(fields[i]!);
    }
  }
  for (const win of await readTold(redis, signer, rainId, shards)) add(win, true);
  return [...wins.values()];
}

/** Explains these claims, so that they are neither tried again nor dead letters; no money moves. Safe to repeat. */
export async function discardWins(
  { ledger, actor, queues }: OperatorContext,
  wins: readonly UnpayableWin[],
  reason: string,
): Promise<void> {
  for (const { place } of wins) {
    if (!place) continue;
    const letterId = deadLetterId(place);
    await ledger.discard({
      letterId,
      rainId: place.rainId,
      entry: place.entry,
      deadReason: WRITTEN_OFF,
      reason,
      actor,
    });
    await queues?.dead.remove(letterId);
  }
}

/** The wins of a rain that were given up, as the ledger has them on record. */
export async function* writtenOffWins(
  { ledger }: Pick<OperatorContext, 'ledger'>,
  rainId: string,
): AsyncGenerator<Claim> {
  for (
    let page = await ledger.discards(rainId);
    page.length > 0;
    page = await ledger.discards(rainId, page.at(-1)!.letterId)
  ) {
    for (const { deadReason, entry } of page) {
      const parsed = deadReason === WRITTEN_OFF ? parseClaim(entry) : undefined;
      if (parsed?.ok) yield parsed.claim;
    }
  }
}
