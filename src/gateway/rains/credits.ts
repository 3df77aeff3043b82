import { encode } from '../../protocol/codec.ts';
import { TICKER_WINNERS_MAX } from '../../rain/ticker.ts';
import { epochOf } from '../../platform/telemetry/traces.ts';
import type { Credited, RainEvent } from '../../store/events.ts';
import { isSameSignature, type Signer } from '../../store/signer.ts';
import { winnersFrame, type Ticker } from '../broadcast/winnersTicker.ts';
import type { HandlerContext } from '../handlers/context.ts';
import { frameOf } from '../sockets/frame.ts';
import { send } from '../sockets/session.ts';
import { traceCredited } from '../telemetry/spans.ts';
import { entitled } from './visibility.ts';

type Credits = Pick<Extract<RainEvent, { type: 'credited' }>, 'rainId' | 'claims'>;
type TellingContext = Pick<HandlerContext, 'hub' | 'rainCache' | 'limits' | 'traces'>;

/** Only workers can mark a credit: who can write to Redis could tell users of money that they do not have. */
function isGenuine(
  signer: Pick<Signer, 'creditMarks'>,
  rainId: string,
  { userId, redPacketId, amount, mark }: Credited,
): boolean {
  return signer.creditMarks({ rainId, redPacketId, amount, userId }).some((genuine) => isSameSignature(mark, genuine));
}

/** Tells the users of these credits who are at this gateway. */
export function tellCredits(
  { rainId, claims }: Credits,
  context: TellingContext & Pick<HandlerContext, 'signer' | 'uncredited'>,
): void {
  for (const claim of claims) {
    if (context.hub.of(claim.userId).size === 0 || !isGenuine(context.signer, rainId, claim)) continue;
    context.uncredited.heard(rainId, claim.userId);
    tellCredit(rainId, claim, context);
  }
}

/** Tells a user of a credit, on those sockets that may hear of this rain. */
export function tellCredit(
  rainId: string,
  { userId, redPacketId, amount }: Omit<Credited, 'mark'>,
  { hub, rainCache, limits, traces }: TellingContext,
): void {
  const receivedAt = traces && epochOf(performance.now());
  const sessions = entitled(hub.of(userId), 'rains', rainId, rainCache.reading(rainId)?.terms);
  const frame = frameOf(encode({ type: 'credited', rainId, redPacketId, amount }));
  for (const session of sessions) send(session, frame, limits);
  if (traces && receivedAt !== undefined) traceCredited(traces, rainId, redPacketId, sessions.length, receivedAt);
}

/** Shows some of these winners to those who watch the rain. */
export function showWinners(
  { rainId, claims }: Credits,
  { signer, winnerNames }: Pick<HandlerContext, 'signer' | 'winnerNames'>,
  ticker: Ticker,
): void {
  const shown = claims.slice(0, TICKER_WINNERS_MAX).filter((claim) => isGenuine(signer, rainId, claim));
  if (shown.length > 0) ticker.show(rainId, winnersFrame(rainId, shown, winnerNames));
}
