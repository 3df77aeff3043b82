import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Smaller files fit into the packet that carries their headers. */
const WORTH_BYTES = 1_000;

/**
 * The ends of the names under which the console looks for what it may send in place of a file; br is for https only, as
 * browsers have it.
 */
const ENCODINGS = { br: brotliCompressSync, gz: gzipSync } as const;

/** Writes each page, script and style sheet compressed, too. All phones of a hall load them at the same time. */
export function compressed(): Plugin {
  return {
    name: 'compressed',
    // Earlier, other plugins of Vite have not finished the scripts.
    writeBundle({ dir }, bundle) {
      for (const path of Object.keys(bundle)
        .filter((name) => /\.(html|js|css|svg)$/.test(name))
        .map((name) => join(dir!, name))) {
        const plain = readFileSync(path);
        if (plain.length < WORTH_BYTES) continue;
        for (const [end, compress] of Object.entries(ENCODINGS)) writeFileSync(`${path}.${end}`, compress(plain));
      }
    },
  };
}
