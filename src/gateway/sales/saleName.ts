const PREFIX = 'sale:';

/**
 * The name of a sale wherever rains are named by their ids: among viewers and in tickets. The id of a rain contains no
 * colon.
 */
export const saleName = (saleId: string): string => PREFIX + saleId;

/** The ids that a ticket or a challenge for this rain or sale carries. */
export function idsOf(name: string): { rainId: string; saleId?: string } {
  if (!name.startsWith(PREFIX)) return { rainId: name };
  const saleId = name.slice(PREFIX.length);
  return { rainId: saleId, saleId };
}
