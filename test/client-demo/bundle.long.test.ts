import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import { expect, test } from 'vitest';

const CONFIG = fileURLToPath(new URL('../../client-demo/vite.config.ts', import.meta.url));

test('[R10] the initial page is at most 60 KB and has no validator; the rest is loaded on demand', async () => {
  const { output } = (await build({
    configFile: CONFIG,
    logLevel: 'silent',
    mode: 'production',
    build: { write: false },
  })) as Rolldown.RolldownOutput;
  const textOf = new Map(
    output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : String(file.source)]),
  );
  const html = textOf.get('index.html')!;
  // The scripts of the page, and their static imports.
  const first = new Set([...textOf.keys()].filter((file) => html.includes(file)));
  const chunkOf = (name: string) =>
    output.find((file): file is Rolldown.OutputChunk => file.type === 'chunk' && file.fileName === name);
  for (const file of first) for (const imported of chunkOf(file)?.imports ?? []) first.add(imported);
  const scripts = [...first].filter((file) => file.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(0);
  const gzipped = [html, ...[...first].map((file) => textOf.get(file)!)].reduce(
    (sum, text) => sum + gzipSync(text).length,
    0,
  );
  console.info(`${gzipped} bytes gzipped, in ${first.size + 1} files`);
  expect(gzipped).toBeLessThan(60_000);
  for (const file of scripts) expect(textOf.get(file), file).not.toMatch(/zod/i);
  // The verifier, the solver and the screen of a sale are loaded on demand.
  const later = [...textOf.keys()].filter((file) => !first.has(file));
  for (const name of [/\/challenge-worker-/, /\/verification-worker-/, /\/open-sale-.*\.js$/, /\/open-sale-.*\.css$/])
    expect(later).toContainEqual(expect.stringMatching(name));
});
