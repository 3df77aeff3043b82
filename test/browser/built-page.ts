import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const CONFIG = fileURLToPath(new URL('../../client-demo/vite.config.ts', import.meta.url));

export interface BuiltPage {
  folder: string;
  remove(): void;
}

/** The player's page as it is now, built as it is shipped, in a folder of this test's own. */
export async function buildPage(): Promise<BuiltPage> {
  const folder = mkdtempSync(join(tmpdir(), 'rain-test-built-page-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  await build({ configFile: CONFIG, logLevel: 'warn', mode: 'production', build: { outDir: folder } });
  return { folder, remove };
}

const CONSOLE = fileURLToPath(new URL('../../client-console/vite.config.ts', import.meta.url));

/** The operator's page in dist/, where `rain console` looks for it. */
export async function buildShippedConsole(): Promise<void> {
  if (!process.env['RAIN_BUILT']) await build({ configFile: CONSOLE, logLevel: 'warn', mode: 'production' });
}

/** The page in dist/, where `rain console` looks for it; built already when the set-up has run. */
export async function buildShippedPage(): Promise<void> {
  if (!process.env['RAIN_BUILT']) await build({ configFile: CONFIG, logLevel: 'warn', mode: 'production' });
}
