import type { Command } from 'commander';
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { verifyRain, type Verification } from '../../operator/verify.ts';
import type { Receipt } from '../../rain/commitment.ts';
import { readJson } from '../../rain/json.ts';
import { checkProof, proof, receipt } from '../../rain/proof.ts';
import { accepted, CommandFailure, EXIT, print } from '../exit.ts';
import { withContext } from '../context.ts';
import { facts } from '../table.ts';
import type { Terminal } from '../terminal.ts';

/** A file of receipts for every packet of the largest rain is not read at once [R10]. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

interface VerifyOptions {
  receipt?: string;
  offline?: string;
  json?: boolean;
}

/** What is printed, whoever has found it. */
interface Findings extends Pick<Verification, 'fair' | 'rainId' | 'commitment' | 'seed' | 'packets'> {
  checked: string;
  problems: readonly string[];
  outOfTurn?: number;
}

export function addVerifyCommand(program: Command, terminal: Terminal): void {
  program.command('verify [id]').summary('were the packets those committed to before the rain?')
    .description('Computes every packet of a settled rain from its seed and compares the commitment, what was left, the claim log, the book and receipts with it. Exit code 1 on a difference.')
    .option('--receipt <file>', 'what winners were told, {"rainId","redPacketId","amount"}: one, a list, or one a line; - is stdin')
    .option('--offline <file>', 'asks no server: verifies {"rainId","commitment","seed","plan","shards","receipts"}; - is stdin')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain verify m3k9x2a1b2c3d4 --receipt won.json')
    .action(async (id: string | undefined, options: VerifyOptions) => {
      if ((id === undefined) === (options.offline === undefined)) throw new CommandFailure(EXIT.usage, 'verify: expected an id or --offline FILE, and not both');
      if (id === undefined) await verifyFile(terminal, options.offline!, options);
      else await verifyBooked(terminal, id, options);
    });
}

async function verifyBooked(terminal: Terminal, id: string, { receipt: path, json }: VerifyOptions): Promise<void> {
  const receipts = path === undefined ? [] : await readReceipts(terminal, path);
  await withContext(terminal, async (context) => {
    const verified = accepted(await verifyRain(context, id, receipts));
    const { ok: _, ...found } = verified;
    const { left, claims, credits } = found.checked;
    answer(terminal, json, found, { ...found, checked: `${left} packets left, ${claims} claims, ${credits} credits, ${receipts.length} receipts` });
  });
}

async function verifyFile(terminal: Terminal, path: string, { receipt: receiptPath, json }: VerifyOptions): Promise<void> {
  const value = readJson(await read(terminal, '--offline', path));
  if (value === undefined) throw new CommandFailure(EXIT.usage, `--offline: ${path} is not JSON`);
  const parsed = proof.safeParse(value);
  if (!parsed.success) throw unexpected(`--offline: ${path}`, value, parsed.error);
  const receipts = [...parsed.data.receipts, ...(receiptPath === undefined ? [] : await readReceipts(terminal, receiptPath))];
  const { packets, problems } = checkProof({ ...parsed.data, receipts });
  const found = { fair: problems.length === 0, ...parsed.data, packets, problems };
  answer(terminal, json, { ...found, receipts: receipts.length }, { ...found, checked: `${receipts.length} receipts` });
}

function answer(terminal: Terminal, json: boolean | undefined, value: object, { fair, rainId, commitment, seed, packets, checked, problems, outOfTurn = 0 }: Findings): void {
  const verdict = fair ? `Every one of the ${packets} packets is what was committed to before the rain.` : 'THIS IS NOT WHAT WAS COMMITTED TO.';
  const rows = facts([['rain', rainId], ['commitment', commitment], ['seed', seed]]);
  const turns = outOfTurn > 0 ? [`Not judged: ${outOfTurn} packets stand in the log out of turn, as wins do that were put back after a failover.`] : [];
  print(terminal, json, value, [rows, `checked: ${checked}`, verdict, ...turns, ...problems].join('\n'));
  if (!fair) terminal.exitCode = EXIT.refused;
}

async function readReceipts(terminal: Terminal, path: string): Promise<Receipt[]> {
  const text = await read(terminal, '--receipt', path);
  if (text.trim() === '') throw new CommandFailure(EXIT.usage, `--receipt: no receipt in ${path}`);
  return told(text).map(({ where, value }) => {
    const place = `--receipt: ${path}${where}`;
    if (value === undefined) throw new CommandFailure(EXIT.usage, `${place} is not JSON`);
    const parsed = receipt.safeParse(value);
    if (!parsed.success) throw unexpected(place, value, parsed.error);
    return parsed.data;
  });
}

/** The values of a file, each with its place as a person finds it: one value, a list of them, or one a line. */
function told(text: string): { where: string; value: unknown }[] {
  const whole = readJson(text);
  if (Array.isArray(whole)) return whole.map((value: unknown, i) => ({ where: `: entry ${i + 1}`, value }));
  const lines = text.split('\n').map((line, i) => ({ where: `: line ${i + 1}`, line })).filter(({ line }) => line.trim() !== '');
  if (whole !== undefined || lines.length === 1) return [{ where: '', value: whole }];
  return lines.map(({ where, line }) => ({ where, value: readJson(line) }));
}

async function read({ stdin, folder }: Terminal, option: string, path: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of path === '-' ? stdin : createReadStream(resolve(folder, path))) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes > FILE_BYTES_MAX) break;
    }
  } catch (error) {
    throw new CommandFailure(EXIT.usage, `${option}: ${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);
  }
  if (bytes > FILE_BYTES_MAX) throw new CommandFailure(EXIT.usage, `${option}: ${path} is larger than ${FILE_BYTES_MAX} bytes`);
  return Buffer.concat(chunks).toString('utf8');
}

/** File, field, what was found there if it is something else altogether, and what was expected. */
function unexpected(place: string, value: unknown, { issues }: z.ZodError): CommandFailure {
  return new CommandFailure(EXIT.usage, ...issues.slice(0, 10).map(({ code, path, message }) => {
    const found = path.reduce((at: unknown, key) => (at as Record<PropertyKey, unknown>)[key], value);
    const kind = found === undefined ? 'missing, ' : code === 'invalid_type' ? `${kindOf(found)}, ` : '';
    return [place, ...(path.length > 0 ? [path.join('.')] : []), `${kind}${message}`].join(': ');
  }));
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
