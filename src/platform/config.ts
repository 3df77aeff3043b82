import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { durability, DURABILITY_WAIT_MS, LOCAL } from './redis/durability.ts';
import { COMMAND_TIMEOUT_MS, parseRedisUrl } from './redis/connect.ts';
import { SETTLE_AFTER_RECONNECT_MS } from './redis/reconnectTimer.ts';

/**
 * The only reader of the environment. Values come from the process environment, then from `.env`. Each server declares which values
 * it needs. All problems are reported at once, each with its name and the expected value [R12].
 */
const port = z.coerce.number('expected a port number').int('expected a port number').min(0, 'expected 0 to 65535').max(65535, 'expected 0 to 65535');
/** Shorter than the command timeout, so that a missing confirmation is not taken for a timeout, ms. */
const WAIT_MS_MAX = COMMAND_TIMEOUT_MS - 500;
const count = z.coerce.number('expected a number').int('expected a whole number').min(1, 'expected at least 1').max(1_000_000, 'expected at most 1000000');
const demand = z.enum(['off', 'pressure', 'always'], 'expected off, pressure or always').default('off');
const list = z.string().transform((text) => text.split(',').map((part) => part.trim()).filter(Boolean));

export const configSchema = z.object({
  REDIS_URL: z.string().refine((url) => parseRedisUrl(url) !== undefined,
    'expected redis://host:port, rediss://…, redis+sentinel://host:port,host:port/name or redis+cluster://host:port,host:port').optional(),
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\/[^/\s]+\/\S+$/, 'expected postgres://user:password@host:port/database').optional(),
  /** Where a win must be stored before it is confirmed to the user; see docs/explanation/durability.md. */
  DURABILITY: durability.default(LOCAL),
  /** How long a win may take to reach the replicas before the user receives "busy", ms. */
  DURABILITY_WAIT_MS: z.coerce.number('expected milliseconds').int('expected whole milliseconds')
    .min(1, `expected 1 to ${WAIT_MS_MAX}`).max(WAIT_MS_MAX, `expected 1 to ${WAIT_MS_MAX}`).default(DURABILITY_WAIT_MS),
  /** How long after an outage of Redis no rain is settled, ms. In this time the gateways restore confirmed wins that Redis has lost. */
  SETTLE_AFTER_RECONNECT_MS: z.coerce.number('expected milliseconds').int('expected whole milliseconds')
    .min(1_000, 'expected 1000 to 600000').max(600_000, 'expected 1000 to 600000').default(SETTLE_AFTER_RECONNECT_MS),
  JWT_SECRET: z.string().min(32, 'expected a secret of at least 32 characters').optional(),
  JWKS_URL: z.url({ protocol: /^https?$/, error: 'expected an http(s) address' }).optional(),
  /** Where users' money is kept: in our own ledger, or in an external wallet, see docs/reference/webhook.md. */
  PAYOUT_PROVIDER: z.enum(['ledger', 'webhook'], 'expected ledger or webhook').default('ledger'),
  // fetch rejects an address with a user in it, but only when the first claim is credited.
  WEBHOOK_URL: z.url({ protocol: /^https?$/, error: 'expected an http(s) address' }).refine((url) => !/^[^/]+\/\/[^/?#]*@/.test(url), 'expected an address without user and password').optional(),
  WEBHOOK_SECRET: z.string().min(32, 'expected a secret of at least 32 characters').optional(),
  /** Claims per request; 1 sends each claim in its own request. */
  WEBHOOK_BATCH_MAX: z.coerce.number('expected 1 to 500').int('expected a whole number').min(1, 'expected 1 to 500').max(500, 'expected 1 to 500').default(1),
  WEBHOOK_TIMEOUT_MS: z.coerce.number('expected 100 to 60000').int('expected whole milliseconds').min(100, 'expected 100 to 60000').max(60_000, 'expected 100 to 60000').default(5_000),
  JWT_ISSUER: z.string().min(1).optional(),
  JWT_AUDIENCE: z.string().min(1).optional(),
  GATEWAY_HOST: z.string().min(1).default('127.0.0.1'),
  GATEWAY_PORT: port.default(8687),
  /** Where players reach the gateway, when that differs from host and port (a proxy in front). */
  GATEWAY_PUBLIC_URL: z.string().regex(/^wss?:\/\/\S+$/, 'expected ws://… or wss://…').optional(),
  /** How many players per second a closing gateway asks to reconnect; the other gateways must be able to accept them. */
  GATEWAY_RECONNECTS_PER_SECOND: count.default(1_000),
  CONSOLE_HOST: z.string().min(1).default('127.0.0.1'),
  CONSOLE_PORT: port.default(8686),
  /** Whether the console's cookie is sent over https only. `auto`: if the request came by https, directly or by a trusted proxy. */
  CONSOLE_SECURE_COOKIES: z.enum(['auto', 'on', 'off'], 'expected auto, on or off').default('auto'),
  /** Address of the metrics for Prometheus. Without a port there are none; 0 takes a free port and logs it. `rain up` takes only 0. */
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  METRICS_PORT: port.optional(),
  /** Limits of one gateway; src/gateway/sockets/limits.ts, …/ratelimit/limits.ts say what each protects. An address may be an office. */
  GATEWAY_SOCKETS_MAX: count.default(18_000),
  GATEWAY_SOCKETS_PER_ADDRESS_MAX: count.default(9_000),
  GATEWAY_HANDSHAKES_PER_SECOND: count.default(2_000),
  GATEWAY_HANDSHAKES_PER_ADDRESS_PER_SECOND: count.default(1_500),
  /** Messages of one user over all sockets: the size of a burst, and the rate per second. */
  GATEWAY_MESSAGES_PER_USER_PER_SECOND: count.default(100),
  GATEWAY_MESSAGES_PER_ADDRESS_PER_SECOND: count.default(100_000),
  /** How long after the opening the order of the grabs is drawn by lot, ms; 0: the order of arrival counts. */
  GATEWAY_FAIR_START_MS: z.coerce.number('expected 0 to 1000').int('expected whole milliseconds').min(0, 'expected 0 to 1000').max(1_000, 'expected 0 to 1000').default(100),
  /** How many of your proxies are in front of the gateway, each adding to X-Forwarded-For; 0: players connect directly. */
  TRUSTED_PROXIES: z.coerce.number('expected 0 to 8').int('expected a whole number').min(0, 'expected 0 to 8').max(8, 'expected 0 to 8').default(0),
  /** When a grab needs a ticket, which a join issues: never, while the gateway is overloaded, or always. */
  TICKETS: demand,
  /** When a ticket needs a proof of work, so that a script with a thousand accounts pays for each of them. */
  PROOF_OF_WORK: demand,
  /** Maximum number of tries, on average half of it. The default takes a browser 0.1 to 0.3 s, and a script 0.1 s of a core. */
  PROOF_OF_WORK_TRIES: count.default(800),
  /** Key that signs tickets and challenges, the same for all gateways. With JWT_SECRET it is derived from that. */
  TICKET_SECRET: z.string().min(32, 'expected a secret of at least 32 characters').optional(),
  /** Page origins that may open sockets; empty: any origin. */
  ALLOWED_ORIGINS: list.default([]),
  /** Collector of traces (OTLP over HTTP), e.g. http://127.0.0.1:4318; absent: no tracing and no cost. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/, error: 'expected an http(s) address' }).optional(),
  /** One win in so many is traced from socket to ledger, the same ones in every process. Only wins are traced. */
  TRACES_ONE_IN: count.default(100),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'expected trace, debug, info, warn, error, fatal or silent').default('info'),
  /** Folder for the data of the embedded servers. */
  RAIN_HOME: z.string().min(1).default('.rain'),
});
export type Config = z.infer<typeof configSchema>;
type Optional = 'REDIS_URL' | 'DATABASE_URL';
export type Need = Optional | 'JWT';
type With<N extends Need> = Config & { [K in Extract<N, Optional>]: string };

export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: string[];
  constructor(problems: string[]) {
    super(`configuration: ${problems.join('; ')}`);
    this.problems = problems;
  }
}

/** Values from `.env` of the working directory. An unreadable or invalid file counts as empty: the process environment has priority. */
export function readDotEnv(path = '.env'): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}

/** Process environment over `.env`. */
export function readEnvironment(): Record<string, string | undefined> {
  return { ...readDotEnv(), ...process.env };
}

/** Environment of a child process: the environment of this process with the given changes. */
export function childEnvironment(changes: Record<string, string | undefined>): Record<string, string | undefined> {
  return { ...process.env, ...changes };
}

/**
 * @param need the values that this process requires
 * @param env default: process environment over `.env`
 * @throws ConfigError listing every problem
 */
export function loadConfig<N extends Need = never>(need: readonly N[] = [], env: Record<string, string | undefined> = readEnvironment()): With<N> {
  // An empty variable counts as absent, because shells and compose files unset variables in this way.
  const known = Object.keys(configSchema.shape);
  const given = Object.fromEntries(Object.entries(env).filter(([name, value]) => known.includes(name) && value !== undefined && value !== ''));
  const parsed = configSchema.safeParse(given);
  const problems = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  if (parsed.success && parsed.data.DURABILITY.mode === 'replicas' && parseRedisUrl(parsed.data.REDIS_URL ?? '')?.kind === 'cluster') {
    problems.push('DURABILITY: a Redis Cluster cannot wait for replicas, expected redis://… or redis+sentinel://… in REDIS_URL, or DURABILITY=local');
  }
  for (const name of need) {
    if (name === 'JWT') {
      if (!given['JWT_SECRET'] && !given['JWKS_URL']) problems.push('JWT_SECRET or JWKS_URL: missing, expected one of them to verify tokens with');
    } else if (!given[name]) problems.push(`${name}: missing, expected ${name === 'REDIS_URL' ? 'redis://host:port' : 'postgres://user:password@host:port/database'}`);
  }
  // Checked in every process, so that a half configuration fails at the first start and not at the first win.
  if (given['PAYOUT_PROVIDER'] === 'webhook') {
    if (!given['WEBHOOK_URL']) problems.push('WEBHOOK_URL: missing, expected the address of the wallet, since PAYOUT_PROVIDER is webhook');
    if (!given['WEBHOOK_SECRET']) problems.push('WEBHOOK_SECRET: missing, expected a secret of at least 32 characters, since PAYOUT_PROVIDER is webhook');
  }
  if (given['TICKETS'] === undefined || given['TICKETS'] === 'off') {
    if (parsed.success && parsed.data.PROOF_OF_WORK !== 'off') problems.push('PROOF_OF_WORK: needs tickets, expected TICKETS=pressure or TICKETS=always with it');
  } else if (given['JWKS_URL'] && !given['TICKET_SECRET']) {
    problems.push('TICKET_SECRET: missing, expected a secret of at least 32 characters, since TICKETS are on and it cannot be derived from JWKS_URL');
  }
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return parsed.data as With<N>;
}
