import { expect, test } from 'vitest';
import { cueOf, type Cue } from '../../../client-demo/src/sound/cues.ts';
import { BEATS, SCORES } from '../../../client-demo/src/sound/scores.ts';
import type { View } from '../../../client-demo/src/view.ts';

const at = (face: View['face'], more: Partial<View> = {}) => ({ face, ...more });
const WIN = { redPacketId: 'p', amount: '1.00', credited: false };

test.each<[string, ReturnType<typeof at>, ReturnType<typeof at>, Cue | undefined]>([
  ['the start', at('scheduled', { seconds: 1 }), at('open'), 'go'],
  ['a page that opens while it rains', at('connecting'), at('open'), undefined],
  ['a rain that goes on', at('paused'), at('open'), undefined],
  ['a win', at('asking'), at('won', { win: WIN }), 'win'],
  ['a win not heard of before', at('open'), at('won', { win: WIN }), 'win'],
  ['a win of long ago', at('connecting'), at('won', { win: WIN }), undefined],
  ['a win of long ago, told after the rain was', at('open'), at('won', { win: { ...WIN, old: true } }), undefined],
  ['a credit', at('won', { win: WIN }), at('won', { win: { ...WIN, credited: true } }), 'credited'],
  ['a miss', at('asking'), at('missed'), 'miss'],
  ['the last packet', at('open'), at('gone'), 'miss'],
  ['a rain that was over before', at('connecting'), at('gone'), undefined],
  ['ten seconds', at('scheduled', { seconds: 11 }), at('scheduled', { seconds: 10 }), 'tick'],
  ['three seconds', at('scheduled', { seconds: 4 }), at('scheduled', { seconds: 3 }), 'last'],
  ['the same second', at('scheduled', { seconds: 3 }), at('scheduled', { seconds: 3 }), undefined],
  ['a minute', at('scheduled', { seconds: 61 }), at('scheduled', { seconds: 60 }), undefined],
  ['the seconds of an open rain', at('open', { seconds: 4 }), at('open', { seconds: 3 }), undefined],
])('%s is heard as it should be', (_what, before, after, cue) => expect(cueOf(before, after)).toBe(cue));

test('every cue has audible, not too loud tones, and every vibration is short', () => {
  for (const [cue, tones] of Object.entries(SCORES)) {
    expect(tones.length, cue).toBeGreaterThan(0);
    for (const { hz, gain, atMs, forMs } of tones) {
      expect(hz).toSatisfy((height: number) => height > 60 && height < 8_000);
      expect(gain).toSatisfy((loud: number) => loud > 0 && loud <= 0.5);
      expect(atMs + forMs).toBeLessThan(2_000);
    }
  }
  for (const beats of Object.values(BEATS)) expect(beats.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(500);
});
