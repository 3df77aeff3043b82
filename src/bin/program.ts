import { inspect } from 'node:util';
import { VERSION } from '../platform/process/version.ts';
import { paint, wantsPaint } from './style.ts';
import { RainCommand } from './command.ts';
import { notify, reportFailure } from './exit.ts';
import { processTerminal, type Terminal } from './terminal.ts';

type Add = (program: RainCommand) => void;

/**
 * The first word of a command line, and the file that adds its command. Only the file of the typed command is loaded.
 */
const GROUPS: readonly [verbs: readonly string[], load: () => Promise<Add>][] = [
  [['up'], async () => (await import('./commands/up.ts')).addUpCommand],
  [['gateway', 'worker', 'console', 'migrate'], async () => (await import('./commands/serve.ts')).addServeCommands],
  [['preview'], async () => (await import('./commands/preview.ts')).addPreviewCommand],
  [['create', 'load'], async () => (await import('./commands/plan.ts')).addPlanCommands],
  [['campaign'], async () => (await import('./commands/campaign.ts')).addCampaignCommands],
  [['sale'], async () => (await import('./commands/sale.ts')).addSaleCommands],
  [['list', 'show'], async () => (await import('./commands/show.ts')).addShowCommands],
  [['actions'], async () => (await import('./commands/actions.ts')).addActionsCommand],
  [['audit'], async () => (await import('./commands/audit.ts')).addAuditCommand],
  [['dead'], async () => (await import('./commands/deadLetters.ts')).addDeadLetterCommand],
  [['winners'], async () => (await import('./commands/winners.ts')).addWinnersCommand],
  [['reconcile'], async () => (await import('./commands/reconcile.ts')).addReconcileCommand],
  [['replay'], async () => (await import('./commands/replay.ts')).addReplayCommand],
  [['verify'], async () => (await import('./commands/verify.ts')).addVerifyCommand],
  [
    ['start', 'schedule', 'pause', 'resume', 'close', 'tickets'],
    async () => (await import('./commands/transitions.ts')).addTransitionCommands,
  ],
  [['top-up'], async () => (await import('./commands/topUp.ts')).addTopUpCommand],
  [['recycle', 'write-off'], async () => (await import('./commands/settlement.ts')).addSettlementCommands],
  [['restore'], async () => (await import('./commands/restore.ts')).addRestoreCommand],
  [['block', 'unblock', 'blocks'], async () => (await import('./commands/block.ts')).addBlockCommands],
  [['user'], async () => (await import('./commands/user.ts')).addUserCommand],
  [['participants'], async () => (await import('./commands/participants.ts')).addParticipantsCommand],
  [['theme'], async () => (await import('./commands/theme.ts')).addThemeCommand],
  [['template'], async () => (await import('./commands/template.ts')).addTemplateCommand],
  [['greeting'], async () => (await import('./commands/greeting.ts')).addGreetingCommand],
  [['switch'], async () => (await import('./commands/switch.ts')).addSwitchCommand],
  [['token'], async () => (await import('./commands/token.ts')).addTokenCommand],
  [['approvals'], async () => (await import('./commands/approvals.ts')).addApprovalsCommand],
  [['operator'], async () => (await import('./commands/operator.ts')).addOperatorCommand],
  [['swarm'], async () => (await import('./commands/swarm.ts')).addSwarmCommand],
  [['rehearse'], async () => (await import('./commands/rehearse.ts')).addRehearseCommand],
  [['doctor'], async () => (await import('./commands/doctor.ts')).addDoctorCommand],
  [['system', 'gateways', 'openapi'], async () => (await import('./commands/system.ts')).addSystemCommands],
  [['queues'], async () => (await import('./commands/queues.ts')).addQueueCommand],
  [['preflight'], async () => (await import('./commands/preflight.ts')).addPreflightCommand],
  // `manual` is also added here, but not named: it prints all commands, so all are loaded.
  [['codes', 'protocol'], async () => (await import('./commands/documents.ts')).addDocumentCommands],
];
/** Width of the help in a file or a pipe, characters. */
const COLUMNS = 80;

/**
 * @param verb the first word of the command line: only the commands of its group are loaded; with an unknown word all
 * are
 */
export async function openProgram(verb?: string, terminal = processTerminal()): Promise<RainCommand> {
  const program = new RainCommand(terminal, 'rain')
    .description('Red-packet rain (红包雨): plan a rain, run it, and check that every cent arrives.')
    .version(VERSION)
    .showHelpAfterError('(add --help for the options and an example)')
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 refused or does not add up, 2 wrong usage, 3 a server is unreachable.',
    )
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      getOutHasColors: () => wantsPaint(terminal, terminal.stdout),
      getOutHelpWidth: () => terminal.stdout.columns ?? COLUMNS,
      writeErr: (text) => terminal.stderr.write(text),
      getErrHasColors: () => wantsPaint(terminal, terminal.stderr),
      getErrHelpWidth: () => terminal.stderr.columns ?? COLUMNS,
    })
    .configureHelp({
      styleTitle: paint.strong,
      styleCommandText: paint.name,
      styleOptionText: paint.name,
      styleSubcommandText: paint.name,
    })
    // Commander would exit 1 for bad usage; `explain` decides instead. Commands inherit this when they are added.
    .exitOverride();
  const load = GROUPS.find(([verbs]) => verb !== undefined && verbs.includes(verb))?.[1];
  if (load) {
    (await load())(program);
    return program;
  }
  for (const add of await Promise.all(GROUPS.map(([, loadGroup]) => loadGroup()))) add(program);
  // Last, because it reads all commands.
  const { addCompletion } = await import('./completion.ts');
  await addCompletion(program, verb === 'complete');
  return program;
}

/**
 * Runs one command, given the words after `rain`.
 * @returns the exit code; a server continues to run after the return
 */
export async function runCommandLine(terminal: Terminal, words: readonly string[]): Promise<number> {
  try {
    await (await openProgram(words[0], terminal)).parseAsync(words, { from: 'user' });
    return terminal.exitCode;
  } catch (error) {
    const exit = reportFailure(terminal, error, words.includes('--json'));
    if (terminal.environment['LOG_LEVEL'] === 'debug') notify(terminal, inspect(error));
    return exit;
  }
}
