import { PACKETS_MAX } from '../../rain/plan.ts';
import { redactUrl } from '../../platform/network/serverUrl.ts';
import { parseCount, parseDuration, typedAmount } from '../arguments.ts';
import { describeReport } from '../auditText.ts';
import type { Answer, RainCommand } from '../command.ts';
import { withContext } from '../context.ts';
import { EXIT, notify } from '../exit.ts';
import { interruptibly, type Terminal } from '../terminal.ts';
import { defaultUrl, expectPlayed, parseUrl } from './swarm.ts';
import { tokenSigner } from './token.ts';

interface RehearseOptions {
  url?: string;
  users: number;
  packets: number;
  budget: string;
  duration: number;
  json?: boolean;
}

/** As many sockets as one process can open. For more users, create a rain with `--rehearsal` and run `rain swarm`. */
const USERS_MAX = 15_000;
const TOKEN_SECONDS = 3_600;

export function addRehearseCommand(program: RainCommand): void {
  program
    .command('rehearse')
    .summary('play a whole rain with test money')
    .description(
      'Creates a rehearsal on the running system, sends simulated users to the gateway, waits until the rain is settled and audits it. It never touches real accounts or ' +
        "wallets. Exit code 1 if the money does not add up. Needs a running gateway and worker, and JWT_SECRET to sign the users' tokens.",
    )
    .option('--url <ws://…>', 'the gateway; default the one on this machine', parseUrl)
    .option('--users <n>', 'simulated users', parseCount(1, USERS_MAX), 200)
    .option('--packets <n>', 'red packets', parseCount(1, PACKETS_MAX), 50)
    .option('--budget <amount>', 'total amount, in test money', typedAmount, '100.00')
    .option('--duration <time>', 'how long the rain is open', parseDuration, 5_000)
    .json()
    .example('rain rehearse --users 200 --packets 50')
    .runs((options: RehearseOptions) => rehearse(program.terminal, options));
}

async function rehearse(
  terminal: Terminal,
  { url: givenUrl, users, duration, json, ...plan }: RehearseOptions,
): Promise<Answer> {
  const url = givenUrl ?? defaultUrl(terminal);
  const tokenFor = tokenSigner(terminal, TOKEN_SECONDS);
  const { playRound } = await import('../up/demo.ts');
  return interruptibly(terminal, (interrupted) =>
    withContext(terminal, async (context) => {
      const { audit, bots, settled, verdict } = await playRound(
        { terminal, context, gatewayUrl: url, tokenFor, signal: interrupted },
        {
          title: 'Rehearsal',
          rehearsal: true,
          ...plan,
          bots: users,
          durationMs: duration,
        },
      );
      expectPlayed(bots, redactUrl(url));
      if (!json) notify(terminal, `\n${bots.users} simulated users. ${verdict.sentence}`);
      if (!settled) notify(terminal, 'The rehearsal was not settled in time; is a worker running?');
      for (const problem of audit.problems) notify(terminal, problem);
      const value = { ...audit.report, settled, sentence: verdict.sentence };
      return { value, text: describeReport(audit.report), exit: !(settled && verdict.balanced) && EXIT.refused };
    }),
  );
}
