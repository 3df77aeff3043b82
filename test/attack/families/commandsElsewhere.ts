import { tokenFor } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { ask } from '../asker.ts';
import type { Attempts, Family } from '../family.ts';
import type { Scene } from '../scene.ts';

/** Users whose names a spreadsheet would run, whatever separates its columns. */
const FORMULAS = [
  '=1+1',
  '+1+1',
  '-1+1',
  '@SUM(A1)',
  ' =1+1',
  "'=1+1",
  'user;=1+1',
  'user,=1+1',
  'user|=cmd',
  '\u00a0=1+1',
  '\uff1d1+1',
  '\uff0b1',
  '=HYPERLINK("http://evil.example";"a")',
  '"=1+1',
  'user;"=1+1',
  'user,"=1+1',
  '", =1+1',
  'user;"=1+1;x',
  '\u3000=1+1',
  '\ufeff=1+1',
];
/** Text that a terminal would obey, or that turns its direction. */
const COMMANDS = [
  '\u009b31mred',
  'abc\u202etxt.exe',
  '\u2066isolated\u2069',
  '\u200eleft',
  '\u061carabic',
  '\u2028line',
  '\u2029paragraph',
];
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** The cells of a CSV, as a spreadsheet reads them with this separator: it need not be the comma of the file. */
function cellsOf(csv: string, separator: string): string[] {
  const cells: string[] = [];
  let [cell, quoted] = ['', false];
  for (let i = 0; i < csv.length; i++) {
    const character = csv[i]!;
    if (quoted && character === '"' && csv[i + 1] === '"') cell += csv[++i]!;
    else if (character === '"' && (quoted || cell.trim() === '')) quoted = !quoted;
    else if (!quoted && (character === separator || character === '\n')) {
      cells.push(cell);
      cell = '';
    } else cell += character;
  }
  return [...cells, cell];
}

/** Spreadsheets skip spaces before a formula, and take the wide signs of CJK for the plain ones. */
const runs = (cell: string): boolean =>
  /^[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(cell.trimStart()) && !/^-?\d+([.,]\d+)?\s*$/.test(cell);

async function spreadsheets(scene: Scene, attempts: Attempts, from: string): Promise<void> {
  const [rain, sale] = [await scene.rain(), await scene.sale()];
  for (const user of FORMULAS) {
    const client = await scene.socket(await tokenFor(user), from);
    client.say({ type: 'grab', rainId: rain, ref: '1' });
    client.say({ type: 'buy', saleId: sale, sku: 'tee', ref: 'r' });
    await Promise.all([client.next('result'), client.next('order')]);
    await client.leave();
  }
  const headers = { authorization: `Bearer ${scene.staff.viewer.token}` };
  const rows = async (path: string) =>
    eventually(
      async () => {
        const { text } = await ask(scene.console.port, path, { headers, from });
        if (text.trim().split('\r\n').length < FORMULAS.length + 1) throw new Error(`${path} has ${text}`);
        return text;
      },
      { timeoutMs: 30_000 },
    );
  for (const path of [`/api/console/rains/${rain}/winners.csv`, `/api/console/sales/${sale}/orders.csv`]) {
    const csv = await rows(path);
    for (const separator of [',', ';', '\t', '|'])
      attempts.refused(
        `${path}, read with ${JSON.stringify(separator)}: cells that are run`,
        cellsOf(csv, separator).filter(runs),
        '[]',
      );
    attempts.control(`${path} has a row for each`, csv.trim().split('\r\n').length, FORMULAS.length + 1);
  }
}

async function terminals(scene: Scene, attempts: Attempts, from: string): Promise<void> {
  const {
    console: { port },
    staff,
    deployment,
  } = scene;
  const block = (who: string, reason: string) =>
    ask(port, '/api/console/blocks', {
      method: 'POST',
      headers: { authorization: `Bearer ${staff.operator.token}` },
      body: { kind: 'user', who, reason },
      from,
    });
  for (const text of [
    '\u001b]0;owned\u0007',
    '\u001b[2J',
    'a\r\nb',
    'a\nforged row',
    'a\u0000b',
    'a\bb',
    '\u009b31m',
  ]) {
    attempts.refused(
      `a block with the reason ${JSON.stringify(text)}`,
      (await block('terminal-user', text)).status,
      [400, 422],
    );
    attempts.refused(`a block of ${JSON.stringify(text)}`, (await block(text, 'attack')).status, [400, 422]);
  }
  const rain = await scene.rain({ title: `title \u202eabc\u2028d` });
  for (const [i, text] of COMMANDS.slice(1).entries())
    attempts.control(
      `a block with ${JSON.stringify(text)}`,
      (await block(`${text}${i}`, `because ${text}`)).status,
      201,
    );
  for (const words of [['blocks'], ['list'], ['show', rain], ['actions']]) {
    const said = await deployment.rain(...words);
    const what = `rain ${words[0]}`;
    attempts.refused(`${what}: characters that a terminal obeys`, OBEYED.exec(said)?.[0] ?? 'none', 'none');
    attempts.control(`${what} shows what was written`, said.length > 100, true);
  }
}

/** A writer to a log can make a line of their own, or hide one. */
async function logs(scene: Scene, attempts: Attempts, from: string): Promise<void> {
  const { console: consoleServer, gateway, context } = scene;
  const forged = '{"level":50,"msg":"forged by an attacker"}';
  const before = [consoleServer, gateway].map((server) => server.said().length);
  await ask(consoleServer.port, '/api/console/session', {
    method: 'POST',
    body: { name: `opal\n${forged}`, password: `a\n${forged}` },
    headers: { 'user-agent': `a\t${forged}`, 'x-request-id': forged },
    from,
  });
  await ask(consoleServer.port, `/nothing?a=%0a${encodeURIComponent(forged)}`, { from });
  await ask(consoleServer.port, `/%0a${encodeURIComponent(forged)}`, {
    headers: { authorization: `Bearer ${forged}` },
    from,
  });
  const user = `user ${forged}`;
  const client = await scene.socket(await tokenFor(user), from);
  client.say(`{"type":"\\n${forged.replaceAll('"', '\\"')}"}`);
  await client.next('error');
  await client.leave();
  await ask(gateway.port, `/v1/sales/${encodeURIComponent(`a\n${forged}`)}`, {
    headers: { authorization: `Bearer ${await tokenFor(user)}` },
    from,
  });
  await eventually(() => gateway.said().slice(before[1]).includes('user '));
  for (const [i, server] of [consoleServer, gateway].entries()) {
    const lines = server.said().slice(before[i]).split('\n').filter(Boolean);
    attempts.refused(
      'lines of a log that are no record of ours',
      lines.filter((line) => !isRecord(line)).map((line) => line.slice(0, 200)),
      '[]',
    );
    attempts.refused(
      'records of a log that somebody else has written',
      lines.filter((line) => isRecord(line) && (JSON.parse(line) as { msg?: string }).msg === 'forged by an attacker')
        .length,
      0,
    );
    attempts.control('the log has lines', lines.length > 0, true);
  }
  const actions = await context.ledger.latestActions({ limit: 200 });
  attempts.refused('a typed name in the audit log', JSON.stringify(actions).includes('forged by an attacker'), false);
}

function isRecord(line: string): boolean {
  try {
    return typeof (JSON.parse(line) as { level?: unknown }).level === 'number';
  } catch {
    return false;
  }
}

export const commandsElsewhere: Family = {
  name: 'text that commands elsewhere',
  async attack(scene, attempts) {
    const from = scene.address();
    await spreadsheets(scene, attempts, from);
    await terminals(scene, attempts, from);
    await logs(scene, attempts, from);
  },
};
