import { parseEvent, type RainEvent } from '../../store/events.ts';
import { EVENTS_CHANNEL, gatewayChannel } from '../../store/keys.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import type { HandlerContext } from '../handlers/context.ts';
import { send } from '../sockets/session.ts';
import { Ticker } from '../broadcast/winnersTicker.ts';
import { tellOrders } from '../sales/orderEvents.ts';
import { retellOrders } from '../sales/retellOrders.ts';
import { showWinners, tellCredits } from './credits.ts';

/** Forwards events of other processes to the sockets of this gateway. @param gateway its name */
export async function subscribeToEvents(
  subscriber: RedisClient,
  context: HandlerContext,
  gateway: string,
): Promise<void> {
  const { hub, limits } = context;
  const ticker = new Ticker({
    hub,
    isOff: () => context.overload.killSwitches.off.ticker,
    send: (session, frame) => send(session, frame, limits),
  });
  subscriber.on('message', (channel: string, frame: string) => {
    const event = parseEvent(frame);
    if (!event) return;
    if (channel === EVENTS_CHANNEL) {
      deliver(event, context, ticker);
      // Claims that name no gateway come whole to all, and no sample of them.
      if (event.type === 'credited') showWinners(event, context, ticker);
    } else if (event.type === 'credited') tellCredits(event, context);
  });
  const subscribe = () => subscriber.subscribe(EVENTS_CHANNEL, gatewayChannel(gateway));
  await subscribe();
  onSubscribedAgain(subscriber, subscribe, () => retellOrders(context));
}

/** Pause before Redis is asked again that has refused a subscription, ms. */
const REFUSED_MS = 1_000;

/**
 * Calls `make` whenever the connection was away and is subscribed again; one call at a time, and once more after the
 * latest return.
 */
function onSubscribedAgain(
  subscriber: RedisClient,
  subscribe: () => Promise<unknown>,
  make: () => Promise<void>,
): void {
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
        // ioredis subscribes by itself; the answer to ours says that it has, or that Redis has refused it.
        await subscribe();
        await make();
        made = seen;
      }
    } catch {
      // When the connection has gone again, its next return calls us.
      if (subscriber.status === 'ready') setTimeout(() => void again(), REFUSED_MS).unref();
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
    case 'credited':
      return tellCredits(event, context);
    case 'sampled':
      return showWinners(event, context, ticker);
    default:
      return event satisfies never;
  }
}
