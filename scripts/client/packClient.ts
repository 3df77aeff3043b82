import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'vite';
import { z } from 'zod';
import { OLDEST_BROWSERS } from '../pages/olderBrowsers.ts';
import { declarations } from './declarations.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ENTRY = join(ROOT, 'src/client/client.ts');

const rootPackage = z.object({ version: z.string(), license: z.string() });
const packed = z.tuple([z.object({ filename: z.string(), size: z.number(), entryCount: z.number() })]);

/** For `import`, for `require`, and for a page without a bundler, where it is `RedPackets`. */
const SCRIPTS = { es: 'esm/client.js', cjs: 'cjs/client.js', iife: 'script/client.js' } as const;
const GLOBAL = 'RedPackets';
/** A TypeScript that reads a package as CommonJS wants declarations that are. */
const TYPED = ['esm', 'cjs'] as const;

/**
 * Makes the tarball of the client, with scripts and types that need no other package.
 * @param to folder for the tarball; it is made if need be
 * @returns `bytes` of the tarball
 * @throws when the sources have errors, or npm cannot pack
 */
export async function packClient(to: string): Promise<{ file: string; bytes: number; files: number }> {
  const home = mkdtempSync(join(tmpdir(), 'rain-client-'));
  try {
    await writePackage(home);
    const folder = resolve(to);
    mkdirSync(folder, { recursive: true });
    const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: home,
    });
    const [{ filename, size, entryCount }] = packed.parse(JSON.parse(stdout));
    return { file: join(folder, filename), bytes: size, files: entryCount };
  } finally {
    rmSync(home, { recursive: true });
  }
}

async function writePackage(home: string): Promise<void> {
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  const { version, license } = rootPackage.parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
  put('package.json', `${JSON.stringify(manifest(version, license), null, 2)}\n`);
  put('cjs/package.json', '{ "type": "commonjs" }\n');
  copyFileSync(join(ROOT, 'scripts/client/README.md'), join(home, 'README.md'));
  copyFileSync(join(ROOT, 'LICENSE'), join(home, 'LICENSE'));
  for (const [format, path] of Object.entries(SCRIPTS)) put(path, await bundled(format as keyof typeof SCRIPTS));
  for (const [path, text] of await declarations(ENTRY))
    for (const folder of TYPED) put(`${folder}/types/${path}`, text);
}

/** The client as one script, as the package has it. */
export async function bundled(format: keyof typeof SCRIPTS): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: 'silent',
    mode: 'production',
    build: {
      // Its bundler makes it small, and its author may want to read it.
      write: false,
      minify: format === 'iife',
      target: OLDEST_BROWSERS,
      lib: { entry: ENTRY, name: GLOBAL, formats: [format], fileName: 'client' },
      rolldownOptions: { external: () => false },
    },
  });
  const output = Array.isArray(made) ? made[0]!.output : 'output' in made ? made.output : [];
  if (output.length !== 1) throw new Error(`expected one script for ${format}, got ${output.length}`);
  return output[0]!.code;
}

function manifest(version: string, license: string) {
  const entry = (folder: (typeof TYPED)[number]) => ({
    types: `./${folder}/types/client/client.d.ts`,
    default: `./${folder}/client.js`,
  });
  return {
    name: 'red-packet-rain-client',
    version,
    license,
    description:
      'Plays red-packet rains (红包雨) and buys in flash sales (秒杀) over a WebSocket, in browsers, apps and Node.',
    type: 'module',
    sideEffects: false,
    main: './cjs/client.js',
    module: './esm/client.js',
    types: './cjs/types/client/client.d.ts',
    unpkg: './script/client.js',
    jsdelivr: './script/client.js',
    exports: {
      '.': { import: entry('esm'), require: entry('cjs') },
      './script': './script/client.js',
      './package.json': './package.json',
    },
    files: ['esm', 'cjs', 'script'],
  };
}
