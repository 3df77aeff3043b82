import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { EVENTS_CHANNEL } from '../../src/store/keys.ts';
import { pause, resume } from '../../src/store/transitions.ts';
import { spreadOf } from '../support/spread.ts';
import { inStore, tokenOf, type Store } from '../support/store.ts';
import { portOf, startUsers } from '../support/users.ts';
import type { Measure } from './measure.ts';

const WATCHED = 'watched';
const GRABBED = 'grabbed';
/** Users that grab during the broadcast. Few, because the wait of one of them is measured and not the throughput. */
const GRABBERS = 20;
const CHANGES = 4;

/** The delay of a grab during a broadcast to all sockets. */
export const broadcast: Measure = {
  name: 'broadcast',
  onlyWhenAsked: 'quick',
  rows: ({ size: { watchers, rounds, lookMs }, postgres, say }) =>
    inStore(postgres, 'rain', async (store) => {
      const gateway = await store.start('../dist/bin/rain.js', ['gateway']);
      await store.house.stock([WATCHED, GRABBED], 10);
      const [audience, hands] = [await startUsers(store, gateway, 'rain'), await startUsers(store, gateway, 'rain')];
      say(`${watchers} sockets watch`);
      await audience.connect('watcher', watchers, WATCHED);
      await hands.connect('hand', GRABBERS);
      const witness = await watch(portOf(gateway), await tokenOf('witness'));
      const longest = async () =>
        (await hands.ask({ do: 'repeat', rainId: GRABBED, forMs: lookMs, restMs: 5 })).ran!.latencyMs.max;
      await longest();
      const [quiet, told]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        quiet.push(await longest());
        const [slowest] = await Promise.all([longest(), change(store, lookMs)]);
        told.push(slowest);
      }
      witness.socket.terminate();
      // One message after the join, and one per change unless a newer change replaced it.
      if (witness.heard() <= (rounds * CHANGES) / 2)
        throw new Error(`no broadcast arrived: a watcher received ${witness.heard()} messages about the rain`);
      const delays = told.map((ms, round) => Math.max(0, ms - quiet[round]!));
      return [
        {
          measure: `longest grab while a change is told to ${watchers.toLocaleString('en')} sockets, beyond the longest without`,
          unit: 'ms',
          ours: spreadOf(told),
          figure: spreadOf(delays),
          target: { most: 50 },
        },
      ];
    }),
};

async function watch(port: number, token: string): Promise<{ socket: WebSocket; heard(): number }> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1`, ['rain.v1'], {
    headers: { authorization: `Bearer ${token}` },
  });
  let heard = 0;
  socket.on('message', (data) => {
    if (String(data).startsWith('{"type":"rain"')) heard++;
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve).once('error', reject);
  });
  socket.send(JSON.stringify({ type: 'join', rainId: WATCHED }));
  return { socket, heard: () => heard };
}

/** Pauses and resumes the watched rain; each change is sent to all watchers. */
async function change(
  {
    house: {
      context: { redis },
    },
  }: Store,
  lookMs: number,
): Promise<void> {
  for (let i = 0; i < CHANGES; i++) {
    await sleep(lookMs / (CHANGES + 1));
    await (i % 2 === 0 ? pause : resume)(redis, WATCHED, 1);
    await redis.publish(EVENTS_CHANNEL, JSON.stringify({ type: 'changed', rainId: WATCHED }));
  }
}
