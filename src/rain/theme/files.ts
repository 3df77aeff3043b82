import type { Refusal } from '../refusal.ts';
import type { ThemeFileKind } from '../theme.ts';
import { pictureIn } from './picture.ts';
import { soundIn } from './sound.ts';

/** Media types of files, each told by the first bytes; and how their names end. No SVG: it holds scripts and links. */
const MEDIA_TYPES = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg',
} as const;
export type ThemeMediaType = keyof typeof MEDIA_TYPES;

const KIB = 1_024;
const SMALL_PICTURE = { is: 'picture', bytesMax: 256 * KIB, sidePixelsMax: 2_048 } as const;
/** Limits of files that the ledger keeps and every phone of a crowd loads and unpacks [R10]. */
export const THEME_FILE_LIMITS = {
  logo: SMALL_PICTURE,
  sponsor: SMALL_PICTURE,
  packet: SMALL_PICTURE,
  background: { is: 'picture', bytesMax: 1_024 * KIB, sidePixelsMax: 4_096 },
  music: { is: 'sound', bytesMax: 4 * 1_024 * KIB },
} as const satisfies Record<
  ThemeFileKind,
  { is: 'picture'; bytesMax: number; sidePixelsMax: number } | { is: 'sound'; bytesMax: number }
>;
/** The largest file of any kind. */
export const THEME_FILE_BYTES_MAX = Math.max(...Object.values(THEME_FILE_LIMITS).map(({ bytesMax }) => bytesMax));

type CheckedFile = { ok: true; type: ThemeMediaType } | { ok: false; refusals: Refusal[] };

/** The type of a file, told by its bytes alone: the name and the type that a request declares prove nothing. */
export function checkThemeFile(kind: ThemeFileKind, bytes: Uint8Array): CheckedFile {
  const limits = THEME_FILE_LIMITS[kind];
  const refused = (reason: string): CheckedFile => ({ ok: false, refusals: [{ field: kind, reason }] });
  if (bytes.length > limits.bytesMax)
    return refused(`the file has ${bytes.length} bytes, expected at most ${limits.bytesMax}`);
  if (limits.is === 'sound') {
    const type = soundIn(bytes);
    return type
      ? { ok: true, type }
      : refused(
          'expected music as MP3, M4A or OGG (Vorbis or Opus), told by the bytes of the file and not by its name',
        );
  }
  const picture = pictureIn(bytes);
  if (!picture)
    return refused('expected a whole picture as PNG, JPEG or WebP, told by the bytes of the file and not by its name');
  const { type, width, height, isAnimated } = picture;
  if (isAnimated) return refused('the picture is animated, expected a still one');
  if (width < 1 || height < 1 || width > limits.sidePixelsMax || height > limits.sidePixelsMax)
    return refused(`the picture has ${width} × ${height} px, expected 1 to ${limits.sidePixelsMax} px on each side`);
  return { ok: true, type };
}

/** Where a file is served, behind the origin: its content decides the address, so what is there never changes. */
export function themeFilePath(sha256: string, type: ThemeMediaType): string {
  return `api/theme/files/${sha256}.${MEDIA_TYPES[type]}`;
}
