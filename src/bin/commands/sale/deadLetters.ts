import { reasonOf } from '../deadLetters.ts';
import { Option } from 'commander';
import { DEAD_LETTERS_MAX } from '../../../operator/deadLetters/letters.ts';
import { discardOrderLetter, discardOrderLetters } from '../../../operator/sale/deadLetters/discard.ts';
import { listOrderLetters, showOrderLetter, type OrderLetterView } from '../../../operator/sale/deadLetters/letters.ts';
import { requeueOrderLetter, requeueSale } from '../../../operator/sale/deadLetters/requeue.ts';
import { ORDER_DEAD_REASONS, type OrderDeadReason } from '../../../orders/deadLetter.ts';
import { letterOrAll, parseCount } from '../../arguments.ts';
import type { RainCommand } from '../../command.ts';
import { accepted, acceptedAs, CommandFailure, EXIT } from '../../exit.ts';
import { facts, table } from '../../style.ts';

const REASONS = Object.keys(ORDER_DEAD_REASONS) as OrderDeadReason[];
const MORE = '; there are more, run the command again';
const EXAMPLE = 'newyear-16-9f86d081884c7d65';

export function addOrderLetterCommand(sale: RainCommand): void {
  const dead = sale
    .command('dead')
    .summary('reservations that cannot become orders, and payments that came too late')
    .description('Dead letters of orders. List them, requeue them or discard them.')
    .example('rain sale dead list');

  dead
    .command('list')
    .summary('list dead letters, oldest first')
    .description(
      'Lists dead letters of orders, oldest first. The number in the id of a letter is its position in the log, from 0: the order stands under "reservation".',
    )
    .option('--sale <id>', 'only dead letters of this sale')
    .option('--user <id>', "only dead letters of this user's reservations")
    .option('--order <id>', 'only dead letters of this order')
    .addOption(new Option('--reason-is <reason>', 'only dead letters with this reason').choices(REASONS))
    .option('--limit <n>', 'how many dead letters to list', parseCount(1, DEAD_LETTERS_MAX), 100)
    .option('--skip <n>', 'how many to skip', parseCount(0, 1_000_000), 0)
    .json()
    .example('rain sale dead list --sale newyear')
    .runsWithQueues(
      async (
        context,
        {
          sale: saleId,
          reasonIs: deadReason,
          ...search
        }: { sale?: string; reasonIs?: OrderDeadReason; user?: string; order?: string; limit: number; skip: number },
      ) => {
        const { letters, total, complete } = await listOrderLetters(context, { saleId, deadReason, ...search });
        // Dead letters may exist for a sale that the ledger has lost.
        if (saleId !== undefined && letters.length === 0 && !(await context.ledger.sale(saleId)))
          throw new CommandFailure(EXIT.refused, `--sale: there is no sale ${saleId}`);
        const more = complete ? '' : `\nthere are more; continue with --skip ${search.skip + letters.length}`;
        return {
          value: { letters, total, complete },
          text: (letters.length === 0 ? 'no dead letters' : describeList(letters)) + more,
        };
      },
    );

  dead
    .command('show <letter>')
    .summary('one dead letter in detail')
    .description('Shows one dead letter: its reservation, its order, and what to do.')
    .json()
    .example(`rain sale dead show ${EXAMPLE}`)
    .runsWithQueues(async (context, id: string) => {
      const { letter } = accepted(await showOrderLetter(context, id));
      return { value: letter, text: describe(letter) };
    });

  dead
    .command('requeue [letter]')
    .summary('send reservations to the workers again')
    .description(
      'Sends one dead letter, or those of a sale, to the queue of orders again. What still cannot become an order is a dead letter again. Letters of orders that have ended or are paid stay: the answer says what to do with each reason.',
    )
    .option('--sale <id>', 'all dead letters of this sale')
    .json()
    .example(`rain sale dead requeue ${EXAMPLE}`)
    .refuses((letter: string | undefined, { sale: saleId }: { sale?: string }) => letterOrAll(letter, '--sale', saleId))
    .runsWithQueues(async (context, letter: string | undefined, { sale: saleId }: { sale?: string }) => {
      const { letters, final, kept, complete } = acceptedAs(
        letter !== undefined ? await requeueOrderLetter(context, letter) : await requeueSale(context, saleId!),
        { sale: '--sale' },
      );
      return {
        value: { requeued: letters, final, kept, complete },
        text: `sent again: ${letters}${complete ? '' : MORE}${describeKept(final, kept)}`,
      };
    });

  dead
    .command('discard [letter]')
    .summary('be done with dead letters')
    .dryRun()
    .description(
      'Removes a dead letter, or those of a sale with one reason, for good. No units and no money move: a payment that came too late is paid back at the shop first.',
    )
    .option('--sale <id>', 'all dead letters of this sale that have the reason --reason-is')
    .addOption(new Option('--reason-is <reason>', 'with --sale: only dead letters with this reason').choices(REASONS))
    .requiredOption('--reason <text>', 'why, for the record; 1 to 500 characters')
    .json()
    .example(`rain sale dead discard ${EXAMPLE}-paid --reason "paid back, receipt 123"`)
    .refuses(
      (letter: string | undefined, { sale: saleId, reasonIs }: { sale?: string; reasonIs?: OrderDeadReason }) =>
        letterOrAll(letter, '--sale', saleId) ??
        ((saleId === undefined) === (reasonIs === undefined)
          ? undefined
          : '--reason-is: expected with --sale, which needs it, and not with a letter'),
    )
    .runsWithQueues(
      async (
        context,
        letter: string | undefined,
        {
          reason,
          sale: saleId,
          reasonIs,
          dryRun = false,
        }: { reason: string; sale?: string; reasonIs?: OrderDeadReason; dryRun?: boolean },
      ) => {
        if (letter === undefined) {
          const { letters, complete } = acceptedAs(
            await discardOrderLetters(context, saleId!, reasonIs!, reason, dryRun),
            { sale: '--sale', reason: '--reason' },
          );
          return {
            value: { discarded: letters, complete },
            text: `${dryRun ? 'would be discarded' : 'discarded'}: ${letters}${complete ? '' : MORE}`,
          };
        }
        const { ok: _, ...done } = acceptedAs(await discardOrderLetter(context, letter, reason, dryRun), {
          reason: '--reason',
        });
        const text =
          done.outcome === 'already'
            ? `was discarded before by ${done.actor}: ${done.reason}`
            : dryRun
              ? 'would be discarded'
              : 'discarded';
        return { value: { letter, ...done }, text: `${letter}: ${text}` };
      },
    );
}

/** Each reason gets one advice: some have ended, others are paid and must not be forgotten. */
function describeKept(final: number, kept: Partial<Record<OrderDeadReason, number>>): string {
  const rows = REASONS.filter((reason) => kept[reason] !== undefined).map(
    (reason) => `${kept[reason]} ${reason}: ${ORDER_DEAD_REASONS[reason]}`,
  );
  return final === 0 ? '' : `\n${final} stay, since sending them again changes nothing:\n${rows.join('\n')}`;
}

function describeList(letters: readonly OrderLetterView[]): string {
  const reasons = new Map(letters.map((letter) => [reasonOf(letter), letter.text]));
  const rows = table(
    ['letter', 'reason', 'reservation', 'units', 'user', 'order', 'since'],
    letters.map(({ reservationId, sku, quantity, userId, status, deadLetteredAt, ...shown }) => [
      shown.letter,
      shown.discarded ? `${reasonOf(shown)}, discarded` : reasonOf(shown),
      reservationId ?? '',
      sku === undefined ? '' : `${quantity} ${sku}`,
      userId ?? '',
      status ?? 'none',
      deadLetteredAt,
    ]),
  );
  return [rows, '', ...[...reasons].map(([reason, text]) => `${reason}: ${text}`)].join('\n');
}

function describe({
  letter,
  saleId,
  index,
  reason,
  text,
  detail,
  reservationId,
  userId,
  sku,
  quantity,
  price,
  status,
  entry,
  deadLetteredAt,
  discarded,
  unsigned,
}: OrderLetterView): string {
  return facts([
    ['letter', letter],
    ['sale', `${saleId}, entry ${index}`],
    ['reason', `${reasonOf({ reason, unsigned })}: ${text}`],
    ['detail', detail],
    ...(reservationId === undefined
      ? []
      : [
          ['reservation', reservationId],
          ['units', `${quantity} ${sku} at ${price}`],
          ['user', userId!],
          ['order', status ?? 'none'],
        ]),
    ['entry', JSON.stringify(entry)],
    ['since', deadLetteredAt],
    ...(discarded ? [['discarded', `by ${discarded.actor}, ${discarded.at}: ${discarded.reason}`]] : []),
  ]);
}
