import { ITEM_PICTURE_LIMITS } from '../../../../src/sale/picture.ts';

/** Longer sides than a card of an item can show, also on sharp screens. */
const SIDE_PIXELS_MAX = 1_200;
const QUALITIES = [0.85, 0.7, 0.5] as const;

/** A photo of a phone is much larger than a picture of an item may be. Others, and what is no picture, stay as they are. */
export async function shrunk(file: Blob): Promise<Blob> {
  if (file.size <= ITEM_PICTURE_LIMITS.bytesMax && (await sideOf(file)) <= ITEM_PICTURE_LIMITS.sidePixelsMax)
    return file;
  const picture = await createImageBitmap(file).catch(() => undefined);
  if (!picture) return file;
  const scale = Math.min(1, SIDE_PIXELS_MAX / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const pen = canvas.getContext('2d')!;
  // Transparent parts would be black in a JPEG.
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  let smaller: Blob = file;
  for (const quality of QUALITIES) {
    smaller = await new Promise<Blob>((resolve) =>
      canvas.toBlob((written) => resolve(written ?? file), 'image/jpeg', quality),
    );
    if (smaller.size <= ITEM_PICTURE_LIMITS.bytesMax) break;
  }
  return smaller;
}

/** The longer side in pixels; 0 if it is no picture. */
async function sideOf(file: Blob): Promise<number> {
  const picture = await createImageBitmap(file).catch(() => undefined);
  const side = picture ? Math.max(picture.width, picture.height) : 0;
  picture?.close();
  return side;
}
