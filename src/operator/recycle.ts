import { findRain } from '../store/rains.ts';
import { formatMoney } from '../rain/money.ts';
import { SETTLE_AFTER_RECONNECT_MS } from '../platform/redis/reconnectTimer.ts';
import { bookOf, refuse, type OperatorContext, type Refused } from './context.ts';
import { wasLoaded } from './lostRains.ts';
import { goneReason, unknownReason } from './restore/presence.ts';
import { settleDryRun, settleRain, type AfterReconnect, type Replicated } from './settle.ts';

type Recycled =
  | {
      ok: true;
      state: 'settled';
      /** Money that went back, discarded claims included; a decimal string. */ amount: string;
    }
  | Refused;

/** `replicated`: checked before money moves; `dryRun`: only say what would go back, or why it cannot. */
type RecycleOptions = AfterReconnect & { replicated?: Replicated | undefined; dryRun?: boolean | undefined };

/** Settles a rain that is over, as the workers do by themselves, or says what has to happen first. Safe to repeat. */
export async function recycleRain(
  context: OperatorContext,
  rainId: string,
  {
    replicated,
    sinceReconnect = () => Infinity,
    settleAfterReconnectMs = SETTLE_AFTER_RECONNECT_MS,
    dryRun = false,
  }: RecycleOptions = {},
): Promise<Recycled> {
  const rain = await context.ledger.rain(rainId);
  if (!rain) return refuse('id', await unknownReason(context, rainId));
  if (rain.settledAt === undefined && sinceReconnect() < settleAfterReconnectMs) {
    return refuse(
      'state',
      `Redis was unreachable a moment ago, and wins that it lost are being restored; try again in ${Math.ceil(settleAfterReconnectMs / 1_000)} seconds`,
    );
  }
  const live = await findRain(context.redis, rainId);
  if (!live && rain.settledAt === undefined)
    return refuse(
      'id',
      (await wasLoaded(context, rainId))
        ? await goneReason(context.redis, rain)
        : `the rain ${rainId} was never loaded; load it, or wait: its money goes back when its time is over`,
    );
  const settling = !live
    ? { outcome: 'settled' as const }
    : dryRun
      ? await settleDryRun(context, rain, live)
      : await settleRain(context, rainId, live, undefined, replicated);
  switch (settling.outcome) {
    case 'foreseen':
      return { ok: true, state: 'settled', amount: formatMoney(settling.backCents) };
    case 'settled': {
      const { recycledCents, discarded } = await bookOf(context, rainId);
      return { ok: true, state: 'settled', amount: formatMoney(recycledCents + discarded.cents) };
    }
    case 'not_due':
      return refuse(
        'state',
        `the rain ${rainId} is open until ${new Date(rain.closesAt).toISOString()}; end it first with close`,
      );
    case 'lost':
      return refuse('id', settling.reason);
    case 'waiting':
      return refuse(
        'state',
        settling.pending > 0
          ? `won and not yet credited: ${settling.pending}; wait for the workers, or handle the dead letters`
          : 'the replicas have not confirmed its end yet, or wins were restored just now; try again',
      );
    case 'does_not_add_up':
      return { ok: false, refusals: settling.problems.map((reason) => ({ field: 'audit', reason })) };
    default:
      return settling satisfies never;
  }
}
