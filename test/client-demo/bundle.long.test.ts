import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import { expect, test } from 'vitest';

const CONFIG = fileURLToPath(new URL('../../client-demo/vite.config.ts', import.meta.url));

test('[R10] the page is light: what it needs fits into 60 KB, no validator in it; all else is fetched when it is wanted', async () => {
  const { output } = await build({ configFile: CONFIG, logLevel: 'silent', mode: 'production', build: { write: false } }) as Rolldown.RolldownOutput;
  const textOf = new Map(output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : String(file.source)]));
  const html = textOf.get('index.html')!;
  // What the page names by itself, and what those scripts import before they run.
  const first = new Set([...textOf.keys()].filter((file) => html.includes(file)));
  const chunkOf = (name: string) => output.find((file): file is Rolldown.OutputChunk => file.type === 'chunk' && file.fileName === name);
  for (const file of first) for (const imported of chunkOf(file)?.imports ?? []) first.add(imported);
  const scripts = [...first].filter((file) => file.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(0);
  const gzipped = [html, ...[...first].map((file) => textOf.get(file)!)].reduce((sum, text) => sum + gzipSync(text).length, 0);
  console.info(`${gzipped} bytes gzipped, in ${first.size + 1} files`);
  expect(gzipped).toBeLessThan(60_000);
  for (const file of scripts) expect(textOf.get(file), file).not.toMatch(/zod/i);
  // The verifier is fetched by whoever asks for it, the solver by whom a challenge is set.
  const later = [...textOf.keys()].filter((file) => !first.has(file));
  for (const name of [/\/solver-/, /\/verifier-/]) expect(later).toContainEqual(expect.stringMatching(name));
});
