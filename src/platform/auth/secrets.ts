import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const secrets = z.object({ jwtSecret: z.string().min(32), redisPassword: z.string().min(32) });

/** Made up once per home and kept, so that tokens and clients of before a restart stay valid. */
type Secrets = z.infer<typeof secrets>;

/** Reads `secrets.json` (mode 0600) of the home; what is not there, or not readable as such, is made anew. The caller holds the lock. */
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
