import { openMatrix } from './fault.ts';

const fault = openMatrix();

fault('kill -9 of a gateway', async ({ gateways, random }) => {
  const gateway = random.pick(gateways);
  await gateway.kill();
  await random.pause(0, 800);
  await gateway.start();
});

fault('SIGTERM of a gateway', async ({ gateways, random }) => {
  const gateway = random.pick(gateways);
  await gateway.stop();
  await random.pause(0, 800);
  await gateway.start();
});
