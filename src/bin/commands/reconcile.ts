import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { newTotals, summaryOf, type Difference, type Summary } from '../../operator/reconcile/difference.ts';
import { reconcileRain, reconciliationSheet } from '../../operator/reconcile/reconcile.ts';
import { SheetRefused } from '../../operator/sheetRefused.ts';
import { formatRefusal } from '../../rain/refusal.ts';
import type { RainCommand } from '../command.ts';
import { accepted, CommandFailure, EXIT, notify } from '../exit.ts';
import { facts, table } from '../style.ts';
import { pour, type Terminal } from '../terminal.ts';

interface ReconcileOptions {
  statement: string;
  csv?: boolean;
  json?: boolean;
}

/** Differences in the text; with --json and --csv more. */
const PRINTED_MAX = 20;

export function addReconcileCommand(program: RainCommand): void {
  program
    .command('reconcile <id>')
    .summary("compare a rain with its wallet's statement")
    .description(
      'Compares the credits of a rain with the statement of the external wallet that pays it, by claim id: paid by both, only by the wallet, only in the book, another amount, another user, paid twice. Exit code 1 unless all agree.',
    )
    .requiredOption(
      '--statement <file>',
      'CSV with the columns id, amount, time and, if there is one, user; - is stdin',
    )
    .option('--csv', 'all differences for a spreadsheet, with a byte order mark')
    .json()
    .example('rain reconcile m3k9x2a1b2c3d4 --statement wallet.csv')
    .refuses((_, { csv, json }: ReconcileOptions) =>
      csv && json ? '--csv: expected either --csv or --json' : undefined,
    )
    .runsWithContext(async (context, id: string, { statement, csv }: ReconcileOptions) => {
      const rain = await context.ledger.rain(id);
      if (!rain) throw new CommandFailure(EXIT.refused, `id: there is no rain ${id}`);
      const bytes = open(program.terminal, statement);
      if (csv) {
        const totals = newTotals();
        const { sheet } = accepted(reconciliationSheet(context, rain, bytes, totals));
        const all = await pour(program.terminal, sheet).catch((error: unknown) => {
          throw error instanceof SheetRefused ? unreadable(statement, error.message) : error;
        });
        if (!all) throw new CommandFailure(EXIT.refused, 'the output was closed before all was compared');
        const summary = summaryOf(totals);
        notify(program.terminal, describe(id, summary));
        if (!summary.agree) program.terminal.exitCode = EXIT.refused;
        return undefined;
      }
      const done = await reconcileRain(context, rain, bytes);
      // A refused statement is wrong usage, a refused rain is not.
      if (!done.ok && done.refusals[0]!.field !== 'id')
        throw unreadable(statement, ...done.refusals.map(formatRefusal));
      const { ok: _, ...found } = accepted(done);
      const more =
        found.differences.length > PRINTED_MAX || !found.complete ? [`… and more; for all of them add --csv`] : [];
      const rows = found.differences.length === 0 ? [] : [list(found.differences.slice(0, PRINTED_MAX)), ...more];
      return { value: found, text: [describe(id, found), ...rows].join('\n'), exit: !found.agree && EXIT.refused };
    });
}

/** The file, opened when it is read; its fault is a sentence that names it. */
function open({ stdin, folder }: Terminal, path: string): Readable {
  return Readable.from(
    (async function* read() {
      try {
        yield* (path === '-' ? stdin : createReadStream(resolve(folder, path))) as AsyncIterable<Buffer>;
      } catch (error) {
        throw unreadable(path, `cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);
      }
    })(),
  );
}

function unreadable(path: string, ...reasons: readonly string[]): CommandFailure {
  return new CommandFailure(EXIT.usage, ...reasons.map((reason) => `--statement: ${path}: ${reason}`));
}

function describe(rainId: string, { agree, counts, paid, booked, others }: Summary): string {
  return facts([
    ['rain', rainId],
    ['by the wallet', paid],
    ['by the book', booked],
    ['paid by both', counts.both],
    ['only by the wallet', counts.wallet_only],
    ['only in the book', counts.book_only],
    ['amount differs', counts.amount_differs],
    ['user differs', counts.user_differs],
    ['paid twice', counts.paid_twice],
    ['of other rains', others],
    ['verdict', agree ? 'all agree' : 'THEY DO NOT AGREE'],
  ]);
}

function list(differences: readonly Difference[]): string {
  return table(
    ['result', 'line', 'id', 'user', 'paid', 'booked', 'detail'],
    differences.map(({ result, line, id, userId, paid, booked, detail }) => [
      result,
      line ?? '',
      id,
      userId ?? '',
      paid ?? '',
      booked ?? '',
      detail,
    ]),
  );
}
