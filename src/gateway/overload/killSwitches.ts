import { readSwitches, SWITCHES, type HeldSwitch, type SwitchName } from '../../store/killSwitches.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import type { Pressure } from './pressure.ts';
import { Poller } from '../rains/poller.ts';

interface KillSwitchesRules {
  redis: RedisClient;
  pressure: Pick<Pressure, 'givesUp'>;
  /** Redis's clock as estimated here, epoch ms. */
  now: () => number;
  log: Logger;
  onFault: (error: unknown) => void;
  /** How often Redis is read again, ms: the longest a lost event can go unnoticed. */
  pollMs?: number;
}

/** Who has decided how a switch stands. */
export type SwitchedBy = 'operator' | 'pressure';

/** What is served and what is not: as the operator says, else as the pressure does. Without Redis his last word stays in force. */
export class KillSwitches extends Poller {
  readonly #rules: KillSwitchesRules;
  #held: readonly HeldSwitch[] = [];
  /** Read by every message that one of them is about. */
  readonly off: Record<SwitchName, boolean> = { ticker: false, joins: false, sockets: false, grabs: false };

  constructor(rules: KillSwitchesRules) {
    const { onFault, pollMs } = rules;
    super({
      read: () => this.#read(),
      // What has run out has, though Redis could not be asked.
      wake: () => this.#read().finally(() => this.apply()),
      onFault, ...(pollMs !== undefined && { everyMs: pollMs }),
    });
    this.#rules = rules;
  }

  /** Who holds it `off`, or `on` in spite of the pressure; `undefined`: it is on, and nobody says otherwise. */
  heldBy(name: SwitchName): SwitchedBy | undefined {
    return this.#holder(name) ? 'operator' : this.off[name] ? 'pressure' : undefined;
  }

  /** The pressure has changed, or time has passed. */
  apply(): void {
    for (const name of SWITCHES) {
      const holder = this.#holder(name);
      const off = holder ? holder.position === 'off' : this.#rules.pressure.givesUp(name);
      if (off === this.off[name]) continue;
      this.off[name] = off;
      const facts = { switch: name, by: holder ? 'operator' : 'pressure' };
      if (off) this.#rules.log.warn(facts, 'given up for now');
      else this.#rules.log.info(facts, 'served again');
    }
  }

  #holder(name: SwitchName): HeldSwitch | undefined {
    const now = this.#rules.now();
    return this.#held.find((held) => held.name === name && (held.until ?? Infinity) > now);
  }

  async #read(): Promise<void> {
    this.#held = await readSwitches(this.#rules.redis);
    this.apply();
  }
}
