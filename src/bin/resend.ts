import { repairRain, untilQuiet } from '../operator/audit/repair.ts';
import type { QueueContext } from '../operator/context.ts';
import { accepted, notify } from './exit.ts';
import { bar } from './progress.ts';
import type { Terminal } from './terminal.ts';

/** Claims of a rain that were sent again; no jobs in a dry run. */
interface Resent {
  rainId: string;
  claims: number;
  jobs: number;
}

/** How long the audit waits for the claims that were sent again, ms. */
const CREDIT_WAIT_MS = 15_000;

export async function resendMissing(
  terminal: Terminal,
  context: QueueContext,
  rainId: string,
  dryRun: boolean,
): Promise<Resent> {
  const { claims, jobs, complete } = accepted(await repairRain(context, rainId, dryRun));
  notify(
    terminal,
    `${rainId}: ${claims} claims ${dryRun ? 'would be' : 'were'} sent again${complete ? '' : '; there are more, run the repair again'}`,
  );
  return { rainId, claims, jobs: dryRun ? 0 : jobs };
}

/** Waits for the credits of all these rains, 15 s in all. */
export async function untilCredited(terminal: Terminal, context: QueueContext, sent: readonly Resent[]): Promise<void> {
  const deadline = performance.now() + CREDIT_WAIT_MS;
  let quiet = true;
  for (const { rainId, jobs } of sent) {
    if (jobs === 0) continue;
    const progress = bar(terminal, 'crediting', 'jobs');
    const left = Math.max(0, deadline - performance.now());
    quiet =
      (await untilQuiet(context, rainId, jobs, left, (done, all) => progress.update(done, all)).finally(() =>
        progress.stop(),
      )) && quiet;
  }
  if (!quiet) notify(terminal, 'the queue has not credited all of them yet; is a worker running?');
}
