/** The address names the shown rain or sale, so that a reload shows the same. */
export function addressWith(name: 'rain' | 'sale', id: string | undefined): string {
  const search = new URLSearchParams(location.search);
  if (id === undefined) search.delete(name);
  else search.set(name, id);
  const text = search.toString();
  return text ? `?${text}` : location.pathname;
}

export function inAddress(name: 'rain' | 'sale'): string | undefined {
  return new URLSearchParams(location.search).get(name) ?? undefined;
}
