import { expect, test } from 'vitest';
import { Attempts } from './family.ts';
import { judge } from './verdict.ts';

const HELD = ['a token without a signature', 401, 401] as const;
const HONEST = ['a token that is signed', 200, 200] as const;

function verdictOf(make: (attempts: Attempts) => void, thrown?: unknown) {
  const attempts = new Attempts();
  make(attempts);
  return judge('signatures', attempts, thrown);
}

test('a family holds when every attempt is refused and an honest request is not', () => {
  const verdict = verdictOf((attempts) => {
    attempts.refused(...HELD);
    attempts.control(...HONEST);
  });
  expect(verdict).toEqual({ family: 'signatures', attempts: 1, notHeld: [] });
});

test('an attempt that got through is told with what was sent, expected and came', () => {
  const verdict = verdictOf((attempts) => {
    attempts.refused('alg none', 101, 401);
    attempts.refused('a body of markup', '<script>', /^&lt;/);
    attempts.control(...HONEST);
  });
  expect(verdict.notHeld).toEqual([
    'alg none: expected 401, came 101',
    'a body of markup: expected /^&lt;/, came <script>',
  ]);
});

test('a refusal does not count where the honest request is refused, too, or was not made', () => {
  expect(
    verdictOf((attempts) => {
      attempts.refused(...HELD);
      attempts.control('a token that is signed', 401, [200, 201]);
    }).notHeld,
  ).toEqual(['honest: a token that is signed: expected 200,201, came 401', 'no honest request has succeeded']);
  expect(verdictOf((attempts) => attempts.refused(...HELD)).notHeld).toEqual(['no honest request has succeeded']);
});

test('a family that tried nothing, or broke off, has not held', () => {
  expect(verdictOf((attempts) => attempts.control(...HONEST)).notHeld).toEqual(['nothing was tried']);
  expect(
    verdictOf((attempts) => {
      attempts.refused(...HELD);
      attempts.control(...HONEST);
    }, new Error('connect ECONNREFUSED')).notHeld,
  ).toEqual(['it broke off after a token that is signed: connect ECONNREFUSED']);
});
