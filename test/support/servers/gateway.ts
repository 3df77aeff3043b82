import type { GatewayOptions } from '../../../src/gateway/options.ts';
import { startGateway, type Gateway } from '../../../src/gateway/server.ts';
import { createLog } from '../../../src/platform/telemetry/log.ts';
import { SECRET } from '../client.ts';

/** A real gateway of this test's own on a free port. */
export function openGateway(redisUrl: string, options: Partial<GatewayOptions> = {}): Promise<Gateway> {
  return startGateway({ redisUrl, host: '127.0.0.1', port: 0, token: { secret: SECRET }, log: createLog('gateway', 'silent'), ...options });
}
