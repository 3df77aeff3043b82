import { parseEvent, type Credited, type RainEvent } from '../../store/events.ts';
import { EVENTS_CHANNEL } from '../../store/keys.ts';
import { isSameSignature } from '../../store/signer.ts';
import { TICKER_WINNERS_MAX } from '../../protocol/constants.ts';
import { encode } from '../../protocol/codec.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { epochOf } from '../../platform/telemetry/traces.ts';
import type { HandlerContext } from '../handlers/context.ts';
import { frameOf } from '../sockets/frame.ts';
import { send } from '../sockets/session.ts';
import { Ticker, winnersFrame } from '../broadcast/winnersTicker.ts';
import { tellOrders } from '../sales/orderEvents.ts';
import { retellOrders } from '../sales/retellOrders.ts';
import { traceCredited } from '../telemetry/spans.ts';
import { entitled } from './visibility.ts';

/** Forwards events of other processes to the sockets of this gateway. */
export async function subscribeToEvents(subscriber: RedisClient, context: HandlerContext): Promise<void> {
  const { hub, limits } = context;
  const ticker = new Ticker({ hub, isOff: () => context.overload.killSwitches.off.ticker, send: (session, frame) => send(session, frame, limits) });
  subscriber.on('message', (channel: string, frame: string) => {
    const event = channel === EVENTS_CHANNEL ? parseEvent(frame) : undefined;
    if (event) deliver(event, context, ticker);
  });
  await subscriber.subscribe(EVENTS_CHANNEL);
  onSubscribedAgain(subscriber, () => retellOrders(context));
}

/** Calls `make` whenever the connection was away and is subscribed again; one call at a time, and once more after the latest return. */
function onSubscribedAgain(subscriber: RedisClient, make: () => Promise<void>): void {
  let returns = 0;
  let made = 0;
  let making = false;
  const again = async () => {
    returns++;
    if (making) return;
    making = true;
    try {
      while (made < returns) {
        const seen = returns;
        // ioredis subscribes by itself; the answer to ours says that it has.
        await subscriber.subscribe(EVENTS_CHANNEL);
        await make();
        made = seen;
      }
    } catch {
      // The connection has gone again, and its next return calls us.
    } finally {
      making = false;
    }
  };
  // A Cluster chooses another node to listen to.
  for (const event of ['ready', '+subscriber']) subscriber.on(event, () => void again());
}

function deliver(event: RainEvent, context: HandlerContext, ticker: Ticker): void {
  switch (event.type) {
    case 'changed':
      context.localAnswers.forget(event.rainId);
      return void context.rainCache.refresh(event.rainId);
    case 'blocks':
      return void context.blocklist.refresh();
    case 'sale_changed':
      context.sales.localAnswers.forget(event.saleId);
      return void context.sales.cache.refresh(event.saleId);
    case 'orders':
      return void tellOrders(event, context);
    case 'switches':
      return void context.overload.killSwitches.refresh();
    case 'credited': {
      const receivedAt = context.traces && epochOf(performance.now());
      const isGenuine = ({ userId, redPacketId, amount, mark }: Credited) => context.signer.creditMarks({ rainId: event.rainId, redPacketId, amount, userId }).some((genuine) => isSameSignature(mark, genuine));
      for (const claim of event.claims) {
        const { userId, redPacketId, amount } = claim;
        const ofUser = context.hub.of(userId);
        if (ofUser.size === 0 || !isGenuine(claim)) continue;
        const sessions = entitled(ofUser, 'rains', event.rainId, context.rainCache.reading(event.rainId)?.terms);
        const frame = frameOf(encode({ type: 'credited', rainId: event.rainId, redPacketId, amount }));
        for (const session of sessions) send(session, frame, context.limits);
        if (context.traces && receivedAt !== undefined) traceCredited(context.traces, event.rainId, redPacketId, sessions.length, receivedAt);
      }
      const shown = event.claims.slice(0, TICKER_WINNERS_MAX).filter(isGenuine);
      if (shown.length > 0) ticker.show(event.rainId, winnersFrame(event.rainId, shown));
      return undefined;
    }
    default:
      return event satisfies never;
  }
}
