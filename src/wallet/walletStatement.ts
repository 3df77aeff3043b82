import type { Ledger } from '../ledger/ledger.ts';
import type { StatementCursor } from '../ledger/walletStatement.ts';
import { formatMoney, parseMoney } from '../rain/money.ts';
import type { WinsStatus, WalletService } from './walletService.ts';

/**
 * One red packet in a user's statement. Amounts are decimal strings, `at` is ISO: when it was credited or, before that,
 * won.
 */
interface StatementEntry extends Record<'rainId' | 'title' | 'redPacketId' | 'amount' | 'at', string> {
  status: WinsStatus;
}

/** `wallet`: credited money of all rains; `pending`: money on its way. */
export interface WalletStatement extends Record<'userId' | 'wallet' | 'pending', string> {
  /** First the wins that are not credited yet, on the first page only; then the credits, newest first. */
  packets: StatementEntry[];
  /** False: some recent wins may be missing or still show as pending; `note` says why. */
  settled: boolean;
  note?: string;
  /** Cursor of the next page. */
  next?: string;
}

const NOTE = 'What you have won lately may not be shown yet. It is safe and on its way; ask again in a moment.';

/**
 * A user's statement, after the user's wins are settled as far as possible in time. Rejects when the ledger cannot be
 * read.
 * @param after the last packet of the previous page; then nothing is settled again
 */
export async function openWalletStatement(
  { walletService, ledger }: { walletService: WalletService; ledger: Pick<Ledger, 'walletStatement'> },
  userId: string,
  after: StatementCursor | undefined,
  limit: number,
): Promise<WalletStatement> {
  const { wins, settled } = after ? { wins: [], settled: true } : await walletService.settle(userId);
  // One more than is shown, to know whether there is a next page.
  const { balanceCents, packets: credits } = await ledger.walletStatement(userId, after, limit + 1);
  const shown = credits.slice(0, limit);
  // The credit worker may have credited a win between the two reads.
  const known = new Set(credits.map(({ redPacketId }) => redPacketId));
  const open = wins.filter(({ claim, status }) => status !== 'credited' && !known.has(claim.redPacketId));
  const pendingCents = open.reduce(
    (sum, { claim, status }) => sum + (status === 'pending' ? parseMoney(claim.amount)! : 0n),
    0n,
  );
  const last = shown.at(-1);
  return {
    userId,
    wallet: formatMoney(balanceCents),
    pending: formatMoney(pendingCents),
    packets: [
      ...open
        .sort((a, b) => Number(b.claim.at) - Number(a.claim.at))
        .map(({ claim: { rainId, redPacketId, amount, at }, title, status }) => ({
          rainId,
          title,
          redPacketId,
          amount,
          at: new Date(Number(at)).toISOString(),
          status,
        })),
      ...shown.map(({ rainId, title, redPacketId, amountCents, postedAt }) => ({
        rainId,
        title,
        redPacketId,
        amount: formatMoney(amountCents),
        at: new Date(postedAt).toISOString(),
        status: 'credited' as const,
      })),
    ],
    settled,
    ...(!settled && { note: NOTE }),
    ...(last && credits.length > limit && { next: placeText(last) }),
  };
}

/** A cursor as URL text. */
export function placeText({ postedAt, redPacketId }: StatementCursor): string {
  return Buffer.from(`${postedAt} ${redPacketId}`).toString('base64url');
}

/** The cursor in a URL text; `undefined`: not one of ours. */
export function readPlace(text: string): StatementCursor | undefined {
  const [, postedAt, redPacketId] =
    /^(\d{1,15}) ([^\p{Cc}\p{Cs}]{1,128})$/u.exec(Buffer.from(text, 'base64url').toString('utf8')) ?? [];
  return postedAt !== undefined && redPacketId !== undefined ? { postedAt: Number(postedAt), redPacketId } : undefined;
}
