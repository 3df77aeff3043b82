import type { Command } from 'commander';
import { redisNow } from '../../store/rains.ts';
import { rescheduleRain, startRain, type Scheduled } from '../../operator/schedule.ts';
import { closeDryRun, closeRain, pauseRain, resumeRain } from '../../operator/transitions.ts';
import { accepted, print } from '../exit.ts';
import { withContext, type OpenContext } from '../context.ts';
import { printDryRun, withDryRun } from '../dryRun.ts';
import { parseDuration, parseMoment } from '../time.ts';
import { paintState } from '../colours.ts';
import type { Terminal } from '../terminal.ts';

const VERBS = [
  { name: 'pause', verb: pauseRain, summary: 'stop granting packets for a while', description: 'Stops granting packets. The closing time does not move. Grabs are answered "paused".' },
  { name: 'resume', verb: resumeRain, summary: 'end a pause', description: 'Grants packets again after a pause.' },
] as const;

export function addTransitionCommands(program: Command, terminal: Terminal): void {
  program.command('start <id>').summary('start a loaded rain now').description('Starts a loaded rain now. It is open as long as planned.')
    .option('--in <time>', 'a countdown that all players see, up to 60s', parseDuration, 0)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain start m3k9x2a1b2c3d4 --in 5s')
    .action((id: string, { in: inMs, json }: { in: number; json?: boolean }) => withContext(terminal, async (context) => printSchedule(terminal, id, json, await startRain(context, id, { inMs }))));

  program.command('schedule <id>').summary('reschedule a rain that has not opened').description('Moves a rain that has not opened to another time.')
    .requiredOption('--start <moment>', '+30s from now, or 2026-12-31T20:00:00+08:00', parseMoment)
    .option('--duration <time>', 'how long the rain is open; default as long as before', parseDuration)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain schedule m3k9x2a1b2c3d4 --start +10m')
    .action((id: string, { start, duration, json }: { start: (now: number) => number; duration?: number; json?: boolean }) => withContext(terminal, async (context) => {
      const rain = await context.ledger.rain(id);
      const opensAt = start(await redisNow(context.redis));
      printSchedule(terminal, id, json, await rescheduleRain(context, id, { opensAt, closesAt: opensAt + (duration ?? (rain ? rain.closesAt - rain.opensAt : 1)) }));
    }));

  for (const { name, verb, summary, description } of VERBS) {
    program.command(`${name} <id>`).summary(summary).description(description)
      .option('--json', 'print JSON')
      .addHelpText('after', `\nExample:\n  rain ${name} m3k9x2a1b2c3d4`)
      .action((id: string, { json }: { json?: boolean }) => withContext(terminal, async (context) => {
        const done = accepted(await verb(context, id));
        print(terminal, json, { rainId: id, state: done.state }, `${id}: ${paintState(done.state)}`);
      }));
  }

  withDryRun(program.command('close <id>')).summary('end a rain early').description('Ends a rain now, for good. The workers then credit all wins, return the rest and settle the rain.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain close m3k9x2a1b2c3d4 --dry-run')
    .action((id: string, { dryRun, json }: { dryRun?: boolean; json?: boolean }) => withContext(terminal, async (context) => {
      if (dryRun) return printCloseDryRun(terminal, context, id, json);
      const done = accepted(await closeRain(context, id));
      print(terminal, json, { rainId: id, state: done.state }, `${id}: ${paintState(done.state)}`);
    }));
}

async function printCloseDryRun(terminal: Terminal, context: OpenContext, rainId: string, json: boolean | undefined): Promise<void> {
  const dryRun = accepted(await closeDryRun(context, rainId));
  const { left, unclaimed, won } = dryRun;
  printDryRun(terminal, json, { rainId, state: 'closed', left, unclaimed, won },
    `${rainId}: would end now, for good; ${left} packets that nobody has won yet, ${unclaimed}, would go back at settlement; ${won} wins would stay`);
}

function printSchedule(terminal: Terminal, rainId: string, json: boolean | undefined, done: Scheduled): void {
  const { state, opensAt, closesAt } = accepted(done);
  const times = { opensAt: new Date(opensAt).toISOString(), closesAt: new Date(closesAt).toISOString() };
  print(terminal, json, { rainId, state, ...times }, `${rainId}: ${state}, from ${times.opensAt} to ${times.closesAt}`);
}
