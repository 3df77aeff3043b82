import { expect, test } from 'vitest';
import { createPatience } from '../../../src/platform/process/starting.ts';

test('a step is repeated while its server cannot be reached, and that is said now and then, not each time', async () => {
  const said: string[] = [];
  const patience = createPatience((why) => said.push(why), { pauseMs: 1, sayMs: 60_000 });
  let tries = 0;
  const step = async () => {
    if (++tries < 20) throw new Error(`connect ECONNREFUSED 127.0.0.1:1 (${tries})`);
    return 'done';
  };
  expect(await patience(step)).toBe('done');
  expect(said).toEqual(['connect ECONNREFUSED 127.0.0.1:1 (1)']);
});

test.each([
  'Redis cannot be reached at redis:6379: WRONGPASS invalid username-password pair or user is disabled.',
  'Redis cannot be reached at redis:6379: ERR AUTH <password> called without any password configured for the default user.',
  'Redis cannot be reached at redis:6379: NOAUTH Authentication required.',
  'the database at db:5432 rejected our login: password authentication failed for user "rain"',
  'Redis cannot be reached at redis:6379: self-signed certificate in certificate chain',
  'this Redis cannot store wins safely: it evicts keys when it is full',
])('an error that waiting does not mend is thrown at once: %s', async (message) => {
  const said: string[] = [];
  const patience = createPatience((why) => said.push(why), { pauseMs: 1 });
  await expect(patience(() => Promise.reject(new Error(message)))).rejects.toThrow(message);
  expect(said).toEqual([]);
});
