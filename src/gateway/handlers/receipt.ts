import { restoreSentWins, type SentWin } from '../../grab/restore.ts';
import { recordTold } from '../../store/told.ts';
import { shardOf } from '../../store/keys.ts';
import { encode } from '../../protocol/codec.ts';
import type { ReceiptMessage, ReceiptStatus } from '../../protocol/messages.ts';
import type { LimitName } from '../telemetry/counters.ts';
import type { HandlerContext } from './context.ts';
import { send, sendProtocolError, type Session } from '../sockets/session.ts';

/**
 * A user shows the receipt of a win that his join did not report. Redis may have lost the win since, and the gateway
 * that told it may be gone: then it is put back, or written down for the operator. A false receipt counts as a protocol
 * error, which limits guesses.
 */
export function receipt(context: HandlerContext, session: Session, message: ReceiptMessage): void {
  const { rainId, redPacketId, amount } = message;
  const { userId } = session;
  const { limits, pendingReceipts } = context;
  if (!context.signer.isReceipt(message.receipt, { rainId, redPacketId, amount, userId })) {
    return sendProtocolError(session, statusFrame(message, 'not_genuine'), limits);
  }
  // It costs Redis as much as a join.
  if (context.overload.killSwitches.off.joins) return answer(context, session, message, 'busy', 'switch_joins');
  if (session.receipts >= limits.receiptsPerSocketMax || pendingReceipts.count >= limits.receiptsPendingMax)
    return answer(context, session, message, 'busy', 'receipts');
  session.receipts++;
  pendingReceipts.count++;
  void find(context, userId, message)
    .catch((error: unknown) => {
      context.onFault(error);
      // The client shows it again: a long outage must not use up what the socket may show.
      session.receipts--;
      return 'busy' as const;
    })
    .then((status) => {
      pendingReceipts.count--;
      answer(context, session, message, status);
    });
}

/** The outcome of a genuine receipt's win. */
type Found = Exclude<ReceiptStatus, 'not_genuine'>;

/** @throws when Redis cannot be reached */
async function find(
  { rainCache, redis, signer, gatewayDurability }: HandlerContext,
  userId: string,
  { rainId, redPacketId, amount }: ReceiptMessage,
): Promise<Found> {
  await rainCache.find(rainId);
  const shards = rainCache.reading(rainId)?.shards;
  const win: SentWin = {
    rainId,
    shard: shards === undefined ? 0 : shardOf(userId, shards),
    userId,
    redPacketId,
    amount,
    at: rainCache.now(),
  };
  if (shards !== undefined) {
    // Not of a rain that is gone, such as one that was settled long ago: after each reconnect it would be reported as
    // lost.
    gatewayDurability.remember(rainId, win.shard, userId, { code: '1', redPacketId, amount });
    const [restored] = await restoreSentWins(redis, signer, [win]);
    if (!restored) return 'known';
    if (!restored.lost) return 'restored';
  }
  await recordTold(redis, signer, rainId, [win]);
  return 'recorded';
}

function answer(
  { limits, counters }: HandlerContext,
  session: Session,
  message: ReceiptMessage,
  status: Found,
  refusedBy?: LimitName,
): void {
  if (refusedBy) counters.refused[refusedBy]++;
  counters.receipts[status]++;
  send(session, statusFrame(message, status), limits);
}

function statusFrame({ rainId, redPacketId }: ReceiptMessage, status: ReceiptStatus): string {
  return encode({ type: 'receipt_status', rainId, redPacketId, status });
}
