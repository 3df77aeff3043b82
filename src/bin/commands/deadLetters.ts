import { discardDeadLetter, type Discarded } from '../../operator/deadLetters/discard.ts';
import {
  DEAD_LETTERS_MAX,
  listDeadLetters,
  showDeadLetter,
  type DeadLetterView,
} from '../../operator/deadLetters/letters.ts';
import { requeueDeadLetter, requeueRain } from '../../operator/deadLetters/requeue.ts';
import { letterOrAll, parseCount } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { accepted, CommandFailure, EXIT } from '../exit.ts';
import { facts, table } from '../style.ts';

const EXAMPLE = 'spring-0-17-9f86d081884c7d65';

export function addDeadLetterCommand(program: RainCommand): void {
  const dead = program
    .command('dead')
    .summary('claims that cannot be credited')
    .description('Dead letters: claims that cannot be credited. List them, requeue them or discard them.')
    .example('rain dead list');

  dead
    .command('list')
    .summary('list dead letters, oldest first')
    .description('Lists dead letters, oldest first.')
    .option('--rain <id>', 'only dead letters of this rain')
    .option('--limit <n>', 'how many dead letters to list', parseCount(1, DEAD_LETTERS_MAX), 100)
    .option('--skip <n>', 'how many to skip', parseCount(0, 1_000_000), 0)
    .json()
    .example('rain dead list --rain m3k9x2a1b2c3d4')
    .runsWithQueues(async (context, { rain, limit, skip }: { rain?: string; limit: number; skip: number }) => {
      const { letters, total, complete } = await listDeadLetters(context, { rainId: rain, limit, skip });
      // Dead letters may exist for a rain that the ledger has lost.
      if (rain !== undefined && letters.length === 0 && !(await context.ledger.rain(rain)))
        throw new CommandFailure(EXIT.refused, `--rain: there is no rain ${rain}`);
      const more = complete ? '' : `\nthere are more; continue with --skip ${skip + letters.length}`;
      return {
        value: { letters, total, complete },
        text: (letters.length === 0 ? 'no dead letters' : describeList(letters)) + more,
      };
    });

  dead
    .command('show <letter>')
    .summary('one dead letter in detail')
    .description('Shows one dead letter: its claim, and why the claim cannot be credited.')
    .json()
    .example(`rain dead show ${EXAMPLE}`)
    .runsWithQueues(async (context, id: string) => {
      const { letter } = accepted(await showDeadLetter(context, id));
      return { value: letter, text: describe(letter) };
    });

  dead
    .command('requeue [letter]')
    .summary('try to credit dead letters again')
    .description(
      'Sends one dead letter, or all of a rain, to the credit queue again. A claim that still cannot be credited becomes a dead letter again.',
    )
    .option('--rain <id>', 'all dead letters of this rain')
    .json()
    .example(`rain dead requeue ${EXAMPLE}`)
    .refuses((letter: string | undefined, { rain }: { rain?: string }) => letterOrAll(letter, '--rain', rain))
    .runsWithQueues(async (context, letter: string | undefined, { rain }: { rain?: string }) => {
      const { letters, complete } = accepted(
        letter !== undefined ? await requeueDeadLetter(context, letter) : await requeueRain(context, rain!),
      );
      return {
        value: { requeued: letters, complete },
        text: `sent again: ${letters}${complete ? '' : '; there are more, run the command again'}`,
      };
    });

  dead
    .command('discard <letter>')
    .summary('give up a claim and take its money back')
    .dryRun()
    .description(
      'Gives up a claim for good. Its unpaid money goes back to the operator, and the audit counts the claim as discarded.',
    )
    .requiredOption('--reason <text>', 'why, for the record; 1 to 500 characters')
    .option('--not-paid', 'confirm that the external wallet has not paid this claim')
    .json()
    .example(`rain dead discard ${EXAMPLE} --reason "compensated by voucher 123"`)
    .runsWithQueues(
      async (
        context,
        letter: string,
        { reason, notPaid, dryRun = false }: { reason: string; notPaid?: boolean; dryRun?: boolean },
      ) => {
        const done = accepted(await discardDeadLetter(context, letter, reason, notPaid, dryRun));
        const { ok: _ok, ...plain } = done;
        return { value: { letter, ...plain }, text: `${letter}: ${describeDone(done, dryRun)}` };
      },
    );
}

type Done = Extract<Discarded, { ok: true }>;

function describeDone(done: Done, dryRun: boolean): string {
  switch (done.outcome) {
    case 'returned':
      return dryRun ? `would be discarded, and ${done.amount} would go back` : `discarded, ${done.amount} went back`;
    case 'discarded':
      return dryRun ? 'would be discarded; it holds no money' : 'discarded; it held no money';
    case 'credited':
      return `has been credited meanwhile; the dead letter ${dryRun ? 'would be' : 'is'} removed`;
    case 'already':
      return `was discarded before by ${done.actor}: ${done.reason}`;
    default:
      return done satisfies never;
  }
}

/** The reason as it is shown: not every letter is ours. */
export const reasonOf = ({ reason, unsigned }: { reason: string; unsigned?: true | undefined }): string =>
  unsigned ? `${reason}, not signed` : reason;

function describeList(letters: readonly DeadLetterView[]): string {
  const reasons = new Map(letters.map((letter) => [reasonOf(letter), letter.text]));
  const rows = table(
    ['letter', 'reason', 'packet', 'amount', 'user', 'since'],
    letters.map(({ redPacketId, amount, userId, deadLetteredAt, ...shown }) => [
      shown.letter,
      shown.discarded ? `${reasonOf(shown)}, discarded` : reasonOf(shown),
      redPacketId ?? '',
      amount ?? '',
      userId ?? '',
      deadLetteredAt,
    ]),
  );
  return [rows, '', ...[...reasons].map(([reason, text]) => `${reason}: ${text}`)].join('\n');
}

function describe({
  letter,
  rainId,
  shard,
  index,
  reason,
  text,
  detail,
  redPacketId,
  amount,
  userId,
  entry,
  deadLetteredAt,
  discarded,
  unsigned,
}: DeadLetterView): string {
  return facts([
    ['letter', letter],
    ['rain', `${rainId}, shard ${shard}, entry ${index}`],
    ['reason', `${reasonOf({ reason, unsigned })}: ${text}`],
    ['detail', detail],
    ...(redPacketId === undefined
      ? []
      : [
          ['packet', redPacketId],
          ['amount', amount!],
          ['user', userId!],
        ]),
    ['entry', JSON.stringify(entry)],
    ['since', deadLetteredAt],
    ...(discarded ? [['discarded', `by ${discarded.actor}, ${discarded.at}: ${discarded.reason}`]] : []),
  ]);
}
