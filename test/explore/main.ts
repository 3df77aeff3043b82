// `npm run explore`: plays rains of several shards on a real Redis, in many orders of everything, and checks [R1],
// [R2], [R13] and that no packet is lost. The same seed plays the same orders.
//
//     npm run explore -- [--runs 1000] [--seed 1] [--json]
import { parseArgs } from 'node:util';
import { loadScripts } from '../../src/store/scripts.ts';
import { connect } from '../support/rain.ts';
import { startRedis } from '../support/servers/redis.ts';
import { explore, foundNothing } from './run.ts';

function refuse(sentence: string): never {
  console.error(`explore: ${sentence}`);
  process.exit(2);
}

function read(): { runs: string; seed: string; json: boolean } {
  try {
    return parseArgs({
      options: {
        runs: { type: 'string', default: '1000' },
        seed: { type: 'string', default: '1' },
        json: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return refuse(`${(error as Error).message.split('.')[0]}; expected --runs, --seed and --json`);
  }
}

function wholeNumber(text: string, option: string): number {
  return /^\d{1,9}$/.test(text)
    ? Number(text)
    : refuse(`${option} ${text}: expected a whole number of at most nine digits`);
}

const { json, ...given } = read();
const [runs, seed] = [wholeNumber(given.runs, '--runs'), wholeNumber(given.seed, '--seed')];
if (!json) console.log(`${runs} runs, seeds ${seed} to ${seed + runs - 1}`);
const server = await startRedis({ args: ['--appendonly', 'no', '--save', ''] });
const redis = await connect(server.url);
await loadScripts(redis);
const explored = await explore(redis, { runs, seed }, (sentence) => console.error(sentence));
console.log(JSON.stringify(explored));
redis.disconnect();
await server.stop();
process.exit(foundNothing(explored) ? 0 : 1);
