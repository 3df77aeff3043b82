import { openMatrix } from './fault.ts';

const fault = openMatrix({ gateways: 1 });

// Everybody wins, so everybody stays; all have to come back to the one gateway, and none of their packets is forgotten.
fault('SIGTERM of the only gateway under 2,000 sockets', async ({ gateways }) => {
  await gateways[0]!.stop();
  await gateways[0]!.start();
}, { when: 'rain', runsMax: 1, rain: { users: 2_000, packets: 2_100, windowMs: 6_000 } });
