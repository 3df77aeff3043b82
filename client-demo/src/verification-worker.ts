import './older/has-own.ts';
import { prove } from './proof.ts';
import type { Provable } from './round.ts';

// A separate thread, loaded on demand, so that neither the first load nor the page waits for the computation.
addEventListener('message', ({ data }: MessageEvent<Provable>) => postMessage(prove(data)));
