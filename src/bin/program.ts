import { Command } from 'commander';
import { VERSION } from '../runtime/version.ts';
import { addActionsCommand } from './commands/actions.ts';
import { addAuditCommand } from './commands/audit.ts';
import { addBlockCommands } from './commands/block.ts';
import { addCampaignCommands } from './commands/campaign.ts';
import { addCodesCommand } from './commands/codes.ts';
import { addDeadCommand } from './commands/dead.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addLookCommands } from './commands/look.ts';
import { addManualCommand } from './commands/manual.ts';
import { addOperatorCommand } from './commands/operator.ts';
import { addPlanCommands } from './commands/plan.ts';
import { addPreflightCommand } from './commands/preflight.ts';
import { addProtocolCommand } from './commands/protocol.ts';
import { addPreviewCommand } from './commands/preview.ts';
import { addRecycleCommand } from './commands/recycle.ts';
import { addRehearseCommand } from './commands/rehearse.ts';
import { addReplayCommand } from './commands/replay.ts';
import { addServeCommands } from './commands/serve.ts';
import { addSteerCommands } from './commands/steer.ts';
import { addSwarmCommand } from './commands/swarm.ts';
import { addSwitchCommand } from './commands/switch.ts';
import { addSystemCommands } from './commands/system.ts';
import { addTokenCommand } from './commands/token.ts';
import { addTopUpCommand } from './commands/topUp.ts';
import { addUpCommand } from './commands/up.ts';
import { addVerifyCommand } from './commands/verify.ts';
import { addWinnersCommand } from './commands/winners.ts';
import { addWriteOffCommand } from './commands/writeOff.ts';
import { addCompletion } from './completion.ts';
import { paint } from './paint.ts';

/** All that can be typed. What a command needs beyond the common is imported when it is asked for: a person waits. */
export async function openProgram(): Promise<Command> {
  const program = new Command('rain')
    .description('Red-packet rain (红包雨): plan a rain, let it fall, see every cent arrive.')
    .version(VERSION)
    .showHelpAfterError('(add --help for the options and an example)')
    .addHelpText('after', '\nExit codes: 0 done, 1 refused or does not add up, 2 bad usage, 3 a server cannot be reached.')
    .configureHelp({ styleTitle: paint.strong, styleCommandText: paint.name, styleOptionText: paint.name, styleSubcommandText: paint.name })
    // Commander would exit 1 for bad usage; `explain` decides instead. Commands inherit this when they are added.
    .exitOverride();
  addUpCommand(program);
  addServeCommands(program);
  addPreviewCommand(program);
  addPlanCommands(program);
  addCampaignCommands(program);
  addLookCommands(program);
  addActionsCommand(program);
  addAuditCommand(program);
  addDeadCommand(program);
  addWinnersCommand(program);
  addReplayCommand(program);
  addVerifyCommand(program);
  addSteerCommands(program);
  addTopUpCommand(program);
  addRecycleCommand(program);
  addWriteOffCommand(program);
  addBlockCommands(program);
  addSwitchCommand(program);
  addTokenCommand(program);
  addOperatorCommand(program);
  addSwarmCommand(program);
  addRehearseCommand(program);
  addDoctorCommand(program);
  addSystemCommands(program);
  addPreflightCommand(program);
  addCodesCommand(program);
  addProtocolCommand(program);
  addManualCommand(program);
  // Last: it looks at all of them.
  await addCompletion(program);
  return program;
}
