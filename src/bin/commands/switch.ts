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
Switches, in the order in which an overloaded gateway turns them off by itself:
  ticker   off: shed ticker – the sample of winners is not shown
  joins    off: shed joins – a join is answered "busy" with the time of the next try
  sockets  off: refuse new sockets – the upgrade is answered 503 with the time of the next try; open sockets stay
  grabs    off: read-only – grabs are answered "busy"; joins, snapshots and own results are served
Positions: off stops the service, on keeps it under any load, auto lets each gateway decide.

Example:
  rain switch ticker off --reason "the finale" --for 10m`;

export function addSwitchCommand(program: Command, terminal: Terminal): void {
  program.command('switch').summary('turn a service of all gateways on or off')
    .description('Sets a switch of all gateways within a second, or lists all switches.')
    .addArgument(new Argument('[name]', 'the switch').choices(SWITCHES))
    .addArgument(new Argument('[position]', 'its new position').choices(['on', 'off', 'auto']))
    .option('--reason <text>', 'why, for the record; 1 to 500 characters; required for on and off')
    .option('--for <duration>', 'how long; without it until it is set to auto', parseDuration)
    .option('--json', 'print JSON')
    .addHelpText('after', MEANING)
    .action((name: SwitchName | undefined, position: Position | undefined, flags: SwitchFlags) => {
      if (name !== undefined && position === undefined) throw new CommandFailure(EXIT.usage, `position: missing, expected rain switch ${name} on, off or auto`);
      return withContext(terminal, (context) => (name === undefined || position === undefined ? list(terminal, context, flags) : setSwitch(terminal, context, name, position, flags)));
    });
}

async function list(terminal: Terminal, context: OpenContext, { json }: SwitchFlags): Promise<void> {
  const switches = await listSwitches(context);
  print(terminal, json, switches.map(({ name, held }) => held ?? { name, position: 'auto' }), table(['switch', 'position', 'until', 'since', 'by', 'reason'],
    switches.map(({ name, held }) => (held ? [name, held.position, until(held), iso(held.since), held.actor, held.reason] : [name, 'auto', '', '', '', '']))));
}

async function setSwitch(terminal: Terminal, context: OpenContext, name: SwitchName, position: Position, { reason = '', for: forMs, json }: SwitchFlags): Promise<void> {
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
