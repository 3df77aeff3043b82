import type { Command } from 'commander';
import { fileURLToPath } from 'node:url';
import { createGuestTokens } from '../../console/guests.ts';
import { startConsole } from '../../console/server.ts';
import { startGateway } from '../../gateway/server.ts';
import { migrate } from '../../ledger/migrate.ts';
import { GATEWAY_PATH } from '../../protocol/constants.ts';
import { ConfigError, type Config } from '../../runtime/config.ts';
import { createLog } from '../../runtime/log.ts';
import { tellFailed, tellReady } from '../../runtime/parent.ts';
import { createShutdown, type Shutdown } from '../../runtime/shutdown.ts';
import { explain, print } from '../answer.ts';
import { configure } from '../connection.ts';
import { startWorker } from '../worker.ts';

/** The built page lies in dist/, two folders above this file's compiled form. */
const PAGE = fileURLToPath(new URL('../../client-demo', import.meta.url));

/**
 * Runs a server until a signal, or its parent's end, ends it. Both a person at a terminal and `rain up` start servers
 * this way; `rain up` hears over IPC whether it worked.
 */
async function serve(name: string, open: (shutdown: Shutdown) => Promise<Record<string, unknown>>): Promise<void> {
  const shutdown = createShutdown({ report: (sentence) => process.stderr.write(`${name}: ${sentence}\n`) });
  try {
    await tellReady(await open(shutdown));
  } catch (error) {
    await tellFailed(explain(error).reasons.join('; '));
    throw error;
  }
}

export function addServeCommands(program: Command): void {
  program.command('gateway').summary('the door for players')
    .description('Runs a WebSocket gateway on GATEWAY_HOST:GATEWAY_PORT. Needs REDIS_URL and JWT_SECRET or JWKS_URL.')
    .addHelpText('after', '\nExample:\n  REDIS_URL=redis://10.0.0.5:6379 JWT_SECRET=… GATEWAY_HOST=0.0.0.0 rain gateway')
    .action(() => serve('gateway', async (shutdown) => {
      const config = configure(['REDIS_URL', 'JWT']);
      const gateway = await startGateway({
        redisUrl: config.REDIS_URL, host: config.GATEWAY_HOST, port: config.GATEWAY_PORT, allowedOrigins: config.ALLOWED_ORIGINS,
        token: { secret: config.JWT_SECRET, jwksUrl: config.JWKS_URL, issuer: config.JWT_ISSUER, audience: config.JWT_AUDIENCE },
        log: createLog('gateway', config.LOG_LEVEL),
      });
      shutdown.onClose('gateway', () => gateway.close());
      return { url: gateway.url };
    }));

  program.command('worker').summary('relay, credit worker and settler')
    .description('Carries claims to the queue, credits them, settles rains that are over. Run as many as you like. Needs REDIS_URL and DATABASE_URL.')
    .addHelpText('after', '\nExample:\n  REDIS_URL=redis://10.0.0.5:6379 DATABASE_URL=postgres://rain@10.0.0.6/rain rain worker')
    .action(() => serve('worker', async (shutdown) => {
      const config = configure(['REDIS_URL', 'DATABASE_URL']);
      const worker = await startWorker(config.REDIS_URL, config.DATABASE_URL, createLog('worker', config.LOG_LEVEL));
      shutdown.onClose('worker', () => worker.close());
      return {};
    }));

  program.command('console').summary("the player's page")
    .description("Serves the player's page on CONSOLE_HOST:CONSOLE_PORT.")
    .option('--guests', 'hand out guest tokens to anybody: for demos only; needs JWT_SECRET')
    .addHelpText('after', '\nExample:\n  GATEWAY_PUBLIC_URL=wss://rain.example.com/v1 CONSOLE_HOST=0.0.0.0 rain console')
    .action(({ guests }: { guests?: boolean }) => serve('console', async (shutdown) => {
      const config = configure([]);
      const desk = await startConsole({
        host: config.CONSOLE_HOST, port: config.CONSOLE_PORT, pageFolder: PAGE,
        gatewayUrl: config.GATEWAY_PUBLIC_URL ?? `ws://${config.GATEWAY_HOST}:${config.GATEWAY_PORT}${GATEWAY_PATH}`,
        ...(guests && { guests: guestTokens(config) }),
        log: createLog('console', config.LOG_LEVEL),
      });
      shutdown.onClose('console', () => desk.close());
      return { url: desk.url };
    }));

  program.command('migrate').summary('bring the database up to date')
    .description('Applies the migrations that are missing. Needs DATABASE_URL.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://rain@10.0.0.6/rain rain migrate')
    .action(async ({ json }: { json?: boolean }) => {
      const applied = await migrate(configure(['DATABASE_URL']).DATABASE_URL);
      print(json, { applied }, applied.length > 0 ? `applied: ${applied.join(', ')}` : 'the database is up to date');
    });
}

function guestTokens({ JWT_SECRET, JWT_ISSUER, JWT_AUDIENCE }: Config) {
  if (JWT_SECRET === undefined) throw new ConfigError(['JWT_SECRET: missing, expected the secret to sign guest tokens with']);
  return createGuestTokens({ secret: JWT_SECRET, ...(JWT_ISSUER !== undefined && { issuer: JWT_ISSUER }), ...(JWT_AUDIENCE !== undefined && { audience: JWT_AUDIENCE }) });
}
