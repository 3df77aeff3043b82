// A separate process that holds the users of one server. It receives orders from its parent and answers each one once.
import type { Speech } from './connection.ts';
import { Crowd, type Ran } from './crowd.ts';
import type { Manner, Phase, Streamed } from './stream.ts';

export type Order =
  | {
      do: 'connect';
      speech: Speech;
      port: number;
      tokens: readonly string[];
      /** A rain that each of them watches. */ joins?: string;
    }
  | { do: 'enter'; rainId: string }
  | { do: 'leave' }
  | { do: 'repeat'; rainId: string; forMs: number; restMs?: number }
  | { do: 'walk'; rainIds: readonly string[] }
  | { do: 'stream'; rainId: string; phases: readonly Phase[]; manner: Manner };
export type Reply = { ok: true; ran?: Ran; streamed?: readonly Streamed[] } | { ok: false; reason: string };

const crowd = new Crowd();

async function execute(order: Order): Promise<Reply> {
  switch (order.do) {
    case 'connect':
      await crowd.connect(order.speech, order.port, order.tokens, order.joins);
      return { ok: true };
    case 'enter':
      await crowd.enter(order.rainId);
      return { ok: true };
    case 'leave':
      crowd.leave();
      return { ok: true };
    case 'repeat':
      return { ok: true, ran: await crowd.repeat(order.rainId, order.forMs, order.restMs) };
    case 'walk':
      return { ok: true, ran: await crowd.walk(order.rainIds) };
    case 'stream':
      return { ok: true, streamed: await crowd.stream(order.rainId, order.phases, order.manner) };
    default:
      return order satisfies never;
  }
}

process.on('message', (order: Order) => {
  void execute(order)
    .catch((error: unknown): Reply => ({ ok: false, reason: String(error) }))
    .then((reply) => process.send!(reply));
});
process.send!({ ready: true });
// The parent has ended.
process.on('disconnect', () => process.exit(0));
