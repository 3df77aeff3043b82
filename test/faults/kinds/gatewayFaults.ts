import type { Fault } from '../fault.ts';

export function gatewayFaults(fault: Fault): void {
  fault(
    'kill -9 of a gateway',
    async ({ gateways, random }) => {
      const gateway = random.pick(gateways);
      await gateway.kill();
      await random.pause(0, 800);
      await gateway.start();
    },
    { short: true },
  );

  fault('SIGTERM of a gateway', async ({ gateways, random }) => {
    const gateway = random.pick(gateways);
    await gateway.stop();
    await random.pause(0, 800);
    await gateway.start();
  });
}
