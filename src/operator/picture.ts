import { rewritePicture } from '../platform/pictures/rewrite.ts';
import { checkPicture, NO_PICTURE } from '../rain/theme/files.ts';
import { refuse, type Refused } from './context.ts';

type Rewritten = { ok: true; type: 'image/webp'; bytes: Uint8Array<ArrayBuffer> } | Refused;

/** A picture as it is kept and shown: unpacked, and written anew without what a camera has written into it. */
export async function rewrittenPicture(
  field: string,
  file: Uint8Array,
  limits: Parameters<typeof checkPicture>[2],
): Promise<Rewritten> {
  const checked = checkPicture(field, file, limits);
  if (!checked.ok) return checked;
  const bytes = await rewritePicture({ bytes: file, type: checked.type, bytesMax: limits.bytesMax });
  if (!bytes) return refuse(field, NO_PICTURE);
  return bytes.length > limits.bytesMax
    ? refuse(
        field,
        `the picture has ${bytes.length} bytes as WebP, expected at most ${limits.bytesMax}: choose a smaller one`,
      )
    : { ok: true, type: 'image/webp', bytes };
}
