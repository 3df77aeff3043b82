import { afterAll, beforeAll } from 'vitest';
import type { Gateway } from '../../../src/gateway/server.ts';
import { openTestContext, type TestContext } from '../operatorContext.ts';
import { openGateway } from './gateway.ts';

/**
 * At the head of a test file: an operator and two gateways on the same Redis, closed when its tests are done. Filled
 * before the first test.
 */
export function openTwoGateways(): { context: TestContext; gateways: Gateway[] } {
  const stage = {} as { context: TestContext; gateways: Gateway[] };
  beforeAll(async () => {
    stage.context = await openTestContext();
    const { redisUrl } = stage.context;
    stage.gateways = await Promise.all([openGateway(redisUrl), openGateway(redisUrl)]);
  });
  afterAll(async () => {
    await Promise.all(stage.gateways.map((gateway) => gateway.close()));
    await stage.context.stop();
  });
  return stage;
}
