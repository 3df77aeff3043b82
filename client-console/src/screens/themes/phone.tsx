import { BUTTON_TEXT, DEFAULT_COLOURS, PAGE_TEXT, type ThemeColours } from '../../../../src/rain/theme.ts';
import { ApiClient } from '../../state/request.ts';
import type { Theme } from '../../state/responses.ts';
import { useWords } from '../../words/language.ts';
import { WORDS } from './words.ts';

/** Packets of the picture, each at a place of its own. */
const PACKETS = 6;

/** A phone that shows this look, as the player's page would. */
export function Phone({ colours, files }: { colours: ThemeColours; files: Theme['files'] }) {
  const { words } = useWords(WORDS);
  const { background, packet, accent } = { ...DEFAULT_COLOURS, ...colours };
  const picture = (file: Theme['files']['logo']) => (file ? `url("${ApiClient.fileAddress(file.url)}")` : 'none');
  const look = {
    '--theme-background': background, '--theme-packet': packet, '--theme-accent': accent, '--theme-text': PAGE_TEXT, '--theme-button-text': BUTTON_TEXT,
    '--theme-background-image': picture(files.background), '--theme-packet-image': picture(files.packet),
  };
  return (
    <div class="theme-phone" role="img" aria-label={words.previewTold} style={look} data-testid="theme-phone">
      <div class="theme-screen" aria-hidden="true">
        {Array.from({ length: PACKETS }, (_, i) => <i key={i} class={files.packet ? 'theme-packet pictured' : 'theme-packet'} />)}
        {files.logo && <img class="theme-logo" src={ApiClient.fileAddress(files.logo.url)} alt="" />}
        <b class="theme-title">{words.sampleTitle}</b>
        <span>{words.sampleBlessing}</span>
        <span class="theme-grab">{words.sampleGrab}</span>
        {files.sponsor && <img class="theme-sponsor" src={ApiClient.fileAddress(files.sponsor.url)} alt="" />}
      </div>
    </div>
  );
}
