import type { Cue } from './cues.ts';

/** One tone: start (ms), pitch (Hz), duration (ms), loudness (0 to 1) and waveform. */
export interface Tone {
  atMs: number;
  hz: number;
  forMs: number;
  gain: number;
  wave: OscillatorType;
}

/** Tones of the pentatonic scale, which always sound well together. */
const [GONG, ZHI, YU, HIGH_GONG, HIGH_SHANG, HIGH_JUE, HIGH_ZHI, TOP] = [
  523.25, 783.99, 880, 1046.5, 1174.66, 1318.51, 1567.98, 2093,
] as const;

const pluck = (hz: number, atMs: number, gain = 0.22): Tone[] => [
  { atMs, hz, forMs: 420, gain, wave: 'triangle' },
  { atMs, hz: hz * 2, forMs: 160, gain: gain * 0.35, wave: 'sine' },
];
/** Inharmonic partials sound metallic. */
const gong = (hz: number, gain: number): Tone[] =>
  [1, 1.48, 2.03, 2.74, 3.76].map((partial, i) => ({
    atMs: 0,
    hz: hz * partial,
    forMs: 1_700 - i * 260,
    gain: gain / (i + 1),
    wave: 'sine' as const,
  }));

/** All sounds of the page. They are synthesized, so nothing is fetched. */
export const SCORES: Record<Cue, readonly Tone[]> = {
  tick: [{ atMs: 0, hz: GONG, forMs: 70, gain: 0.14, wave: 'triangle' }],
  last: [{ atMs: 0, hz: HIGH_GONG, forMs: 130, gain: 0.22, wave: 'triangle' }],
  go: [...gong(174.6, 0.4), ...pluck(HIGH_ZHI, 60)],
  tap: [
    { atMs: 0, hz: HIGH_JUE, forMs: 90, gain: 0.2, wave: 'triangle' },
    { atMs: 55, hz: TOP, forMs: 190, gain: 0.16, wave: 'sine' },
  ],
  win: [
    [GONG, 0],
    [ZHI, 90],
    [YU, 180],
    [HIGH_GONG, 270],
    [HIGH_SHANG, 360],
    [HIGH_JUE, 450],
    [HIGH_ZHI, 560],
    [TOP, 700],
  ].flatMap(([hz, at]) => pluck(hz!, at!)),
  miss: [...pluck(YU, 0, 0.14), ...pluck(ZHI, 170, 0.12), ...pluck(GONG, 340, 0.1)],
  credited: [...pluck(HIGH_ZHI, 0, 0.14), ...pluck(TOP, 120, 0.14)],
};

/** Vibration patterns: ms on and off alternately. */
export const BEATS: Partial<Record<Cue, readonly number[]>> = {
  tap: [14],
  last: [12],
  go: [90],
  win: [60, 40, 60, 40, 140],
  miss: [45],
  credited: [20, 60, 20],
};
