/**
 * Whether this browser can tell of something while the page is in the background: only over https, or on this machine.
 */
export function mayNotify(): boolean {
  return isSecureContext && 'Notification' in globalThis && Notification.permission !== 'denied';
}

/** @param tag one notification of a tag is shown at a time */
export async function notify(title: string, body: string, tag: string): Promise<void> {
  const options = { body, tag, data: location.href };
  try {
    const worker = await navigator.serviceWorker?.getRegistration();
    // Phones show notifications of a service worker only.
    if (worker?.active) return await worker.showNotification(title, options);
    const notification = new Notification(title, options);
    notification.onclick = () => {
      focus();
      notification.close();
    };
  } catch {
    // The page goes on without.
  }
}
