import { BUTTON_TEXT, DEFAULT_COLOURS, PAGE_TEXT, type ThemeColours } from '../../../../src/rain/theme.ts';
import type { Theme } from '../../state/responses.ts';
import { useWords } from '../../words/language.ts';
import { usePicture } from './usePicture.ts';
import { WORDS } from './words.ts';

/** Packets of the picture, each at a place of its own. */
const PACKETS = 6;

/** A phone that shows this look, as the player's page would: the sponsor and the music are those of the hall. */
export function Phone({ colours, files }: { colours: ThemeColours; files: Theme['files'] }) {
  const { words } = useWords(WORDS);
  const { background, packet, accent } = { ...DEFAULT_COLOURS, ...colours };
  const [logo, onPacket, behind] = [
    usePicture(files.logo?.url),
    usePicture(files.packet?.url),
    usePicture(files.background?.url),
  ];
  const image = (address: string | undefined) => (address === undefined ? 'none' : `url("${address}")`);
  const look = {
    '--theme-background': background,
    '--theme-packet': packet,
    '--theme-accent': accent,
    '--theme-text': PAGE_TEXT,
    '--theme-button-text': BUTTON_TEXT,
    '--theme-background-image': image(behind),
    '--theme-packet-image': image(onPacket),
  };
  return (
    <div class="theme-phone" role="img" aria-label={words.previewTold} style={look} data-testid="theme-phone">
      <div class="theme-screen" aria-hidden="true">
        {Array.from({ length: PACKETS }, (_, i) => (
          <i key={i} class={onPacket === undefined ? 'theme-packet' : 'theme-packet pictured'} />
        ))}
        {logo !== undefined && <img class="theme-logo" src={logo} alt="" />}
        <b class="theme-title">{words.sampleTitle}</b>
        <span>{words.sampleBlessing}</span>
        <span class="theme-grab">{words.sampleGrab}</span>
      </div>
    </div>
  );
}
