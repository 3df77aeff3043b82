export class Counts extends Map<string, number> {
  add(name: string, count = 1): void {
    this.set(name, (this.get(name) ?? 0) + count);
  }

  merge(others: Iterable<readonly [name: string, count: number]>): void {
    for (const [name, count] of others) this.add(name, count);
  }

  /** The most frequent first. */
  ranked(): { name: string; count: number }[] {
    return [...this].sort(([, a], [, b]) => b - a).map(([name, count]) => ({ name, count }));
  }
}
