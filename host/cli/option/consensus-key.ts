import { LockstepError } from '../../base/error.ts'

function keyText(text: string): string {
  if (!text.trimStart().startsWith('{')) return text.trim()
  const { key, value } = JSON.parse(text) as { readonly key?: string; readonly value?: string }
  return key ?? value ?? ''
}

/** Parses a 32-byte ed25519 key as `show-validator` prints it, or in base64 or hex; undefined for any other text. */
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

/** Parses the key of an argument. @throws INVALID_ARGUMENT naming it */
export function parseConsensusKey(text: string, name: string): Uint8Array {
  const key = readConsensusKey(text)
  if (key !== undefined) return key
  throw new LockstepError('INVALID_ARGUMENT', `${name}: "${text}" is not a consensus key`, {
    hint: 'give the output of `lockstep consensus show-validator`, or its key in base64 or hex',
  })
}
