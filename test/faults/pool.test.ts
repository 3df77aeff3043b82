import { afterAll, describe, expect, test } from 'vitest';
import { openPool } from './pool.ts';

describe('a pool', () => {
  const ended: number[] = [];
  let opened = 0;
  afterAll(() => expect(ended).toEqual([2, 1, 3]));
  const pool = openPool(async () => {
    const number = ++opened;
    return { number, end: async () => void ended.push(number) };
  }, 2);

  test('a system on which a run has failed is ended, and the next run gets another one', async () => {
    const failing = pool.lend(async ({ number }) => {
      throw new Error(`on ${number}`);
    });
    const others = [1, 2, 3].map(() => pool.lend(async ({ number }) => number));
    await expect(failing).rejects.toThrow('on 2');
    expect(ended).toEqual([2]);
    expect(await Promise.all(others)).not.toContain(2);
  });
});
