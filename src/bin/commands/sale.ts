import type { RainCommand } from '../command.ts';
import { addAuditCommand } from './sale/audit.ts';
import { addCreateCommand } from './sale/create.ts';
import { addOrderLetterCommand } from './sale/deadLetters.ts';
import { addLifecycleCommands } from './sale/lifecycle.ts';
import { addOrderCommands } from './sale/orders.ts';
import { addPictureCommand } from './sale/picture.ts';
import { addReplayCommand } from './sale/replay.ts';
import { addShowCommands } from './sale/show.ts';

export function addSaleCommands(program: RainCommand): void {
  const sale = program
    .command('sale')
    .summary('flash sales: items at fixed prices for a short time')
    .description(
      'A sale sells items at fixed prices for a short time. A buyer reserves first and pays afterwards; what is not paid in time is sold again.',
    )
    .example('rain sale create --item seat:500@0 --load', 'rain sale show m3k9x2a1b2c3d4 --watch');
  for (const add of [
    addCreateCommand,
    addLifecycleCommands,
    addShowCommands,
    addPictureCommand,
    addOrderCommands,
    addOrderLetterCommand,
    addAuditCommand,
    addReplayCommand,
  ])
    add(sale);
}
