import { describe, expect, test } from 'vitest';
import { checkThemeFile, THEME_FILE_LIMITS } from '../../../src/rain/theme/files.ts';
import { jpeg, MP3_FRAME, png, sound, webp } from '../../support/themeFiles.ts';

const reasonOf = (...file: Parameters<typeof checkThemeFile>): string | undefined => {
  const checked = checkThemeFile(...file);
  if (checked.ok) return undefined;
  expect(checked.refusals).toEqual([{ field: file[0], reason: expect.any(String) }]);
  return checked.refusals[0]!.reason;
};

/** Each in the one before. */
function boxes(count: number): Buffer {
  const bytes = Buffer.alloc(16 + count * 8);
  bytes.write('\0\0\0\x10ftypM4A ', 'latin1');
  for (let i = 0; i < count; i++) {
    bytes.writeUInt32BE((count - i) * 8, 16 + i * 8);
    bytes.write('moov', 20 + i * 8);
  }
  return bytes;
}

describe('a file of a theme', () => {
  test.each([
    ['a PNG', 'logo', png(2_048, 1), 'image/png'],
    ['a JPEG', 'sponsor', jpeg(1, 2_048), 'image/jpeg'],
    ['a lossy WebP', 'packet', webp.lossy(300, 2_048), 'image/webp'],
    ['a lossless WebP', 'logo', webp.lossless(2_048, 7), 'image/webp'],
    ['an extended WebP', 'background', webp.extended(4_096, 4_096), 'image/webp'],
    ['an MP3', 'music', sound.mp3(), 'audio/mpeg'],
    ['an MP3 behind a tag', 'music', sound.tagged(), 'audio/mpeg'],
    ['an M4A', 'music', sound.m4a(), 'audio/mp4'],
    ['an OGG with Vorbis', 'music', sound.vorbis(), 'audio/ogg'],
    ['an OGG with Opus', 'music', sound.opus(), 'audio/ogg'],
  ] as const)('may be %s; its bytes tell what it is', (_what, kind, bytes, type) => {
    expect(checkThemeFile(kind, bytes)).toMatchObject({ ok: true, type });
  });

  test.each([
    ['an SVG', 'logo', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')],
    ['a page', 'logo', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['a GIF', 'packet', Buffer.from('GIF89a\x01\0\x01\0', 'latin1')],
    ['nothing', 'logo', Buffer.alloc(0)],
    ['a sound', 'background', sound.mp3()],
    ['a PNG with a page behind its end', 'logo', Buffer.concat([png(8, 8), Buffer.from('<script>alert(1)</script>')])],
    ['a WebP with a page behind its end', 'logo', Buffer.concat([webp.lossy(8, 8), Buffer.from('<script>')])],
    ['a PNG that is cut off', 'logo', png(8, 8).subarray(0, -6)],
    ['a PNG whose chunk is longer than the file', 'logo', Buffer.from(png(8, 8)).fill(0xff, 33, 37)],
    ['a JPEG that is cut off', 'logo', jpeg(8, 8).subarray(0, 30)],
    ['a JPEG without a size', 'logo', jpeg(0, 0)],
    ['a JPEG whose segment has no length', 'logo', Buffer.from('ffd8ffe00000', 'hex')],
  ] as const)('is no picture: %s', (_what, kind, bytes) => {
    expect(reasonOf(kind, bytes)).toBe(
      'expected a whole picture as PNG, JPEG or WebP, told by the bytes of the file and not by its name',
    );
  });

  test.each([
    ['a picture', png(8, 8)],
    ['nothing', Buffer.alloc(0)],
    ['a WAV', Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1')],
    ['a HEIC', Buffer.from('\0\0\0\x18ftypheic', 'latin1')],
    ['a tag without a sound', Buffer.from('ID3\x04\0\0\0\0\0\x04<html>', 'latin1')],
    ['a tag whose length is none', Buffer.from('ID3\x04\0\0\xff\xff\xff\xff', 'latin1')],
    ['a film in an OGG', Buffer.concat([Buffer.from('OggS'), Buffer.alloc(24), Buffer.from('\x80theora')])],
    ['a text that begins with a byte order mark', Buffer.from('fffe3c00', 'hex')],
    ['the first bytes of an MP3', Buffer.concat([sound.mp3().subarray(0, 4), Buffer.alloc(2_000)])],
    ['a page behind a frame of an MP3', Buffer.concat([MP3_FRAME, Buffer.from('<script>'.repeat(300))])],
    ['a short MP3 with a long page behind it', Buffer.concat([sound.mp3(), Buffer.from('<script>'.repeat(300))])],
    ['an M4A with a page behind its end', Buffer.concat([sound.m4a(), Buffer.from('<script>alert(1)</script>')])],
    ['an M4A that is cut off', sound.m4a().subarray(0, -3)],
    ['an M4A without a sound', Buffer.from('\0\0\0\x10ftypM4A \0\0\0\0', 'latin1')],
    ['a film in an M4A', sound.m4a('vide')],
    ['boxes in boxes in boxes', boxes(100_000)],
    ['an OGG with a page behind its end', Buffer.concat([sound.opus(), Buffer.from('<script>alert(1)</script>')])],
    ['an OGG that is cut off', sound.vorbis().subarray(0, -3)],
  ])('is no music: %s', (_what, bytes) => {
    expect(reasonOf('music', bytes)).toContain('expected music as MP3, M4A or OGG');
  });

  test('is music without tags and places', () => {
    const frames = Buffer.from(sound.mp3());
    const cover = Buffer.concat([sound.tagged().subarray(0, -frames.length), Buffer.from('a comment')]);
    const kept = (bytes: Uint8Array) => {
      const checked = checkThemeFile('music', bytes);
      return 'bytes' in checked ? Buffer.from(checked.bytes) : undefined;
    };
    expect(kept(Buffer.concat([sound.tagged(), Buffer.from('TAG+31.2304'), Buffer.alloc(117)]))).toEqual(frames);
    expect(kept(Buffer.concat([frames, cover, frames])), 'two in one').toEqual(Buffer.concat([frames, frames]));
    const placed = sound.placed();
    const emptied = kept(placed)!;
    expect(placed.includes('+31.2304')).toBe(true);
    expect([emptied.includes('+31.2304'), emptied.length, emptied.indexOf('mdat')]).toEqual([
      false,
      placed.length,
      placed.indexOf('mdat'),
    ]);
  });

  test('of a few bytes that a phone would unpack to gigabytes is refused by its size in pixels', () => {
    expect(reasonOf('logo', png(60_000, 60_000))).toBe(
      'the picture has 60000 × 60000 px, expected 1 to 2048 px on each side',
    );
    expect(reasonOf('background', jpeg(60_000, 60_000))).toContain('60000 × 60000 px, expected 1 to 4096 px');
    expect(reasonOf('background', webp.extended(4_097, 1))).toContain('4097 × 1 px');
    expect(reasonOf('packet', png(2_049, 1))).toContain('2049 × 1 px');
    expect(reasonOf('logo', png(0, 5))).toContain('0 × 5 px');
    // Whichever frame a decoder takes.
    expect(reasonOf('logo', jpeg(8, 8, [60_000, 9]))).toContain('60000 × 9 px');
  });

  test('that moves is refused', () => {
    expect(reasonOf('logo', png(8, 8, { animated: true }))).toBe('the picture is animated, expected a still one');
    expect(reasonOf('packet', webp.extended(8, 8, true))).toBe('the picture is animated, expected a still one');
  });

  test.each(Object.entries(THEME_FILE_LIMITS))(
    'is as large as %s may be, and not by a byte larger',
    (kind, { is, bytesMax }) => {
      const ofSize = (bytes: number) =>
        is === 'sound'
          ? sound.mp3(bytes)
          : png(8, 8, { data: Buffer.alloc(bytes - png(8, 8, { data: Buffer.alloc(0) }).length) });
      expect(reasonOf(kind as keyof typeof THEME_FILE_LIMITS, ofSize(bytesMax))).toBeUndefined();
      expect(reasonOf(kind as keyof typeof THEME_FILE_LIMITS, ofSize(bytesMax + 1))).toBe(
        `the file has ${bytesMax + 1} bytes, expected at most ${bytesMax}`,
      );
    },
  );
});
