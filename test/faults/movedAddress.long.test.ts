import { askRedis } from '../../src/platform/redis/askRedis.ts';
import { eventually } from '../support/eventually.ts';
import { startMovingRedis, type MovingRedis } from '../support/servers/movingRedis.ts';
import { deployOn, type System } from './deployment.ts';
import { openMatrixOn } from './fault.ts';

const fault = openMatrixOn<System & { moving: MovingRedis }>(() =>
  deployOn(async ({ onEnd }) => {
    const moving = await startMovingRedis();
    onEnd(() => moving.stop());
    return { url: moving.url, facts: { moving } };
  }),
);

// As in a managed Redis: the former master serves open connections, as a replica.
for (const when of ['swing', 'end'] as const)
  fault(
    `the address of Redis leads to its replica, ${when === 'end' ? 'at the end of the rain' : 'during the rain'}`,
    async ({ moving, random, context }) => {
      await moving.swap();
      await random.pause(0, 3_000);
      moving.move();
      // The test itself only reads, and would not notice.
      await eventually(() => askRedis(context.redis));
    },
    { when },
  );
