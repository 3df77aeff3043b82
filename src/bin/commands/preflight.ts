import { checkFit, worst, type Fit } from '../../preflight/fit.ts';
import { PACKETS_MAX } from '../../rain/plan.ts';
import { loadConfig } from '../../platform/config.ts';
import { parseCount } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { EXIT, notify } from '../exit.ts';
import { paint, table } from '../style.ts';
import { interruptibly } from '../terminal.ts';

const PAINT: Record<Fit['verdict'], (text: string) => string> = {
  fits: paint.good,
  tight: paint.warning,
  'too much': paint.bad,
};
const SENTENCES: Record<Fit['verdict'], string> = {
  fits: 'It fits: this machine alone can serve the rain.',
  tight: 'It is tight: this machine can serve the rain, with the advice above.',
  'too much': 'It does not fit on this machine alone.',
};

export function addPreflightCommand(program: RainCommand): void {
  program
    .command('preflight')
    .summary('check whether this machine can serve the planned rain')
    .description(
      'Measures the cost of a socket, a loss, a win, a packet and a credit on this machine. It starts temporary servers for half a minute and does not touch yours. Then it reports whether ' +
        'the planned rain fits when all users tap in the same second. It measures processor time, not elapsed time, but the result is better on an idle machine. Exit code 1 when it does not fit.',
    )
    .option('--users <n>', 'players in the rain', parseCount(1, 100_000_000), 50_000)
    .option('--packets <n>', 'packets of the rain', parseCount(1, PACKETS_MAX), 100_000)
    .json('print JSON, with all costs')
    .example('rain preflight --users 50000 --packets 100000')
    .runs(async ({ users, packets }: { users: number; packets: number }) => {
      const plan = { users, packets };
      const [{ measure, TRIAL }, { withServers }] = await Promise.all([
        import('../../preflight/costs.ts'),
        import('../../preflight/servers.ts'),
      ]);
      const { GATEWAY_SOCKETS_MAX } = loadConfig([], program.terminal.environment);
      return interruptibly(program.terminal, async (interrupted) => {
        notify(program.terminal, 'starting temporary servers …');
        const costs = await withServers(
          (servers) =>
            measure(servers, TRIAL, (what) => {
              interrupted.throwIfAborted();
              notify(program.terminal, `${what} …`);
            }),
          interrupted,
        );
        const fits = checkFit(costs, plan, GATEWAY_SOCKETS_MAX);
        const verdict = worst(fits);
        const ok = verdict !== 'too much';
        return { value: { ok, verdict, plan, costs, fits }, text: describe(fits, verdict), exit: !ok && EXIT.refused };
      });
    });
}

function describe(fits: readonly Fit[], verdict: Fit['verdict']): string {
  const rows = table(
    ['', 'measured', 'planned', ''],
    fits.map((fit) => [fit.name, fit.measured, fit.planned, PAINT[fit.verdict](fit.verdict)]),
  );
  const advice = fits.flatMap(({ name, advice: todo }) => (todo === undefined ? [] : [`${name}: ${todo}`]));
  return [rows, ...advice, PAINT[verdict](SENTENCES[verdict])].join('\n');
}
