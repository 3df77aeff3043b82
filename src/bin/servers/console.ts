import { createGuestTokens, type GuestTokens } from '../../console/guests.ts';
import { startConsole } from '../../console/server.ts';
import { GATEWAY_PATH } from '../../protocol/constants.ts';
import { ConfigError, type Config } from '../../platform/config.ts';
import { compiledEntry } from '../../platform/process/childProcess.ts';
import { createLifecycle } from '../../platform/process/lifecycle.ts';
import { createLog } from '../../platform/telemetry/log.ts';
import type { Shutdown } from '../../platform/process/shutdown.ts';
import { configure } from '../context.ts';
import type { Environment } from '../terminal.ts';
import { openBackend } from './backend.ts';
import { openConsoleReadiness } from './consoleReadiness.ts';
import { openPlayerBackend, type PlayerConfig } from './player.ts';

/** The built pages, in dist/ wherever this runs. */
const PAGE = compiledEntry('client-demo');
const CONSOLE_FOLDER = compiledEntry('client-console');

/** @throws when a part cannot be opened; all other parts are closed then, so that the process can end */
export async function open(shutdown: Shutdown, environment: Environment, withGuests: boolean): Promise<{ url: string }> {
  const config = configure(environment, ['REDIS_URL', 'DATABASE_URL']);
  const log = createLog('console', config.LOG_LEVEL);
  const guests = withGuests ? guestTokens(config) : undefined;
  const lifecycle = createLifecycle((sentence) => log.warn(sentence));
  return lifecycle.opening(async () => {
    const { readiness, counters } = await openConsoleReadiness(config, log, lifecycle);
    const backend = await openBackend(config, log, lifecycle);
    const player = canServePlayers(config) ? openPlayerBackend(config, log, lifecycle) : undefined;
    const server = await startConsole({
      host: config.CONSOLE_HOST, port: config.CONSOLE_PORT, pageFolder: PAGE,
      gatewayUrl: config.GATEWAY_PUBLIC_URL ?? `ws://${config.GATEWAY_HOST}:${config.GATEWAY_PORT}${GATEWAY_PATH}`,
      ...(guests && { guests }),
      ...(player && { player }),
      backend, consoleFolder: CONSOLE_FOLDER, requestOrigin: { trustedProxies: config.TRUSTED_PROXIES, secureCookies: config.CONSOLE_SECURE_COOKIES },
      readiness, counters, log,
    });
    lifecycle.onClose('console', () => { readiness.drain(); return server.close(); });
    shutdown.onClose('console', (leftMs) => lifecycle.close(leftMs));
    log.info({ url: server.url }, 'console open');
    return { url: server.url };
  });
}

/** Players' requests need the ledger and a key to verify tokens. Without them only the page is served. */
function canServePlayers(config: Config): config is PlayerConfig {
  return config.REDIS_URL !== undefined && config.DATABASE_URL !== undefined && (config.JWT_SECRET !== undefined || config.JWKS_URL !== undefined);
}

function guestTokens({ JWT_SECRET, JWT_ISSUER, JWT_AUDIENCE }: Config): GuestTokens {
  if (JWT_SECRET === undefined) throw new ConfigError(['JWT_SECRET: missing, expected the secret to sign guest tokens with']);
  return createGuestTokens({ secret: JWT_SECRET, ...(JWT_ISSUER !== undefined && { issuer: JWT_ISSUER }), ...(JWT_AUDIENCE !== undefined && { audience: JWT_AUDIENCE }) });
}
