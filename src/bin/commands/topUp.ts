import { randomUUID } from 'node:crypto';
import { previewRain } from '../../operator/preview.ts';
import { topUpRain } from '../../operator/topUp.ts';
import type { RainCommand } from '../command.ts';
import { accepted, notify } from '../exit.ts';
import { bar } from '../progress.ts';
import { budgeted, planOf, type PlanOptions } from './planOptions.ts';
import { describePreview } from './preview.ts';

type TopUpOptions = PlanOptions & { id?: string; dryRun?: boolean; json?: boolean };

export function addTopUpCommand(program: RainCommand): void {
  budgeted(program.command('top-up <id>'))
    .summary('add money and packets to a rain, even while it is open')
    .dryRun()
    .description(
      'Adds money and packets to a rain that has not ended. The new packets follow all others and have their own commitment. If the rain was empty, players can grab again.',
    )
    .option(
      '--id <word>',
      'your id for this top-up: a repeat with the same id adds nothing twice; default a generated id',
    )
    .json()
    .example('rain top-up m3k9x2a1b2c3d4 --budget 500.00 --packets 100')
    // The default is chosen here, so that the id is known even if the answer is lost.
    .runsWithContext(async (context, rainId: string, { id = randomUUID(), dryRun, json, ...options }: TopUpOptions) => {
      const request = { id, ...planOf(options), ...(dryRun && { dryRun }) };
      const progress = bar(program.terminal, 'loading', 'packets');
      const done = accepted(
        await topUpRain(context, rainId, request, progress.update)
          .catch((error: unknown) => {
            if (!dryRun)
              notify(
                program.terminal,
                `it is unknown how much of the top-up is done; repeat the same command with --id ${id}: nothing is added twice`,
              );
            throw error;
          })
          .finally(progress.stop),
      );
      const { ok: _, ...plain } = done;
      const sum = `${done.budget} in ${done.packets} packets; in total ${done.total.budget} in ${done.total.packets}`;
      if (done.commitment !== undefined && !json)
        notify(program.terminal, `top-up ${id}\ncommitment ${done.commitment}`);
      const later = done.loaded ? '' : `; the packets are loaded together with the rain: rain load ${rainId}`;
      if (!dryRun) return { value: plain, text: `${rainId} got ${sum}${later}` };
      const preview = previewRain(planOf(options));
      return {
        value: { ...plain, ...(preview.ok && { preview }) },
        text: `${rainId} would get ${sum}${preview.ok ? `\n\n${describePreview(preview)}` : ''}`,
      };
    });
}
