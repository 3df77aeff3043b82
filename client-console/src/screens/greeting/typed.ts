import { PRIZES_MAX, type Greeting } from '../../../../src/rain/theme.ts';
import { amountTyped } from '../../words/figures.ts';

export interface TypedPrize {
  from: string;
  blessing: string;
}

/** A greeting as typed: what is empty is none. */
export interface TypedGreeting extends Record<'sender' | 'blessing' | 'theme', string> {
  prizes: readonly TypedPrize[];
}

export const NO_GREETING: TypedGreeting = { sender: '', blessing: '', prizes: [], theme: '' };
export const NO_PRIZE: TypedPrize = { from: '', blessing: '' };

export function typedGreeting(greeting: Greeting | undefined): TypedGreeting {
  return { ...NO_GREETING, ...greeting };
}

/** Whether one more prize may be added. */
export function mayAddPrize({ prizes }: TypedGreeting): boolean {
  return prizes.length < PRIZES_MAX;
}

/** The greeting of the request. The console refuses what is too long. */
export function greetingOf({ prizes, ...texts }: TypedGreeting): Greeting {
  const said = Object.fromEntries(
    Object.entries(texts)
      .map(([name, text]) => [name, text.trim()])
      .filter(([, text]) => text !== ''),
  );
  return {
    ...said,
    ...(prizes.length > 0 && {
      prizes: prizes.map(({ from, blessing }) => ({ from: amountTyped(from), blessing: blessing.trim() })),
    }),
  };
}
