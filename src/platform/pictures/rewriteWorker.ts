import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { RewriteTask } from './rewrite.ts';

/** Qualities of WebP, the best first: a picture gets the first one with which it is small enough. */
const QUALITIES = [85, 70, 50] as const;
/** Drawn pictures up to this size are kept to the pixel; larger ones would take many seconds. */
const LOSSLESS_PIXELS_MAX = 1_000_000;

type Pixels = Parameters<typeof import('@jsquash/webp/encode.js').default>[0];

/** The types of Node 20 lack it. */
declare const WebAssembly: { Module: new (bytes: Uint8Array) => object };

const { resolve } = createRequire(import.meta.url);
const compiled = async (path: string) => new WebAssembly.Module(await readFile(resolve(path)));

/** Turned the right way up, as a camera says it; nothing else of what the file tells is read. */
async function pixelsOf({ bytes, type }: RewriteTask): Promise<Pixels> {
  const buffer = Uint8Array.from(bytes).buffer;
  switch (type) {
    case 'image/png': {
      const { decode, init } = await import('@jsquash/png/decode.js');
      await init(await compiled('@jsquash/png/codec/pkg/squoosh_png_bg.wasm'));
      return decode(buffer);
    }
    case 'image/jpeg': {
      const { default: decode, init } = await import('@jsquash/jpeg/decode.js');
      await init(await compiled('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'));
      return decode(buffer, { preserveOrientation: true });
    }
    case 'image/webp': {
      const { default: decode, init } = await import('@jsquash/webp/decode.js');
      await init(await compiled('@jsquash/webp/codec/dec/webp_dec.wasm'));
      return decode(buffer);
    }
    default:
      return type satisfies never;
  }
}

async function rewrite(task: RewriteTask): Promise<Uint8Array> {
  const pixels = await pixelsOf(task);
  const { default: encode, init } = await import('@jsquash/webp/encode.js');
  await init(await compiled('@jsquash/webp/codec/enc/webp_enc_simd.wasm'));
  const isDrawn = task.type !== 'image/jpeg' && pixels.width * pixels.height <= LOSSLESS_PIXELS_MAX;
  let written = new Uint8Array();
  for (const options of [
    ...(isDrawn ? [{ lossless: 1, quality: 40 }] : []),
    ...QUALITIES.map((quality) => ({ quality })),
  ]) {
    written = new Uint8Array(await encode(pixels, options));
    if (written.length <= task.bytesMax) break;
  }
  return written;
}

const task = workerData as RewriteTask;
// Decoders throw whatever they like: all of it says that this is no picture.
parentPort!.postMessage(await rewrite(task).catch(() => undefined));
