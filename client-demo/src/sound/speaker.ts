import type { Setting } from '../settings.ts';
import type { Cue } from './cues.ts';
import { BEATS, SCORES, type Tone } from './scores.ts';

const LOUDNESS = 0.7;
const ATTACK_S = 0.006;

/** Sound and vibration, if enabled. Browsers allow sound only after user activity, so no audio is opened before. */
export class Speaker {
  readonly #sound: Setting;
  readonly #buzz: Setting;
  #audio: AudioContext | undefined;
  #out: AudioNode | undefined;

  constructor(sound: Setting, buzz: Setting) {
    this.#sound = sound;
    this.#buzz = buzz;
  }

  /** Call after user activity (touch or key). */
  wake(): void {
    if (!this.#sound.on) return;
    if (this.#audio?.state === 'suspended') void this.#audio.resume().catch(() => {});
    if (this.#audio || typeof AudioContext === 'undefined') return;
    try {
      this.#audio = new AudioContext();
      const volume = new GainNode(this.#audio, { gain: LOUDNESS });
      // The compressor prevents distortion when many tones play at once.
      volume.connect(new DynamicsCompressorNode(this.#audio)).connect(this.#audio.destination);
      this.#out = volume;
    } catch {
      this.#audio = undefined; // a device without audio stays silent
    }
  }

  play(cue: Cue): void {
    if (this.#buzz.on && navigator.userActivation?.hasBeenActive) navigator.vibrate?.([...(BEATS[cue] ?? [])]);
    if (this.#sound.on && this.#audio?.state === 'running') for (const tone of SCORES[cue]) this.#tone(tone);
  }

  #tone({ atMs, hz, forMs, gain, wave }: Tone): void {
    const audio = this.#audio!;
    const [start, end] = [audio.currentTime + atMs / 1000, audio.currentTime + (atMs + forMs) / 1000];
    const source = new OscillatorNode(audio, { type: wave, frequency: hz });
    const envelope = new GainNode(audio, { gain: 0 });
    envelope.gain.setValueAtTime(0, start);
    envelope.gain.linearRampToValueAtTime(gain, start + ATTACK_S);
    envelope.gain.exponentialRampToValueAtTime(0.0001, end);
    source.connect(envelope).connect(this.#out!);
    source.start(start);
    source.stop(end);
  }
}
