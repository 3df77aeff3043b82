import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const secrets = z.object({ jwtSecret: z.string().min(32), redisPassword: z.string().min(32) });

/** Generated once per home and kept, so that tokens and clients stay valid after a restart. */
type Secrets = z.infer<typeof secrets>;

/** Reads `secrets.json` (mode 0600) of the home. A missing or unreadable file is replaced by new secrets. The caller holds the lock. */
export function keepSecrets(home: string): Secrets {
  const path = join(home, 'secrets.json');
  try {
    return secrets.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    const made: Secrets = { jwtSecret: randomBytes(32).toString('hex'), redisPassword: randomBytes(24).toString('hex') };
    writeFileSync(`${path}.draft`, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${path}.draft`, path);
    return made;
  }
}
