import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { deflateSync } from 'node:zlib';
import encodeJpeg, { init } from '@jsquash/jpeg/encode.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { rewritePicture, type RewriteTask } from '../../../src/platform/pictures/rewrite.ts';
import { pictureIn } from '../../../src/rain/theme/picture.ts';
import { pngOf } from '../../support/png.ts';
import { chunk, jpeg, png, segment, webp } from '../../support/themeFiles.ts';

const PLACE = '31.2304 N, 121.4737 E';
const SCRIPT = Buffer.from('<script>alert(1)</script>');
const KIB = 1_024;

beforeAll(async () => {
  const path = createRequire(import.meta.url).resolve('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm');
  await init(new WebAssembly.Module(readFileSync(path)));
});

const rewrite = (bytes: Buffer, type: RewriteTask['type'], bytesMax = 256 * KIB) =>
  rewritePicture({ bytes, type, bytesMax });

/** As a camera writes it that was held upright: lying, with the way up and the place beside it. */
async function photograph(width: number, height: number): Promise<Buffer> {
  const data = new Uint8ClampedArray(width * height * 4).fill(128);
  const plain = Buffer.from(await encodeJpeg({ data, width, height } as ImageData));
  const tiff = Buffer.from(`MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0${PLACE}`, 'latin1');
  const exif = segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]));
  return Buffer.concat([plain.subarray(0, 2), exif, plain.subarray(2)]);
}

describe('a picture that is written anew', () => {
  test('has the way up of a photograph, and neither its place nor a page behind it', async () => {
    const before = Buffer.concat([await photograph(60, 40), SCRIPT]);
    expect([before.includes(PLACE), before.includes(SCRIPT)]).toEqual([true, true]);
    const written = Buffer.from((await rewrite(before, 'image/jpeg'))!);
    expect(pictureIn(written)).toEqual({ type: 'image/webp', width: 40, height: 60, isAnimated: false });
    expect([written.includes(PLACE), written.includes(SCRIPT)]).toEqual([false, false]);
  });

  test('has nothing that was packed beside it, whatever its size', async () => {
    const plain = pngOf(8, 8, [200, 30, 40]);
    const bomb = chunk(
      'zTXt',
      Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), deflateSync(Buffer.alloc(200 * KIB * KIB))]),
    );
    const text = chunk('tEXt', Buffer.concat([Buffer.from('Comment\0', 'latin1'), SCRIPT]));
    const written = await rewrite(
      Buffer.concat([plain.subarray(0, -12), text, bomb, plain.subarray(-12)]),
      'image/png',
    );
    expect(written).toEqual(await rewrite(plain, 'image/png'));
  });

  test('leaves this process to others meanwhile', async () => {
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 5);
    expect(pictureIn((await rewrite(pngOf(900, 900, [200, 30, 40]), 'image/png'))!)).toMatchObject({ width: 900 });
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(5);
  });

  test('may be written anew again', async () => {
    const once = Buffer.from((await rewrite(pngOf(50, 20, [200, 30, 40], [255, 255, 0]), 'image/png'))!);
    expect(pictureIn((await rewrite(once, 'image/webp'))!)).toEqual({
      type: 'image/webp',
      width: 50,
      height: 20,
      isAnimated: false,
    });
  });

  test('loses quality before it is too large', async () => {
    const data = Uint8ClampedArray.from({ length: 300 * 300 * 4 }, (_, i) => (i * 7_919 * (i % 13)) % 256);
    const noise = Buffer.from(await encodeJpeg({ data, width: 300, height: 300 } as ImageData));
    const [best, small] = [await rewrite(noise, 'image/jpeg'), await rewrite(noise, 'image/jpeg', 1)];
    expect(small!.length).toBeLessThan(best!.length);
  });
});

test.each([
  ['the header of a PNG alone', png(8, 8), 'image/png'],
  ['a PNG whose rows end too early', Buffer.from(pngOf(64, 64, [1, 2, 3])).fill(0, 60, 90), 'image/png'],
  ['the header of a JPEG alone', jpeg(8, 8), 'image/jpeg'],
  ['the header of a WebP alone', webp.lossy(8, 8), 'image/webp'],
  ['a WebP larger inside than it says', webp.extended(8, 8), 'image/webp'],
  ['a text', SCRIPT, 'image/jpeg'],
  ['nothing', Buffer.alloc(0), 'image/webp'],
] as const)('%s is no picture', async (_what, bytes, type) => {
  expect(await rewrite(bytes, type)).toBeUndefined();
});
