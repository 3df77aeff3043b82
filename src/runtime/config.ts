import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { parseRedisUrl } from './redis.ts';

/**
 * The only reader of the environment. Values come from the process environment, then from `.env`; whoever starts needs
 * says which values must be there. Everything wrong is listed at once, by name, with what was expected [R12].
 */
const port = z.coerce.number('expected a port number').int('expected a port number').min(0, 'expected 0 to 65535').max(65535, 'expected 0 to 65535');
const list = z.string().transform((text) => text.split(',').map((part) => part.trim()).filter(Boolean));

export const configSchema = z.object({
  REDIS_URL: z.string().refine((url) => parseRedisUrl(url) !== undefined,
    'expected redis://host:port, rediss://…, redis+sentinel://host:port,host:port/name or redis+cluster://host:port,host:port').optional(),
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\/[^/\s]+\/\S+$/, 'expected postgres://user:password@host:port/database').optional(),
  JWT_SECRET: z.string().min(32, 'expected a secret of at least 32 characters').optional(),
  JWKS_URL: z.url({ protocol: /^https?$/, error: 'expected an http(s) address' }).optional(),
  JWT_ISSUER: z.string().min(1).optional(),
  JWT_AUDIENCE: z.string().min(1).optional(),
  GATEWAY_HOST: z.string().min(1).default('127.0.0.1'),
  GATEWAY_PORT: port.default(8687),
  /** Where players reach the gateway, when that differs from host and port (a proxy in front). */
  GATEWAY_PUBLIC_URL: z.string().regex(/^wss?:\/\/\S+$/, 'expected ws://… or wss://…').optional(),
  /** How many players of a gateway that closes are asked back per second; what the others can welcome beside their work. */
  GATEWAY_COMEBACKS_PER_SECOND: z.coerce.number('expected a number').int('expected a whole number').min(1, 'expected at least 1').max(1_000_000, 'expected at most 1000000').default(1_000),
  CONSOLE_HOST: z.string().min(1).default('127.0.0.1'),
  CONSOLE_PORT: port.default(8686),
  /** Page origins that may open sockets; empty means any. */
  ALLOWED_ORIGINS: list.default([]),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'expected trace, debug, info, warn, error, fatal or silent').default('info'),
  /** Folder of the embedded servers' data. */
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

/** `.env` of the working directory, or nothing. An unreadable or unparsable file is nothing, too: the process environment rules. */
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

/** What a child process is given: this process's environment and what is special for it. */
export function childEnvironment(special: Record<string, string | undefined>): Record<string, string | undefined> {
  return { ...process.env, ...special };
}

/**
 * @param need which values this process cannot do without
 * @param env defaults to process environment over `.env`
 * @throws ConfigError listing every problem
 */
export function loadConfig<N extends Need = never>(need: readonly N[] = [], env: Record<string, string | undefined> = readEnvironment()): With<N> {
  // An empty variable is an absent one: that is how shells and compose files unset things.
  const known = Object.keys(configSchema.shape);
  const given = Object.fromEntries(Object.entries(env).filter(([name, value]) => known.includes(name) && value !== undefined && value !== ''));
  const parsed = configSchema.safeParse(given);
  const problems = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  for (const name of need) {
    if (name === 'JWT') {
      if (!given['JWT_SECRET'] && !given['JWKS_URL']) problems.push('JWT_SECRET or JWKS_URL: missing, expected one of them to verify tokens with');
    } else if (!given[name]) problems.push(`${name}: missing, expected ${name === 'REDIS_URL' ? 'redis://host:port' : 'postgres://user:password@host:port/database'}`);
  }
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return parsed.data as With<N>;
}
