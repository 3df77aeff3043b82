import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Smaller files fit into the packet that carries their headers. */
const WORTH_BYTES = 1_000;

/** The ends of the names under which the console looks for what it may send in place of a file; br is for https only, as browsers have it. */
const ENCODINGS = { br: brotliCompressSync, gz: gzipSync } as const;

/** Writes each page, script and style sheet compressed, too. All phones of a hall load them at the same time. */
export function compressed(): Plugin {
  return {
    name: 'compressed',
    enforce: 'post',
    generateBundle(_options, bundle) {
      for (const [name, file] of Object.entries(bundle)) {
        const text = Buffer.from(file.type === 'chunk' ? file.code : file.source);
        if (text.length < WORTH_BYTES || !/\.(html|js|css|svg)$/.test(name)) continue;
        for (const [end, compress] of Object.entries(ENCODINGS)) this.emitFile({ type: 'asset', fileName: `${name}.${end}`, source: compress(text) });
      }
    },
  };
}
