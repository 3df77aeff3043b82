import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ROOT } from './root.ts';

/** Version of this program. */
export const { version: VERSION } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')));
