import type { Command } from 'commander';
import { discardDeadLetter, type Discarded } from '../../operator/deadLetters/discard.ts';
import { DEAD_LETTERS_MAX, listDeadLetters, showDeadLetter, type DeadLetterView } from '../../operator/deadLetters/letters.ts';
import { requeueDeadLetter, requeueRain } from '../../operator/deadLetters/requeue.ts';
import type { QueueContext } from '../../operator/context.ts';
import { accepted, CommandFailure, EXIT, print } from '../exit.ts';
import { withContext } from '../context.ts';
import { printDryRun, withDryRun } from '../dryRun.ts';
import { parseCount } from '../time.ts';
import { facts, table } from '../table.ts';
import type { Terminal } from '../terminal.ts';

const EXAMPLE = 'spring-0-17-9f86d081884c7d65';

interface ListOptions {
  rain?: string;
  limit: number;
  skip: number;
  json?: boolean;
}

/** Imports BullMQ on first use, because it is slow to load. */
async function atQueues<T>(terminal: Terminal, verb: (context: QueueContext) => Promise<T>): Promise<T> {
  const { withQueues } = await import('../queues.ts');
  return withContext(terminal, (context) => withQueues(context, verb));
}

export function addDeadLetterCommand(program: Command, terminal: Terminal): void {
  const dead = program.command('dead').summary('claims that cannot be credited')
    .description('Dead letters: claims that cannot be credited. List them, requeue them or discard them.')
    .addHelpText('after', '\nExample:\n  rain dead list');

  dead.command('list').summary('list dead letters, oldest first').description('Lists dead letters, oldest first.')
    .option('--rain <id>', 'only dead letters of this rain')
    .option('--limit <n>', 'how many dead letters to list', parseCount(1, DEAD_LETTERS_MAX), 100)
    .option('--skip <n>', 'how many to skip', parseCount(0, 1_000_000), 0)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain dead list --rain m3k9x2a1b2c3d4')
    .action(({ rain, limit, skip, json }: ListOptions) => atQueues(terminal, async (context) => {
      const { letters, total, complete } = await listDeadLetters(context, { rainId: rain, limit, skip });
      // Dead letters may exist for a rain that the ledger has lost.
      if (rain !== undefined && letters.length === 0 && !await context.ledger.rain(rain)) throw new CommandFailure(EXIT.refused, `--rain: there is no rain ${rain}`);
      const more = complete ? '' : `\nthere are more; continue with --skip ${skip + letters.length}`;
      print(terminal, json, { letters, total, complete }, (letters.length === 0 ? 'no dead letters' : describeList(letters)) + more);
    }));

  dead.command('show <letter>').summary('one dead letter in detail').description('Shows one dead letter: its claim, and why the claim cannot be credited.')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  rain dead show ${EXAMPLE}`)
    .action((letter: string, { json }: { json?: boolean }) => atQueues(terminal, async (context) => {
      const shown = accepted(await showDeadLetter(context, letter));
      print(terminal, json, shown.letter, describe(shown.letter));
    }));

  dead.command('requeue [letter]').summary('try to credit dead letters again')
    .description('Sends one dead letter, or all of a rain, to the credit queue again. A claim that still cannot be credited becomes a dead letter again.')
    .option('--rain <id>', 'all dead letters of this rain')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  rain dead requeue ${EXAMPLE}`)
    .action((letter: string | undefined, { rain, json }: { rain?: string; json?: boolean }) => {
      if ((letter === undefined) === (rain === undefined)) throw new CommandFailure(EXIT.usage, 'letter: expected a letter or --rain, not both');
      return atQueues(terminal, async (context) => {
        const done = accepted(letter !== undefined ? await requeueDeadLetter(context, letter) : await requeueRain(context, rain!));
        print(terminal, json, { requeued: done.letters, complete: done.complete }, `sent again: ${done.letters}${done.complete ? '' : '; there are more, run the command again'}`);
      });
    });

  withDryRun(dead.command('discard <letter>')).summary('give up a claim and take its money back')
    .description('Gives up a claim for good. Its unpaid money goes back to the operator, and the audit counts the claim as discarded.')
    .requiredOption('--reason <text>', 'why, for the record; 1 to 500 characters')
    .option('--not-paid', 'confirm that the external wallet has not paid this claim')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  rain dead discard ${EXAMPLE} --reason "compensated by voucher 123"`)
    .action((letter: string, { reason, notPaid, dryRun, json }: { reason: string; notPaid?: boolean; dryRun?: boolean; json?: boolean }) => atQueues(terminal, async (context) => {
      const done = accepted(await discardDeadLetter(context, letter, reason, notPaid, dryRun));
      const { ok: _ok, ...plain } = done;
      if (dryRun) printDryRun(terminal, json, { letter, ...plain }, `${letter}: ${describeDryRun(done)}`);
      else print(terminal, json, { letter, ...plain }, `${letter}: ${describeDone(done)}`);
    }));
}

type Done = Extract<Discarded, { ok: true }>;

function describeDryRun(done: Done): string {
  switch (done.outcome) {
    case 'returned': return `would be discarded, and ${done.amount} would go back`;
    case 'discarded': return 'would be discarded; it holds no money';
    case 'credited': return 'has been credited meanwhile; the dead letter would be removed';
    case 'already': return describeDone(done);
    default: return done satisfies never;
  }
}

function describeDone(done: Done): string {
  switch (done.outcome) {
    case 'returned': return `discarded, ${done.amount} went back`;
    case 'discarded': return 'discarded; it held no money';
    case 'credited': return 'has been credited meanwhile; the dead letter is removed';
    case 'already': return `was discarded before by ${done.actor}: ${done.reason}`;
    default: return done satisfies never;
  }
}

function describeList(letters: readonly DeadLetterView[]): string {
  const reasons = new Map(letters.map(({ reason, text }) => [reason, text]));
  const rows = table(['letter', 'reason', 'packet', 'amount', 'user', 'since'], letters.map(({ letter, reason, redPacketId, amount, userId, deadLetteredAt, discarded }) =>
    [letter, discarded ? `${reason}, discarded` : reason, redPacketId ?? '', amount ?? '', userId ?? '', deadLetteredAt]));
  return [rows, '', ...[...reasons].map(([reason, text]) => `${reason}: ${text}`)].join('\n');
}

function describe({ letter, rainId, shard, index, reason, text, detail, redPacketId, amount, userId, entry, deadLetteredAt, discarded }: DeadLetterView): string {
  return facts([
    ['letter', letter], ['rain', `${rainId}, shard ${shard}, entry ${index}`], ['reason', `${reason}: ${text}`], ['detail', detail],
    ...(redPacketId === undefined ? [] : [['packet', redPacketId], ['amount', amount!], ['user', userId!]]),
    ['entry', JSON.stringify(entry)], ['since', deadLetteredAt],
    ...(discarded ? [['discarded', `by ${discarded.actor}, ${discarded.at}: ${discarded.reason}`]] : []),
  ]);
}
