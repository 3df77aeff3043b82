import type { Refusal } from '../refusal.ts';
import type { ThemeFileKind } from '../theme.ts';
import { pictureIn, type Picture } from './picture.ts';
import { soundIn, type Sound } from './sound.ts';

/** Media types of files, each told by its bytes; and how their names end. No SVG: it holds scripts and links. */
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

type PictureLimits = { bytesMax: number; sidePixelsMax: number };
type CheckedPicture = { ok: true; type: Picture['type'] } | { ok: false; refusals: Refusal[] };
type CheckedSound = ({ ok: true } & Sound) | { ok: false; refusals: Refusal[] };

const refused = (field: string, reason: string) => ({ ok: false as const, refusals: [{ field, reason }] });
const tooLarge = ({ length }: Uint8Array, bytesMax: number): string | undefined =>
  length > bytesMax ? `the file has ${length} bytes, expected at most ${bytesMax}` : undefined;

/** A picture that could not be read, or that is none. */
export const NO_PICTURE =
  'expected a whole picture as PNG, JPEG or WebP, told by the bytes of the file and not by its name';

/** The type of a picture, told by its header alone: the name and the type that a request declares prove nothing. */
export function checkPicture(field: string, bytes: Uint8Array, limits: PictureLimits): CheckedPicture {
  const large = tooLarge(bytes, limits.bytesMax);
  if (large !== undefined) return refused(field, large);
  const picture = pictureIn(bytes);
  if (!picture) return refused(field, NO_PICTURE);
  const { type, width, height, isAnimated } = picture;
  if (isAnimated) return refused(field, 'the picture is animated, expected a still one');
  if (width < 1 || height < 1 || width > limits.sidePixelsMax || height > limits.sidePixelsMax)
    return refused(
      field,
      `the picture has ${width} × ${height} px, expected 1 to ${limits.sidePixelsMax} px on each side`,
    );
  return { ok: true, type };
}

/** The sound, and without tags where its container lets them be taken out. */
export function checkSound(field: string, bytes: Uint8Array, bytesMax: number): CheckedSound {
  const large = tooLarge(bytes, bytesMax);
  if (large !== undefined) return refused(field, large);
  const sound = soundIn(bytes);
  return sound
    ? { ok: true, ...sound }
    : refused(
        field,
        'expected music as MP3, M4A or OGG (Vorbis or Opus), told by the bytes of the file and not by its name',
      );
}

/** As far as its bytes tell without unpacking it. */
export function checkThemeFile(kind: ThemeFileKind, bytes: Uint8Array): CheckedPicture | CheckedSound {
  const limits = THEME_FILE_LIMITS[kind];
  return limits.is === 'sound' ? checkSound(kind, bytes, limits.bytesMax) : checkPicture(kind, bytes, limits);
}

/** Where a file is served, behind the origin: its content decides the address, so what is there never changes. */
export function themeFilePath(sha256: string, type: ThemeMediaType): string {
  return `api/theme/files/${sha256}.${MEDIA_TYPES[type]}`;
}
