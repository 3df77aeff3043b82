import type { Command } from 'commander';
import { judgeFit, worst, type Fit } from '../../preflight/fit.ts';
import { PACKETS_MAX } from '../../rain/plan.ts';
import { loadConfig } from '../../platform/config.ts';
import { EXIT, print, tell } from '../exit.ts';
import { parseCount } from '../time.ts';
import { paint } from '../colours.ts';
import { table } from '../table.ts';
import { interruptibly, type Terminal } from '../terminal.ts';

const PAINT: Record<Fit['verdict'], (text: string) => string> = { fits: paint.good, tight: paint.warning, 'too much': paint.bad };
const SENTENCES: Record<Fit['verdict'], string> = {
  fits: 'It fits: this machine alone can do it.', tight: 'It is tight: this machine may do it, with what is said above.', 'too much': 'It does not fit on this machine alone.',
};

export function addPreflightCommand(program: Command, terminal: Terminal): void {
  program.command('preflight').summary('does the planned rain fit on this machine?')
    .description('Measures what a socket, a no, a win, a packet and a credit cost on this machine, with servers of its own that are gone afterwards (half a minute, nothing of yours is '
      + 'touched), and says whether the rain that is planned fits when everybody taps in the same second. The processor time counts, not the clock, but a quiet machine tells more. Exit code 1 when it does not fit.')
    .option('--users <n>', 'players who watch', parseCount(1, 100_000_000), 50_000)
    .option('--packets <n>', 'packets of the rain', parseCount(1, PACKETS_MAX), 100_000)
    .option('--json', 'print JSON, all costs among it')
    .addHelpText('after', '\nExample:\n  rain preflight --users 50000 --packets 100000')
    .action(async ({ json, ...plan }: { users: number; packets: number; json?: boolean }) => {
      const [{ measure, TRIAL }, { onStage }] = await Promise.all([import('../../preflight/costs.ts'), import('../../preflight/servers.ts')]);
      const { GATEWAY_SOCKETS_MAX } = loadConfig([], terminal.environment);
      await interruptibly(terminal, async (interrupted) => {
        tell(terminal, 'starting servers of its own …');
        const costs = await onStage((stage) => measure(stage, TRIAL, (what) => {
          interrupted.throwIfAborted();
          tell(terminal, `${what} …`);
        }), interrupted);
        const fits = judgeFit(costs, plan, GATEWAY_SOCKETS_MAX);
        const verdict = worst(fits);
        print(terminal, json, { ok: verdict !== 'too much', verdict, plan, costs, fits }, describe(fits, verdict));
        if (verdict === 'too much') terminal.exitCode = EXIT.refused;
      });
    });
}

function describe(fits: readonly Fit[], verdict: Fit['verdict']): string {
  const rows = table(['', 'measured', 'planned', ''], fits.map((fit) => [fit.name, fit.measured, fit.planned, PAINT[fit.verdict](fit.verdict)]));
  const advice = fits.flatMap(({ name, advice: todo }) => (todo === undefined ? [] : [`${name}: ${todo}`]));
  return [rows, ...advice, PAINT[verdict](SENTENCES[verdict])].join('\n');
}
