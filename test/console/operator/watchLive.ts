import type { z } from 'zod';
import { eventually } from '../../support/eventually.ts';

/** A browser that shows a live screen. */
export async function watchLive<Sample>(address: string, cookie: string, schema: z.ZodType<Sample>) {
  const leaving = new AbortController();
  const answer = await fetch(address, { headers: { cookie }, signal: leaving.signal });
  const samples: Sample[] = [];
  let ended = false;
  const reading = (async () => {
    let text = '';
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      const events = (text + chunk).split('\n\n');
      text = events.pop()!;
      for (const event of events) {
        const data = /^event: sample\ndata: (.*)$/m.exec(event)?.[1];
        if (data !== undefined) samples.push(schema.parse(JSON.parse(data)));
      }
    }
  })()
    .catch(() => {})
    .finally(() => {
      ended = true;
    });
  return {
    answer,
    samples,
    isOver: () => ended,
    /** Waits until the last sample is so. */
    latest: (so: (sample: Sample) => boolean) =>
      eventually(() => {
        const last = samples.at(-1);
        if (!last || !so(last)) throw new Error(`the last of ${samples.length} samples is ${JSON.stringify(last)}`);
        return last;
      }),
    async leave() {
      leaving.abort();
      await reading;
    },
  };
}
