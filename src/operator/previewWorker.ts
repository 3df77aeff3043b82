import { parentPort, workerData } from 'node:worker_threads';
import { previewRain } from './preview.ts';

const { plan, draws } = workerData as { plan: unknown; draws: number };
parentPort!.postMessage(previewRain(plan, draws));
