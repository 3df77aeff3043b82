import type { Greeting } from '../../../../src/rain/theme.ts';

/** A greeting as typed: what is empty is none. */
export type TypedGreeting = Record<keyof Greeting, string>;

export const NO_GREETING: TypedGreeting = { sender: '', blessing: '', theme: '' };

export function typedGreeting(greeting: Greeting | undefined): TypedGreeting {
  return { ...NO_GREETING, ...greeting };
}

/** The greeting of the request. The console refuses what is too long. */
export function greetingOf(typed: TypedGreeting): Greeting {
  return Object.fromEntries(Object.entries(typed).map(([name, text]) => [name, text.trim()]).filter(([, text]) => text !== ''));
}
