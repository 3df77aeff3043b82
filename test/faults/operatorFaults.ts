import { shardKeys } from '../../src/store/keys.ts';
import { createRain } from '../../src/operator/create.ts';
import { startCli } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import type { Fault } from './fault.ts';
import type { FaultOptions, Scene } from './run.ts';

type Raise = NonNullable<FaultOptions['raise']>;
type Ground = Parameters<Raise>[0];

/** A command takes about so long, most of it for Node's own start, ms. */
const COMMAND_MS = 1_200;

/**
 * Starts a command of the operator and kills it: at a random moment of its life, or just after it has begun to act. Then the
 * operator does the same again, by hand, as he is told to when he does not know how it ended.
 */
async function killAndRepeat({ env, rain, random }: Ground, words: string[], begun: () => Promise<boolean>): Promise<void> {
  const { child, done } = startCli(words, env);
  if (random.between(0, 1) === 0) await random.pause(COMMAND_MS / 3, COMMAND_MS);
  else {
    await eventually(begun, { timeoutMs: 10_000, everyMs: 2 }).catch(() => {});
    await random.pause(0, 120);
  }
  child.kill('SIGKILL');
  await done;
  await rain(...words);
}

/** Enough packets for a load that can be met half-way; the commands need their time before it opens. */
const rain = { packets: 20_000, opensInMs: 4_500 };
const nothing = () => {};

export function operatorFaults(fault: Fault): void {
  fault('kill -9 of `rain load`, done again by hand', nothing, {
    rain,
    async raise(ground, request) {
      const created = await createRain(ground.context, request);
      if (!created.ok) throw new Error(JSON.stringify(created.refusals));
      const loaded = async () => Number(await ground.context.redis.hget(shardKeys(ground.rainId, 0).state, 'loaded')) > 0;
      await killAndRepeat(ground, ['load', ground.rainId], loaded);
    },
  });

  fault('kill -9 of `rain create --load`, done again by hand', nothing, {
    rain,
    async raise(ground, { id, opensAt, closesAt, shards = 1 }) {
      await killAndRepeat(ground, [
        'create', '--id', id, '--budget', `${rain.packets}.00`, '--packets', String(rain.packets), '--shards', String(shards),
        '--start', new Date(opensAt).toISOString(), '--duration', `${closesAt - opensAt}ms`, '--load',
      ], async () => await ground.context.ledger.rain(id) !== undefined);
    },
  });

  fault('kill -9 of `rain close`, done again by hand', async (scene: Scene) => {
    const closed = async () => (await scene.context.redis.hget(shardKeys(scene.rainId, 0).state, 'state')) === 'closed';
    await killAndRepeat(scene, ['close', scene.rainId], closed);
  }, { when: 'swing', rain: { shards: 4, windowMs: 6_000 } });
}
