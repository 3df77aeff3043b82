import { shardKeys } from '../../../src/store/keys.ts';
import { createRain } from '../../../src/operator/create.ts';
import { startCli } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import type { Fault } from '../fault.ts';
import type { FaultOptions, Scene } from '../run.ts';

type Create = NonNullable<FaultOptions['create']>;
type Setting = Parameters<Create>[0];

/** Typical duration of a command, most of it Node's start, ms. */
const COMMAND_MS = 1_200;

/**
 * Starts an operator's command and kills it, at a random moment or just after it has begun to act. Then it runs the
 * same command again, as the manual says for a command with an unknown end.
 */
async function killAndRepeat(
  { env, rain, random }: Setting,
  args: string[],
  begun: () => Promise<boolean>,
): Promise<void> {
  const { child, done } = startCli(args, env);
  if (random.between(0, 1) === 0) await random.pause(COMMAND_MS / 3, COMMAND_MS);
  else {
    await eventually(begun, { timeoutMs: 10_000, everyMs: 2 }).catch(() => {});
    await random.pause(0, 120);
  }
  child.kill('SIGKILL');
  await done;
  await rain(...args);
}

/** Enough packets to hit a load half-way. The commands need time before the rain opens. */
const rain = { packets: 20_000, opensInMs: 4_500 };
const nothing = () => {};

export function operatorFaults(fault: Fault): void {
  fault('kill -9 of `rain load`, done again by hand', nothing, {
    rain,
    async create(setting, request) {
      const created = await createRain(setting.context, request);
      if (!created.ok) throw new Error(JSON.stringify(created.refusals));
      const loaded = async () =>
        Number(await setting.context.redis.hget(shardKeys(setting.rainId, 0).state, 'loaded')) > 0;
      await killAndRepeat(setting, ['load', setting.rainId], loaded);
    },
  });

  fault('kill -9 of `rain create --load`, done again by hand', nothing, {
    rain,
    async create(setting, { id, opensAt, closesAt, shards = 1 }) {
      await killAndRepeat(
        setting,
        [
          'create',
          '--id',
          id,
          '--budget',
          `${rain.packets}.00`,
          '--packets',
          String(rain.packets),
          '--shards',
          String(shards),
          '--start',
          new Date(opensAt).toISOString(),
          '--duration',
          `${closesAt - opensAt}ms`,
          '--load',
        ],
        async () => (await setting.context.ledger.rain(id)) !== undefined,
      );
    },
  });

  fault(
    'kill -9 of `rain close`, done again by hand',
    async (scene: Scene) => {
      const closed = async () =>
        (await scene.context.redis.hget(shardKeys(scene.rainId, 0).state, 'state')) === 'closed';
      await killAndRepeat(scene, ['close', scene.rainId], closed);
    },
    { when: 'swing', rain: { shards: 4, windowMs: 6_000 } },
  );
}
