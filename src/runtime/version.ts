import { readFileSync } from 'node:fs';

/** As package.json has it: beside src/ and beside dist/ alike. */
export const { version: VERSION } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
