/** One path per icon, on a 20 × 20 grid. */
const PATHS = {
  rain: 'M5 3h10a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM4 6q6 5 12 0M10 11.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  rounds: 'M4 5h8M4 10h8M4 15h8M15 5h1M15 10h1M15 15h1',
  letter: 'M3 5h14v10H3zM3 6l7 5 7-5',
  block: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM5 5l10 10',
  switch: 'M7 6h6a4 4 0 0 1 0 8H7a4 4 0 0 1 0-8zM7 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  book: 'M5 3h9a1 1 0 0 1 1 1v13H6a2 2 0 0 1-2-2V4a1 1 0 0 1 1-1zM4 15a2 2 0 0 1 2-2h9M8 7h4',
  pulse: 'M3 10h3l2-5 4 10 2-5h3',
  queue: 'M3 5h14M3 10h9M3 15h5M14 12l3 3-3 3',
  auto: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 3v14M10 6h4M10 9h6M10 12h6M10 15h3',
  light: 'M10 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM10 2v2M10 16v2M2 10h2M16 10h2M4.5 4.5l1.4 1.4M14.1 14.1l1.4 1.4M4.5 15.5l1.4-1.4M14.1 5.9l1.4-1.4',
  dark: 'M16 12a6.5 6.5 0 0 1-8-8 6.5 6.5 0 1 0 8 8z',
} as const;
export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return <svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d={PATHS[name]} /></svg>;
}
