import { setTimeout as sleep } from 'node:timers/promises';
import { TcpProxy } from '../support/proxy.ts';
import { openMatrix } from './fault.ts';
import type { Scene } from './run.ts';

// The lines between users and gateways.

const lines: TcpProxy[] = [];
const fault = openMatrix({
  detours: {
    async usersToGateways(port) {
      const line = await TcpProxy.open(port);
      lines.push(line);
      return line;
    },
  },
});

// It goes on when the line does.
const rain = { windowMs: 3_500, arrivalsMs: 1_800 };

function weather(change: (line: TcpProxy) => void, ms: number) {
  return async (): Promise<void> => {
    lines.forEach(change);
    await sleep(ms);
    for (const line of lines) line.pass();
  };
}

fault('300 ms between users and gateways', weather((line) => line.delay(300), 2_000), { when: 'swing', slow: true, rain });

fault('one byte at a time between users and gateways', weather((line) => line.drip(), 1_500), { when: 'swing', slow: true, rain });

fault('users are cut off from the gateways, four times', async ({ random }) => {
  for (let time = 0; time < 4; time++) {
    for (const line of lines) line.cut();
    await random.pause(50, 300);
  }
}, { when: 'swing', rain });

function halfOpen(believes: 'client' | 'server') {
  return ({ random }: Scene): void => random.pick(lines).halfOpen(believes);
}

fault('a gateway has forgotten its users, who do not know', halfOpen('client'), { when: 'swing', rain });

fault('users are gone, and their gateway does not know', halfOpen('server'), { when: 'swing', rain });
