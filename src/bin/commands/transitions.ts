import { redisNow } from '../../store/rains.ts';
import { rescheduleRain, startRain, type Scheduled } from '../../operator/schedule.ts';
import { closeDryRun, closeRain, pauseRain, resumeRain } from '../../operator/transitions.ts';
import { iso } from '../../rain/figures.ts';
import { parseDuration, parseMoment } from '../arguments.ts';
import { paintState } from '../style.ts';
import type { Answer, RainCommand } from '../command.ts';
import { accepted, acceptedAs } from '../exit.ts';
import { addTicketsCommand } from './tickets.ts';

const VERBS = [
  {
    name: 'pause',
    verb: pauseRain,
    summary: 'stop granting packets for a while',
    description: 'Stops granting packets. The closing time does not move. Grabs are answered "paused".',
  },
  { name: 'resume', verb: resumeRain, summary: 'end a pause', description: 'Grants packets again after a pause.' },
] as const;

export function addTransitionCommands(program: RainCommand): void {
  program
    .command('start <id>')
    .summary('start a loaded rain now')
    .description('Starts a loaded rain now. It is open as long as planned.')
    .option('--in <time>', 'a countdown that all players see, up to 60s', parseDuration, 0)
    .json()
    .example('rain start m3k9x2a1b2c3d4 --in 5s')
    .runsWithContext(async (context, id: string, { in: inMs }: { in: number }) =>
      scheduled(id, await startRain(context, id, { inMs })),
    );

  program
    .command('schedule <id>')
    .summary('reschedule a rain that has not opened')
    .description('Moves a rain that has not opened to another time.')
    .requiredOption('--start <moment>', '+30s from now, or 2026-12-31T20:00:00+08:00', parseMoment)
    .option('--duration <time>', 'how long the rain is open; default as long as before', parseDuration)
    .json()
    .example('rain schedule m3k9x2a1b2c3d4 --start +10m')
    .runsWithContext(
      async (context, id: string, { start, duration }: { start: (now: number) => number; duration?: number }) => {
        const rain = await context.ledger.rain(id);
        const opensAt = start(await redisNow(context.redis));
        const closesAt = opensAt + (duration ?? (rain ? rain.closesAt - rain.opensAt : 1));
        return scheduled(id, await rescheduleRain(context, id, { opensAt, closesAt }));
      },
    );

  for (const { name, verb, summary, description } of VERBS) {
    program
      .command(`${name} <id>`)
      .summary(summary)
      .description(description)
      .json()
      .example(`rain ${name} m3k9x2a1b2c3d4`)
      .runsWithContext(async (context, id: string) => moved(id, accepted(await verb(context, id))));
  }

  addTicketsCommand(program, 'rain');

  program
    .command('close <id>')
    .summary('end a rain early')
    .description('Ends a rain now, for good. The workers then credit all wins, return the rest and settle the rain.')
    .dryRun()
    .json()
    .example('rain close m3k9x2a1b2c3d4 --dry-run')
    .runsWithContext(async (context, id: string, { dryRun }: { dryRun?: boolean }) => {
      if (!dryRun) return moved(id, accepted(await closeRain(context, id)));
      const { left, unclaimed, won } = accepted(await closeDryRun(context, id));
      return {
        value: { rainId: id, state: 'closed', left, unclaimed, won },
        text: `${id}: would end now, for good; ${left} packets that nobody has won yet, ${unclaimed}, would go back at settlement; ${won} wins would stay`,
      };
    });
}

function moved(rainId: string, { state, held }: { state: string; held?: string }): Answer {
  const but = held === undefined ? '' : `; nothing is granted (${held}): see rain restore check ${rainId}`;
  return {
    value: { rainId, state, ...(held !== undefined && { held }) },
    text: `${rainId}: ${paintState(state)}${but}`,
  };
}

function scheduled(rainId: string, done: Scheduled): Answer {
  const { state, ...times } = acceptedAs(done, { opensAt: '--start', closesAt: '--duration' });
  const [opensAt, closesAt] = [iso(times.opensAt), iso(times.closesAt)];
  return { value: { rainId, state, opensAt, closesAt }, text: `${rainId}: ${state}, from ${opensAt} to ${closesAt}` };
}
