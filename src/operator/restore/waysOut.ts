import { applyAny } from './applyAny.ts';
import type { RestoreContext } from './context.ts';
import { DIFFERENCES, kindsOf, type DifferenceKind, type RainDifferences } from './difference.ts';

/** A rain or sale that differs, and what to do about each kind of difference. */
export type DifferingRain = RainDifferences & { waysOut: Partial<Record<DifferenceKind, string>> };

/** The operator's word without which nothing is rebuilt; he may write another one. */
const WORD = 'what nobody knows of may be missing';

/** Each command of it does something when it is run as it is printed. */
export async function withWaysOut(context: RestoreContext, found: RainDifferences): Promise<DifferingRain> {
  const { rainId, sale, title, counts, differences } = found;
  const written = kindsOf(found).map((kind): [DifferenceKind, string] => [kind, DIFFERENCES[kind].wayOut(rainId)]);
  const command = `rain restore apply ${rainId}`;
  const names = (text: string) => text.includes(command) && !text.includes(`${command} --reason`);
  const refusal = written.some(([, text]) => names(text)) ? await refusalOf(context, rainId) : undefined;
  const waysOut = written.map(([kind, text]): [DifferenceKind, string] => {
    if (!refusal || !names(text)) return [kind, text];
    if (refusal.field === 'reason') return [kind, text.replace(command, `${command} --reason "${WORD}"`)];
    return [kind, text === command ? refusal.reason : text];
  });
  return { rainId, sale, title, counts, differences, waysOut: Object.fromEntries(waysOut) };
}

/** Why `apply` would do nothing without more words. */
async function refusalOf(context: RestoreContext, id: string): Promise<{ field: string; reason: string } | undefined> {
  // A fault of this one must not keep the others from being listed: it comes again when the command is run.
  const tried = await applyAny(context, id, { dryRun: true }).catch(() => undefined);
  return tried && !tried.ok ? tried.refusals[0] : undefined;
}
