import { parentPort, workerData } from 'node:worker_threads';
import { readWorkbook } from './workbook.ts';

parentPort!.postMessage(await readWorkbook(workerData as Uint8Array));
