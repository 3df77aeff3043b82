import type { GatewayOptions } from '../../../src/gateway/options.ts';
import { startGateway, type Gateway } from '../../../src/gateway/server.ts';
import { createLog } from '../../../src/platform/telemetry/log.ts';
import { SECRET } from '../client.ts';
import { signer } from '../signer.ts';

/**
 * A gateway in the process of the test counts the work of the test's own users as a delay of its event loop, and
 * refused their sockets on a busy machine. The thresholds themselves are tested in overload/pressure.test.ts.
 */
const UNPRESSED = {
  joinsLoopDelayMs: 60_000,
  joinsRoundTripMs: 60_000,
  socketsLoopDelayMs: 60_000,
  socketsRoundTripMs: 60_000,
};

/** A real gateway of this test's own on a free port. */
export function openGateway(redisUrl: string, { limits, ...options }: Partial<GatewayOptions> = {}): Promise<Gateway> {
  return startGateway({
    redisUrl,
    host: '127.0.0.1',
    port: 0,
    token: { secret: SECRET },
    signer,
    log: createLog('gateway', 'silent'),
    limits: { ...UNPRESSED, ...limits },
    ...options,
  });
}
