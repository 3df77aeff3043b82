import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpProxy } from '../../support/servers/proxy.ts';
import type { Fault } from '../fault.ts';
import type { Lines } from '../means/lines.ts';
import { answeredInTime as check } from '../users/patience.ts';

// The connection between the gateways and Redis.

// Long enough to continue after the fault.
const rain = { windowMs: 4_500, arrivalsMs: 2_000 };

function disturb(lines: Lines, change: (line: TcpProxy) => void, ms: number) {
  return async (): Promise<void> => {
    const line = lines.gatewaysToRedis;
    change(line);
    await sleep(ms);
    line.pass();
  };
}

export function redisLineFaults(fault: Fault, lines: Lines): void {
  // As if cut between a command and its answer, repeatedly: the command is executed, and its answer is lost.
  fault(
    'answers of Redis to the gateways are lost, and the line is cut, four times',
    async ({ random }) => {
      const line = lines.gatewaysToRedis;
      for (let time = 0; time < 4; time++) {
        line.blackhole('toClient');
        await random.pause(10, 60);
        line.pass();
        await random.pause(50, 200);
      }
    },
    { when: 'swing', rain, check },
  );

  fault(
    '300 ms between the gateways and Redis',
    disturb(lines, (line) => line.delay(300), 2_000),
    { when: 'swing', slow: true, rain, check },
  );

  fault(
    'one byte at a time between the gateways and Redis',
    disturb(lines, (line) => line.drip(), 1_500),
    { when: 'swing', slow: true, rain, check },
  );

  fault(
    'nothing gets through between the gateways and Redis for 3 s',
    disturb(lines, (line) => line.blackhole(), 3_000),
    { when: 'swing', slow: true, rain, check },
  );

  fault(
    'Redis has forgotten the lines of the gateways, which do not know',
    () => lines.gatewaysToRedis.halfOpen('client'),
    { when: 'swing', rain, check },
  );
}
