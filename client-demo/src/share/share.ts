import { element } from '../page.ts';
import type { Words } from '../words/en.ts';
import type { ShareCard } from './share-card.ts';

const FILE = 'red-packet.png';

interface ShareOptions {
  words: Words;
  /** @returns `undefined` while there is no win */
  card: () => ShareCard | undefined;
  onResult: (isDone: boolean) => void;
}

/** The button that makes a picture of a win and hands it to the device's own menu, or saves it. */
export function offerShare({ words, card, onResult }: ShareOptions): void {
  const button = element<HTMLButtonElement>('.share');
  button.textContent = words.share.button;
  let isBusy = false;
  const share = async (): Promise<void> => {
    const shown = card();
    if (!shown || isBusy) return;
    isBusy = true;
    try {
      const { drawShareCard } = await import('./share-card.ts');
      await give(new File([await drawShareCard(shown)], FILE, { type: 'image/png' }));
      onResult(true);
    } catch {
      onResult(false);
    }
    isBusy = false;
  };
  button.addEventListener('click', () => void share());
}

async function give(file: File): Promise<void> {
  if (navigator.canShare?.({ files: [file] })) {
    try {
      return await navigator.share({ files: [file] });
    } catch (error) {
      // The player closed the menu.
      if (error instanceof DOMException && error.name === 'AbortError') return;
    }
  }
  save(file);
}

function save(file: File): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
