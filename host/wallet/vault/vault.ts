import { randomBytes } from 'node:crypto'
import { LockstepError } from '../../base/error.ts'
import { formatData } from '../../base/hex.ts'
import { openBytes, sealBytes } from './sealed-bytes.ts'

/** A stored key. Everything is authenticated together with the wallet's id and address. */
export interface SealedKey {
  readonly version: 1
  /** The wallet's data key, wrapped by the master key: 12 bytes nonce, 32 ciphertext, 16 tag. */
  readonly wrapped: Uint8Array
  /** The secret, encrypted with the data key in the same form. */
  readonly sealed: Uint8Array
  /** Number of the master key that wraps it. */
  readonly masterKey: number
}

/** The wallet of a key: authenticated data of both layers. */
export interface KeyOwner {
  readonly walletId: string
  /** 20 bytes. */
  readonly address: Uint8Array
}

/** A master key with its number. */
export interface NumberedKey {
  readonly number: number
  /** AES-256-GCM. */
  readonly wrapping: Uint8Array
}

const DATA_KEY_BYTES = 32

/** Seals and opens the keys of wallets. Holds the master key while the signer runs. */
export class Vault {
  readonly #key: NumberedKey

  /** @param key owned by the vault: zeroed on close */
  constructor(key: NumberedKey) {
    this.#key = key
  }

  seal(secret: Uint8Array, owner: KeyOwner): SealedKey {
    const dataKey = randomBytes(DATA_KEY_BYTES)
    try {
      const sealed = sealBytes(dataKey, secret, boundTo('secret', owner))
      return { version: 1, sealed, ...wrap(dataKey, owner, this.#key) }
    } finally {
      dataKey.fill(0)
    }
  }

  /** Passes the 32 bytes to `use` and zeroes them afterwards. @throws STORE_CORRUPTED if they do not authenticate */
  open<T>(key: SealedKey, owner: KeyOwner, use: (secret: Uint8Array) => T): T {
    return this.#unwrap(key, owner, (dataKey) => {
      const secret = openBytes(dataKey, key.sealed, boundTo('secret', owner))
      if (secret === undefined) throw altered(owner, 'its key does not authenticate')
      try {
        return use(secret)
      } finally {
        secret.fill(0)
      }
    })
  }

  /** Returns the key wrapped by another master key. @throws STORE_CORRUPTED if it does not authenticate */
  rewrap(key: SealedKey, owner: KeyOwner, next: NumberedKey): SealedKey {
    // Only verified keys are rewrapped: the old master key is about to be discarded.
    this.open(key, owner, () => {})
    return this.#unwrap(key, owner, (dataKey) => ({ ...key, ...wrap(dataKey, owner, next) }))
  }

  close(): void {
    this.#key.wrapping.fill(0)
  }

  #unwrap<T>(key: SealedKey, owner: KeyOwner, use: (dataKey: Uint8Array) => T): T {
    const { number, wrapping } = this.#key
    if (key.version !== 1) throw altered(owner, `its key has version ${key.version}`)
    if (key.masterKey !== number) {
      throw altered(
        owner,
        `its key is wrapped by master key ${key.masterKey}, but ${number} is in use`,
      )
    }
    const dataKey = openBytes(wrapping, key.wrapped, boundTo(`data key ${number}`, owner))
    if (dataKey === undefined) throw altered(owner, 'its data key does not authenticate')
    try {
      return use(dataKey)
    } finally {
      dataKey.fill(0)
    }
  }
}

function wrap(
  dataKey: Uint8Array,
  owner: KeyOwner,
  { number, wrapping }: NumberedKey,
): Pick<SealedKey, 'wrapped' | 'masterKey'> {
  const wrapped = sealBytes(wrapping, dataKey, boundTo(`data key ${number}`, owner))
  return { wrapped, masterKey: number }
}

/** Returns the authenticated data as JSON, so that no two owners share it. */
function boundTo(what: string, { walletId, address }: KeyOwner): string {
  return JSON.stringify(['lockstep wallets', 1, what, walletId, formatData(address)])
}

function altered({ walletId }: KeyOwner, reason: string): LockstepError {
  return new LockstepError('STORE_CORRUPTED', `wallet ${walletId}: ${reason}`, {
    hint: 'its row was changed or damaged: restore signer.db from a backup of the same time',
  })
}
