import type { Client, ClientBase } from 'pg';

/** The error of pg when the database has not answered a statement within `query_timeout`. */
const NO_ANSWER = 'Query read timeout';

/**
 * Breaks a connection on which a statement got no answer in time. pg keeps it, and sends the next statement, the one
 * that ends the transaction among them, only after the answer: each would wait for the same deadline.
 */
export function breakWhenSilent(client: ClientBase): void {
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown> | undefined;
  client.query = ((...args: unknown[]) => {
    const answer = query(...args);
    // With a callback the pool asks, and removes the connection itself.
    answer?.catch((error: Error) => {
      // While it waits for an answer, this closes the socket and says nothing more.
      if (error.message === NO_ANSWER) (client as Client).end().catch(() => {});
    });
    return answer;
  }) as ClientBase['query'];
}
