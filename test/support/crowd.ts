import { onTestFinished } from 'vitest';
import { dial, type Client } from './client.ts';

/** The users user-0, user-1 … with a socket each, which they close when the test is over. */
export async function dialCrowd({ url }: { url: string }, size: number): Promise<Client[]> {
  const clients = await Promise.all(Array.from({ length: size }, (_, i) => dial(url, `user-${i}`)));
  onTestFinished(async () => {
    await Promise.all(clients.map((client) => client.leave()));
  });
  return clients;
}
