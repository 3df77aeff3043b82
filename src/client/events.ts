/** Who listens to what. `Told` maps an event's name to what is told with it. */
export class Events<Told extends object> {
  readonly #listeners = new Map<keyof Told, Set<(told: never) => void>>();

  /** @returns stops listening */
  on<Name extends keyof Told>(name: Name, listener: (told: Told[Name]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  tell<Name extends keyof Told>(name: Name, told: Told[Name]): void {
    for (const listener of [...this.#listeners.get(name) ?? []] as ((told: Told[Name]) => void)[]) {
      try {
        listener(told);
      } catch (fault) {
        // Its own fault: it is reported as any uncaught one, and neither the others nor the connection hear of it.
        queueMicrotask(() => { throw fault; });
      }
    }
  }
}
