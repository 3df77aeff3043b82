import type { Scene } from './scene.ts';

/** One thing that somebody does by hand who can write to a store. */
export interface Act {
  name: string;
  /** A falsified entry is refused at once, or found within a minute. */
  store: 'redis' | 'ledger';
  /** @throws ActRefused when the store refuses it */
  strike(scene: Scene): Promise<unknown>;
  /** The rain opens so long after its creation, ms; absent: it is open. */
  opensInMs?: number;
  /** Shards of the rain; absent: one. The scene shows the first. */
  shards?: number;
  /** Whether the system has undone it. */
  healed?(scene: Scene): Promise<boolean>;
  /** Sentences of our own, to an operator or a user, that the act has made untrue: one sentence each. */
  untrue?(scene: Scene): Promise<string[]>;
  /** It is found in every rain, so it is played alone and last. */
  alone?: true;
  /** Real packets that it puts into the thief's hands: whoever writes to Redis may hand out packets of the plan. */
  handsOut?: true;
}
