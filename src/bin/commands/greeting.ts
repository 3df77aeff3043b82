import { setGreeting } from '../../operator/themes.ts';
import { unknownReason } from '../../operator/restore/presence.ts';
import { InvalidArgumentError } from 'commander';
import type { Greeting, PrizeBlessing } from '../../rain/theme.ts';
import { typedAmount } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { acceptedAs, CommandFailure, EXIT } from '../exit.ts';

/** The options for the fields of a greeting, also in a new rain. */
export const TYPED_GREETING = {
  sender: '--sender',
  blessing: '--blessing',
  prizes: '--prize',
  theme: '--theme',
  'greeting.sender': '--sender',
  'greeting.blessing': '--blessing',
  'greeting.prizes': '--prize',
  'greeting.theme': '--theme',
};

/** Appends a prize such as `88.00=Good luck!`. */
function parsePrize(text: string, prizes: PrizeBlessing[]): PrizeBlessing[] {
  const [, from, blessing] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (from === undefined || blessing === undefined)
    throw new InvalidArgumentError('expected AMOUNT=TEXT such as "88.00=Good luck!"');
  return [...prizes, { from: typedAmount(from), blessing }];
}

/** The options of a greeting, for a new rain and for one that is there. */
export function withGreeting<C extends RainCommand>(command: C): C {
  return command
    .option('--sender <text>', 'name of the giver, as players see it')
    .option('--blessing <text>', 'good wishes that players read')
    .option(
      '--prize <AMOUNT=TEXT>',
      'good wishes in place of these for wins of at least this amount; may be repeated',
      parsePrize,
      [],
    )
    .option('--theme <id>', 'how its pages look; default the default theme, see rain theme') as C;
}

export type TypedGreeting = Omit<Greeting, 'prizes'> & { prize?: PrizeBlessing[] };

/** Only what was typed. */
export function greetingOf({ sender, blessing, prize = [], theme }: TypedGreeting): Greeting | undefined {
  const typed = {
    ...(sender !== undefined && { sender }),
    ...(blessing !== undefined && { blessing }),
    ...(prize.length > 0 && { prizes: prize }),
    ...(theme !== undefined && { theme }),
  };
  return Object.keys(typed).length > 0 ? typed : undefined;
}

export function greetingInWords({ sender, blessing, prizes = [], theme }: Greeting): string {
  return (
    [
      ...(sender === undefined ? [] : [`from ${sender}`]),
      ...(blessing === undefined ? [] : [`"${blessing}"`]),
      ...prizes.map((prize) => `from ${prize.from} "${prize.blessing}"`),
      ...(theme === undefined ? [] : [`theme ${theme}`]),
    ].join(', ') || 'no sender, no blessing, the default theme'
  );
}

export function addGreetingCommand(program: RainCommand): void {
  withGreeting(program.command('greeting <id>').summary('sender, blessing and theme of a rain'))
    .description(
      'Sets the sender of a rain, the blessing and the theme, also while it runs. What is not given is removed; --none removes all. Without any option it shows what is set.',
    )
    .option('--none', 'no sender, no blessing, and the default theme')
    .json()
    .example(
      'rain greeting m3k9x2a1b2c3d4 --sender "Ann Li" --blessing "Happy new year!" --prize "88.00=The grand prize!" --theme spring',
    )
    .refuses((_id: string, { none, ...options }: TypedGreeting & { none?: boolean }) =>
      none && greetingOf(options) ? '--none: expected either --none or a sender, a blessing or a theme' : undefined,
    )
    .runsWithContext(async (context, id: string, { none = false, ...options }: TypedGreeting & { none?: boolean }) => {
      const typed = greetingOf(options) ?? (none ? {} : undefined);
      const greeting = typed
        ? acceptedAs(await setGreeting(context, id, typed), TYPED_GREETING).greeting
        : await context.ledger.greeting(id);
      if (!greeting) throw new CommandFailure(EXIT.refused, `id: ${await unknownReason(context, id)}`);
      return { value: { rainId: id, ...greeting }, text: `${id}: ${greetingInWords(greeting)}` };
    });
}
