import { randomUUID } from 'node:crypto';
import type { Item } from '../../../sale/item.ts';
import { openSale } from '../../../operator/sale/open.ts';
import { topUpSale } from '../../../operator/sale/topUp.ts';
import { writeOffSale } from '../../../operator/sale/writeOff.ts';
import { endDryRun, endSale, pauseSale, resumeSale, startSale } from '../../../operator/sale/transitions.ts';
import { iso } from '../../../rain/figures.ts';
import type { Answer, RainCommand } from '../../command.ts';
import { accepted, acceptedAs, notify } from '../../exit.ts';
import { paintState } from '../../style.ts';
import { addTicketsCommand } from '../tickets.ts';
import { parseAddition } from './itemOption.ts';

const VERBS = [
  {
    name: 'start',
    verb: startSale,
    summary: 'start a loaded sale now',
    description: 'Starts a loaded sale now. It is open as long as planned.',
  },
  {
    name: 'pause',
    verb: pauseSale,
    summary: 'stop selling for a while',
    description: 'Stops selling. The end does not move, and reservations are paid as before.',
  },
  { name: 'resume', verb: resumeSale, summary: 'end a pause', description: 'Sells again after a pause.' },
] as const;

export function addLifecycleCommands(sale: RainCommand): void {
  sale
    .command('load <id>')
    .summary('put a sale on sale')
    .description(
      'Writes the sale and its top-ups to Redis; from its start on it sells. If the command is killed, run it again.',
    )
    .json()
    .example('rain sale load m3k9x2a1b2c3d4')
    .runsWithContext(async (context, saleId: string) => {
      const { state, units } = accepted(await openSale(context, saleId));
      return { value: { saleId, state, units }, text: `${saleId}: ${paintState(state)}, ${units} units` };
    });

  for (const { name, verb, summary, description } of VERBS) {
    sale
      .command(`${name} <id>`)
      .summary(summary)
      .description(description)
      .json()
      .example(`rain sale ${name} m3k9x2a1b2c3d4`)
      .runsWithContext(async (context, saleId: string) => moved(saleId, accepted(await verb(context, saleId))));
  }

  addTicketsCommand(sale, 'sale');

  sale
    .command('end <id>')
    .summary('end a sale early')
    .dryRun()
    .description(
      'Ends a sale now, for good. Reservations can still be paid; then the workers give what is left back to the shop and settle the sale.',
    )
    .json()
    .example('rain sale end m3k9x2a1b2c3d4 --dry-run')
    .runsWithContext(async (context, saleId: string, { dryRun }: { dryRun?: boolean }) => {
      if (!dryRun) return moved(saleId, accepted(await endSale(context, saleId)));
      const { left, waiting } = accepted(await endDryRun(context, saleId));
      return {
        value: { saleId, state: 'closed', left, waiting },
        text: `${saleId}: would end now, for good; ${left} units that are left would go back to the shop, and ${waiting} reserved ones could still be paid`,
      };
    });

  sale
    .command('write-off <id>')
    .summary('give a sale up that can never add up again')
    .dryRun()
    .description(
      'Gives a sale up that Redis has lost, or whose log or counts somebody has changed for good. Nothing is sold in it any more. Its orders stay, the rest of the stock goes back to the shop, and the workers settle it when no order waits for its payment. A sale that only Redis knows ends there, and its keys live for thirty days.',
    )
    .requiredOption('--reason <text>', 'why, for the record; 1 to 500 characters')
    .option('--new-database', 'the database that Redis was used with is lost, and this one replaces it')
    .json()
    .example('rain sale write-off m3k9x2a1b2c3d4 --reason "Redis was flushed by mistake" --dry-run')
    .runsWithContext(
      async (
        context,
        saleId: string,
        { reason, dryRun = false, newDatabase = false }: { reason: string; dryRun?: boolean; newDatabase?: boolean },
      ) => {
        const { ok: _, ...done } = acceptedAs(await writeOffSale(context, saleId, reason, { dryRun, newDatabase }), {
          reason: '--reason',
        });
        if (done.unknown)
          return {
            value: done,
            text: `${saleId} ${dryRun ? 'would be' : 'is'} closed in Redis, with ${done.unknown.orders} orders that the ledger does not know; list them with: rain sale orders ${saleId} --redis --csv`,
          };
        const rest =
          done.waiting > 0
            ? `; ${done.waiting} orders wait for their payment, and the workers settle the sale when that is decided`
            : '';
        const [would, verb] = [dryRun ? 'would be given up' : 'is given up', dryRun ? 'would go' : 'go'];
        return {
          value: done,
          text: [
            ...done.problems,
            `${saleId} ${would}: its orders stay, and ${done.returned} units ${verb} back to the shop${rest}`,
          ].join('\n'),
        };
      },
    );

  sale
    .command('top-up <id>')
    .summary('add units to an item, even while it is sold')
    .dryRun()
    .description('Adds units to an item of a sale that has not ended: first in the ledger, then in Redis.')
    .requiredOption('--item <sku:units>', 'which item, and how many units, e.g. tee:50', parseAddition)
    .option(
      '--id <word>',
      'your id for this top-up: a repeat with the same id adds nothing twice; default a generated id',
    )
    .json()
    .example('rain sale top-up m3k9x2a1b2c3d4 --item tee:50')
    // The default is chosen here, so that the id is known even if the answer is lost.
    .runsWithContext(
      async (
        context,
        saleId: string,
        {
          id = randomUUID(),
          item,
          dryRun = false,
          json,
        }: { id?: string; item: Pick<Item, 'sku' | 'units'>; dryRun?: boolean; json?: boolean },
      ) => {
        const { ok: _, ...plain } = acceptedAs(
          await topUpSale(context, saleId, { id, ...item, dryRun }).catch((error: unknown) => {
            if (!dryRun)
              notify(
                sale.terminal,
                `it is unknown how much of the top-up is done; repeat the same command with --id ${id}: nothing is added twice`,
              );
            throw error;
          }),
          { id: '--id', sku: '--item', units: '--item', sale: 'id' },
        );
        if (!dryRun && !json) notify(sale.terminal, `top-up ${id}`);
        const later = plain.loaded || dryRun ? '' : `; they come on sale with the others: rain sale load ${saleId}`;
        return {
          value: plain,
          text: `${saleId} ${dryRun ? 'would get' : 'got'} ${plain.units} ${plain.sku}; in total ${plain.total}${later}`,
        };
      },
    );
}

function moved(saleId: string, { state, ...times }: { state: string; opensAt: number; closesAt: number }): Answer {
  const [opensAt, closesAt] = [iso(times.opensAt), iso(times.closesAt)];
  return {
    value: { saleId, state, opensAt, closesAt },
    text: `${saleId}: ${paintState(state)}, from ${opensAt} to ${closesAt}`,
  };
}
