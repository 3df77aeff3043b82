import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const made = (bytes: number) =>
  z
    .string()
    .min(32)
    .catch(() => randomBytes(bytes).toString('hex'));
/** A missing or invalid secret is made anew; the rest is kept. */
const secrets = z.object({ jwtSecret: made(32), redisPassword: made(24), signingSecret: made(32) });

/** Generated once per home and kept, so that tokens, clients and signed packets stay valid after a restart. */
type Secrets = z.infer<typeof secrets>;

/**
 * Reads `secrets.json` (mode 0600) of the home. A file from before one of the secrets existed gets that one; an
 * unreadable file is replaced. The caller holds the lock.
 */
export function keepSecrets(home: string): Secrets {
  const path = join(home, 'secrets.json');
  const found = readFile(path);
  const kept = secrets.parse(found);
  if (Object.entries(kept).some(([name, value]) => found[name] !== value)) {
    writeFileSync(`${path}.draft`, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${path}.draft`, path);
  }
  return kept;
}

function readFile(path: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return {};
  }
}

/** Another secret from a kept one: what was signed with the kept one is nothing under it. */
export function deriveSecret(kept: string, purpose: string): string {
  return createHmac('sha256', kept).update(purpose).digest('hex');
}
