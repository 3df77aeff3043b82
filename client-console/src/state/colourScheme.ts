export const COLOUR_SCHEMES = ['auto', 'light', 'dark'] as const;
export type ColourScheme = (typeof COLOUR_SCHEMES)[number];

const KEPT = 'rain.console.colour-scheme';

export function rememberedColourScheme(): ColourScheme {
  const kept = localStorage.getItem(KEPT);
  return COLOUR_SCHEMES.find((scheme) => scheme === kept) ?? 'auto';
}

/** `auto` follows the system. */
export function applyColourScheme(scheme: ColourScheme = rememberedColourScheme()): void {
  localStorage.setItem(KEPT, scheme);
  document.documentElement.dataset['colourScheme'] = scheme;
}
