import type { Command } from 'commander';
import { closeRain, pauseRain, resumeRain } from '../../operator/steer.ts';
import { print, refused } from '../answer.ts';
import { atDesk } from '../connection.ts';
import { paintState } from '../paint.ts';

const VERBS = [
  { name: 'pause', verb: pauseRain, summary: 'stop granting for a while', description: 'Stops granting; the window runs on. Players are told "paused".' },
  { name: 'resume', verb: resumeRain, summary: 'grant again after a pause', description: 'Grants again after a pause.' },
  { name: 'close', verb: closeRain, summary: 'end a rain early', description: 'Ends a rain now, for good. The workers then credit what was won, recycle the rest and settle.' },
] as const;

export function addSteerCommands(program: Command): void {
  for (const { name, verb, summary, description } of VERBS) {
    program.command(`${name} <id>`).summary(summary).description(description)
      .option('--json', 'print JSON')
      .addHelpText('after', `\nExample:\n  rain ${name} m3k9x2a1b2c3d4`)
      .action((id: string, { json }: { json?: boolean }) => atDesk(async (desk) => {
        const done = await verb(desk, id);
        if (!done.ok) throw refused(done);
        print(json, { rainId: id, state: done.state }, `${id}: ${paintState(done.state)}`);
      }));
  }
}
