import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { CURRENCY_DEFAULT, isCurrency } from './currency.ts';
import { isTimeZone } from './timeZone.ts';
import { signingSecrets } from './auth/signingSecrets.ts';
import { durability, DURABILITY_WAIT_MS, LOCAL } from './redis/durability.ts';
import { COMMAND_TIMEOUT_MS, parseRedisUrl } from './redis/connect.ts';
import { SETTLE_AFTER_RECONNECT_MS } from './redis/reconnectTimer.ts';

/**
 * The only reader of the environment. Values come from the process environment, then from `.env`. Each server declares
 * which values it needs. All problems are reported at once, each with its name and the expected value [R12]. The
 * settings are described in docs/reference/settings.md.
 */
const whole = (
  min: number,
  max: number,
  notWhole = 'expected a whole number',
  notNumber = `expected ${min} to ${max}`,
) =>
  z.coerce.number(notNumber).int(notWhole).min(min, `expected ${min} to ${max}`).max(max, `expected ${min} to ${max}`);
const milliseconds = (min: number, max: number, notNumber?: string) =>
  whole(min, max, 'expected whole milliseconds', notNumber);
/** Shorter than the command timeout, so that a missing confirmation is not taken for a timeout, ms. */
const WAIT_MS_MAX = COMMAND_TIMEOUT_MS - 500;
const count = z.coerce
  .number('expected a number')
  .int('expected a whole number')
  .min(1, 'expected at least 1')
  .max(1_000_000, 'expected at most 1000000');
const port = whole(0, 65535, 'expected a port number', 'expected a port number');
const host = z.string().min(1).default('127.0.0.1');
const httpUrl = z.url({ protocol: /^https?$/, error: 'expected an http(s) address' });
// fetch rejects an address with a user in it, but only when the first request is sent.
const webhookUrl = httpUrl
  .refine((url) => !/^[^/]+\/\/[^/?#]*@/.test(url), 'expected an address without user and password')
  .optional();
const SECRET_CHARACTERS_MIN = 32;
const SECRET = `expected a secret of at least ${SECRET_CHARACTERS_MIN} characters`;
const secret = z.string().min(SECRET_CHARACTERS_MIN, SECRET).optional();
/** Tries of a challenge at most. They take a browser 0.1 to 0.3 s, and a script 0.1 s of a core. */
export const PROOF_OF_WORK_TRIES = 800;

const ENCODED = 'expected user and password percent-encoded: % as %25, # as %23, / as %2F, ? as %3F, @ as %40';

/** Whether nothing in user and password can be taken for another part of the address. */
function isEncoded(url: string): boolean {
  const [, login = '', rest = ''] = /^[a-z+]+:\/\/(?:([^/?#]*)@)?(.*)$/is.exec(url) ?? [];
  return !/%(?![0-9a-f]{2})/i.test(login) && !/^[^?]*[@#]/.test(rest) && !/^[^/]*[?#].*@/.test(rest);
}

const demand = z.enum(['off', 'pressure', 'always'], 'expected off, pressure or always').default('off');
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
);

export const configSchema = z.object({
  REDIS_URL: z
    .string()
    .refine(
      (url) => !/^rediss\+/i.test(url),
      'TLS to a Sentinel group or a Cluster is not supported, expected redis+sentinel://… or redis+cluster://… in a network of your own, or rediss://… to one server',
    )
    .refine(isEncoded, { error: ENCODED, abort: true })
    .refine(
      (url) => parseRedisUrl(url) !== undefined,
      'expected redis://host:port, rediss://…, redis+sentinel://host:port,host:port/name or redis+cluster://host:port,host:port',
    )
    .optional(),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\/[^/\s]+\/\S+$/, 'expected postgres://user:password@host:port/database')
    .refine(isEncoded, { error: ENCODED, abort: true })
    .refine(
      (url) => !/[?&]schema=(?!public(&|$))/.test(url),
      'expected no schema: the tables are in the schema public of a database',
    )
    .optional(),
  DURABILITY: durability.default(LOCAL),
  DURABILITY_WAIT_MS: milliseconds(1, WAIT_MS_MAX, 'expected milliseconds').default(DURABILITY_WAIT_MS),
  SETTLE_AFTER_RECONNECT_MS: milliseconds(1_000, 600_000, 'expected milliseconds').default(SETTLE_AFTER_RECONNECT_MS),
  USER_RETENTION_DAYS: whole(30, 36_500).optional(),
  ON_TAMPERING: z.enum(['pause', 'report'], 'expected pause or report').default('pause'),
  JWT_SECRET: secret,
  /** The same for gateways, workers, consoles and commands: whoever lacks it takes every packet for a forgery. */
  SIGNING_SECRET: z
    .string()
    .min(SECRET_CHARACTERS_MIN, { error: SECRET, abort: true })
    .refine((text) => signingSecrets(text).every(({ length }) => length >= SECRET_CHARACTERS_MIN), SECRET)
    .optional(),
  /** Anybody who can change the keys on their way can sign in as any user. */
  JWKS_URL: httpUrl
    .refine(
      (url) => !/^http:/i.test(url) || /^http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])([:/?#]|$)/i.test(url),
      'expected https, or http of this machine',
    )
    .optional(),
  PAYOUT_PROVIDER: z.enum(['ledger', 'webhook'], 'expected ledger or webhook').default('ledger'),
  WEBHOOK_URL: webhookUrl,
  WEBHOOK_SECRET: secret,
  WEBHOOK_RECEIPTS: z.enum(['required', 'trust_status'], 'expected required or trust_status').default('required'),
  WEBHOOK_BATCH_MAX: whole(1, 500).default(1),
  WEBHOOK_TIMEOUT_MS: milliseconds(100, 60_000).default(5_000),
  ORDER_SERVICE: z.enum(['builtin', 'webhook'], 'expected builtin or webhook').default('builtin'),
  ORDER_WEBHOOK_URL: webhookUrl,
  ORDER_WEBHOOK_SECRET: secret,
  ORDER_WEBHOOK_BATCH_MAX: whole(1, 500).default(50),
  ORDER_WEBHOOK_TIMEOUT_MS: milliseconds(100, 60_000).default(5_000),
  ORDER_WEBHOOK_ORDERS_PER_SECOND: whole(1, 100_000).default(1_000),
  ORDER_WEBHOOK_REQUESTS_MAX: whole(1, 256).default(8),
  PAY_URL: httpUrl.refine((url) => url.includes('{orderId}'), 'expected an address with {orderId} in it').optional(),
  JWT_ISSUER: z.string().min(1).optional(),
  JWT_AUDIENCE: z.string().min(1).optional(),
  GATEWAY_HOST: host,
  GATEWAY_PORT: port.default(8687),
  GATEWAY_PUBLIC_URL: z
    .string()
    .regex(/^wss?:\/\/\S+$/, 'expected ws://… or wss://…')
    .optional(),
  /** The other gateways must be able to accept them. */
  GATEWAY_RECONNECTS_PER_SECOND: count.default(1_000),
  CONSOLE_HOST: host,
  CONSOLE_PORT: port.default(8686),
  CONSOLE_HOSTS: list.default([]),
  PLAYER_PAGE_URL: httpUrl.optional(),
  TIME_ZONE: z
    .string()
    .refine(isTimeZone, 'expected a time zone by its IANA name, such as Asia/Shanghai or Europe/Berlin')
    .optional(),
  CURRENCY: z
    .string()
    .refine(isCurrency, 'expected a currency with two decimals by its ISO 4217 code, such as CNY or EUR')
    .default(CURRENCY_DEFAULT),
  WINNER_NAMES: z.enum(['masked', 'full', 'none'], 'expected masked, full or none').default('masked'),
  CONSOLE_SECURE_COOKIES: z.enum(['auto', 'on', 'off'], 'expected auto, on or off').default('auto'),
  /** Operators move money, viewers do not. */
  CONSOLE_TOTP: z.enum(['optional', 'operators'], 'expected optional or operators').default('optional'),
  /** Cents from here on. */
  APPROVAL_ABOVE: z
    .string()
    .regex(/^\d{1,13}\.\d\d$/, { error: 'expected an amount such as 1000.00', abort: true })
    .transform((text) => BigInt(text.replace('.', '')))
    .optional(),
  METRICS_HOST: host,
  METRICS_PORT: port.optional(),
  // Limits of one gateway; limits.ts in src/gateway/sockets and src/gateway/ratelimit say what each protects.
  GATEWAY_SOCKETS_MAX: count.default(18_000),
  GATEWAY_SOCKETS_PER_ADDRESS_MAX: count.default(9_000),
  GATEWAY_HANDSHAKES_PER_SECOND: count.default(2_000),
  GATEWAY_HANDSHAKES_PER_ADDRESS_PER_SECOND: count.default(1_500),
  GATEWAY_MESSAGES_PER_USER_PER_SECOND: count.default(100),
  GATEWAY_MESSAGES_PER_ADDRESS_PER_SECOND: count.default(100_000),
  GATEWAY_FAIR_START_MS: milliseconds(0, 1_000).default(100),
  TRUSTED_PROXIES: whole(0, 8).default(0),
  TICKETS: demand,
  /** A script with a thousand accounts pays for each of them. */
  PROOF_OF_WORK: demand,
  PROOF_OF_WORK_TRIES: count.default(PROOF_OF_WORK_TRIES),
  TICKET_SECRET: secret,
  ALLOWED_ORIGINS: list.default([]),
  PICTURE_ORIGINS: list
    .refine(
      (origins) => origins.every((origin) => /^https:\/\/[A-Za-z0-9.-]+(:\d{1,5})?$/.test(origin)),
      'expected origins such as https://img.example.com, separated by commas',
    )
    .default([]),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  TRACES_ONE_IN: count.default(100),
  LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'expected trace, debug, info, warn, error, fatal or silent',
    )
    .default('info'),
  RAIN_HOME: z.string().min(1).default('.rain'),
});
export type Config = z.infer<typeof configSchema>;
type Optional = 'REDIS_URL' | 'DATABASE_URL' | 'SIGNING_SECRET';
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

/** The expected form of a required value that is missing. */
const EXPECTED: Record<Optional, string> = {
  REDIS_URL: 'redis://host:port',
  DATABASE_URL: 'postgres://user:password@host:port/database',
  SIGNING_SECRET:
    'the secret of at least 32 characters that packets are signed with, the same for gateways, workers, consoles and commands',
};

type Environment = Record<string, string | undefined>;

/**
 * Values from `.env` of the working directory. An unreadable or invalid file counts as empty: the process environment
 * has priority.
 */
export function readDotEnv(path = '.env'): Environment {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}

/** Process environment over `.env`. */
export const readEnvironment = (): Environment => ({ ...readDotEnv(), ...process.env });
/** Environment of a child process: the environment of this process with the given changes. */
export const childEnvironment = (changes: Environment): Environment => ({ ...process.env, ...changes });

/** Each service that is called by webhook: the variable that chooses it, one that it needs, and the expected value. */
const OF_WEBHOOKS = [
  ['PAYOUT_PROVIDER', 'WEBHOOK_URL', 'the address of the wallet'],
  ['PAYOUT_PROVIDER', 'WEBHOOK_SECRET', 'a secret of at least 32 characters'],
  ['ORDER_SERVICE', 'ORDER_WEBHOOK_URL', 'the address of the shop'],
  ['ORDER_SERVICE', 'ORDER_WEBHOOK_SECRET', 'a secret of at least 32 characters'],
] as const;

/**
 * @param need the values that this process requires
 * @throws ConfigError listing every problem
 */
export function loadConfig<N extends Need = never>(
  need: readonly N[] = [],
  env: Environment = readEnvironment(),
): With<N> {
  // An empty variable counts as absent, because shells and compose files unset variables in this way.
  const known = Object.keys(configSchema.shape);
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => known.includes(name) && value !== undefined && value !== ''),
  );
  const parsed = configSchema.safeParse(given);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  for (const name of need) {
    if (name === 'JWT') {
      if (!given['JWT_SECRET'] && !given['JWKS_URL'])
        problems.push('JWT_SECRET or JWKS_URL: missing, expected one of them to verify tokens with');
    } else if (!given[name]) problems.push(`${name}: missing, expected ${EXPECTED[name as Optional]}`);
  }
  // Checked in every process, so that a half configuration fails at the first start and not at the first win.
  for (const [chooser, name, expected] of OF_WEBHOOKS)
    if (given[chooser] === 'webhook' && !given[name])
      problems.push(`${name}: missing, expected ${expected}, since ${chooser} is webhook`);
  if (given['TICKETS'] === undefined || given['TICKETS'] === 'off') {
    if (parsed.success && parsed.data.PROOF_OF_WORK !== 'off')
      problems.push('PROOF_OF_WORK: needs tickets, expected TICKETS=pressure or TICKETS=always with it');
  }
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return parsed.data as With<N>;
}
