import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { configSchema } from '../../src/platform/config.ts';
import { rain } from '../support/call.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Names of settings that a file sets, e.g. `REDIS_URL`. */
const known = new Set(Object.keys(configSchema.shape));

describe('the image', () => {
  const dockerfile = read('deploy/docker/Dockerfile');

  test('contains all files that the programs read: the build creates them, at the expected paths', () => {
    const copied = [...dockerfile.matchAll(/^COPY --from=build \/rain\/(\S+)/gm)].map(([, path]) => path!);
    expect(copied).toEqual(['package.json', 'node_modules', 'lua', 'prisma/migrations', 'dist']);
    for (const path of copied) expect(existsSync(join(ROOT, path)), path).toBe(true);
    // A program names the files that it reads beside dist from the folder of package.json.
    const files = sources('src').filter((path) => !path.includes('/generated/'));
    const beside = files.flatMap((path) =>
      [...read(path).matchAll(/new URL\(['`]([^'`$]+)[^,]*, ROOT\)/g)].map(([, rest]) => ({ path, rest: rest! })),
    );
    expect(beside.length).toBeGreaterThan(3);
    for (const { path, rest } of beside)
      expect(
        copied.some((folder) => rest === folder || rest.startsWith(`${folder}/`)),
        `${path} reads ${rest}`,
      ).toBe(true);
    const upwards = files.filter(
      (path) =>
        !path.startsWith('src/bin/setup') &&
        [...read(path).matchAll(/new URL\('((?:\.\.\/)+)/g)].some(
          ([, up]) => path.split('/').length - 1 <= up!.length / 3,
        ),
    );
    expect(upwards, 'read what lies above src or dist by a path that a bundle changes').toEqual([]);
  });

  test('is built and run on one exact Node of the documents, by a user of its own, with its stages named', () => {
    const documented = /They need Node (\d+)/.exec(read('README.md'))![1]!;
    const from = [...dockerfile.matchAll(/^FROM (\S+)(?: AS (\w+))?$/gm)].map(([, image, stage]) => [image, stage]);
    expect(from).toEqual([
      [expect.stringMatching(new RegExp(String.raw`^node:${documented}\.\d+\.\d+-bookworm-slim$`)) as string, 'base'],
      ['base', 'build'],
      ['base', undefined],
    ]);
    const last = dockerfile.slice(dockerfile.lastIndexOf('FROM '));
    expect(last).toMatch(/^USER node$/m);
    expect(last, 'a program in a shell does not hear SIGTERM').toMatch(/^ENTRYPOINT \["node", /m);
    const words = dockerfile.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(
      words.filter((line) => !/^(FROM|WORKDIR|COPY|RUN|ENV|USER|EXPOSE|STOPSIGNAL|ENTRYPOINT|CMD) /.test(line)),
    ).toEqual([]);
    expect(dockerfile, 'secrets and downloads do not belong into a layer').not.toMatch(
      /_SECRET|PASSWORD|curl|wget|^ADD /m,
    );
  });

  test('needs none of the packages that are there for development only', () => {
    const { dependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<
      'dependencies' | 'optionalDependencies',
      Record<string, string>
    >;
    // The bundle is made of the other files, and of packages that hold the names of others in texts.
    const wanted = new Set(
      sources('dist')
        .filter((path) => !path.startsWith('dist/chunks/'))
        .flatMap((path) =>
          [...read(path).matchAll(/(?<!\.)(?:from|import)\s*\(?\s*['"]([@\w][\w./@:-]*)['"]/g)].map(([, name]) =>
            packageOf(name!),
          ),
        ),
    );
    expect(wanted.size).toBeGreaterThan(10);
    expect(
      [...wanted].filter(
        (name) =>
          !(name in dependencies) &&
          !(name in optionalDependencies) &&
          !builtinModules.includes(name) &&
          !name.startsWith('node:'),
      ),
      'imported, and not among the dependencies',
    ).toEqual([]);
  });

  test('has the program as one bundle, whose chunks are all there', () => {
    const chunks = [...read('dist/bin/rain.js').matchAll(/["']\.\.\/chunks\/([^"']+)["']/g)].map(([, name]) => name!);
    expect(chunks.length).toBeGreaterThan(0);
    for (const name of chunks) expect(existsSync(join(ROOT, 'dist/chunks', name)), name).toBe(true);
  });

  test('knows the settings that it and the compose file set', () => {
    const own = [...dockerfile.matchAll(/^ENV (.+)$/gm)]
      .flatMap(([, line]) => line!.split(' ').map((pair) => pair.split('=')[0]!))
      .filter((name) => name !== 'NODE_ENV');
    const { services } = parse(read('deploy/docker/compose.yaml'), { merge: true }) as {
      services: Record<string, { image?: string; command?: string[]; environment?: Record<string, string> }>;
    };
    const ours = Object.values(services).filter(({ image }) => image === 'red-packet-rain');
    expect(ours.length).toBe(4);
    const set = ours.flatMap(({ environment }) => Object.keys(environment ?? {}));
    expect([...own, ...set].filter((name) => !known.has(name))).toEqual([]);
    expect(own).toContain('GATEWAY_HOST');
  });

  test('starts with commands that there are', async () => {
    const { services } = parse(read('deploy/docker/compose.yaml'), { merge: true }) as {
      services: Record<string, { image?: string; command: string[] }>;
    };
    const commands = Object.values(services)
      .filter(({ image }) => image === 'red-packet-rain')
      .map(({ command }) => command);
    for (const command of commands) {
      const { exit, stdout } = await rain([...command, '--help']);
      expect([exit, stdout], command.join(' ')).toEqual([0, expect.stringContaining(`Usage: rain ${command[0]}`)]);
    }
  });
});

/** JavaScript and TypeScript files of a folder, as paths from the root; not what browsers are given. */
function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|js|mjs)$/.test(path) && !path.endsWith('.d.ts') && !path.startsWith('client-'))
    .map((path) => `${folder}/${path}`);
}

function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}
