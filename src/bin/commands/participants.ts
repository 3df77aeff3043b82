import { Readable } from 'node:stream';
import { z } from 'zod';
import { groupCode } from '../../platform/auth/typedCode.ts';
import {
  importParticipants,
  LISTED_MAX,
  listParticipants,
  participantCards,
  removeParticipants,
  renewParticipant,
} from '../../operator/participants.ts';
import { sheetOf } from '../../operator/sheet.ts';
import { LIST_BYTES_MAX } from '../../operator/sheetReader.ts';
import { parseCount } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { accepted, CommandFailure, EXIT, notify } from '../exit.ts';
import { readInputFile } from '../inputFile.ts';
import { table } from '../style.ts';
import { pour } from '../terminal.ts';
import { understoodText } from '../understoodText.ts';

const NUMBER = 'the number of the participant on the list';

export function addParticipantsCommand(program: RainCommand): void {
  const { terminal } = program;
  const participants = program
    .command('participants')
    .summary('the list of people who come in by a code')
    .description(
      'The list of participants: each comes in by a personal code, from a card or a link, where rain up --event or rain console has --participants.',
    )
    .example('rain participants import staff.csv');

  participants
    .command('import')
    .summary('add people from a list')
    .dryRun()
    .description(
      'Adds people from an .xlsx or a CSV with the columns number, name and, if there is one, department (or 工号, 姓名, 部门). Of those who are on the list name and department are changed; nobody is removed, and no code changes. First it prints what it has understood: encoding, columns, first rows.',
    )
    .argument('<file>', 'the list, .xlsx or CSV; - is stdin')
    .option(
      '--rename',
      'also change the names of people who have come in: they are the same people, and keep the user id with the former name',
    )
    .json()
    .example('rain participants import staff.csv', 'rain participants import staff.xlsx --dry-run')
    .runsWithContext(async (context, file: string, options: { rename?: boolean; dryRun?: boolean }) => {
      const bytes = await readInputFile(terminal, 'file', file, LIST_BYTES_MAX);
      const { rename = false, dryRun = false } = options;
      const read = (dry: boolean) => importParticipants(context, Readable.from([bytes]), { rename, dryRun: dry });
      const would = accepted(await read(true));
      const { understood, first } = would;
      const people = would.added + would.changed + would.unchanged;
      notify(
        terminal,
        understoodText(
          understood,
          people,
          first.map(({ number, name, department }) => [number, name, department]),
        ),
      );
      const { added, changed, unchanged } = dryRun ? would : accepted(await read(false));
      return {
        value: { added, changed, unchanged, understood },
        text: `${added} added, ${changed} changed, ${unchanged} unchanged`,
      };
    });

  participants
    .command('list')
    .summary('list participants')
    .description('Lists the participants by number, and since when each of them is in.')
    .option('--search <text>', 'a part of number, name or department')
    .option('--limit <n>', 'how many', parseCount(1, LISTED_MAX), 100)
    .json()
    .example('rain participants list --search Sales')
    .runsWithContext(async (context, { search, limit }: { search?: string; limit: number }) => {
      const page = await listParticipants(context, { search, limit });
      const rows = table(
        ['number', 'name', 'department', 'came in', 'user'],
        page.participants.map(({ number, name, department = '', enteredAt = 'not yet', userId }) => [
          number,
          name,
          department,
          enteredAt,
          userId,
        ]),
      );
      return {
        value: page,
        text: `${page.participants.length === 0 ? 'nobody' : rows}\n${page.total} on the list, ${page.entered} have come in${page.next === undefined ? '' : '; there are more of these, see --search, or rain participants codes'}`,
      };
    });

  participants
    .command('codes')
    .summary('the codes and personal links of all, as CSV')
    .description(
      'Prints number, name, department, code and personal link of everybody on the list, as CSV. Whoever has a code plays as this person. It is recorded.',
    )
    .option('--page <url>', "address of the player's page, for the links")
    .json('one JSON object per line')
    .example('rain participants codes --page http://192.168.1.20:8686/ > codes.csv')
    .runsWithContext(async (context, { page, json }: { page?: string; json?: boolean }) => {
      if (page !== undefined && !z.url({ protocol: /^https?$/ }).safeParse(page).success)
        throw new CommandFailure(EXIT.usage, '--page: expected an address such as http://192.168.1.20:8686/');
      const cards = await participantCards(context);
      const rows = Readable.from(
        cards.map(({ number, name, department = '', code }) => ({
          number,
          name,
          department,
          code: code === undefined ? '' : groupCode(code),
          link: page === undefined || code === undefined ? '' : new URL(`#code=${code}`, page).href,
        })),
      );
      const lines = json
        ? rows.map((row: unknown) => `${JSON.stringify(row)}\n`)
        : sheetOf(
            rows,
            ['number', 'name', 'department', 'code', ...(page === undefined ? [] : ['link'])],
            terminal.stdout.isTTY ? 'plain' : 'spreadsheet',
          );
      await pour(terminal, lines);
    });

  participants
    .command('renew')
    .summary('another code for a participant')
    .description(
      'Gives a participant another code; the one before ends. Sockets that are open stay open until their tokens end, two hours at most.',
    )
    .argument('<number>', NUMBER)
    .json()
    .example('rain participants renew E1042')
    .runsWithContext(async (context, number: string) => {
      const { code } = accepted(await renewParticipant(context, number));
      return { value: { number, code }, text: `${number}: ${groupCode(code)}` };
    });

  participants
    .command('remove')
    .summary('take people off the list')
    .description(
      'Takes people off the list: their codes end, what they have won stays. Added again they have other codes, and under another name they are other users. Sockets that are open stay open until their tokens end, two hours at most; rain block user ends them at once.',
    )
    .argument('[numbers...]', 'the numbers of the participants on the list')
    .option('--all', 'everybody')
    .json()
    .example('rain participants remove E1042 E1043', 'rain participants remove --all')
    .refuses((numbers: string[], { all }: { all?: boolean }) =>
      numbers.length > 0 === (all === true) ? 'numbers: expected either numbers or --all' : undefined,
    )
    .runsWithContext(async (context, numbers: string[], { all }: { all?: boolean }) => {
      const { removed } = await removeParticipants(context, all ? 'all' : numbers);
      return { value: { removed }, text: `${removed} removed` };
    });
}
