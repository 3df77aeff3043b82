import type { Redis } from 'ioredis';
import { eventually } from '../eventually.ts';
import { at } from './cluster.ts';

/** Its address has the password, if it wants one. */
interface Node {
  url: string;
  port: number;
}

/** A slot on its way from one master to another, as `redis-cli --cluster reshard` takes it, step by step. */
interface SlotMove {
  /** The keys go, a hundred in one step; until `end` both masters are asked for them. */
  moveKeys(): Promise<void>;
  /** The new master owns the slot, and all masters know it. */
  end(): Promise<void>;
}

/** From here on the slot is MIGRATING in its master and IMPORTING in the other one. */
export async function beginSlotMove(
  { masters }: { masters: readonly Node[] },
  slot: number,
  from: Node,
  to: Node,
): Promise<SlotMove> {
  const ids = await Promise.all([from, to].map((server) => at(server, (node) => node.call('CLUSTER', 'MYID'))));
  const [fromId, toId] = ids.map(String) as [string, string];
  const set = (server: Node, ...words: string[]) =>
    at(server, (node) => node.call('CLUSTER', 'SETSLOT', String(slot), ...words));
  const { password } = new URL(to.url);
  await set(to, 'IMPORTING', fromId);
  await set(from, 'MIGRATING', toId);
  return {
    moveKeys: () =>
      at(from, async (node) => {
        for (let keys = await keysIn(node, slot); keys.length > 0; keys = await keysIn(node, slot)) {
          await node.call(
            'MIGRATE',
            '127.0.0.1',
            String(to.port),
            '',
            '0',
            '5000',
            ...(password === '' ? [] : ['AUTH', password]),
            'KEYS',
            ...keys,
          );
        }
      }),
    async end() {
      for (const server of [to, from]) await set(server, 'NODE', toId);
      for (const server of masters)
        await eventually(() =>
          at(server, async (node) => ownerIn(await node.call('CLUSTER', 'SLOTS'), slot) === to.port),
        );
    },
  };
}

const keysIn = async (node: Redis, slot: number) =>
  (await node.call('CLUSTER', 'GETKEYSINSLOT', String(slot), '100')) as string[];

/** The port of the owner by a server's own table. */
function ownerIn(slots: unknown, slot: number): number | undefined {
  const ranges = slots as [first: number, last: number, master: [host: string, port: number]][];
  return ranges.find(([first, last]) => first <= slot && slot <= last)?.[2][1];
}
