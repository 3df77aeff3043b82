import type { CreateRequest } from '../../operator/create.ts';
import { findTemplate } from '../../operator/templates.ts';
import { METHODS } from '../../rain/split/methods.ts';
import { requestedTermNames, termWords, type RequestedTerms } from '../../rain/terms.ts';
import type { RainCommand } from '../command.ts';
import type { OpenContext } from '../context.ts';
import { acceptedAs } from '../exit.ts';
import type { planOf } from './planOptions.ts';

/** `planOf`, and without a typed split what a template says. */
export type PlanRequest = Omit<ReturnType<typeof planOf>, 'split'> & { split?: unknown };

/** The form of a rain except its id and its start. */
export interface TypedForm extends Pick<CreateRequest, 'title' | 'shards' | 'ticketRules' | 'greeting'> {
  plan: PlanRequest;
  durationMs: number;
  terms: RequestedTerms;
}

/** Fields that a template may give instead of the command line. */
const WAIVED: readonly string[] = ['budget', 'packets', 'duration'];

/** Adds the option of a template. With it, options are not required that the template stands for. */
export function withTemplate(command: RainCommand): RainCommand {
  return command
    .option(
      '--template <id>',
      'take what is not given here from a template, see rain template; budget, packets and duration need not be given then',
    )
    .on('option:template', () => {
      for (const option of command.options) if (WAIVED.includes(option.attributeName())) option.mandatory = false;
    }) as RainCommand;
}

/**
 * The typed fields, and the rest from a template, unchecked: the creation of the rain checks all of it.
 * @param isRound its campaign decides the shards
 */
export async function fillIn(context: OpenContext, id: string, typed: TypedForm, isRound: boolean): Promise<TypedForm> {
  const { rain } = acceptedAs(await findTemplate(context, id), { template: '--template' }).template;
  const { shards, ...kept } = rain;
  const parts = (['plan', 'terms', 'ticketRules', 'greeting'] as const).filter(
    (part) => typed[part] !== undefined || kept[part] !== undefined,
  );
  const merged = parts.map((part) => [part, { ...(kept[part] as object | undefined), ...given(typed[part] ?? {}) }]);
  return {
    ...(!isRound && { shards }),
    ...kept,
    ...given(typed),
    ...(Object.fromEntries(merged) as object),
  } as TypedForm;
}

function given(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Options by the fields of a new rain, as far as their names differ from `--FIELD`. */
const OPTIONS: Readonly<Record<string, string>> = {
  opensAt: 'start',
  closesAt: 'duration',
  durationMs: 'duration',
  'ticketRules.tickets': 'tickets',
  'ticketRules.proofOfWork': 'pow',
  'greeting.sender': 'sender',
  'greeting.blessing': 'blessing',
  'greeting.prizes': 'prize',
  'greeting.theme': 'theme',
  ...Object.fromEntries(requestedTermNames().map((name) => [`terms.${name}`, termWords(name)])),
  ...Object.fromEntries(METHODS.flatMap(({ rows }) => (rows ? [[`split.${rows.field}`, rows.option.flag]] : []))),
};

/** Names the field of a refusal by the option that was typed, or by the template that says it. */
export function fieldAsTyped(command: RainCommand, template: string, field: string): string {
  const found = Object.entries(OPTIONS).find(([name]) => field === name || field.startsWith(`${name}.`));
  const flag = `--${found?.[1] ?? field.split('.')[0]!}`;
  const option = command.options.find(({ long }) => long === flag);
  const isTyped = option && command.getOptionValueSource(option.attributeName()) === 'cli';
  return isTyped ? flag : `--template ${template}: ${field}`;
}
