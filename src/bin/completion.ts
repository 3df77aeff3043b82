import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { liveRains } from '../store/rains.ts';
import { connectRedis, untilReady } from '../platform/redis/connect.ts';
import { configure } from './context.ts';
import type { Terminal } from './terminal.ts';

/** A shell waits for it while somebody types. */
const LOOK_MS_MAX = 500;

/**
 * `rain completion bash|zsh|fish|powershell` prints what a shell is to source: from then on it completes commands, options, choices,
 * and where a rain is meant the ids of those that are not settled.
 * @param asked whether a shell asks now, since only then the rains are looked up
 */
export async function addCompletion(program: Command, terminal: Terminal, asked: boolean): Promise<void> {
  const completed = tab(program, { completionCommandName: 'completion' });
  program.commands.find((command) => command.name() === 'completion')?.summary('completion for your shell')
    .description('Prints what your shell is to source; from then on it completes commands, options, choices and the ids of rains.')
    .addHelpText('after', '\nExample:\n  source <(rain completion bash)');
  if (!asked) return;
  const rains = await idsWithTitles(terminal);
  const tell = (complete: (value: string, description: string) => void) => { for (const [id, title] of rains) complete(id, title); };
  for (const command of completed.commands.values()) {
    const id = command.arguments.get('id');
    if (id) id.handler = tell;
    const option = command.options.get('rain');
    if (option) option.handler = tell;
  }
}

/** Nothing when there is no configuration or nobody answers in time: a completion complains of nothing. */
async function idsWithTitles({ environment }: Terminal): Promise<[id: string, title: string][]> {
  try {
    const redis = connectRedis(configure(environment, ['REDIS_URL']).REDIS_URL, { purpose: 'once', onError: () => {} });
    try {
      await untilReady(redis, LOOK_MS_MAX);
      return [...await liveRains(redis)].map(([id, { title }]) => [id, title]);
    } finally {
      redis.disconnect();
    }
  } catch {
    return [];
  }
}
