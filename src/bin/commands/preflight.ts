import type { Command } from 'commander';
import { checkFit, worst, type Fit } from '../../preflight/fit.ts';
import { PACKETS_MAX } from '../../rain/plan.ts';
import { loadConfig } from '../../platform/config.ts';
import { EXIT, print, notify } from '../exit.ts';
import { parseCount } from '../time.ts';
import { paint } from '../colours.ts';
import { table } from '../table.ts';
import { interruptibly, type Terminal } from '../terminal.ts';

const PAINT: Record<Fit['verdict'], (text: string) => string> = { fits: paint.good, tight: paint.warning, 'too much': paint.bad };
const SENTENCES: Record<Fit['verdict'], string> = {
  fits: 'It fits: this machine alone can serve the rain.', tight: 'It is tight: this machine can serve the rain, with the advice above.', 'too much': 'It does not fit on this machine alone.',
};

export function addPreflightCommand(program: Command, terminal: Terminal): void {
  program.command('preflight').summary('check whether this machine can serve the planned rain')
    .description('Measures the cost of a socket, a loss, a win, a packet and a credit on this machine. It starts temporary servers for half a minute and does not touch yours. Then it reports whether '
      + 'the planned rain fits when all users tap in the same second. It measures processor time, not elapsed time, but the result is better on an idle machine. Exit code 1 when it does not fit.')
    .option('--users <n>', 'players in the rain', parseCount(1, 100_000_000), 50_000)
    .option('--packets <n>', 'packets of the rain', parseCount(1, PACKETS_MAX), 100_000)
    .option('--json', 'print JSON, with all costs')
    .addHelpText('after', '\nExample:\n  rain preflight --users 50000 --packets 100000')
    .action(async ({ json, ...plan }: { users: number; packets: number; json?: boolean }) => {
      const [{ measure, TRIAL }, { withServers }] = await Promise.all([import('../../preflight/costs.ts'), import('../../preflight/servers.ts')]);
      const { GATEWAY_SOCKETS_MAX } = loadConfig([], terminal.environment);
      await interruptibly(terminal, async (interrupted) => {
        notify(terminal, 'starting temporary servers …');
        const costs = await withServers((servers) => measure(servers, TRIAL, (what) => {
          interrupted.throwIfAborted();
          notify(terminal, `${what} …`);
        }), interrupted);
        const fits = checkFit(costs, plan, GATEWAY_SOCKETS_MAX);
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
