import { hexDigits } from '../../base/hex.ts'

/** Returns upper-case hex digits without prefix. */
export function upperHex(bytes: Uint8Array): string {
  return hexDigits(bytes).toUpperCase()
}

function isPrintable(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte >= 0x20 && byte <= 0x7e)
}

function partText(bytes: Uint8Array): string {
  return isPrintable(bytes) ? Buffer.from(bytes).toString('latin1') : upperHex(bytes)
}

/** Formats a key as iaviewer does: the part before the first colon and the rest, each as text if it is text. */
export function iaviewerKeyText(key: Uint8Array): string {
  const colon = key.indexOf(0x3a)
  if (colon <= 0 || colon === key.length - 1) return partText(key)
  return `${partText(key.subarray(0, colon))}:${partText(key.subarray(colon + 1))}`
}
