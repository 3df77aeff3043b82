import { createHash } from 'node:crypto';
import { ITEM_PICTURE_LIMITS, ITEM_PICTURES_MAX, itemPicturePath } from '../../sale/picture.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { rewrittenPicture } from '../picture.ts';

/** `picture`: the address for an item. */
type Kept = { ok: true; picture: string; bytes: number } | Refused;

/** Keeps a picture for items of sales, written anew as those of themes. Safe to repeat. */
export async function keepItemPicture(
  { ledger, actor }: Pick<OperatorContext, 'ledger' | 'actor'>,
  file: Uint8Array,
): Promise<Kept> {
  const written = await rewrittenPicture('picture', file, ITEM_PICTURE_LIMITS);
  if (!written.ok) return written;
  const { bytes } = written;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return (await ledger.keepItemPicture({ sha256, bytes }, actor))
    ? { ok: true, picture: `/${itemPicturePath(sha256)}`, bytes: bytes.length }
    : refuse(
        'picture',
        `there are ${ITEM_PICTURES_MAX} pictures, which is the most, and items of sales have all of them`,
      );
}
