import { z } from 'zod';
import { ITEM_PICTURE_LIMITS } from '../../sale/picture.ts';
import { count, type Endpoint } from './endpoint.ts';

/** Pictures of items of sales. */
export const itemPicturesApi = {
  keep: {
    id: 'keepItemPicture',
    method: 'PUT',
    path: '/api/console/sale-pictures',
    tag: 'sales',
    summary:
      'Upload a picture for items: PNG, JPEG or WebP, told by the bytes. It is written anew as WebP, without what a camera has added; everybody can read it. Safe to repeat.',
    access: 'operator',
    body: z.custom<Buffer>(
      (body) => body instanceof Buffer,
      'expected the bytes of the file, with a content-type such as image/png',
    ),
    bodyType: 'application/octet-stream',
    bodyBytesMax: ITEM_PICTURE_LIMITS.bytesMax,
    status: 200,
    answer: z.object({ picture: z.string().describe('The `picture` of an item.'), bytes: count }),
  },
} satisfies Record<string, Endpoint>;
