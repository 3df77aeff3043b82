import type { Command } from 'commander';
import { PACKETS_MAX } from '../../rain/plan.ts';
import { redactUrl } from '../../platform/network/serverUrl.ts';
import { CommandFailure, EXIT, print, notify } from '../exit.ts';
import { describeReport } from '../auditText.ts';
import { typedAmount } from '../amount.ts';
import { withContext, configure } from '../context.ts';
import { parseCount, parseDuration } from '../time.ts';
import { interruptibly, type Terminal } from '../terminal.ts';
import { expectPlayed, parseUrl } from './swarm.ts';
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
const OPENS_IN_MS = 3_000;
const TOKEN_SECONDS = 3_600;

export function addRehearseCommand(program: Command, terminal: Terminal): void {
  program.command('rehearse').summary('play a whole rain with test money')
    .description('Creates a rehearsal on the running system, sends simulated users to the gateway, waits until the rain is settled and audits it. It never touches real accounts or '
      + 'wallets. Exit code 1 if the money does not add up. Needs a running gateway and worker, and JWT_SECRET to sign the users\' tokens.')
    .option('--url <ws://…>', 'the gateway; default the one on this machine', parseUrl)
    .option('--users <n>', 'simulated users', parseCount(1, USERS_MAX), 200)
    .option('--packets <n>', 'red packets', parseCount(1, PACKETS_MAX), 50)
    .option('--budget <amount>', 'total amount, in test money', typedAmount, '100.00')
    .option('--duration <time>', 'how long the rain is open', parseDuration, 5_000)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain rehearse --users 200 --packets 50')
    .action((options: RehearseOptions) => rehearse(terminal, options));
}

async function rehearse(terminal: Terminal, { url: givenUrl, users, packets, budget, duration, json }: RehearseOptions): Promise<void> {
  const url = givenUrl ?? configure(terminal.environment, []).GATEWAY_PUBLIC_URL;
  if (url === undefined) throw new CommandFailure(EXIT.usage, '--url: missing, expected the gateway to connect to, such as ws://127.0.0.1:8687/v1');
  const tokenFor = tokenSigner(terminal, TOKEN_SECONDS);
  const [{ playRound }, { checkMoney }] = await Promise.all([import('../up/demo.ts'), import('../../loadtest/report/verdict.ts')]);
  await interruptibly(terminal, (interrupted) => withContext(terminal, async (context) => {
    const { audit, others, bots, settled } = await playRound({ terminal, context, gatewayUrl: url, tokenFor, signal: interrupted }, {
      title: 'Rehearsal', rehearsal: true, budget, packets, bots: users, opensInMs: OPENS_IN_MS, durationMs: duration,
      reactionMs: { min: 100, max: Math.min(2_000, Math.max(200, duration / 2)) }, progress: true,
    });
    expectPlayed(bots, redactUrl(url));
    const verdict = checkMoney(bots, audit.report, others);
    if (!json) notify(terminal, `\n${bots.users} simulated users. ${verdict.sentence}`);
    if (!settled) notify(terminal, 'The rehearsal was not settled in time; is a worker running?');
    for (const problem of audit.problems) notify(terminal, problem);
    print(terminal, json, { ...audit.report, settled, sentence: verdict.sentence }, describeReport(audit.report));
    if (!settled || !verdict.balanced) terminal.exitCode = EXIT.refused;
  }));
}
