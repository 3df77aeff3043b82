import { Readable } from 'node:stream';
import { SheetRefused } from '../../operator/sheetRefused.ts';
import { applyAny } from '../../operator/restore/applyAny.ts';
import { checkStores } from '../../operator/restore/check.ts';
import { compareAll } from '../../operator/restore/compare.ts';
import type { RestoreContext } from '../../operator/restore/context.ts';
import { agrees, kindsOf, type RainDifferences } from '../../operator/restore/difference.ts';
import { paidElsewhere } from '../../operator/restore/comparePayments.ts';
import { importWinners } from '../../operator/restore/importWinners.ts';
import { readPayments, type Payments } from '../../operator/restore/payments.ts';
import { FILE_BYTES_MAX } from '../../operator/restore/winnersFile.ts';
import { withWaysOut, type DifferingRain } from '../../operator/restore/waysOut.ts';
import { unknownReason } from '../../operator/restore/presence.ts';
import { formatRefusal } from '../../rain/refusal.ts';
import type { RainCommand } from '../command.ts';
import { accepted, CommandFailure, EXIT, explain } from '../exit.ts';
import { paint } from '../style.ts';
import type { Terminal } from '../terminal.ts';
import { readTextFile } from '../textFile.ts';

export function addRestoreCommand(program: RainCommand): void {
  const restore = program
    .command('restore')
    .summary('bring Redis and PostgreSQL into agreement after a restore')
    .description(
      'After Redis or PostgreSQL came back from a backup, or lost data: lists what only one of them knows, and brings it back as far as that is safe.',
    )
    .example('rain restore check');

  restore
    .command('check [id]')
    .summary('list what only one store knows')
    .description(
      'Compares Redis with the ledger, for one rain or sale or for all that either knows: rains, top-ups, claims, wins that users were told, sales, and orders; with --statement also with what an external wallet paid. Exit code 1 until all agree.',
    )
    .option(
      '--statement <file>',
      "the wallet's statement, CSV with the columns id, amount, time and, if there is one, user; - is stdin; all rains that it names are compared, too",
    )
    .json()
    .example('rain restore check', 'rain restore check m3k9x2a1b2c3d4', 'rain restore check --statement wallet.csv')
    .runsWithQueues(async (context, id: string | undefined, { statement }: { statement?: string }) => {
      const payments = statement === undefined ? undefined : await paymentsIn(restore.terminal, statement);
      if (payments && id !== undefined) await refuseUnpaid(context, id);
      const checked = await checkStores(context, id, payments);
      if (!checked) throw new CommandFailure(EXIT.refused, `id: ${await unknownReason(context, id!)}`);
      const { agree, compared, rains } = checked;
      const others = payments?.others();
      return {
        value: { agree, compared, ...(others !== undefined && { otherPayments: others }), rains },
        text: describe(rains, compared, agree, others),
        exit: !agree && EXIT.refused,
      };
    });

  restore
    .command('apply [id]')
    .summary('bring back what is safe to bring back')
    .dryRun()
    .description(
      'Does what is safe for one rain or sale, or for all that differ: writes credits back into Redis before anybody can grab, takes their packets off the lists, ends what the ledger has settled, ' +
        'sends claims again, and rebuilds what Redis has lost from seed, plan, log and ledger, as a paused rain. Repeat it when it was interrupted. Exit code 1 until both stores agree.',
    )
    .option(
      '--reason <text>',
      'your word, for the record, 1 to 500 characters: wins that nobody knows of may be missing, and told wins are paid',
    )
    .json()
    .example(
      'rain restore apply m3k9x2a1b2c3d4 --dry-run',
      'rain restore apply m3k9x2a1b2c3d4 --reason "the disk of Redis was lost"',
    )
    .runsWithQueues(
      async (context, id: string | undefined, { reason, dryRun }: { reason?: string; dryRun?: boolean }) => {
        const ids: string[] = [];
        if (id !== undefined) ids.push(id);
        else for await (const found of compareAll(context)) if (!agrees(found)) ids.push(found.rainId);
        const results: Applied[] = [];
        for (const rainId of ids) results.push(await applyOne(context, rainId, { reason, dryRun }));
        const agreed = results.every(({ refusals, left }) => refusals.length === 0 && (!left || agrees(left)));
        return {
          value: {
            agree: agreed,
            rains: results,
          },
          text:
            results.length === 0
              ? 'nothing to do: both stores agree'
              : results.map((applied) => describeApplied(applied, dryRun)).join('\n\n'),
          exit: !agreed && EXIT.refused,
        };
      },
    );

  addImport(restore);
}

function addImport(restore: RainCommand): void {
  restore
    .command('import <id>')
    .summary('bring back winners from an exported list or a statement')
    .dryRun()
    .description(
      'Brings back winners whom neither store knows any more: from the list that rain winners has exported, or from a statement of the wallet (id, amount, time). Each is checked against the plan; all are imported, or none. ' +
        'A rain that Redis has is paused first. Exit code 1 while some are not credited.',
    )
    .requiredOption('--winners <file>', 'CSV; - is stdin')
    .option('--reason <text>', 'why, for the record; 1 to 500 characters')
    .json()
    .example('rain restore import m3k9x2a1b2c3d4 --winners winners.csv --dry-run')
    .runsWithQueues(
      async (
        context,
        id: string,
        { winners: path, reason, dryRun }: { winners: string; reason?: string; dryRun?: boolean },
      ) => {
        const csv = await readTextFile(restore.terminal, '--winners', path, FILE_BYTES_MAX);
        const { ok: _, ...done } = accepted(await importWinners(context, id, csv, { reason, dryRun }));
        const would = dryRun ? 'would be' : 'were';
        const lines = [
          `${id}: ${done.winners} winners, ${done.known} of them credited before; ${done.written} ${would} written into the claim log, ${done.sent} ${would} sent to the credit queue`,
        ];
        if (done.unpaid > 0) lines.push(`${done.unpaid} rows are of discarded or dead claims, and were left out`);
        if (done.others > 0) lines.push(`${done.others} payments are for other rains, and were left out`);
        if (done.waiting > 0)
          lines.push(
            `${done.waiting} are not credited yet; check that a worker runs, see rain dead list --rain ${id}, or repeat this command`,
          );
        if (done.written > 0) lines.push(`the rain is paused if it was open; go on with rain resume ${id}`);
        return { value: { rainId: id, ...done }, text: lines.join('\n'), exit: done.waiting > 0 && EXIT.refused };
      },
    );
}

async function paymentsIn(terminal: Terminal, path: string): Promise<Payments> {
  const csv = await readTextFile(terminal, '--statement', path, FILE_BYTES_MAX);
  try {
    return await readPayments(Readable.from([Buffer.from(csv)]));
  } catch (error) {
    throw error instanceof SheetRefused
      ? new CommandFailure(EXIT.usage, `--statement: ${path}: ${error.message}`)
      : error;
  }
}

/** @throws CommandFailure when no wallet was asked to pay this rain */
async function refuseUnpaid({ ledger }: RestoreContext, id: string): Promise<void> {
  const rain = await ledger.rain(id);
  const elsewhere = rain && paidElsewhere(rain);
  if (elsewhere !== undefined)
    throw new CommandFailure(EXIT.refused, `--statement: ${elsewhere}: there is nothing to compare it with`);
}

interface Applied {
  rainId: string;
  did: string[];
  refusals: string[];
  left?: DifferingRain;
}

/** One rain or sale that is refused, or fails, does not keep the others from being restored. */
async function applyOne(
  context: RestoreContext,
  rainId: string,
  options: { reason?: string | undefined; dryRun?: boolean | undefined },
): Promise<Applied> {
  try {
    const done = await applyAny(context, rainId, options);
    return done.ok
      ? { rainId, did: done.did, refusals: [], left: await withWaysOut(context, done.left) }
      : { rainId, did: [], refusals: done.refusals.map(formatRefusal) };
  } catch (error) {
    const { exit, reasons } = explain(error);
    if (exit === EXIT.unreachable) throw error;
    return { rainId, did: [], refusals: reasons };
  }
}

/** @param others payments of the statement that were not compared; absent without a statement */
function describe(
  rains: readonly DifferingRain[],
  compared: number,
  agreed: boolean,
  others: number | undefined,
): string {
  const who = others === undefined ? 'Redis and the ledger' : "Redis, the ledger and the wallet's statement";
  const left = rains.length > 0 ? ' What is listed needs you: no command brings it into agreement.' : '';
  const verdict = agreed
    ? paint.good(`${who} agree: ${compared} rains and sales compared.`) + left
    : paint.bad(`${who.toUpperCase()} DIFFER.`);
  const total = rains.flatMap(({ counts }) => Object.values(counts)).reduce((sum, count) => sum + count, 0);
  const rest = others ? [`${others} payments for other rains, or for none that is known, were not compared.`] : [];
  return [
    ...(total > 1 ? [rains.map(countDifferences).join('\n')] : []),
    ...rains.map(describeRain),
    ...rest,
    verdict,
  ].join('\n\n');
}

/** How many differences of each kind a rain has, so that the details below need not be counted. */
function countDifferences(found: RainDifferences): string {
  return `${paint.strong(found.rainId)}  ${kindsOf(found)
    .map((kind) => `${found.counts[kind]} ${kind}`)
    .join(', ')}`;
}

function describeRain(found: DifferingRain): string {
  return [
    paint.strong(`${found.rainId}  ${found.title}`),
    ...kindsOf(found).flatMap((kind) => {
      const listed = found.differences.filter((difference) => difference.kind === kind);
      const more = found.counts[kind]! - listed.length;
      return [
        ...listed.map(({ sentence }) => `  ${sentence}`),
        ...(more > 0 ? [`  … and ${more} more`] : []),
        `    to do: ${found.waysOut[kind]}`,
      ];
    }),
  ].join('\n');
}

/** A dry run changes nothing, so it need not say what still differs: that is the whole of `check`. */
function describeApplied({ rainId, did, refusals, left }: Applied, dryRun = false): string {
  const lines = [
    ...did.map((sentence) => `  ${sentence}`),
    ...refusals.map((sentence) => `  ${paint.error('refused:')} ${sentence}`),
  ];
  const rest = !dryRun && left && kindsOf(left).length > 0 ? `\nstill different: ${describeRain(left)}` : '';
  const nothing = dryRun ? '  nothing would be done; see what needs you with rain restore check' : '  nothing was done';
  return `${paint.strong(rainId)}${dryRun && did.length > 0 ? ', would be done:' : ''}\n${lines.length === 0 ? nothing : lines.join('\n')}${rest}`;
}
