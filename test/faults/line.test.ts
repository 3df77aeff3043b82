import { setTimeout as sleep } from 'node:timers/promises';
import { TcpProxy } from '../support/proxy.ts';
import { openMatrix } from './fault.ts';
import { watchPatience } from './patience.ts';

// The line between the gateways and Redis.

let line: TcpProxy;
const fault = openMatrix({ detours: { gatewaysToRedis: async (port) => (line = await TcpProxy.open(port)) } });

// It goes on when the line does.
const rain = { windowMs: 4_500, arrivalsMs: 2_000 };

const check = watchPatience();

/** As if cut between a command and its answer, over and over: what was asked is done, and nobody is told. */
fault('answers of Redis to the gateways are lost, and the line is cut, four times', async ({ random }) => {
  for (let time = 0; time < 4; time++) {
    line.blackhole('toClient');
    await random.pause(10, 60);
    line.pass();
    await random.pause(50, 200);
  }
}, { when: 'swing', rain, check });

function weather(change: () => void, ms: number) {
  return async (): Promise<void> => {
    change();
    await sleep(ms);
    line.pass();
  };
}

fault('300 ms between the gateways and Redis', weather(() => line.delay(300), 2_000), { when: 'swing', slow: true, rain, check });

fault('one byte at a time between the gateways and Redis', weather(() => line.drip(), 1_500), { when: 'swing', slow: true, rain, check });

fault('nothing gets through between the gateways and Redis for 3 s', weather(() => line.blackhole(), 3_000), { when: 'swing', slow: true, rain, check });

fault('Redis has forgotten the lines of the gateways, which do not know', () => line.halfOpen('client'), { when: 'swing', rain, check });
