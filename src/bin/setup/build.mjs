import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, isStamped, ROOT, run, stamp, STATE, timed } from './step.mjs';

/** The steps without which `npm start` cannot play. The rest is built while the rain falls. */
export const FOR_START = ['prisma', 'bundle', 'page'];

/**
 * The build steps. A step is skipped only when its stamp names exactly these inputs and its main output exists. It
 * begins when the steps of `after` are finished, beside the others.
 */
export const STEPS = [
  {
    name: 'prisma',
    line: 'generating the database client …',
    inputs: ['prisma/schema.prisma', 'prisma.config.ts', 'package-lock.json'],
    output: 'src/ledger/generated/client.ts',
    command: ['node_modules/prisma/build/index.js', 'generate'],
    // Prisma requires an engine, which it would download although `generate` never runs it. Any executable will do.
    env: { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' },
    sentence: 'Prisma could not generate the database client from prisma/schema.prisma; see above.',
  },
  {
    name: 'tsc',
    line: 'compiling …',
    after: ['prisma'],
    inputs: ['src', 'tsconfig.json', 'package-lock.json'],
    output: 'dist/bin/rain.js',
    // tsc trusts this file more than the real content of dist/.
    forget: 'dist/.tsbuildinfo',
    // It writes the entries of the bundle, too.
    spoils: 'bundle',
    command: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'],
    sentence: 'the TypeScript sources have errors; see above.',
  },
  {
    name: 'bundle',
    line: 'bundling …',
    after: ['prisma', 'tsc'],
    inputs: ['src', 'package-lock.json'],
    output: 'dist/chunks',
    command: ['src/bin/setup/bundle.mjs'],
    sentence: 'the program could not be bundled with its packages; see above.',
  },
  viteStep('page', "player's page", 'client-demo', ['src/client', 'src/protocol']),
  viteStep('console', "operator's console", 'client-console', ['src/operator/queues']),
];

/**
 * @param {string[]} names the steps to take; default: all
 * @param {typeof timed} during tells of a step that is not up to date, and awaits its work
 */
export async function build(names = STEPS.map(({ name }) => name), during = timed) {
  const taken = new Map();
  for (const step of STEPS.filter(({ name }) => names.includes(name))) {
    const before = Promise.all((step.after ?? []).map((name) => taken.get(name)));
    taken.set(
      step.name,
      before.then(() => take(step, during)),
    );
  }
  // Steps beside a failed one come to their end, so that no command is left behind.
  const failed = (await Promise.allSettled(taken.values())).find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
}

async function take({ name, line, inputs, output, forget, spoils, command, env, sentence }, during) {
  const file = join(STATE, name);
  const wanted = hashOf(inputs);
  if (isStamped(file, wanted) && existsSync(join(ROOT, output))) return;
  await during(line, async () => {
    rmSync(file, { force: true });
    if (forget) rmSync(join(ROOT, forget), { force: true });
    if (spoils) rmSync(join(STATE, spoils), { force: true });
    await run(process.execPath, command, () => sentence, { env });
    stamp(file, wanted);
  });
}

function viteStep(name, what, folder, inputs) {
  return {
    name,
    line: `building the ${what} …`,
    inputs: [folder, ...inputs, 'scripts/pages', 'src/rain', 'src/sale', 'src/platform', 'package-lock.json'],
    output: `dist/${folder}/index.html`,
    command: ['node_modules/vite/bin/vite.js', 'build', folder, '--logLevel', 'warn'],
    // With another one, such as that of a test run, the page would hold the paths of its sources.
    env: { NODE_ENV: 'production' },
    sentence: `the ${what} could not be built; see above.`,
  };
}
