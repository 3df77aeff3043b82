/** A browser may begin to save a file only after the click was handled. */
const SAVED_MS = 10_000;

/** Lets the browser save a file that was made in the page, or came as the answer to a POST. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SAVED_MS);
}
