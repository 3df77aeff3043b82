import { ITEM_PICTURES_MAX } from '../sale/picture.ts';
import { record } from './actions.ts';
import type { Database } from './database.ts';

/**
 * Keeps a picture; one that is kept already stays. When there are as many as there may be, those of a day ago or earlier
 * go that no item of any sale names.
 * @returns false: items name all of them
 */
export async function keepItemPicture(
  database: Database,
  { sha256, bytes }: { sha256: string; bytes: Uint8Array<ArrayBuffer> },
  actor: string,
): Promise<boolean> {
  return database.$transaction(async (transaction) => {
    await transaction.$executeRaw`LOCK TABLE "ItemPicture" IN SHARE ROW EXCLUSIVE MODE`;
    const keptAt = new Date();
    const { count } = await transaction.itemPicture.updateMany({ where: { sha256 }, data: { keptAt } });
    if (count > 0) return true;
    if ((await transaction.itemPicture.count()) >= ITEM_PICTURES_MAX) {
      const removed = await transaction.$executeRaw`
        DELETE FROM "ItemPicture" WHERE "keptAt" < now() - interval '1 day'
          AND NOT EXISTS (SELECT FROM "SaleItem" WHERE strpos("picture", "sha256") > 0)`;
      if (removed === 0) return false;
    }
    await transaction.itemPicture.createMany({ data: { sha256, bytes, keptAt } });
    await record(transaction, { actor, verb: 'item_picture', details: { sha256, bytes: bytes.length } });
    return true;
  });
}

/** The hashes of all pictures. */
export async function itemPictures(database: Database): Promise<ReadonlySet<string>> {
  const rows = await database.itemPicture.findMany({ select: { sha256: true }, take: ITEM_PICTURES_MAX });
  return new Set(rows.map(({ sha256 }) => sha256));
}

export async function itemPicture(database: Database, sha256: string): Promise<Uint8Array | undefined> {
  return (await database.itemPicture.findUnique({ where: { sha256 }, select: { bytes: true } }))?.bytes;
}
