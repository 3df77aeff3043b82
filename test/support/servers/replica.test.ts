import { expect, test } from 'vitest';
import { connect } from '../rain.ts';
import { startPair } from './replica.ts';

test('a replica that has acknowledged no write was taken for one in step: it got nothing for a second, and was empty as a master', async () => {
  const pair = await startPair();
  const redis = await connect(pair.master.url);
  try {
    const acknowledged = /^slave0:.*state=online,offset=(\d+)/m.exec(await redis.info('replication'))?.[1];
    expect(Number(acknowledged)).toBeGreaterThan(0);
  } finally {
    redis.disconnect();
    await pair.stop();
  }
});
