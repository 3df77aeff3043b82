import { closeRain } from '../../src/operator/transitions.ts';
import { eventually } from '../support/eventually.ts';
import { openMatrix } from './fault.ts';

const fault = openMatrix({ gateways: 1 });

const USERS = 2_000;

// Everybody wins, so everybody stays; all have to come back to the one gateway, and none of their packets is forgotten.
fault('SIGTERM of the only gateway under 2,000 sockets', async ({ gateways, crowd, context, rainId }) => {
  await eventually(() => crowd.winners().length === USERS, { timeoutMs: 50_000 });
  const struckAt = Date.now();
  await gateways[0]!.stop();
  await gateways[0]!.start();
  await closeRain(context, rainId);
  return struckAt;
}, { when: 'swing', runsMax: 1, rain: { users: USERS, packets: 2_100, shards: 1, windowMs: 60_000, arrivalsMs: 3_000 } });
