import { setTimeout as sleep } from 'node:timers/promises';
import { compared } from '../report/row.ts';
import { withContenders, type Contender } from '../support/contender.ts';
import { cpuMs } from '../support/cpu.ts';
import type { Measure } from './measure.ts';

const NAMES = ['echo', 'rain'] as const;
/** Sockets of a round. Few, so that both designs have the same neighbours on the machine. */
const SOCKETS = 400;
/** Many, since a round is short and a busy machine slows single ones. */
const ROUNDS = 60;
/** The first thousands cost several times more, because the code is not compiled yet. */
const WARM_ROUNDS = 30;
const SETTLE_MS = 20;

/**
 * Processor time of the server for one handshake: the token, the limits, the session, and `welcome` with some rains.
 */
export const handshake: Measure = {
  name: 'handshake',
  onlyWhenAsked: 'quick',
  rows: ({ postgres, say }) =>
    withContenders(NAMES, { postgres, users: SOCKETS }, async (contenders) => {
      for (const { house } of contenders) await house.stock(['first', 'second', 'third'], SOCKETS);
      const us = { echo: [] as number[], rain: [] as number[] };
      say(`${ROUNDS} rounds of ${SOCKETS} handshakes`);
      for (let round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
        for (const contender of contenders) {
          const spent = await connectMs(contender);
          if (round >= WARM_ROUNDS) us[contender.name].push((spent * 1_000) / SOCKETS);
        }
      }
      return [
        compared(
          { measure: 'handshake: token, session, welcome', against: 'bare ws', unit: 'µs', target: { most: 1.6 } },
          us.rain,
          us.echo,
        ),
      ];
    }),
};

async function connectMs({ serverPid, users }: Contender): Promise<number> {
  const before = cpuMs([serverPid]);
  await users.connect('user', SOCKETS);
  // The last handshakes have work left to do.
  await sleep(SETTLE_MS);
  const spent = cpuMs([serverPid]) - before;
  // Sockets that stay would be pinged, by one design and not by the other.
  await users.ask({ do: 'leave' });
  await sleep(SETTLE_MS);
  return spent;
}
