import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Version of this program. package.json lies beside src/ and beside dist/, at the same depth. */
export const { version: VERSION } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')));
