import { expect, test } from 'vitest';
import { isUnavailable, lastLine } from '../../../src/platform/redis/unavailable.ts';

test.each([
  'Too many Cluster redirections. Last error: ReplyError: MOVED 3825 127.0.0.1:21306',
  'None of startup nodes is available',
  'Failed to refresh slots cache.',
  "Cluster isn't ready and enableOfflineQueue options is false",
  'CLUSTERDOWN The cluster is down',
  'CLUSTERDOWN Hash slot not served',
  'TRYAGAIN Multiple keys request during rehashing of slot',
  'LOADING Redis is loading the dataset in memory',
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  "OOM command not allowed when used memory > 'maxmemory'.",
  "READONLY You can't write against a read only replica. script: 5e8, on @user_script:12.",
  "ERR Error running script (call to f_5e8): @user_script:12: @user_script: 12: -READONLY You can't write against a read only replica.",
  'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
  'MISCONF Errors writing to the AOF file: No space left on device',
  'NOREPLICAS Not enough good replicas to write.',
])('Redis cannot be reached, or does not serve: %s', (message) => {
  expect(isUnavailable(new Error(message))).toBe(true);
});

test.each([
  'WRONGTYPE Operation against a key holding the wrong kind of value',
  'ERR unknown command',
  'BUSYGROUP Consumer Group name already exists',
  'ERR the sale is BUSY',
])('Redis has answered: %s', (message) => {
  expect(isUnavailable(new Error(message))).toBe(false);
});

test('a command without a reply is told as what does not answer, and stays "unreachable" when it is passed on', () => {
  const told = lastLine(new Error('Command timed out'));
  expect(told).toBe('Redis does not answer: no reply to a command within 2 s');
  expect(isUnavailable(new Error(`gateway process 1 did not start: ${told}`))).toBe(true);
});

test('a refusal of Redis is told in words, with the word of its answer', () => {
  const refused = Object.assign(
    new Error("READONLY You can't write against a read only replica. script: 5e8, on @user_script:12."),
    { name: 'ReplyError' },
  );
  expect(lastLine(refused)).toBe('Redis does not serve: it is a replica, and takes no writes (READONLY)');
});
