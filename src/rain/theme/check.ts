import { z } from 'zod';
import { amount } from '../claim.ts';
import { plainRainId } from '../ids.ts';
import { nameIn } from '../names.ts';
import {
  BLESSING_CHARACTERS_MAX,
  checkContrast,
  PRIZES_MAX,
  SENDER_CHARACTERS_MAX,
  THEME_TITLE_CHARACTERS_MAX,
  type Greeting,
  type ThemeColours,
} from '../theme.ts';

const readable = (what: string, charactersMax: number) => {
  const expected = `expected ${what} of 1 to ${charactersMax} characters, and a letter, a digit or a symbol among them`;
  return z
    .string(expected)
    .transform((typed, context) => nameIn(typed, charactersMax) ?? (context.addIssue(expected), z.NEVER));
};

/** The rule of a rain's id, without a round. */
export const themeId = plainRainId;
export const themeTitle = readable('a title', THEME_TITLE_CHARACTERS_MAX);

const colour = z
  .string('expected a colour such as #7d0f18')
  .regex(/^#[0-9a-f]{6}$/i, 'expected a colour such as #7d0f18')
  .toLowerCase();

/** Colours in an operator's request; null is the same as absent. */
export const themeColours = z
  .strictObject(
    { background: colour.nullish(), packet: colour.nullish(), accent: colour.nullish() },
    'expected {"background","packet","accent"}',
  )
  .transform((typed): ThemeColours => given(typed))
  .superRefine((colours, context) => {
    for (const { field, reason } of checkContrast(colours))
      context.addIssue({ code: 'custom', path: field.split('.').slice(1), message: reason });
  });

/** The largest first. */
const prizes = z
  .array(
    z.strictObject(
      { from: amount, blessing: readable('a blessing', BLESSING_CHARACTERS_MAX) },
      'expected {"from","blessing"}',
    ),
    'expected a list of {"from","blessing"}',
  )
  .max(PRIZES_MAX, `expected at most ${PRIZES_MAX} prizes`)
  .superRefine((all, context) => {
    for (const [i, { from }] of all.entries())
      if (all.findIndex((one) => one.from === from) < i)
        context.addIssue({
          code: 'custom',
          path: [i, 'from'],
          message: `expected another amount, ${from} has a blessing`,
        });
  })
  .transform((all) => [...all].sort((a, b) => Number(b.from) - Number(a.from)));

/** A greeting in an operator's request; null is the same as absent. */
export const requestedGreeting = z
  .strictObject(
    {
      sender: readable('a sender', SENDER_CHARACTERS_MAX).nullish(),
      blessing: readable('a blessing', BLESSING_CHARACTERS_MAX).nullish(),
      prizes: prizes.nullish(),
      theme: themeId.nullish(),
    },
    'expected {"sender","blessing","prizes","theme"}',
  )
  .transform(({ prizes: some, ...typed }): Greeting => given({ ...typed, prizes: some?.length ? some : undefined }));

function given<T extends object>(typed: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== undefined && value !== null)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
