import { parseEvent, type RainEvent } from '../grab/events.ts';
import { EVENTS_CHANNEL } from '../grab/keys.ts';
import { encode } from '../protocol/codec.ts';
import { mask } from '../rain/mask.ts';
import type { RedisClient } from '../runtime/redis.ts';
import { epochOf } from '../runtime/traces.ts';
import type { Door } from './door.ts';
import { frameOf } from './frame.ts';
import { send } from './session.ts';
import { Ticker } from './ticker.ts';
import { tellTold } from './trail.ts';

/** Winners in one sample of the ticker. */
const TICKER_SIZE = 5;

/** Carries what other processes publish to the sockets of this one. */
export async function followNews(subscriber: RedisClient, door: Door): Promise<void> {
  const { audience, limits } = door;
  const ticker = new Ticker({
    watching: (rainId) => audience.watching(rainId),
    restMs: () => audience.restMs,
    toldAt: () => audience.toldAt,
    busy: () => audience.telling || door.relief.switchboard.off.ticker,
    show: (frames) => audience.some(frames.keys(), (session) => send(session, frames.get(session)!, limits)),
  });
  subscriber.on('message', (channel: string, frame: string) => {
    const event = channel === EVENTS_CHANNEL ? parseEvent(frame) : undefined;
    if (event) deliver(event, door, ticker);
  });
  await subscriber.subscribe(EVENTS_CHANNEL);
}

function deliver(event: RainEvent, door: Door, ticker: Ticker): void {
  switch (event.type) {
    case 'changed':
      door.foregone.forget(event.rainId);
      return void door.board.refresh(event.rainId);
    case 'blocks':
      return void door.blocklist.refresh();
    case 'switches':
      return void door.relief.switchboard.refresh();
    case 'credited': {
      const heardAt = door.traces && epochOf(performance.now());
      for (const { userId, redPacketId, amount } of event.claims) {
        const sessions = door.audience.of(userId);
        if (sessions.size === 0) continue;
        const frame = frameOf(encode({ type: 'credited', rainId: event.rainId, redPacketId, amount }));
        for (const session of sessions) send(session, frame, door.limits);
        if (door.traces && heardAt !== undefined) tellTold(door.traces, event.rainId, redPacketId, sessions.size, heardAt);
      }
      const winners = event.claims.slice(0, TICKER_SIZE).map(({ userId, amount }) => ({ user: mask(userId), amount }));
      return ticker.show(event.rainId, frameOf(encode({ type: 'winners', rainId: event.rainId, winners })));
    }
    default:
      return event satisfies never;
  }
}
