/** SIGNING_SECRET as a list: the first secret signs, all of them verify. While a secret is replaced, there are two. */
export function signingSecrets(setting: string): string[] {
  return setting.split(',').map((secret) => secret.trim());
}
