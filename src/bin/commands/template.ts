import {
  findTemplate,
  listTemplates,
  removeTemplate,
  saveTemplate,
  type ShownTemplate,
} from '../../operator/templates.ts';
import { formatRefusal } from '../../rain/refusal.ts';
import type { Terms } from '../../rain/terms.ts';
import type { Greeting } from '../../rain/theme.ts';
import type { TicketRules } from '../../rain/ticketRules.ts';
import type { Answer, RainCommand } from '../command.ts';
import { accepted, acceptedAs } from '../exit.ts';
import { facts, table } from '../style.ts';
import { greetingInWords } from './greeting.ts';
import { describeTerms } from './planOptions.ts';
import { ticketRulesInWords } from './tickets.ts';

/** The options for the fields of a template. */
const TYPED = { id: 'template', title: '--title', from: '--from', rain: '--from' };

export function addTemplateCommand(program: RainCommand): void {
  const template = program
    .command('template')
    .summary('rains that are kept for later ones')
    .description(
      'Templates of rains: money, terms, greeting, title and duration of a rain, kept for later ones. rain create --template creates a rain from one.',
    )
    .example(
      'rain template save party --from m3k9x2a1b2c3d4 --title "Annual party"',
      'rain create --template party --start +5m',
    );

  template
    .command('list')
    .summary('all templates')
    .description('Lists the templates by title. One that is no longer valid is listed with the reason.')
    .json()
    .example('rain template list')
    .runsWithContext(async (context) => {
      const list = await listTemplates(context);
      const rows = list.templates.map(({ id, title, rain, refusals }) => [
        id,
        title,
        ...moneyOf(rain),
        refusals.map(formatRefusal).join('; '),
      ]);
      return {
        value: list,
        text:
          rows.length === 0
            ? 'no template yet; save one with: rain template save --help'
            : table(['id', 'title', 'budget', 'packets', 'no longer valid'], rows),
      };
    });

  template
    .command('show')
    .summary('what a template says')
    .description('Shows what the rains of a template are.')
    .argument('<template>', 'the id of the template')
    .json()
    .example('rain template show party')
    .runsWithContext(async (context, id: string) => shown(accepted(await findTemplate(context, id)).template));

  template
    .command('save')
    .summary('save a rain as a template')
    .description(
      'Takes a template from a rain, or replaces one by it. Without --from it only changes the title. The start of the rain is not kept, nor its winners.',
    )
    .argument('<template>', 'letters, digits, _ and -')
    .requiredOption('--title <text>', 'title, for operators')
    .option('--from <id>', 'the rain that it is taken from')
    .json()
    .example('rain template save party --from m3k9x2a1b2c3d4 --title "Annual party"')
    .runsWithContext(async (context, id: string, { title, from }: { title: string; from?: string }) =>
      shown(acceptedAs(await saveTemplate(context, { id, title, from }), TYPED).template),
    );

  template
    .command('remove')
    .summary('remove a template')
    .description('Removes a template. Rains that were created from it stay as they are.')
    .argument('<template>', 'the id of the template')
    .json()
    .example('rain template remove party')
    .runsWithContext(async (context, id: string) => {
      const { removed } = accepted(await removeTemplate(context, id));
      return { value: { template: id, removed }, text: `${id}: removed` };
    });
}

function shown(template: ShownTemplate): Answer {
  const { id, title, rain, refusals } = template;
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const { title: ownTitle, durationMs, shards, terms, ticketRules, greeting } = rain;
  const plan = Object.entries(Object(rain['plan']) as object).map(([name, value]) => [name, text(value)] as const);
  // Invalid input may have any form, so it is not put into words.
  const valid = refusals.length === 0;
  const rows = [
    ...(ownTitle === undefined ? [] : [['title', text(ownTitle)] as const]),
    ...plan,
    ...(typeof durationMs === 'number' ? [['duration', `${durationMs / 1_000} s`] as const] : []),
    ...(shards === undefined ? [] : [['shards', text(shards)] as const]),
    ...(valid ? describeTerms(terms as Terms) : []),
    ...(valid && ticketRules ? [['tickets', ticketRulesInWords(ticketRules as TicketRules)] as const] : []),
    ...(valid && greeting ? [['greeting', greetingInWords(greeting as Greeting)] as const] : []),
  ];
  return {
    value: template,
    text: [
      `${id}: ${title}`,
      facts(rows),
      ...refusals.map((refusal) => `no longer valid: ${formatRefusal(refusal)}`),
    ].join('\n'),
  };
}

function moneyOf(rain: ShownTemplate['rain']): [budget: string, packets: string] {
  const { budget, packets } = Object(rain['plan']) as Record<string, unknown>;
  return [typeof budget === 'string' ? budget : '', typeof packets === 'number' ? String(packets) : ''];
}
