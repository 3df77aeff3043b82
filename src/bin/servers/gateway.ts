import cluster from 'node:cluster';
import { registerGatewayMetrics } from '../../gateway/telemetry/metrics.ts';
import { startGateway, type Gateway } from '../../gateway/server.ts';
import type { ChallengeRules } from '../../gateway/challenge/challenges.ts';
import { signingSecrets } from '../../platform/auth/signingSecrets.ts';
import type { Config } from '../../platform/config.ts';
import { answerForMetrics } from '../../platform/process/processPoolMetrics.ts';
import { createLog } from '../../platform/telemetry/log.ts';
import { openRegistry, startMetricsServer } from '../../platform/telemetry/metrics.ts';
import type { Shutdown } from '../../platform/process/shutdown.ts';
import { createStarting } from '../../platform/process/starting.ts';
import { createSigner } from '../../store/signer.ts';
import { configure } from '../context.ts';
import type { Environment } from '../terminal.ts';
import { openTracing } from './tracing.ts';

export async function open(shutdown: Shutdown, environment: Environment): Promise<{ url: string }> {
  // Otherwise Node ends this process at once when its parent is gone, before it can drain its players.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  const config = configure(environment, ['REDIS_URL', 'SIGNING_SECRET', 'JWT']);
  const log = createLog('gateway', config.LOG_LEVEL);
  const traces = await openTracing(config, 'rain-gateway', log, shutdown);
  const starting = createStarting(log);
  let gateway: Gateway | undefined;
  const registry = config.METRICS_PORT === undefined ? undefined : openRegistry();
  // With several processes, the parent has the port and collects the metrics.
  if (registry && config.METRICS_PORT !== undefined && !cluster.isWorker) {
    const metrics = await startMetricsServer({
      registry,
      host: config.METRICS_HOST,
      port: config.METRICS_PORT,
      readiness: starting.reportUntil(() => gateway?.readiness),
      log,
    });
    shutdown.onClose('metrics', () => metrics.close());
  }
  gateway = await startGateway({
    redisUrl: config.REDIS_URL,
    host: config.GATEWAY_HOST,
    port: config.GATEWAY_PORT,
    allowedOrigins: config.ALLOWED_ORIGINS,
    token: {
      secret: config.JWT_SECRET,
      jwksUrl: config.JWKS_URL,
      issuer: config.JWT_ISSUER,
      audience: config.JWT_AUDIENCE,
    },
    signer: createSigner(config.SIGNING_SECRET),
    durability: config.DURABILITY,
    durabilityWaitMs: config.DURABILITY_WAIT_MS,
    limits: {
      reconnectsPerSecond: config.GATEWAY_RECONNECTS_PER_SECOND,
      socketsMax: config.GATEWAY_SOCKETS_MAX,
      socketsPerAddressMax: config.GATEWAY_SOCKETS_PER_ADDRESS_MAX,
      handshakesPerSecondMax: config.GATEWAY_HANDSHAKES_PER_SECOND,
      handshakesPerAddressPerSecondMax: config.GATEWAY_HANDSHAKES_PER_ADDRESS_PER_SECOND,
      messagesPerSecondMax: config.GATEWAY_MESSAGES_PER_USER_PER_SECOND,
      messagesPerAddressPerSecondMax: config.GATEWAY_MESSAGES_PER_ADDRESS_PER_SECOND,
      fairStartMs: config.GATEWAY_FAIR_START_MS,
    },
    trustedProxies: config.TRUSTED_PROXIES,
    challenges: challengesOf(config),
    winnerNames: config.WINNER_NAMES,
    heartbeat: true,
    patience: starting.patience,
    traces,
    log,
  });
  const { url, close } = gateway;
  shutdown.onClose('gateway', close);
  if (registry) registerGatewayMetrics(registry, gateway);
  if (registry && cluster.isWorker) answerForMetrics(registry);
  return { url };
}

/**
 * All gateways have one of these secrets in common, so that the tickets of each are valid at all, whichever rain
 * requires them.
 */
function challengesOf({
  TICKETS,
  PROOF_OF_WORK,
  PROOF_OF_WORK_TRIES,
  TICKET_SECRET,
  JWT_SECRET,
  SIGNING_SECRET,
}: Config & { SIGNING_SECRET: string }): ChallengeRules {
  const secret = TICKET_SECRET ?? JWT_SECRET ?? signingSecrets(SIGNING_SECRET)[0]!;
  return { tickets: TICKETS, proofOfWork: PROOF_OF_WORK, secret, proofOfWorkTries: PROOF_OF_WORK_TRIES };
}
