import { setTimeout as sleep } from 'node:timers/promises';
import { auditAll, auditRain, isInOrder, type AuditedRain } from '../../operator/audit.ts';
import { acknowledgeLost } from '../../operator/audit/lostClaims.ts';
import { repairRain, untilQuiet } from '../../operator/audit/repair.ts';
import type { QueueContext } from '../../operator/context.ts';
import { unknownReason } from '../../operator/restore/presence.ts';
import { EQUATION_PARTS } from '../../rain/equation-parts.ts';
import { parseCount } from '../arguments.ts';
import { auditJson, describeAudit } from '../auditText.ts';
import type { Answer, RainCommand } from '../command.ts';
import type { OpenContext } from '../context.ts';
import { accepted, clearScreen, CommandFailure, EXIT, explain, print, REFRESH_MS, notify } from '../exit.ts';
import { bar } from '../progress.ts';
import { paint, table } from '../style.ts';
import { interruptibly, type Terminal } from '../terminal.ts';

interface AuditOptions {
  repair?: boolean;
  dryRun?: boolean;
  acknowledgeLost?: string;
  all?: boolean;
  watch?: boolean;
  settled?: boolean;
  limit: number;
  json?: boolean;
}

const RAINS_MAX = 100_000;
/** How long the audit waits for the claims that were sent again, ms. */
const REPAIR_WAIT_MS = 15_000;

export function addAuditCommand(program: RainCommand): void {
  program.command('audit [id]').summary('check whether the money adds up').dryRun()
    .description('Compares the packets that the seed of a rain gives with Redis and with the ledger. Exit code 1 when the money does not add up, and '
      + 'while a claim is told twice; with --all also when some rains were not audited.')
    .option('--repair', 'send the claims that the ledger lacks again, wait up to 15 s for their credits, then audit')
    .option('--acknowledge-lost <reason>', 'discard the credits whose claims were lost in a Redis failover')
    .option('--all', 'all rains that are not settled, one line each')
    .option('--settled', 'with --all: settled rains as well')
    .option('--limit <n>', 'with --all: how many rains, newest first', parseCount(1, RAINS_MAX), 100)
    .option('--watch', 'with --all: repeat every second until Ctrl-C')
    .json('print JSON, with --watch one array per line').example('rain audit m3k9x2a1b2c3d4', 'rain audit --all --watch')
    .refuses(misuse)
    .runsWithContext((context, id: string | undefined, options: AuditOptions) =>
      (id === undefined ? auditMany(program.terminal, context, options) : auditOne(program.terminal, context, id, options)));
}

function misuse(id: string | undefined, { all, watch, settled, repair, dryRun, acknowledgeLost: reason }: AuditOptions): string | undefined {
  if (id === undefined && !all) return 'id: missing, expected the id of a rain, or --all';
  if (id !== undefined && all) return '--all: expected an id or --all, not both';
  if (!all && (watch || settled)) return `--${watch ? 'watch' : 'settled'}: only with --all`;
  if (all && (repair || reason !== undefined)) return `--${repair ? 'repair' : 'acknowledge-lost'}: only for one rain at a time`;
  if (dryRun && !repair && reason === undefined) return '--dry-run: only with --repair or --acknowledge-lost; an audit alone changes nothing';
  return undefined;
}

async function auditOne(terminal: Terminal, context: OpenContext, id: string, { repair, acknowledgeLost: reason, dryRun = false }: AuditOptions): Promise<Answer> {
  const { withQueues } = await import('../queues.ts');
  return withQueues(context, async (at) => {
    const repaired = repair ? await resendMissing(terminal, at, id, dryRun) : undefined;
    const acknowledged = reason === undefined ? undefined : accepted(await acknowledgeLost(at, id, reason, dryRun));
    if (acknowledged) notify(terminal, `${id}: ${acknowledged.claims} lost claims ${dryRun ? 'would be' : 'were'} discarded`);
    const audit = await auditRain(at, id);
    if (!audit) throw new CommandFailure(EXIT.refused, `id: ${await unknownReason(at, id)}`);
    const value = { ...auditJson(audit), ...(repaired !== undefined && { repaired }), ...(acknowledged && { discardedClaimsNow: acknowledged.claims }) };
    return { value, text: describeAudit(audit), exit: !isInOrder(audit) && EXIT.refused };
  });
}

/** @returns how many claims were sent again */
async function resendMissing(terminal: Terminal, context: QueueContext, id: string, dryRun: boolean): Promise<number> {
  const repaired = accepted(await repairRain(context, id, dryRun));
  notify(terminal, `${id}: ${repaired.claims} claims ${dryRun ? 'would be' : 'were'} sent again${repaired.complete ? '' : '; there are more, run the repair again'}`);
  if (repaired.claims === 0 || dryRun) return repaired.claims;
  const progress = bar(terminal, 'crediting', 'jobs');
  const quiet = await untilQuiet(context, id, repaired.jobs, REPAIR_WAIT_MS, (done, jobs) => progress.update(done, jobs)).finally(() => progress.stop());
  if (!quiet) notify(terminal, 'the queue has not credited all of them yet; is a worker running?');
  return repaired.claims;
}

async function auditMany(terminal: Terminal, context: OpenContext, options: AuditOptions): Promise<void> {
  if (!options.watch) return void await auditRound(terminal, context, options);
  await interruptibly(terminal, async (interrupted) => {
    for (let reported = 0; !interrupted.aborted; await sleep(REFRESH_MS, undefined, { signal: interrupted }).catch(() => {})) {
      reported = await auditRound(terminal, context, options, { reported, interrupted });
    }
  });
}

/** @param reported how many rains the last message counted as not audited @returns how many are not audited now */
async function auditRound(terminal: Terminal, context: OpenContext, { watch, settled, limit, json }: AuditOptions, { reported, interrupted }: { reported: number; interrupted?: AbortSignal } = { reported: 0 }): Promise<number> {
  const which = settled ? 'all' : 'unsettled';
  const rains: AuditedRain[] = [];
  const total = await context.ledger.countRains(which);
  for await (const rain of auditAll(context, which, limit)) {
    if (interrupted?.aborted) return reported;
    if ('fault' in rain && explain(rain.fault).exit === EXIT.unreachable) throw rain.fault;
    if ('fault' in rain || !isInOrder(rain.audit)) terminal.exitCode = EXIT.refused;
    rains.push(rain);
  }
  if (watch && !json) clearScreen(terminal);
  print(terminal, json, rains.map(line), describeMany(rains));
  // `--all` without a fault must mean that every rain was audited.
  const booked = rains.filter((rain) => !('onlyInRedis' in rain)).length;
  const unaudited = booked < limit ? 0 : Math.max(0, total - booked);
  if (unaudited > 0) terminal.exitCode = EXIT.refused;
  if (unaudited > 0 && unaudited !== reported) notify(terminal, `${unaudited} older ${unaudited === 1 ? 'rain was' : 'rains were'} not audited; raise --limit`);
  return unaudited;
}

function line(rain: AuditedRain): Record<string, unknown> {
  const { rainId, title } = rain;
  return 'audit' in rain ? { title, ...rain.audit.report } : { rainId, title, balanced: false, fault: explain(rain.fault).reasons.join('; ') };
}

function describeMany(rains: readonly AuditedRain[]): string {
  if (rains.length === 0) return 'every rain is settled; to audit them as well, run: rain audit --all --settled';
  return table(['id', 'title', 'budget', ...EQUATION_PARTS, 'verdict'], rains.map((rain) => {
    const title = 'audit' in rain && rain.audit.report.rehearsal ? `${rain.title} (rehearsal)` : rain.title;
    if ('fault' in rain) return [rain.rainId, title, '', ...EQUATION_PARTS.map(() => ''), paint.bad(`AUDIT FAILED: ${explain(rain.fault).reasons.join('; ')}`)];
    const { budget, balanced, told_twice } = rain.audit.report;
    const verdict = !balanced ? paint.bad('DOES NOT ADD UP') : told_twice > 0 ? paint.bad(`${told_twice} TOLD TWICE`) : paint.good('adds up');
    return [rain.rainId, title, budget, ...EQUATION_PARTS.map((part) => rain.audit.report[part]), verdict];
  }));
}
