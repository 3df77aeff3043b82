import { listRains, RAINS_MAX, showRain, type RainDetail, type RainList, type RainView } from '../../operator/list.ts';
import { lostNotice } from '../../operator/lostRains.ts';
import { unknownReason } from '../../operator/restore/presence.ts';
import { parseCount } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { CommandFailure, EXIT } from '../exit.ts';
import { show, type ShowOptions } from '../showing.ts';
import { facts, paint, paintState, table } from '../style.ts';
import { greetingInWords } from './greeting.ts';
import { describeTerms } from './planOptions.ts';
import { ticketRulesInWords } from './tickets.ts';

export function addShowCommands(program: RainCommand): void {
  program
    .command('list')
    .summary('all rains, newest first')
    .description('Lists all rains, newest first.')
    .option('--limit <n>', 'how many rains to list', parseCount(1, RAINS_MAX), 100)
    .json()
    .example('rain list --limit 20')
    .runsWithContext(async (context, { limit }: { limit: number }) => {
      const list = await listRains(context, limit);
      return { value: list, text: describeList(list) };
    });

  program
    .command('show <id>')
    .summary('one rain in detail')
    .description('Shows one rain; with --watch every second until the rain is settled or Ctrl-C.')
    .option('--watch', 'repeat every second until the rain is settled')
    .json('print JSON, with --watch one object per line')
    .example('rain show m3k9x2a1b2c3d4 --watch')
    .runsWithContext(async (context, id: string, options: ShowOptions) =>
      show(program.terminal, options, async () => {
        const rain = await showRain(context, id);
        if (!rain) throw new CommandFailure(EXIT.refused, `id: ${await unknownReason(context, id)}`);
        const isLast = rain.state === 'settled';
        const lost = isLast ? undefined : await lostNotice(context, id);
        return {
          value: { ...rain, ...(lost !== undefined && { lost }) },
          text: `${describe(rain)}${lost === undefined ? '' : `\n${paint.bad(lost)}`}`,
          isLast,
        };
      }),
    );
}

function describeList({ rains, total }: RainList): string {
  if (rains.length === 0) return 'no rain yet; plan one with: rain create --help';
  const rows = table(
    ['id', 'title', 'state', 'opens', 'budget', 'packets', 'left', 'won', 'credited'],
    rains.map((rain) => [
      rain.rainId,
      titleOf(rain),
      paintState(rain.state),
      rain.opensAt,
      rain.budget,
      rain.packets,
      rain.left,
      rain.claims,
      rain.credited,
    ]),
  );
  const more = total - rains.length;
  return more > 0 ? `${rows}\n… and ${more} more; --limit lists up to ${RAINS_MAX}` : rows;
}

/** The title marks a rehearsal, so that test money is never taken for real money. */
function titleOf({ title, terms }: RainView): string {
  return terms.rehearsal ? `${title} (rehearsal)` : title;
}

function describe(rain: RainDetail): string {
  return facts([
    ['rain', `${rain.rainId}  ${titleOf(rain)}`],
    ['state', paintState(rain.state)],
    ...(rain.held === undefined
      ? []
      : [
          [
            'held',
            `nothing is granted (${rain.held}): Redis and the database do not agree; see rain restore check ${rain.rainId}`,
          ],
        ]),
    ...(rain.campaign ? [['campaign', `${rain.campaign.id}, round ${rain.campaign.round}`]] : []),
    ...describeTerms(rain.terms),
    ...(rain.ticketRules ? [['tickets', ticketRulesInWords(rain.ticketRules)]] : []),
    ...(rain.greeting ? [['greeting', greetingInWords(rain.greeting)]] : []),
    ['opens', rain.opensAt],
    ['closes', rain.closesAt],
    ['budget', rain.budget],
    ['packets', `${rain.packets}, ${rain.left} left, ${rain.spoiled} spoiled`],
    ['won', rain.claims],
    ['with the queue', rain.relayed],
    ['credited', `${rain.credited}, ${rain.creditedAmount}`],
    ['recycled', rain.recycled],
    ...(rain.payoutProvider
      ? [['paid to', rain.payoutProvider === 'ledger' ? 'wallets in our own ledger' : 'an external wallet, by webhook']]
      : []),
    ...(rain.commitment === undefined ? [] : [['commitment', rain.commitment]]),
    ...(rain.seed === undefined ? [] : [['seed', rain.seed]]),
    ...rain.topUps.map(({ topUp, id, budget, packets, commitment }) => [
      `top-up ${topUp}`,
      `${budget} in ${packets} packets, ${id}, commitment ${commitment}`,
    ]),
    ...(rain.state !== 'draft' && rain.loaded < rain.packets && rain.state !== 'settled'
      ? [['not loaded', `${rain.packets - rain.loaded} packets`]]
      : []),
  ]);
}
