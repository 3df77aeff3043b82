import { emptiedM4a } from './sound/m4a.ts';
import { framesOfMp3 } from './sound/mp3.ts';
import { isOgg } from './sound/ogg.ts';

export interface Sound {
  type: 'audio/mpeg' | 'audio/mp4' | 'audio/ogg';
  /** Without tags and places, where the container lets them be taken out: of MP3 and M4A. */
  bytes: Uint8Array<ArrayBuffer>;
}

/** @returns `undefined` if the container is not that of an MP3, an M4A or an OGG with Vorbis or Opus, from end to end */
export function soundIn(bytes: Uint8Array): Sound | undefined {
  const mp3 = framesOfMp3(bytes);
  if (mp3) return { type: 'audio/mpeg', bytes: mp3 };
  const m4a = emptiedM4a(bytes);
  if (m4a) return { type: 'audio/mp4', bytes: m4a };
  return isOgg(bytes) ? { type: 'audio/ogg', bytes: new Uint8Array(bytes) } : undefined;
}
