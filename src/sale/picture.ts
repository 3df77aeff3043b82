/** Limits of a picture of an item: every phone of a crowd loads and unpacks those of a sale [R10]. */
export const ITEM_PICTURE_LIMITS = { bytesMax: 262_144, sidePixelsMax: 2_048 } as const;

/** Pictures in the ledger [R10]. */
export const ITEM_PICTURES_MAX = 1_000;

/** Where a picture is served, behind the origin: its content decides the address, so what is there never changes. */
export function itemPicturePath(sha256: string): string {
  return `api/sale/pictures/${sha256}.webp`;
}
