import { LockstepError } from '../../base/error.ts'

function keyText(text: string): string {
  if (!text.trimStart().startsWith('{')) return text.trim()
  const { key, value } = JSON.parse(text) as { readonly key?: string; readonly value?: string }
  return key ?? value ?? ''
}

/** An ed25519 key as `show-validator` prints it, in base64 or in hex: 32 bytes; undefined for any other text. */
export function readConsensusKey(text: string): Uint8Array | undefined {
  let digits: string
  try {
    digits = keyText(text)
  } catch {
    return undefined
  }
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(digits)) {
    return new Uint8Array(Buffer.from(digits.replace(/^0x/, ''), 'hex'))
  }
  return /^[A-Za-z0-9+/]{43}=$/.test(digits)
    ? new Uint8Array(Buffer.from(digits, 'base64'))
    : undefined
}

/** The key of an argument. @throws INVALID_ARGUMENT naming it */
export function parseConsensusKey(text: string, name: string): Uint8Array {
  const key = readConsensusKey(text)
  if (key !== undefined) return key
  throw new LockstepError('INVALID_ARGUMENT', `${name}: "${text}" is no consensus key`, {
    hint: 'give what `lockstep consensus show-validator` prints, or its key in base64 or hex',
  })
}
