import { closeRain } from '../../src/operator/transitions.ts';
import { eventually } from '../support/eventually.ts';
import { openMatrix } from './fault.ts';

const fault = openMatrix({ gateways: 1 });

const USERS = 2_000;

// Every user wins and stays connected. All of them must reconnect to the one gateway and keep their packets.
fault(
  'SIGTERM of the only gateway under 2,000 sockets',
  async ({ gateways, crowd, context, rainId }) => {
    await eventually(() => crowd.winners().length === USERS, { timeoutMs: 50_000 });
    const struckAt = Date.now();
    await gateways[0]!.stop();
    await gateways[0]!.start();
    await closeRain(context, rainId);
    return struckAt;
  },
  { when: 'swing', runsMax: 1, rain: { users: USERS, packets: 2_100, shards: 1, windowMs: 60_000, arrivalsMs: 3_000 } },
);
