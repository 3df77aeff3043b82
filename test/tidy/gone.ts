import type { SourceFile, Violation } from './sourceFile.ts';

/**
 * Words that this project used for something, and the field's word that replaces each: one concept has one word
 * everywhere.
 */
const GONE: Readonly<Record<string, string>> = {
  adds_up: 'balanced',
  banish: 'ban',
  banished: 'banned',
  buried: 'dead-lettered',
  bury: 'dead-letter',
  clerk: 'credit worker',
  comeback: 'reconnect',
  comebacks: 'reconnects',
  desk: 'console, or operator context',
  entrust: 'assign payout',
  entruster: 'payout assigner',
  farewell: 'drain',
  foregone: 'local answer',
  foresee: 'dry run',
  had_enough: 'win_limit_reached',
  handed_out: 'issued',
  keeper: 'payout provider',
  laid_to_rest: 'discarded',
  misfortune: 'fault injection',
  offence: 'violation',
  offender: 'ban list',
  offenders: 'ban list',
  onlooker: 'viewer',
  podium: 'leaderboard',
  portion: 'top-up',
  portions: 'top-ups',
  promised_twice: 'told_twice',
  purse: 'wallet',
  puzzle: 'challenge',
  puzzles: 'challenges',
  reception: 'acceptor',
  steward: 'maintenance',
  sweeper: 'redelivery',
  switchboard: 'kill switches',
  tally: 'counters',
  teller: 'wallet service',
  turnstile: 'throttle',
  wicket: 'challenge',
};

/** Lines that must keep an old word: names of the database, which migrations never change, and other people's terms. */
const KEPT =
  /"(?:keeper|Keeper|Portion)"|\bPortion: (?:APPEND|\{\}),|'keeper'\]|@@?map\(|promised_twice: 'told_twice' }|reason: 'promised_twice' }|book-keeper/;

/** Each word as a whole, or as a part of a name in camel, snake or kebab case. */
export function goneWords(files: readonly SourceFile[]): Violation[] {
  return files.flatMap(({ path, text }) => [
    ...wordsOf(path).flatMap((word) => tellGone(word, path)),
    ...text
      .split('\n')
      .flatMap((line, at) =>
        KEPT.test(line) ? [] : wordsOf(line).flatMap((word) => tellGone(word, `${path}:${at + 1}`)),
      ),
  ]);
}

function wordsOf(text: string): string[] {
  const parts =
    text
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]+/g) ?? [];
  const snake = text.match(/[a-z]+(?:_[a-z]+)+/g) ?? [];
  return [...parts, ...snake];
}

function tellGone(word: string, where: string): Violation[] {
  const now = Object.hasOwn(GONE, word) ? GONE[word] : undefined;
  return now === undefined ? [] : [`${where}: "${word}" is gone; the word is ${now}`];
}
