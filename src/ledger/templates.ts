import { TEMPLATES_MAX, type TemplateRain } from '../rain/template.ts';
import { record, recordChange, type Json } from './actions.ts';
import type { Database } from './database.ts';

export interface BookedTemplate {
  id: string;
  title: string;
  /** Unchecked: an older version may have saved it. */
  rain: unknown;
  /** Epoch ms. */
  changedAt: number;
}

/** All of them, by title. */
export async function templates(database: Database): Promise<BookedTemplate[]> {
  const rows = await database.template.findMany({ orderBy: [{ title: 'asc' }, { id: 'asc' }] });
  return rows.map(({ changedAt, ...plain }) => ({ ...plain, changedAt: changedAt.getTime() }));
}

/**
 * Makes a template, or replaces what it says. Changes wait for one another, so that the number is not wrong.
 * @param rain absent: it stays, and only the title changes
 * @returns `unknown`: there is none whose rain could stay; `full`: there are as many as there may be
 */
export async function saveTemplate(
  database: Database,
  { id, title, rain }: { id: string; title: string; rain?: TemplateRain | undefined },
  actor: string,
): Promise<'saved' | 'unknown' | 'full'> {
  return database.$transaction(async (transaction) => {
    await transaction.$executeRaw`LOCK TABLE "Template" IN SHARE ROW EXCLUSIVE MODE`;
    const changes = { title, changedAt: new Date(), ...(rain && { rain: rain as unknown as Json }) };
    const { count } = await transaction.template.updateMany({ where: { id }, data: changes });
    if (count === 0 && !rain) return 'unknown';
    if (count === 0 && (await transaction.template.count()) >= TEMPLATES_MAX) return 'full';
    if (count === 0)
      await transaction.template.create({
        data: { id, ...changes, rain: rain as unknown as Json },
        select: { id: true },
      });
    await record(transaction, {
      actor,
      verb: 'template_save',
      details: { template: id, title, ...(rain && summary(rain)) },
    });
    return 'saved';
  });
}

/** @returns whether it was there */
export async function removeTemplate(database: Database, id: string, actor: string): Promise<boolean> {
  return recordChange(database, actor, 'template_remove', { template: id }, (transaction) =>
    transaction.template.deleteMany({ where: { id } }),
  );
}

/** The rain in the record, in the words of other records. */
function summary({ plan: { budget, packets }, terms, ticketRules, greeting }: TemplateRain): Json {
  return { budget, packets, ...terms, ...ticketRules, ...greeting };
}
