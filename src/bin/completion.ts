import tab from '@bomb.sh/tab/commander';
import { liveRains } from '../store/rains.ts';
import type { RainCommand } from './command.ts';
import { configure, withRedis } from './context.ts';
import type { Terminal } from './terminal.ts';

/** The shell waits for the ids while the user types, ms. */
const LOOKUP_MS_MAX = 500;

/** @param completing whether the shell completes now: only then the ids of rains are read */
export async function addCompletion(program: RainCommand, completing: boolean): Promise<void> {
  const completed = tab(program, { completionCommandName: 'completion' });
  const own = program.commands.find((command) => command.name() === 'completion') as RainCommand;
  own
    .summary('completion for your shell')
    .description(
      'Prints a script for your shell to source. Then the shell completes commands, options, choices and the ids of rains.',
    )
    .example('source <(rain completion bash)');
  if (!completing) return;
  const rains = await idsWithTitles(program.terminal);
  const completeRains = (complete: (value: string, description: string) => void) => {
    for (const [id, title] of rains) complete(id, title);
  };
  for (const command of completed.commands.values()) {
    for (const place of [command.arguments.get('id'), command.options.get('rain')])
      if (place) place.handler = completeRains;
  }
}

/** Empty when there is no configuration or no answer in time: a completion never prints errors. */
async function idsWithTitles({ environment }: Terminal): Promise<[id: string, title: string][]> {
  try {
    const { REDIS_URL } = configure(environment, ['REDIS_URL']);
    return [...(await withRedis(REDIS_URL, LOOKUP_MS_MAX, liveRains))].map(([id, { title }]) => [id, title]);
  } catch {
    return [];
  }
}
