import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { STEPS } from '../../src/bin/setup/build.mjs';
import { exclusively } from '../../src/bin/setup/lock.mjs';
import { ensureForTest } from '../../src/bin/setup/programs.mjs';
import {
  findOnPath,
  hashOf,
  isStamped,
  run,
  say,
  sayWhatEnds,
  SetupError,
  stamp,
  timed,
} from '../../src/bin/setup/step.mjs';
import { bareEnvironment } from '../support/call.ts';
import { runScript } from '../support/script.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test('a program is found on the PATH when it can be executed, the first name first', () => {
  const [empty, folder] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(folder, 'redis-server'), '');
  mkdirSync(join(empty, 'valkey-server'));
  const path = `${empty}:${folder}:/nowhere`;
  expect(findOnPath(['redis-server', 'valkey-server'], path)).toBeUndefined();
  chmodSync(join(folder, 'redis-server'), 0o755);
  expect(findOnPath(['redis-server', 'valkey-server'], path)).toBe(join(folder, 'redis-server'));
});

test('a hash notices what was changed, added, renamed and removed', () => {
  const folder = temporaryFolder();
  const hash = () => hashOf(['src', 'lock'], folder);
  const seen = new Set([hash()]);
  const change = (action: () => void) => {
    action();
    expect(seen.has(hash())).toBe(false);
    seen.add(hash());
  };
  change(() => mkdirSync(join(folder, 'src/deep'), { recursive: true }));
  change(() => writeFileSync(join(folder, 'src/deep/a'), 'one'));
  change(() => writeFileSync(join(folder, 'src/deep/a'), 'two'));
  change(() => writeFileSync(join(folder, 'src/deep/b'), ''));
  change(() => symlinkSync('a', join(folder, 'src/deep/c')));
  change(() => rmSync(join(folder, 'src/deep/b')));
  change(() => writeFileSync(join(folder, 'lock'), ''));
  const before = hash();
  utimesSync(join(folder, 'lock'), 1, 1);
  expect(hash()).toBe(before);
});

test('a stamp vouches for exactly one content', () => {
  const file = join(temporaryFolder(), 'deep', 'stamp');
  expect(isStamped(file, 'a')).toBe(false);
  stamp(file, 'a');
  expect([isStamped(file, 'a'), isStamped(file, 'ab')]).toEqual([true, false]);
  expect(readdirSync(join(file, '..'))).toEqual(['stamp']);
});

test('a step that fails ends in one sentence that knows its output', async () => {
  const failing = run('sh', ['-c', 'echo EACCES >&2; exit 3'], (output: string) => `sentence about ${output.trim()}`, {
    quiet: true,
  });
  await expect(failing).rejects.toThrow(new SetupError('sentence about EACCES'));
  await expect(run('no-such-program', [], (output: string) => output, { quiet: true })).rejects.toThrow(
    /no-such-program.*ENOENT/,
  );
  await expect(
    run('sh', ['-c', 'echo half; kill -9 $$'], (output: string) => output, { quiet: true }),
    'a signal is named',
  ).rejects.toThrow(/^half\nsh: killed by SIGKILL\n$/);
  expect(await run('sh', ['-c', 'echo done'], () => '')).toBe('done\n');
});

/** The text of stderr from now on. */
function stderrFromNow(): () => string {
  let text = '';
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  onTestFinished(() => write.mockRestore());
  return () => text;
}

test('each step has one line with its seconds, also where several work side by side', async () => {
  const text = stderrFromNow();
  await timed('one …', async () => sleep(60));
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const beside = timed('two …', () => held);
  await timed('three …', async () => {});
  const four = timed('four …', async () => beside);
  expect(text()).toMatch(/^one … 0\.[01] s\ntwo …$/);
  release();
  await four;
  say('done');
  expect(text()).toMatch(/^one … 0\.[01] s\ntwo … 0\.0 s\nthree … 0\.0 s\nfour … 0\.0 s\ndone\n$/);
});

test('Ctrl-C during the set-up names the steps that it ends, and a failed step ends its line', async () => {
  const text = stderrFromNow();
  let fail = (_: Error): void => {};
  const failing = new Promise<void>((_, reject) => {
    fail = reject;
  });
  const step = timed('bundling …', () => failing);
  sayWhatEnds();
  expect(text()).toBe('bundling …\n\nended while bundling; the next start goes on from there.\n');
  fail(new SetupError('no'));
  await expect(step).rejects.toThrow('no');
  sayWhatEnds();
  expect(text()).toMatch(/\nended; the next start goes on from there\.\n$/);
});

test('set-ups begun together work one after the other', async () => {
  const folder = temporaryFolder();
  let inside = 0;
  const waited: number[] = [];
  await Promise.all(
    [1, 2, 3].map(() =>
      exclusively(
        folder,
        async () => {
          expect(++inside).toBe(1);
          await sleep(50);
          inside--;
        },
        (pid: number) => waited.push(pid),
      ),
    ),
  );
  expect(waited).toEqual([process.pid, process.pid]);
});

test('a set-up that was killed, or has been silent for long, does not keep others from theirs', async () => {
  const folder = temporaryFolder();
  const holder = runScript(new URL('./processes/setup-holder.mjs', import.meta.url), [folder]);
  expect(await holder.nextLine()).toBe('holds');
  const unexpected = () => {
    throw new Error('waited');
  };
  let waiting = 0;
  const answer = exclusively(
    folder,
    async () => 'done',
    () => {
      waiting++;
      holder.process.kill('SIGKILL');
    },
  );
  expect(await answer).toBe('done');
  expect(waiting).toBe(1);

  const name = readdirSync(folder).find((file) => file.startsWith('lock.'))!;
  writeFileSync(join(folder, name), String(process.ppid));
  utimesSync(join(folder, name), 1, 1);
  expect(await exclusively(folder, async () => 'done', unexpected)).toBe('done');
});

test('failed work releases the lock and throws its error', async () => {
  const folder = temporaryFolder();
  await expect(
    exclusively(
      folder,
      async () => {
        throw new SetupError('no');
      },
      () => {},
    ),
  ).rejects.toThrow('no');
  expect(
    await exclusively(
      folder,
      async () => 'done',
      () => {
        throw new Error('waited');
      },
    ),
  ).toBe('done');
});

test('what npm start builds with is among its own packages, not among those of the tests', () => {
  const manifest = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
  const programs = STEPS.flatMap(({ command }) => /^node_modules\/([^/]+)/.exec(command[0]!)?.[1] ?? []);
  expect(programs).toEqual(['prisma', 'typescript', 'vite', 'vite']);
  expect(Object.keys(manifest('package.json').devDependencies)).toEqual(
    expect.arrayContaining([...programs, 'rolldown']),
  );
  expect(Object.keys(manifest('test/package.json').devDependencies)).toContain('vitest');
});

test('a command that uses a package of the tests installs it first, as npm start does not', () => {
  const manifest = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
  const ofTests = Object.keys(manifest('test/package.json').devDependencies);
  const scripts = Object.entries<string>(manifest('package.json').scripts);
  const uses = ([, line]: [string, string]) => line.split(' ').some((word) => ofTests.includes(word));
  expect(scripts.filter(uses).map(([name]) => name)).toEqual(expect.arrayContaining(['lint', 'fix', 'bench', 'docs']));
  expect(
    scripts.filter((script) => uses(script) && !script[1].startsWith('node src/bin/setup.mjs packages && ')),
  ).toEqual([]);
});

test('a Chromium that was named is the one that is taken', async () => {
  const env: Record<string, string> = { CHROMIUM: '/somewhere/chromium' };
  expect(await ensureForTest('chromium', env)).toBeUndefined();
  expect(env['CHROMIUM']).toBe('/somewhere/chromium');
});

test('a Python that was named is the one that is taken', async () => {
  const env: Record<string, string> = { PYTHON: '/somewhere/python3' };
  expect(await ensureForTest('python', env)).toBeUndefined();
  expect(env['PYTHON']).toBe('/somewhere/python3');
});

test('Node 18 can parse the code that refuses it', () => {
  const file = new URL('../../src/bin/setup.mjs', import.meta.url);
  expect(existsSync(file)).toBe(true);
  expect(readFileSync(file, 'utf8')).not.toMatch(/^import |^await |\?\?=|#\w+/m);
});

test.each([
  [['--help'], 0, /^Usage: rain up/m],
  [['--no-such'], 2, /--no-such/],
])('npm start -- %s ends by itself, with the exit code of rain up', async (words, exit, told) => {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('../../src/bin/setup.mjs', import.meta.url)), 'start', ...words],
    {
      env: bareEnvironment({}, temporaryFolder()),
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  onTestFinished(() => void child.kill('SIGKILL'));
  const [code] = await once(child, 'close');
  expect([code, text]).toEqual([exit, expect.stringMatching(told)]);
});
