import { startGateway } from '../../gateway/server.ts';
import { createLog } from '../../runtime/log.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { configure } from '../connection.ts';

export async function open(shutdown: Shutdown): Promise<{ url: string }> {
  const config = configure(['REDIS_URL', 'JWT']);
  const gateway = await startGateway({
    redisUrl: config.REDIS_URL, host: config.GATEWAY_HOST, port: config.GATEWAY_PORT, allowedOrigins: config.ALLOWED_ORIGINS,
    token: { secret: config.JWT_SECRET, jwksUrl: config.JWKS_URL, issuer: config.JWT_ISSUER, audience: config.JWT_AUDIENCE },
    limits: { comebacksPerSecond: config.GATEWAY_COMEBACKS_PER_SECOND },
    log: createLog('gateway', config.LOG_LEVEL),
  });
  shutdown.onClose('gateway', () => gateway.close());
  return { url: gateway.url };
}
