import { auditRain, isInOrder } from '../../operator/audit.ts';
import { acknowledgeTampering } from '../../operator/audit/acknowledgeTampering.ts';
import { acknowledgeLost } from '../../operator/audit/lostClaims.ts';
import { unknownReason } from '../../operator/restore/presence.ts';
import { parseCount } from '../arguments.ts';
import { auditMany, type ManyOptions } from '../auditMany.ts';
import { auditJson, describeAudit } from '../auditText.ts';
import type { Answer, RainCommand } from '../command.ts';
import type { OpenContext } from '../context.ts';
import { accepted, CommandFailure, EXIT, notify } from '../exit.ts';
import { resendMissing, untilCredited } from '../resend.ts';
import type { Terminal } from '../terminal.ts';

interface AuditOptions extends ManyOptions {
  acknowledgeLost?: string;
  acknowledgeTampering?: string;
  all?: boolean;
}

const RAINS_MAX = 100_000;

export function addAuditCommand(program: RainCommand): void {
  program
    .command('audit [id]')
    .summary('check whether the money adds up')
    .dryRun()
    .description(
      'Compares the packets that the seed of a rain gives with Redis and with the ledger. Exit code 1 when the money does not add up, and ' +
        'while a claim is told twice or a dead letter waits; with --all also when some rains were not audited.',
    )
    .option('--repair', 'send the claims that the ledger lacks again, wait up to 15 s for their credits, then audit')
    .option('--acknowledge-lost <reason>', 'discard the credits whose claims were lost in a Redis failover')
    .option(
      '--acknowledge-tampering <reason>',
      'mark what somebody changed by hand as seen, so that the rain can be settled; no money moves',
    )
    .option('--all', 'all rains that are not settled, and settled ones at fault, one line each')
    .option('--settled', 'with --all: audit all settled rains as well')
    .option('--limit <n>', 'with --all: how many rains, newest first', parseCount(1, RAINS_MAX), 100)
    .option('--watch', 'with --all: repeat every second until Ctrl-C')
    .json('print JSON, with --watch one array per line')
    .example('rain audit m3k9x2a1b2c3d4', 'rain audit --all --watch')
    .refuses(misuse)
    .runsWithContext((context, id: string | undefined, options: AuditOptions) =>
      id === undefined
        ? auditMany(program.terminal, context, options)
        : auditOne(program.terminal, context, id, options),
    );
}

/** The operator's word on one rain; never on all of them at once. */
const ONE_ONLY = { acknowledgeLost: '--acknowledge-lost', acknowledgeTampering: '--acknowledge-tampering' } as const;

function misuse(id: string | undefined, options: AuditOptions): string | undefined {
  const { all, watch, settled, repair, dryRun } = options;
  if (id === undefined && !all) return 'id: missing, expected the id of a rain, or --all';
  if (id !== undefined && all) return '--all: expected an id or --all, not both';
  if (!all && (watch || settled)) return `--${watch ? 'watch' : 'settled'}: only with --all`;
  const oneOnly = (Object.keys(ONE_ONLY) as (keyof typeof ONE_ONLY)[]).find((name) => options[name] !== undefined);
  if (all && oneOnly) return `${ONE_ONLY[oneOnly]}: only for one rain at a time`;
  if (watch && repair) return '--repair: not with --watch';
  if (dryRun && !repair && !oneOnly)
    return '--dry-run: only with --repair, --acknowledge-lost or --acknowledge-tampering; an audit alone changes nothing';
  return undefined;
}

async function auditOne(
  terminal: Terminal,
  context: OpenContext,
  id: string,
  { repair, acknowledgeLost: whyLost, acknowledgeTampering: whySeen, dryRun = false }: AuditOptions,
): Promise<Answer> {
  const { withQueues } = await import('../queues.ts');
  return withQueues(context, async (at) => {
    const done = dryRun ? 'would be' : 'were';
    const sent = repair ? await resendMissing(terminal, at, id, dryRun) : undefined;
    if (sent) await untilCredited(terminal, at, [sent]);
    const acknowledged = whyLost === undefined ? undefined : accepted(await acknowledgeLost(at, id, whyLost, dryRun));
    if (acknowledged) notify(terminal, `${id}: ${acknowledged.claims} lost claims ${done} discarded`);
    const seen = whySeen === undefined ? undefined : accepted(await acknowledgeTampering(at, id, whySeen, dryRun));
    if (seen) notify(terminal, `${id}: ${seen.findings} findings ${done} acknowledged`);
    const audit = await auditRain(at, id);
    if (!audit) throw new CommandFailure(EXIT.refused, `id: ${await unknownReason(at, id)}`);
    const value = {
      ...auditJson(audit),
      ...(sent && { repaired: sent.claims }),
      ...(acknowledged && { discardedClaimsNow: acknowledged.claims }),
      ...(seen && { acknowledgedNow: seen.findings }),
    };
    return { value, text: describeAudit(audit), exit: !isInOrder(audit) && EXIT.refused };
  });
}
