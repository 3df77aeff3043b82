#!/usr/bin/env node
import { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { readEnvironment } from '../runtime/config.ts';
import { explain, tell } from './answer.ts';
import { addAuditCommand } from './commands/audit.ts';
import { addBlockCommands } from './commands/block.ts';
import { addCodesCommand } from './commands/codes.ts';
import { addDeadCommand } from './commands/dead.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addLookCommands } from './commands/look.ts';
import { addPlanCommands } from './commands/plan.ts';
import { addProtocolCommand } from './commands/protocol.ts';
import { addReplayCommand } from './commands/replay.ts';
import { addServeCommands } from './commands/serve.ts';
import { addSteerCommands } from './commands/steer.ts';
import { addSwarmCommand } from './commands/swarm.ts';
import { addSwitchCommand } from './commands/switch.ts';
import { addTokenCommand } from './commands/token.ts';
import { addUpCommand } from './commands/up.ts';
import { addVerifyCommand } from './commands/verify.ts';
import { addWriteOffCommand } from './commands/writeOff.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };

const program = new Command('rain')
  .description('Red-packet rain (红包雨): plan a rain, let it fall, see every cent arrive.')
  .version(version)
  .showHelpAfterError('(add --help for the options and an example)')
  .addHelpText('after', '\nExit codes: 0 done, 1 refused or does not add up, 2 bad usage, 3 a server cannot be reached.')
  // Commander would exit 1 for bad usage; `explain` decides instead. Commands inherit this when they are added.
  .exitOverride();
addUpCommand(program);
addServeCommands(program);
addPlanCommands(program);
addLookCommands(program);
addAuditCommand(program);
addDeadCommand(program);
addReplayCommand(program);
addVerifyCommand(program);
addSteerCommands(program);
addWriteOffCommand(program);
addBlockCommands(program);
addSwitchCommand(program);
addTokenCommand(program);
addSwarmCommand(program);
addDoctorCommand(program);
addCodesCommand(program);
addProtocolCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  const { exit, reasons, said } = explain(error);
  if (process.argv.includes('--json') && reasons.length > 0) process.stdout.write(`${JSON.stringify({ ok: false, exit, reasons })}\n`);
  if (!said) for (const reason of reasons) tell(`rain: ${reason}`);
  if (readEnvironment()['LOG_LEVEL'] === 'debug') console.error(error);
  process.exitCode = exit;
}
