import { Argument } from 'commander';
import { SWITCHES, type HeldSwitch, type SwitchName } from '../../store/killSwitches.ts';
import { letGoOfSwitch, listSwitches, throwSwitch } from '../../operator/switch.ts';
import type { OperatorContext } from '../../operator/context.ts';
import { iso } from '../../rain/figures.ts';
import { parseDuration } from '../arguments.ts';
import type { Answer, RainCommand } from '../command.ts';
import { accepted } from '../exit.ts';
import { table } from '../style.ts';

type Position = HeldSwitch['position'] | 'auto';

const MEANING = `
Switches, in the order in which an overloaded gateway turns them off by itself:
  ticker   off: shed ticker – the sample of winners is not shown
  joins    off: shed joins – a join is answered "busy" with the time of the next try
  sockets  off: refuse new sockets – the upgrade is answered 503 with the time of the next try; open sockets stay
  grabs    off: read-only – grabs are answered "busy"; joins, snapshots and own results are served
Positions: off stops the service, on keeps it under any load, auto lets each gateway decide.`;

export function addSwitchCommand(program: RainCommand): void {
  program
    .command('switch')
    .summary('turn a service of all gateways on or off')
    .description('Sets a switch of all gateways within a second, or lists all switches.')
    .addArgument(new Argument('[name]', 'the switch').choices(SWITCHES))
    .addArgument(new Argument('[position]', 'its new position').choices(['on', 'off', 'auto']))
    .option('--reason <text>', 'why, for the record; 1 to 500 characters; required for on and off')
    .option('--for <duration>', 'how long; without it until it is set to auto', parseDuration)
    .json()
    .addHelpText('after', MEANING)
    .example('rain switch ticker off --reason "the finale" --for 10m')
    .refuses((name?: SwitchName, position?: Position) =>
      name !== undefined && position === undefined
        ? `position: missing, expected rain switch ${name} on, off or auto`
        : undefined,
    )
    .runsWithContext(
      async (
        context,
        name: SwitchName | undefined,
        position: Position,
        { reason = '', for: forMs }: { reason?: string; for?: number },
      ) => {
        if (name === undefined) return list(context);
        if (position === 'auto') {
          await letGoOfSwitch(context, name);
          return { value: { name, position }, text: `${name}: auto, each gateway decides` };
        }
        const { held } = accepted(
          await throwSwitch(context, name, position, { reason, ...(forMs !== undefined && { forMs }) }),
        );
        return { value: held, text: `${name}: ${position} until ${until(held)}` };
      },
    );
}

async function list(context: OperatorContext): Promise<Answer> {
  const switches = await listSwitches(context);
  const rows = switches.map(({ name, held }) =>
    held
      ? [name, held.position, until(held), iso(held.since), held.actor, held.reason]
      : [name, 'auto', '', '', '', ''],
  );
  const value = switches.map(({ name, held }) => held ?? { name, position: 'auto' });
  return { value, text: table(['switch', 'position', 'until', 'since', 'by', 'reason'], rows) };
}

function until({ until: end }: HeldSwitch): string {
  return end === undefined ? 'auto' : iso(end);
}
