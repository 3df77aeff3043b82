import { claimIdOf, packetPartOf, type ClaimIdForm } from '../../credit/claimId.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import type { Claim } from '../../rain/claim.ts';
import { formatMoney } from '../../rain/money.ts';
import type { Booked } from '../audit/booked.ts';
import type { OperatorContext } from '../context.ts';
import { differencesOf } from '../reconcile/compare.ts';
import { newTotals, type Difference as Unreconciled } from '../reconcile/difference.ts';
import type { StatementRow } from '../reconcile/statement.ts';
import type { Difference } from './difference.ts';
import { payeeOf } from './payments.ts';
import { judgeWin, type TakenPackets } from './toldWins.ts';

interface Compared {
  rain: BookedRain;
  allocation: BigInt64Array;
  booked: Booked;
  /** Claims that Redis has, in the log or by user. */
  claims: readonly Claim[];
  taken: TakenPackets;
}

/** Older ids name the packet only; without a payout provider the ledger has lost that a wallet pays. */
const formOf = ({ payoutProvider }: BookedRain): ClaimIdForm =>
  payoutProvider === undefined || payoutProvider === 'ledger' ? 'webhook_v2' : payoutProvider;

/** Why no wallet was asked to pay this rain; `undefined`: one may have been. */
export function paidElsewhere({ terms, payoutProvider }: BookedRain): string | undefined {
  if (terms.rehearsal) return 'the rain is a rehearsal, and no wallet was asked to pay it';
  return payoutProvider === 'ledger' ? 'the rain is paid in our own ledger' : undefined;
}

/**
 * Compares the wallet's payments for a rain with both stores: what it paid and the ledger has not credited, and what
 * the ledger has credited and it has not paid.
 */
export async function comparePayments(
  { ledger }: Pick<OperatorContext, 'ledger'>,
  compared: Compared,
  rows: readonly StatementRow[],
  add: (difference: Difference) => void,
): Promise<void> {
  const { rain, taken } = compared;
  const lineOf = new Map(rows.map((row) => [row.line, row]));
  // Payments that are imported take packet and user from those that follow.
  const granted = { userOf: new Map(taken.userOf), packetOf: new Map(taken.packetOf) };
  const notOurs = paidElsewhere(rain);
  if (notOurs !== undefined) {
    for (const row of rows) add(differenceOf('paid_contested', row, notOurs));
    return;
  }
  for await (const difference of differencesOf(
    ledger,
    { rainId: rain.id, idForm: formOf(rain) },
    inOrder(rows),
    newTotals(),
  )) {
    const row = difference.line === undefined ? undefined : lineOf.get(difference.line);
    add(row ? judgePayment(compared, granted, row, difference) : notPaid(difference));
  }
}

/** The payments of a rain that the ledger does not know. */
export function lostRainPayments(rows: readonly StatementRow[], add: (difference: Difference) => void): void {
  for (const row of rows) add(differenceOf('paid_of_lost_rain', row, 'the ledger does not know the rain'));
}

function judgePayment(
  { rain, allocation, booked, claims }: Compared,
  granted: Record<keyof TakenPackets, Map<string, string>>,
  row: StatementRow,
  { result, detail }: Unreconciled,
): Difference {
  const redPacketId = packetPartOf(row.id);
  if (result !== 'wallet_only' || booked.credits.has(redPacketId)) return differenceOf('paid_differs', row, detail);
  const amount = formatMoney(row.amountCents);
  const form = formOf(rain);
  const claim = claims.find(
    (known) =>
      known.redPacketId === redPacketId &&
      claimIdOf(form, known) === row.id &&
      (row.userId ?? known.userId) === known.userId,
  );
  if (claim)
    return claim.amount === amount
      ? differenceOf('paid_not_in_book', row, 'the ledger has not credited it: its claim is in Redis')
      : differenceOf('paid_differs', row, `the claim is of ${claim.amount}`);
  const userId = payeeOf(row);
  if (userId === undefined) return differenceOf('paid_unverified', row, 'the statement does not name the user');
  const { verdict, why } = judgeWin(rain, allocation, granted, { redPacketId, userId, amount });
  if (verdict === 'known')
    return differenceOf('paid_differs', row, 'the win was paid before, or its claim has another amount');
  if (verdict !== 'payable') return differenceOf(`paid_${verdict}`, row, why);
  granted.userOf.set(redPacketId, userId);
  granted.packetOf.set(userId, redPacketId);
  return differenceOf('paid', row, 'neither store has it');
}

function differenceOf(kind: Extract<Difference['kind'], `paid${string}`>, row: StatementRow, why: string): Difference {
  const [amount, userId] = [formatMoney(row.amountCents), payeeOf(row)];
  return {
    kind,
    redPacketId: packetPartOf(row.id),
    ...(userId !== undefined && { userId }),
    amount,
    sentence: `the wallet paid ${row.id} with ${amount} (line ${row.line}), and ${why}`,
  };
}

function notPaid({ redPacketId, userId, booked, id }: Unreconciled): Difference {
  return {
    kind: 'credit_not_paid',
    redPacketId,
    ...(userId !== undefined && { userId }),
    ...(booked !== undefined && { amount: booked }),
    sentence: `${redPacketId} is credited to ${userId} with ${booked}, and the statement does not have ${id}`,
  };
}

async function* inOrder(rows: readonly StatementRow[]): AsyncGenerator<StatementRow, void> {
  yield* rows;
}
