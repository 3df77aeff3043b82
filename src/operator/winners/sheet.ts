import { Readable } from 'node:stream';
import type { BookedRain } from '../../ledger/rains.ts';
import type { QueueContext } from '../context.ts';
import { sheetOf, type SheetReader } from '../sheet.ts';
import { allWinners } from './list.ts';

/** All winners as CSV. */
export function winnersSheet(context: QueueContext, rain: BookedRain, reader: SheetReader = 'spreadsheet'): Readable {
  return sheetOf(allWinners(context, rain), ['redPacketId', 'userId', 'amount', 'at', 'status'], reader);
}

/** All winners as JSON, one object per line. */
export function winnersLines(context: QueueContext, rain: BookedRain): Readable {
  return Readable.from(allWinners(context, rain)).map((winner: unknown) => `${JSON.stringify(winner)}\n`);
}
