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

/** BullMQ is loaded when it is wanted. */
async function atQueues<T>(terminal: Terminal, verb: (context: QueueContext) => Promise<T>): Promise<T> {
  const { withQueues } = await import('../queues.ts');
  return withContext(terminal, (context) => withQueues(context, verb));
}

export function addDeadLetterCommand(program: Command, terminal: Terminal): void {
  const dead = program.command('dead').summary('claims that cannot be credited')
    .description('Dead letters: claims that cannot be credited. Look at them, send them again, or lay them to rest.')
    .addHelpText('after', '\nExample:\n  rain dead list');

  dead.command('list').summary('the dead letters, oldest first').description('Lists dead letters, oldest first.')
    .option('--rain <id>', 'only those of this rain')
    .option('--limit <n>', 'how many', parseCount(1, DEAD_LETTERS_MAX), 100)
    .option('--skip <n>', 'pass over so many', parseCount(0, 1_000_000), 0)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain dead list --rain m3k9x2a1b2c3d4')
    .action(({ rain, limit, skip, json }: ListOptions) => atQueues(terminal, async (context) => {
      const { letters, total, complete } = await listDeadLetters(context, { rainId: rain, limit, skip });
      // Letters there are may be of a rain that the book has lost.
      if (rain !== undefined && letters.length === 0 && !await context.ledger.rain(rain)) throw new CommandFailure(EXIT.refused, `--rain: there is no rain ${rain}`);
      const more = complete ? '' : `\nthere are more; go on with --skip ${skip + letters.length}`;
      print(terminal, json, { letters, total, complete }, (letters.length === 0 ? 'no dead letters' : describeList(letters)) + more);
    }));

  dead.command('show <letter>').summary('one dead letter in detail').description('Shows one dead letter: what it says, and why it cannot be credited.')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  rain dead show ${EXAMPLE}`)
    .action((letter: string, { json }: { json?: boolean }) => atQueues(terminal, async (context) => {
      const shown = accepted(await showDeadLetter(context, letter));
      print(terminal, json, shown.letter, describe(shown.letter));
    }));

  dead.command('requeue [letter]').summary('send them to be credited again')
    .description('Sends a letter, or all letters of a rain, to be credited again. What cannot be credited again comes back.')
    .option('--rain <id>', 'all letters of this rain')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  rain dead requeue ${EXAMPLE}`)
    .action((letter: string | undefined, { rain, json }: { rain?: string; json?: boolean }) => {
      if ((letter === undefined) === (rain === undefined)) throw new CommandFailure(EXIT.usage, 'letter: expected either a letter or --rain');
      return atQueues(terminal, async (context) => {
        const done = accepted(letter !== undefined ? await requeueDeadLetter(context, letter) : await requeueRain(context, rain!));
        print(terminal, json, { requeued: done.letters, complete: done.complete }, `sent again: ${done.letters}${done.complete ? '' : '; there are more, do it again'}`);
      });
    });

  withDryRun(dead.command('discard <letter>')).summary('give a claim up, and its money back')
    .description('Gives a claim up for good: what money is left in it goes back to the operator, and the audit counts it as explained.')
    .requiredOption('--reason <text>', 'why, for the record; 1 to 500 characters')
    .option('--not-paid', 'I have made sure that the wallet outside has not paid it')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  rain dead discard ${EXAMPLE} --reason "compensated by voucher 123"`)
    .action((letter: string, { reason, notPaid, dryRun, json }: { reason: string; notPaid?: boolean; dryRun?: boolean; json?: boolean }) => atQueues(terminal, async (context) => {
      const done = accepted(await discardDeadLetter(context, letter, reason, notPaid, dryRun));
      const { ok: _ok, ...plain } = done;
      if (dryRun) printDryRun(terminal, json, { letter, ...plain }, `${letter}: ${foretold(done)}`);
      else print(terminal, json, { letter, ...plain }, `${letter}: ${told(done)}`);
    }));
}

type Done = Extract<Discarded, { ok: true }>;

function foretold(done: Done): string {
  switch (done.outcome) {
    case 'returned': return `would be discarded, and ${done.amount} go back`;
    case 'discarded': return 'would be discarded; there is no money left in it';
    case 'credited': return 'has been credited meanwhile; the letter would be cleared away';
    case 'already': return told(done);
    default: return done satisfies never;
  }
}

function told(done: Done): string {
  switch (done.outcome) {
    case 'returned': return `discarded, ${done.amount} went back`;
    case 'discarded': return 'discarded; there was no money left in it';
    case 'credited': return 'has been credited meanwhile; the letter is cleared away';
    case 'already': return `was discarded before by ${done.actor}: ${done.reason}`;
    default: return done satisfies never;
  }
}

function describeList(letters: readonly DeadLetterView[]): string {
  const reasons = new Map(letters.map(({ reason, text }) => [reason, text]));
  const rows = table(['letter', 'reason', 'packet', 'amount', 'user', 'since'], letters.map(({ letter, reason, redPacketId, amount, userId, deadLetteredAt, discardedClaims }) =>
    [letter, discardedClaims ? `${reason}, discarded` : reason, redPacketId ?? '', amount ?? '', userId ?? '', deadLetteredAt]));
  return [rows, '', ...[...reasons].map(([reason, text]) => `${reason}: ${text}`)].join('\n');
}

function describe({ letter, rainId, shard, index, reason, text, detail, redPacketId, amount, userId, entry, deadLetteredAt, discardedClaims }: DeadLetterView): string {
  return facts([
    ['letter', letter], ['rain', `${rainId}, shard ${shard}, entry ${index}`], ['reason', `${reason}: ${text}`], ['detail', detail],
    ...(redPacketId === undefined ? [] : [['packet', redPacketId], ['amount', amount!], ['user', userId!]]),
    ['entry', JSON.stringify(entry)], ['since', deadLetteredAt],
    ...(discardedClaims ? [['discarded', `by ${discardedClaims.actor}, ${discardedClaims.at}: ${discardedClaims.reason}`]] : []),
  ]);
}
