import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from './step.mjs';

/**
 * Packages that are loaded as they are: they read files beside themselves, or start threads from them. `pino` is one of
 * those, and the others are optional or large.
 */
const AS_THEY_ARE = /^(?:pino|@electric-sql\/|@opentelemetry\/|msgpackr-extract$|@jsquash\/)/;
/** The program, and the files that it starts as processes and threads (`compiledEntry`). */
const ENTRIES = [
  'platform/embedded/redisGuard',
  'platform/embedded/databaseInit',
  'platform/embedded/databaseServer',
  'operator/lists/workbookWorker',
  'operator/previewWorker',
  'platform/pictures/rewriteWorker',
  'loadtest/processes/childProcess',
  'bin/rain',
];
const ENTRY = 'bin/rain.js';
const CHUNKS = 'chunks';
/** Lists the files that `npm pack` leaves out: chunks of earlier builds. */
const UNPACKED = '.npmignore';
/** A process that was started before may still load chunks of then. */
const KEPT_MS = 86_400_000;

/*
 * Writes dist/bin/rain.js and the other entries with their packages in dist/chunks/: to find and read their files, more than a
 * thousand, took each process longer than everything else it does before it serves. The names of chunks follow from
 * their contents, and every file is replaced at once, the entry last: whoever starts it meanwhile, or after a bundling
 * that was cut off, has a whole program.
 */
const bundle = await rolldown({
  input: Object.fromEntries(ENTRIES.map((name) => [name, join(ROOT, `src/${name}.ts`)])),
  platform: 'node',
  external: AS_THEY_ARE,
  tsconfig: false,
  // Packages do on purpose what it would warn of.
  onLog: () => {},
});
const { output } = await bundle.generate({
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: `${CHUNKS}/[name]-[hash].js`,
});
await bundle.close();
const dist = join(ROOT, 'dist');
for (const { fileName, code } of output.toSorted(
  (a, b) => Number(a.fileName === ENTRY) - Number(b.fileName === ENTRY),
)) {
  const path = join(dist, fileName);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, code);
  renameSync(`${path}.${process.pid}`, path);
}
const current = new Set(output.map(({ fileName }) => fileName));
const former = readdirSync(join(dist, CHUNKS)).filter((name) => !current.has(`${CHUNKS}/${name}`) && name !== UNPACKED);
for (const name of former) {
  const path = join(dist, CHUNKS, name);
  if (statSync(path).mtimeMs < Date.now() - KEPT_MS) rmSync(path, { force: true });
}
writeFileSync(join(dist, CHUNKS, UNPACKED), former.map((name) => `${name}\n`).join(''));
