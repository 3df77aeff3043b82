import { Command } from 'commander';
import { VERSION } from '../platform/process/version.ts';
import { paint, wantsPaint } from './colours.ts';
import { processTerminal, type Terminal } from './terminal.ts';

type Add = (program: Command, terminal: Terminal) => void;

/** What can be typed first, and the room that adds it: whoever waits for one command need not wait for the others to be read. */
const ROOMS: readonly [verbs: readonly string[], room: () => Promise<Add>][] = [
  [['up'], async () => (await import('./commands/up.ts')).addUpCommand],
  [['gateway', 'worker', 'console', 'migrate'], async () => (await import('./commands/serve.ts')).addServeCommands],
  [['preview'], async () => (await import('./commands/preview.ts')).addPreviewCommand],
  [['create', 'load'], async () => (await import('./commands/plan.ts')).addPlanCommands],
  [['campaign'], async () => (await import('./commands/campaign.ts')).addCampaignCommands],
  [['list', 'show'], async () => (await import('./commands/show.ts')).addShowCommands],
  [['actions'], async () => (await import('./commands/actions.ts')).addActionsCommand],
  [['audit'], async () => (await import('./commands/audit.ts')).addAuditCommand],
  [['dead'], async () => (await import('./commands/deadLetters.ts')).addDeadLetterCommand],
  [['winners'], async () => (await import('./commands/winners.ts')).addWinnersCommand],
  [['replay'], async () => (await import('./commands/replay.ts')).addReplayCommand],
  [['verify'], async () => (await import('./commands/verify.ts')).addVerifyCommand],
  [['start', 'schedule', 'pause', 'resume', 'close'], async () => (await import('./commands/transitions.ts')).addTransitionCommands],
  [['top-up'], async () => (await import('./commands/topUp.ts')).addTopUpCommand],
  [['recycle'], async () => (await import('./commands/recycle.ts')).addRecycleCommand],
  [['write-off'], async () => (await import('./commands/writeOff.ts')).addWriteOffCommand],
  [['block', 'unblock', 'blocks'], async () => (await import('./commands/block.ts')).addBlockCommands],
  [['switch'], async () => (await import('./commands/switch.ts')).addSwitchCommand],
  [['token'], async () => (await import('./commands/token.ts')).addTokenCommand],
  [['operator'], async () => (await import('./commands/operator.ts')).addOperatorCommand],
  [['swarm'], async () => (await import('./commands/swarm.ts')).addSwarmCommand],
  [['rehearse'], async () => (await import('./commands/rehearse.ts')).addRehearseCommand],
  [['doctor'], async () => (await import('./commands/doctor.ts')).addDoctorCommand],
  [['system', 'gateways', 'openapi'], async () => (await import('./commands/system.ts')).addSystemCommands],
  [['preflight'], async () => (await import('./commands/preflight.ts')).addPreflightCommand],
  [['codes'], async () => (await import('./commands/codes.ts')).addCodesCommand],
  [['protocol'], async () => (await import('./commands/protocol.ts')).addProtocolCommand],
  [['manual'], async () => (await import('./commands/manual.ts')).addManualCommand],
];
/** Of a file or a pipe. */
const COLUMNS = 80;
/** It prints what all the others are. */
const MANUAL = 'manual';

/**
 * What can be typed: all of it, or only the room of this verb.
 * @param verb what was typed first; anything but a verb stands for all of them
 * @param terminal what the commands read from and answer to
 */
export async function openProgram(verb?: string, terminal = processTerminal()): Promise<Command> {
  const program = new Command('rain')
    .description('Red-packet rain (红包雨): plan a rain, let it fall, see every cent arrive.')
    .version(VERSION)
    .showHelpAfterError('(add --help for the options and an example)')
    .addHelpText('after', '\nExit codes: 0 done, 1 refused or does not add up, 2 bad usage, 3 a server cannot be reached.')
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text), getOutHasColors: () => wantsPaint(terminal, terminal.stdout), getOutHelpWidth: () => terminal.stdout.columns ?? COLUMNS,
      writeErr: (text) => terminal.stderr.write(text), getErrHasColors: () => wantsPaint(terminal, terminal.stderr), getErrHelpWidth: () => terminal.stderr.columns ?? COLUMNS,
    })
    .configureHelp({ styleTitle: paint.strong, styleCommandText: paint.name, styleOptionText: paint.name, styleSubcommandText: paint.name })
    // Commander would exit 1 for bad usage; `explain` decides instead. Commands inherit this when they are added.
    .exitOverride();
  const room = verb === MANUAL ? undefined : ROOMS.find(([verbs]) => verb !== undefined && verbs.includes(verb))?.[1];
  if (room) {
    (await room())(program, terminal);
    return program;
  }
  for (const add of await Promise.all(ROOMS.map(([, open]) => open()))) add(program, terminal);
  // Last: it looks at all of them.
  const { addCompletion } = await import('./completion.ts');
  await addCompletion(program, terminal, verb === 'complete');
  return program;
}
