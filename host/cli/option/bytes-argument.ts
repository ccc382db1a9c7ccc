import { LockstepError } from '../../base/error.ts'

/** Parses hex, with or without 0x; undefined if the text is not hex. */
export function readHexBytes(text: string): Uint8Array | undefined {
  const [, digits] = /^(?:0x)?((?:[0-9a-fA-F]{2})*)$/.exec(text) ?? []
  return digits === undefined ? undefined : new Uint8Array(Buffer.from(digits, 'hex'))
}

/** Parses the bytes of an argument. @throws INVALID_ARGUMENT naming it */
export function parseBytes(text: string, name: string): Uint8Array {
  const bytes = readHexBytes(text)
  if (bytes !== undefined) return bytes
  throw new LockstepError('INVALID_ARGUMENT', `${name}: "${text}" is not hex`, {
    hint: 'write it as 0x and two digits per byte',
  })
}
