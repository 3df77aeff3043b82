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
  pollMs?: number;
}

/**
 * Decides which functions are on: the operator's setting, otherwise the overload control. Without Redis the last
 * setting stays.
 */
export class KillSwitches extends Poller {
  readonly #rules: KillSwitchesRules;
  #held: readonly HeldSwitch[] = [];
  /** Read by every message that a switch concerns. */
  readonly off: Record<SwitchName, boolean> = { ticker: false, joins: false, sockets: false, grabs: false };

  constructor(rules: KillSwitchesRules) {
    super(rules);
    this.#rules = rules;
  }

  /** The side that has set the switch; `undefined`: it is on by default. */
  heldBy(name: SwitchName): 'operator' | 'pressure' | undefined {
    return this.#holder(name) ? 'operator' : this.off[name] ? 'pressure' : undefined;
  }

  /** Recomputes all switches after a change of load or of time. */
  apply(): void {
    for (const name of SWITCHES) {
      const holder = this.#holder(name);
      const off = holder ? holder.position === 'off' : this.#rules.pressure.givesUp(name);
      if (off === this.off[name]) continue;
      this.off[name] = off;
      const facts = { switch: name, by: holder ? 'operator' : 'pressure' };
      if (off) this.#rules.log.warn(facts, 'switched off for now');
      else this.#rules.log.info(facts, 'switched on again');
    }
  }

  #holder(name: SwitchName): HeldSwitch | undefined {
    const now = this.#rules.now();
    return this.#held.find((held) => held.name === name && (held.until ?? Infinity) > now);
  }

  protected async read(): Promise<void> {
    this.#held = await readSwitches(this.#rules.redis);
    this.apply();
  }

  /** A setting expires on time even if Redis cannot be read. */
  protected wake(): Promise<void> {
    return this.read().finally(() => this.apply());
  }
}
