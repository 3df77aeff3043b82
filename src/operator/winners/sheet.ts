import { Readable } from 'node:stream';
import type { BookedRain } from '../../ledger/rains.ts';
import type { QueueContext } from '../context.ts';
import { sheetOf, type SheetReader } from '../sheet.ts';
import { allWinners } from './list.ts';
import type { Winner } from './winner.ts';

/** All winners as CSV; where there is a list of participants, with what it has of them. */
export async function winnersSheet(
  context: QueueContext,
  rain: BookedRain,
  reader: SheetReader = 'spreadsheet',
): Promise<Readable> {
  const columns = ['redPacketId', 'userId', 'amount', 'at', 'status'];
  const localTime = { column: 'at', timeZone: context.timeZone };
  if (!(await context.ledger.hasParticipants())) return sheetOf(allWinners(context, rain), columns, reader, localTime);
  return sheetOf(flat(allWinners(context, rain)), [...columns, 'number', 'name', 'department'], reader, localTime);
}

async function* flat(winners: AsyncIterable<Winner>): AsyncGenerator<object, void> {
  for await (const { participant, ...winner } of winners) yield { ...winner, ...participant };
}

/** All winners as JSON, one object per line. */
export function winnersLines(context: QueueContext, rain: BookedRain): Readable {
  return Readable.from(allWinners(context, rain)).map((winner: unknown) => `${JSON.stringify(winner)}\n`);
}
