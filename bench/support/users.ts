import type { Speech } from '../load/connection.ts';
import type { Order, Reply } from '../load/driver.ts';
import type { Program } from './process.ts';
import { tokenOf, type StoreOn } from './store.ts';

/** The users of one server, in a process of their own. @param name for error messages */
export async function startUsers(store: StoreOn, server: Program, speech: Speech, name: string = speech) {
  const driver = await store.start('load/driver.ts');
  const ask = async (order: Order): Promise<Extract<Reply, { ok: true }>> => {
    const reply = (await driver.ask(order)) as Reply;
    if (!reply.ok) throw new Error(`${name}: ${reply.reason}`);
    return reply;
  };
  let connected = 0;
  return {
    ask,
    /** Connects more users, each on an own socket. @param joins a rain that each of them watches */
    async connect(prefix: string, count: number, joins?: string): Promise<void> {
      const tokens = await Promise.all(Array.from({ length: count }, () => tokenOf(`${prefix}-${connected++}`)));
      await ask({ do: 'connect', speech, port: portOf(server), tokens, joins });
    },
  };
}

/** Our gateway reports a URL, the baselines report a port. */
export function portOf({ said }: Program): number {
  const { url, port } = said as { url?: string; port?: number };
  return url === undefined ? port! : Number(new URL(url).port);
}
