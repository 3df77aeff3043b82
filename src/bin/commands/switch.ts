import { Argument, type Command } from 'commander';
import { SWITCHES, type HeldSwitch, type SwitchName } from '../../store/killSwitches.ts';
import { letGoOfSwitch, listSwitches, throwSwitch } from '../../operator/switch.ts';
import { iso } from '../../rain/figures.ts';
import { accepted, CommandFailure, EXIT, print } from '../exit.ts';
import { withContext, type OpenContext } from '../context.ts';
import { parseDuration } from '../time.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';

interface SwitchFlags {
  reason?: string;
  for?: number;
  json?: boolean;
}

type Position = HeldSwitch['position'] | 'auto';

const MEANING = `
Switches, in the order in which a gateway under pressure gives them up by itself:
  ticker   off: shed ticker – the sample of winners is not shown
  joins    off: shed joins – who joins a rain is told "busy" and when to ask again
  sockets  off: refuse new sockets – the upgrade answers 503 and when to come back; who is in plays on
  grabs    off: read-only – grabs are told "busy"; joins, snapshots and own results are served
Positions: off gives it up, on serves it whatever the pressure, auto leaves it to each gateway.

Example:
  rain switch ticker off --reason "the finale" --for 10m`;

export function addSwitchCommand(program: Command, terminal: Terminal): void {
  program.command('switch').summary('what all gateways serve, under pressure or by hand')
    .description('Holds a switch of all gateways, within a second, or lists how they stand.')
    .addArgument(new Argument('[name]', 'which switch').choices(SWITCHES))
    .addArgument(new Argument('[position]', 'how it is to stand').choices(['on', 'off', 'auto']))
    .option('--reason <text>', 'why, for the record; 1 to 500 characters; on and off want one')
    .option('--for <duration>', 'how long; without it until auto', parseDuration)
    .option('--json', 'print JSON')
    .addHelpText('after', MEANING)
    .action((name: SwitchName | undefined, position: Position | undefined, flags: SwitchFlags) => {
      if (name !== undefined && position === undefined) throw new CommandFailure(EXIT.usage, `position: missing, expected rain switch ${name} on, off or auto`);
      return withContext(terminal, (context) => (name === undefined || position === undefined ? list(terminal, context, flags) : turn(terminal, context, name, position, flags)));
    });
}

async function list(terminal: Terminal, context: OpenContext, { json }: SwitchFlags): Promise<void> {
  const switches = await listSwitches(context);
  print(terminal, json, switches.map(({ name, held }) => held ?? { name, position: 'auto' }), table(['switch', 'position', 'until', 'since', 'by', 'reason'],
    switches.map(({ name, held }) => (held ? [name, held.position, until(held), iso(held.since), held.actor, held.reason] : [name, 'auto', '', '', '', '']))));
}

async function turn(terminal: Terminal, context: OpenContext, name: SwitchName, position: Position, { reason = '', for: forMs, json }: SwitchFlags): Promise<void> {
  if (position === 'auto') {
    await letGoOfSwitch(context, name);
    return print(terminal, json, { name, position }, `${name}: auto, each gateway decides`);
  }
  const done = accepted(await throwSwitch(context, name, position, { reason, ...(forMs !== undefined && { forMs }) }));
  print(terminal, json, done.held, `${name}: ${position} until ${until(done.held)}`);
}

function until({ until: end }: HeldSwitch): string {
  return end === undefined ? 'auto' : iso(end);
}
