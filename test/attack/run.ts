import { Attempts, type Family } from './family.ts';
import { FAMILIES } from './families/all.ts';
import { openScene, type Scene } from './scene.ts';
import { judge, type Verdict } from './verdict.ts';

interface AttackOptions {
  /** A part of the names of the families; absent: all. */
  only?: string | undefined;
  tell: (sentence: string) => void;
}

/** Families that are played at once: most of them wait for a server's clock. */
const AT_ONCE = 4;
/** A family that takes longer has not held: something was not answered. */
const FAMILY_MS_MAX = 120_000;

/** Plays every family against the same servers, each from addresses of its own. */
export async function attackAll({ only, tell }: AttackOptions): Promise<Verdict[]> {
  const played = FAMILIES.filter(({ name }) => only === undefined || name.includes(only));
  if (played.length === 0) return [];
  const waiting = played.filter(({ alone }) => !alone);
  const scene = await openScene();
  const verdicts: Verdict[] = [];
  const work = async () => {
    for (let family = waiting.shift(); family; family = waiting.shift()) {
      const since = performance.now();
      const verdict = await play(scene, family);
      verdicts.push(verdict);
      const seconds = ((performance.now() - since) / 1_000).toFixed(1);
      tell(
        `${verdict.family}: ${verdict.notHeld.length === 0 ? 'held' : 'NOT HELD'}, ${verdict.attempts} attempts, ${seconds} s${verdict.notHeld.map((sentence) => `\n    ${sentence}`).join('')}`,
      );
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    waiting.push(...played.filter(({ alone }) => alone));
    await work();
    return verdicts;
  } finally {
    await scene.end();
  }
}

async function play(scene: Scene, { name, attack }: Family): Promise<Verdict> {
  const attempts = new Attempts();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it was not over after ${FAMILY_MS_MAX / 1_000} s`)), FAMILY_MS_MAX);
  });
  try {
    await Promise.race([attack(scene, attempts), late]);
    return judge(name, attempts);
  } catch (error) {
    return judge(name, attempts, error);
  } finally {
    clearTimeout(timer);
  }
}
