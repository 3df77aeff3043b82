import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpProxy } from '../../support/servers/proxy.ts';
import type { Fault } from '../fault.ts';
import type { Lines } from '../means/lines.ts';
import type { Scene } from '../run.ts';

// The connections between users and gateways.

// Long enough to continue after the fault.
const rain = { windowMs: 3_500, arrivalsMs: 1_800 };

function disturb({ usersToGateways: lines }: Lines, change: (line: TcpProxy) => void, ms: number) {
  return async (): Promise<void> => {
    lines.forEach(change);
    await sleep(ms);
    for (const line of lines) line.pass();
  };
}

function halfOpen({ usersToGateways: lines }: Lines, believes: 'client' | 'server') {
  return ({ random }: Scene): void => random.pick(lines).halfOpen(believes);
}

export function userLineFaults(fault: Fault, lines: Lines): void {
  fault(
    '300 ms between users and gateways',
    disturb(lines, (line) => line.delay(300), 2_000),
    { when: 'swing', slow: true, rain },
  );

  fault(
    'one byte at a time between users and gateways',
    disturb(lines, (line) => line.drip(), 1_500),
    { when: 'swing', slow: true, rain },
  );

  fault(
    'users are cut off from the gateways, four times',
    async ({ random }) => {
      for (let time = 0; time < 4; time++) {
        for (const line of lines.usersToGateways) line.cut();
        await random.pause(50, 300);
      }
    },
    { when: 'swing', rain },
  );

  fault('a gateway has forgotten its users, who do not know', halfOpen(lines, 'client'), { when: 'swing', rain });

  fault('users are gone, and their gateway does not know', halfOpen(lines, 'server'), { when: 'swing', rain });
}
