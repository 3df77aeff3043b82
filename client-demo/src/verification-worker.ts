import { prove } from './proof.ts';
import type { Provable } from './round.ts';

// A thread of its own, loaded when somebody asks for it: neither the first load nor the page waits for the computation.
addEventListener('message', ({ data }: MessageEvent<Provable>) => postMessage(prove(data)));
