/** User and password of a URL in a text: everything from the scheme to the last @ before the path. */
const CREDENTIALS = /\b([a-z][a-z0-9+.-]*:\/\/)[^/?#\s]*@/gi

/** Returns the text with its URLs, without their users and passwords. */
export function withoutCredentials(text: string): string {
  return text.replace(CREDENTIALS, '$1')
}
