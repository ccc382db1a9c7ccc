import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { argon2id } from '@noble/hashes/argon2.js'
import { LockstepError } from '../../base/error.ts'
import type { MasterSecret } from './master-secret.ts'

/** How a master key is derived from its secret. Not confidential. */
export type Derivation =
  | { readonly kind: 'key' }
  | {
      readonly kind: 'passphrase'
      readonly salt: Uint8Array
      /** Argon2id parameters (RFC 9106): KiB of memory, passes, lanes. */
      readonly memory: number
      readonly passes: number
      readonly lanes: number
    }

const KEY_BYTES = 32

/** The second recommendation of RFC 9106, 4, for little memory. Takes 0.8 s. */
export const ARGON2 = { memory: 65_536, passes: 3, lanes: 4 } as const

/** Upper bounds for parameters read from disk: higher ones were not written by this program. */
const MOST_MEMORY = 1 << 20
const MOST_PASSES = 64

/** Wraps the keys of wallets. */
export interface MasterKey {
  /** AES-256-GCM. */
  readonly wrapping: Uint8Array
  /** Identifies the key without revealing anything about it. */
  readonly check: Uint8Array
}

function secretKey({ kind, bytes }: MasterSecret, derivation: Derivation): Uint8Array | undefined {
  if (kind !== derivation.kind) return undefined
  if (derivation.kind === 'key') {
    if (bytes.length === KEY_BYTES) return Uint8Array.from(bytes)
    throw new LockstepError('MASTER_KEY_WRONG', `the master key has ${bytes.length} bytes, not 32`)
  }
  const { salt, memory, passes, lanes } = derivation
  if (memory > MOST_MEMORY || passes > MOST_PASSES) {
    throw new LockstepError('STORE_CORRUPTED', `argon2id with ${memory} KiB, ${passes} passes`)
  }
  return argon2id(bytes, salt, { m: memory, t: passes, p: lanes, dkLen: KEY_BYTES })
}

/** Returns the master key of a secret; undefined if the secret does not fit this derivation. */
export function deriveMasterKey(
  secret: MasterSecret,
  derivation: Derivation,
): MasterKey | undefined {
  const key = secretKey(secret, derivation)
  if (key === undefined) return undefined
  const part = (info: string) => new Uint8Array(hkdfSync('sha256', key, '', info, KEY_BYTES))
  const wrapping = part('lockstep wallets: wrapping key')
  const check = part('lockstep wallets: key check value')
  key.fill(0)
  return { wrapping, check }
}

export function isSameCheck(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right)
}

/** HMAC-SHA-256. */
export function macOf(key: Uint8Array, parts: readonly Uint8Array[]): Uint8Array {
  const mac = createHmac('sha256', key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}
