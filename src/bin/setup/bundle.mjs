import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from './step.mjs';

/**
 * Packages that are loaded as they are: they read files beside themselves, or start threads from them. `pino` is one of those, and
 * the others are optional or large.
 */
const AS_THEY_ARE = /^(?:pino|@bull-board\/|@electric-sql\/|@opentelemetry\/)/;

/*
 * Replaces dist/bin/rain.js by one that has its packages in dist/chunks/: to find and read their files, more than a thousand, took each process
 * longer than everything else it does before it serves.
 */
rmSync(join(ROOT, 'dist/chunks'), { recursive: true, force: true });
const bundle = await rolldown({
  input: { 'bin/rain': join(ROOT, 'src/bin/rain.ts') }, platform: 'node', external: AS_THEY_ARE, tsconfig: false,
  // Packages do on purpose what it would warn of.
  onLog: () => {},
});
await bundle.write({ dir: join(ROOT, 'dist'), format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' });
await bundle.close();
