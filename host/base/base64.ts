import { LockstepError } from './error.ts'

/** Standard base64 with padding (RFC 4648, section 4). */
export function formatBase64(bytes: Uint8Array): string {
  let characters = ''
  for (const byte of bytes) characters += String.fromCharCode(byte)
  return btoa(characters)
}

/**
 * Decodes standard base64 with padding.
 * @throws INVALID_ARGUMENT on anything else, including white space and non-zero spare bits.
 */
export function parseBase64(text: string): Uint8Array {
  let characters: string
  try {
    characters = atob(text)
  } catch (cause) {
    throw new LockstepError('INVALID_ARGUMENT', `"${text}" is not base64`, { cause })
  }
  if (btoa(characters) !== text) {
    throw new LockstepError('INVALID_ARGUMENT', `"${text}" is not canonical base64`)
  }
  return Uint8Array.from(characters, (character) => character.charCodeAt(0))
}
