import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import { expect, test } from 'vitest';

const ENTRY = fileURLToPath(new URL('../../src/client/client.ts', import.meta.url));
const GZIP_BYTES_MAX = 11_000;

/** As an app's own bundler makes it. */
async function bundle(): Promise<{ code: string; modules: string[] }> {
  const outputs = (await build({
    configFile: false,
    logLevel: 'silent',
    mode: 'production',
    build: {
      write: false,
      minify: true,
      target: 'es2022',
      lib: { entry: ENTRY, formats: ['es'], fileName: 'client' },
      rolldownOptions: { external: () => false },
    },
  })) as Rolldown.RolldownOutput[];
  const [chunk, ...others] = outputs[0]!.output;
  expect(others).toEqual([]);
  return { code: chunk.code, modules: chunk.moduleIds.map((id) => id.replace(/^.*\/(src|node_modules)\//, '$1/')) };
}

test('an app that takes it grows by less than 11 KB, and by nothing of Node, of a page, or of anybody else', async () => {
  const { code, modules } = await bundle();
  expect(gzipSync(code).byteLength).toBeLessThan(GZIP_BYTES_MAX);
  expect(modules).toContain('src/client/client.ts');
  // Neither a library nor what Node alone has: no import of any kind is left, and all that is in it is ours.
  expect(modules.filter((id) => !/^src\/(client|protocol|rain|sale|platform)\//.test(id))).toEqual([]);
  expect(code).not.toMatch(/\bimport\b|\brequire\(|node:|\bprocess\.|\bBuffer\b/);
});
