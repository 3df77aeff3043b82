import { expect, test } from 'vitest';
import { Tokens } from '../../src/client/token.ts';
import { tokenFor } from '../support/client.ts';

test('a fetched token is kept until it is doubted', async () => {
  let fetched = 0;
  const tokens = new Tokens(async () => `token-${++fetched}`, Date.now);
  expect([await tokens.take(), await tokens.take()]).toEqual([
    { token: 'token-1', fresh: true },
    { token: 'token-1', fresh: false },
  ]);
  tokens.doubt();
  expect(await tokens.take()).toEqual({ token: 'token-2', fresh: true });
});

test('one that could not be fetched is fetched the next time; where there is none, none is made up', async () => {
  const answers = [Promise.reject(new Error('offline')), Promise.resolve('late'), Promise.resolve(undefined)];
  const tokens = new Tokens(() => answers.shift()!, Date.now);
  await expect(tokens.take()).rejects.toThrow('offline');
  expect(await tokens.take()).toEqual({ token: 'late', fresh: true });
  tokens.doubt();
  expect(await tokens.take()).toBeUndefined();
});

test('a fixed token is used again after a refusal until it has expired', async () => {
  const [good, over] = [await tokenFor('ann'), await tokenFor('ann', -60)];
  for (const [text, after] of [
    [good, { token: good, fresh: true }],
    [over, undefined],
    ['no.jwt.', undefined],
  ] as const) {
    const tokens = new Tokens(text, Date.now);
    expect(await tokens.take()).toEqual({ token: text, fresh: true });
    tokens.doubt();
    expect(await tokens.take()).toEqual(after);
  }
});
