import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

export interface BuiltPage {
  folder: string;
  remove(): void;
}

/** The player's page as it is now, built as it is shipped, in a folder of this test's own. */
export async function buildPage(): Promise<BuiltPage> {
  const folder = mkdtempSync(join(tmpdir(), 'rain-test-built-page-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  await build({
    configFile: fileURLToPath(new URL('../../client-demo/vite.config.ts', import.meta.url)), logLevel: 'warn', mode: 'production',
    build: { outDir: folder, emptyOutDir: true },
  });
  return { folder, remove };
}
