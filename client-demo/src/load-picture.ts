/** Loads and decodes a picture. @param address relative to the page. @returns `undefined` if it cannot be shown */
export async function loadPicture(address: string): Promise<HTMLImageElement | undefined> {
  const picture = new Image();
  picture.decoding = 'async';
  // Taps and the connection come first.
  picture.fetchPriority = 'low';
  picture.src = address;
  try {
    await picture.decode();
    return picture;
  } catch {
    return undefined;
  }
}
