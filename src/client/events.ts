/** A typed event emitter. `Data` maps the name of an event to its data. */
export class Events<Data extends object> {
  readonly #listeners = new Map<keyof Data, Set<(event: never) => void>>();

  on<Name extends keyof Data>(name: Name, listener: (event: Data[Name]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  emit<Name extends keyof Data>(name: Name, event: Data[Name]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])] as ((event: Data[Name]) => void)[]) {
      try {
        listener(event);
      } catch (fault) {
        // Rethrown as an uncaught error, so that it affects neither the other listeners nor the connection.
        queueMicrotask(() => {
          throw fault;
        });
      }
    }
  }
}
