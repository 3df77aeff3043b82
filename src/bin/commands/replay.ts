import { Option } from 'commander';
import { Readable, Transform } from 'node:stream';
import type { LogEntry } from '../../credit/deadLetter.ts';
import { areDeadLettered } from '../../credit/deadLetters.ts';
import { openReplay, type Replayed } from '../../operator/replay.ts';
import { beginComparison, isEmpty, type Comparison, type ReplayDiff } from '../../operator/replayDiff.ts';
import { iso } from '../../rain/figures.ts';
import type { RainCommand } from '../command.ts';
import type { OpenContext } from '../context.ts';
import { accepted, CommandFailure, EXIT, notify } from '../exit.ts';
import { pour, type Terminal } from '../terminal.ts';

type Format = 'csv' | 'ndjson';
const COLUMNS = ['at', 'rainId', 'redPacketId', 'amount', 'userId', 'shard', 'index'] as const;
type Row = Record<(typeof COLUMNS)[number], string | number>;

export function addReplayCommand(program: RainCommand): void {
  program
    .command('replay <id>')
    .summary('list all wins from the claim log alone')
    .description(
      'Rebuilds a rain from its claim log alone, claim by claim in order of time, and compares it with the ledger. Claims on their way to the ledger are listed apart. Exit code 1 on any other difference.',
    )
    .addOption(
      new Option(
        '--format <format>',
        "csv (user ids that a spreadsheet would run as formulas are escaped with ') or ndjson",
      )
        .choices(['csv', 'ndjson'])
        .default('csv'),
    )
    .json('the same as --format ndjson')
    .option('--no-diff', 'do not compare with the ledger')
    .example('rain replay m3k9x2a1b2c3d4 --format ndjson > winners.ndjson')
    .runsWithContext((context, id: string, { format, json, diff }: { format: Format; json?: boolean; diff: boolean }) =>
      replay(program.terminal, context, id, json ? 'ndjson' : format, diff),
    );
}

async function replay(
  terminal: Terminal,
  context: OpenContext,
  id: string,
  format: Format,
  wantsDiff: boolean,
): Promise<void> {
  const rain = await context.ledger.rain(id);
  const comparison =
    wantsDiff && rain ? await beginComparison(context, rain, (entries) => askDeadLetters(context, entries)) : undefined;
  const opened = accepted(await openReplay(context, id));
  const all = await pour(terminal, Readable.from(rowsOf(opened.entries, comparison)), await writer(format));
  if (!all) throw new CommandFailure(EXIT.refused, 'the output was closed before the end; nothing was compared');
  if (!comparison) return;
  const found = await comparison.end();
  report(terminal, found);
  if (!isEmpty(found)) terminal.exitCode = EXIT.refused;
}

async function* rowsOf(
  entries: AsyncGenerator<Replayed, void>,
  comparison: Comparison | undefined,
): AsyncGenerator<Row, void> {
  for await (const replayed of entries) {
    await comparison?.compare(replayed);
    if (!replayed.ok) continue;
    const { at, mac: _, ...claim } = replayed.claim;
    yield { at: iso(Number(at)), ...claim, shard: replayed.shard, index: replayed.index };
  }
}

async function writer(format: Format): Promise<Transform> {
  if (format === 'csv')
    return (await import('csv-stringify')).stringify({ header: true, columns: [...COLUMNS], escape_formulas: true });
  return new Transform({
    writableObjectMode: true,
    transform: (row: Row, _encoding, done) => done(null, `${JSON.stringify(row)}\n`),
  });
}

/** Loads and opens the queues only when claims are missing, because that is slow. */
async function askDeadLetters(context: OpenContext, entries: readonly LogEntry[]): Promise<boolean[]> {
  const { withQueues } = await import('../queues.ts');
  return withQueues(context, ({ queues }) => areDeadLettered(queues.dead, entries));
}

function report(terminal: Terminal, found: ReplayDiff): void {
  const { entries, counts, first, pending, firstPending, discardedClaims } = found;
  for (const sentence of firstPending) notify(terminal, `on its way: ${sentence}`);
  if (pending > firstPending.length) notify(terminal, `… and ${pending - firstPending.length} more on their way`);
  for (const { kind, sentence } of first) notify(terminal, `${kind.replaceAll('_', ' ')}: ${sentence}`);
  const differences = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (differences > first.length) notify(terminal, `… and ${differences - first.length} more`);
  if (discardedClaims > 0) notify(terminal, `discarded by the operator: ${discardedClaims}`);
  const summary = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind.replaceAll('_', ' ')}`);
  notify(
    terminal,
    isEmpty(found)
      ? `The log and the ledger agree: ${entries} claims${pending > 0 ? `, ${pending} of them on their way to the ledger` : ''}.`
      : `THE LOG AND THE LEDGER DIFFER: ${summary.join(', ')}; ${entries} entries in the log.`,
  );
}
