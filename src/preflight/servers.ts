import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { connectDatabase } from '../ledger/database.ts';
import { openLedger, type Ledger } from '../ledger/ledger.ts';
import { migrate } from '../ledger/migrate.ts';
import { compiledEntry, startChild } from '../platform/process/childProcess.ts';
import { startEmbeddedDatabase } from '../platform/embedded/database.ts';
import { freePort } from '../platform/embedded/freePort.ts';
import { startEmbeddedRedis } from '../platform/embedded/redis.ts';
import { homeAt } from '../platform/process/home.ts';
import { createLifecycle } from '../platform/process/lifecycle.ts';
import { createSigner, type Signer } from '../store/signer.ts';
import { connectRedis, untilReady, type RedisClient } from '../platform/redis/connect.ts';

/** A temporary Redis, gateway and ledger, without any real money. */
export interface PreflightServers {
  redis: RedisClient;
  ledger: Ledger;
  gatewayUrl: string;
  /** Address of the gateway's metrics. */
  metricsUrl: string;
  secret: string;
  signer: Signer;
}

/** A gateway without rate limits and without a fair start, so that a few users can keep it busy. */
const WITHOUT_LIMITS = {
  GATEWAY_PORT: '0',
  GATEWAY_FAIR_START_MS: '0',
  GATEWAY_MESSAGES_PER_USER_PER_SECOND: '1000000',
  GATEWAY_MESSAGES_PER_ADDRESS_PER_SECOND: '1000000',
  GATEWAY_HANDSHAKES_PER_SECOND: '100000',
  GATEWAY_HANDSHAKES_PER_ADDRESS_PER_SECOND: '100000',
};

/**
 * Servers and folder are removed afterwards.
 * @throws Error with one sentence when one of the three cannot be started here
 */
export async function withServers<T>(work: (servers: PreflightServers) => Promise<T>, signal: AbortSignal): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'rain-preflight-'));
  const home = homeAt(folder);
  const lifecycle = createLifecycle();
  lifecycle.onClose('folder', () => rmSync(folder, { recursive: true, force: true }));
  const stopLater = <S extends { stop(): Promise<unknown> }>(name: string, server: S): S => {
    lifecycle.onClose(name, () => server.stop());
    return server;
  };
  try {
    const redisServer = stopLater(
      'redis',
      orThrow(await startEmbeddedRedis({ home, password: randomBytes(16).toString('hex') })).server,
    );
    const databaseServer = stopLater('database', orThrow(await startEmbeddedDatabase({ home })).server);
    await migrate(databaseServer.url);
    signal.throwIfAborted();
    const [secret, signingSecret] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
    const metricsPort = await freePort();
    const gateway = stopLater(
      'gateway',
      orThrow(
        await startChild({
          name: 'gateway',
          entry: compiledEntry('bin/rain.js'),
          args: ['gateway'],
          logs: home.logs,
          facts: z.object({ url: z.string() }),
          env: {
            ...WITHOUT_LIMITS,
            REDIS_URL: redisServer.url,
            DATABASE_URL: '',
            JWT_SECRET: secret,
            SIGNING_SECRET: signingSecret,
            JWKS_URL: '',
            JWT_ISSUER: '',
            JWT_AUDIENCE: '',
            METRICS_HOST: '127.0.0.1',
            METRICS_PORT: String(metricsPort),
            TICKETS: 'off',
            PROOF_OF_WORK: 'off',
            DURABILITY: 'local',
            ALLOWED_ORIGINS: '',
            RAIN_HOME: folder,
          },
        }),
      ).child,
    );
    const redis = connectRedis(redisServer.url, { purpose: 'once', onError: () => {} });
    const database = connectDatabase(databaseServer.url);
    lifecycle.onClose('connections', () => {
      redis.disconnect();
      return database.$disconnect();
    });
    await untilReady(redis);
    signal.throwIfAborted();
    return await work({
      redis,
      ledger: openLedger(database),
      gatewayUrl: gateway.facts.url,
      metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
      secret,
      signer: createSigner(signingSecret),
    });
  } finally {
    await lifecycle.close();
  }
}

function orThrow<T extends { ok: true } | { ok: false; reason: string }>(started: T): Extract<T, { ok: true }> {
  if (!started.ok) throw new Error(started.reason);
  return started as Extract<T, { ok: true }>;
}
