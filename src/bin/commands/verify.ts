import type { z } from 'zod';
import { verifyRain, type Verification } from '../../operator/verify.ts';
import type { Receipt } from '../../rain/commitment.ts';
import { readJson } from '../../rain/json.ts';
import { checkProof, proof, receipt } from '../../rain/proof.ts';
import type { Answer, RainCommand } from '../command.ts';
import { withContext } from '../context.ts';
import { accepted, CommandFailure, EXIT } from '../exit.ts';
import { facts } from '../style.ts';
import type { Terminal } from '../terminal.ts';
import { readTextFile } from '../textFile.ts';

/** A larger file is refused, so that memory stays bounded [R10]. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

interface VerifyOptions {
  receipt?: string;
  offline?: string;
}

type Findings = Pick<Verification, 'fair' | 'rainId' | 'commitment' | 'seed' | 'packets' | 'problems'> & {
  checked: string;
  outOfTurn?: number;
  moved?: number;
};

export function addVerifyCommand(program: RainCommand): void {
  program
    .command('verify [id]')
    .summary('prove that the packets match the commitment')
    .description(
      'Computes every packet of a settled rain from its seed, and compares it with the commitment, the packets that are left, the claim log, the ledger and receipts. Exit code 1 on a difference.',
    )
    .option(
      '--receipt <file>',
      'receipts of winners, {"rainId","redPacketId","amount"}: one, a list, or one per line; - is stdin',
    )
    .option(
      '--offline <file>',
      'verifies {"rainId","commitment","seed","plan","shards","receipts"} without any server; - is stdin',
    )
    .json()
    .example('rain verify m3k9x2a1b2c3d4 --receipt won.json')
    .refuses((id: string | undefined, { offline }: VerifyOptions) =>
      (id === undefined) === (offline === undefined) ? 'verify: expected an id or --offline FILE, not both' : undefined,
    )
    .runs((id: string | undefined, options: VerifyOptions) =>
      id === undefined
        ? verifyFile(program.terminal, options.offline!, options)
        : verifyBooked(program.terminal, id, options),
    );
}

async function verifyBooked(terminal: Terminal, id: string, { receipt: path }: VerifyOptions): Promise<Answer> {
  const receipts = path === undefined ? [] : await readReceipts(terminal, path);
  const { ok: _, ...found } = accepted(await withContext(terminal, (context) => verifyRain(context, id, receipts)));
  const { left, claims, credits } = found.checked;
  return answer(found, {
    ...found,
    checked: `${left} packets left, ${claims} claims, ${credits} credits, ${receipts.length} receipts`,
  });
}

async function verifyFile(terminal: Terminal, path: string, { receipt: receiptPath }: VerifyOptions): Promise<Answer> {
  const value = readJson(await readTextFile(terminal, '--offline', path, FILE_BYTES_MAX));
  if (value === undefined) throw new CommandFailure(EXIT.usage, `--offline: ${path} is not JSON`);
  const parsed = proof.safeParse(value);
  if (!parsed.success) throw unexpected(`--offline: ${path}`, value, parsed.error);
  const receipts = [
    ...parsed.data.receipts,
    ...(receiptPath === undefined ? [] : await readReceipts(terminal, receiptPath)),
  ];
  const { packets, problems } = checkProof({ ...parsed.data, receipts });
  const found = { fair: problems.length === 0, ...parsed.data, packets, problems };
  return answer({ ...found, receipts: receipts.length }, { ...found, checked: `${receipts.length} receipts` });
}

function answer(
  value: object,
  { fair, rainId, commitment, seed, packets, checked, problems, outOfTurn = 0, moved = 0 }: Findings,
): Answer {
  const verdict = fair
    ? `All ${packets} packets match the commitment from before the rain.`
    : 'NOT EVERYTHING MATCHES THE COMMITMENT.';
  const rows = facts([
    ['rain', rainId],
    ['commitment', commitment],
    ['seed', seed],
  ]);
  const turns =
    outOfTurn > 0
      ? [`Not checked: ${outOfTurn} packets are out of order in the log, as after a restore of wins after a failover.`]
      : [];
  const moves =
    moved > 0
      ? [
          `${moved} packets were won in another shard than they were planned for: they had moved to where somebody waited.`,
        ]
      : [];
  return {
    value,
    text: [rows, `checked: ${checked}`, verdict, ...turns, ...moves, ...problems].join('\n'),
    exit: !fair && EXIT.refused,
  };
}

async function readReceipts(terminal: Terminal, path: string): Promise<Receipt[]> {
  const text = await readTextFile(terminal, '--receipt', path, FILE_BYTES_MAX);
  if (text.trim() === '') throw new CommandFailure(EXIT.usage, `--receipt: no receipt in ${path}`);
  return valuesOf(text).map(({ where, value }) => {
    const place = `--receipt: ${path}${where}`;
    if (value === undefined) throw new CommandFailure(EXIT.usage, `${place} is not JSON`);
    const parsed = receipt.safeParse(value);
    if (!parsed.success) throw unexpected(place, value, parsed.error);
    return parsed.data;
  });
}

/** The values of a file, each with its entry or line number: one value, a list, or one value per line. */
function valuesOf(text: string): { where: string; value: unknown }[] {
  const whole = readJson(text);
  if (Array.isArray(whole)) return whole.map((value: unknown, i) => ({ where: `: entry ${i + 1}`, value }));
  const lines = text
    .split('\n')
    .map((line, i) => ({ where: `: line ${i + 1}`, line }))
    .filter(({ line }) => line.trim() !== '');
  if (whole !== undefined || lines.length === 1) return [{ where: '', value: whole }];
  return lines.map(({ where, line }) => ({ where, value: readJson(line) }));
}

/** Names the file, the field, the type that was found if it is wrong, and what was expected. */
function unexpected(place: string, value: unknown, { issues }: z.ZodError): CommandFailure {
  return new CommandFailure(
    EXIT.usage,
    ...issues.slice(0, 10).map(({ code, path, message }) => {
      const found = path.reduce((at: unknown, key) => (at as Record<PropertyKey, unknown>)[key], value);
      const kind = found === undefined ? 'missing, ' : code === 'invalid_type' ? `${kindOf(found)}, ` : '';
      return [place, ...(path.length > 0 ? [path.join('.')] : []), `${kind}${message}`].join(': ');
    }),
  );
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
