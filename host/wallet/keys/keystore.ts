import { createCipheriv, pbkdf2Sync, randomBytes, randomUUID } from 'node:crypto'
import { scrypt } from '@noble/hashes/scrypt.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { concatBytes, equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { formatData, hexDigits } from '../../base/hex.ts'
import { lookup } from '../../base/lookup.ts'
import { type AccountKey, keyFromSecret } from '../../evm/chain-types/account-key.ts'

// Web3 secret storage, version 3: the keystore format of geth, Foundry, ethers and others.

/** Cost of one scrypt derivation: n * r * 128 bytes of memory, p times. */
export interface ScryptCost {
  readonly n: number
  readonly r: number
  readonly p: number
}

/** geth's standard: 256 MB and about a second. */
export const STANDARD_COST: ScryptCost = { n: 262_144, r: 8, p: 1 }

/** geth's --lightkdf: 4 MB and a tenth of a second. */
export const LIGHT_COST: ScryptCost = { n: 4_096, r: 8, p: 6 }

/** Upper bounds for the key derivation: a hostile file could ask for any cost. */
const MAX_MEMORY = 1 << 29
const MAX_PASSES = 64
const MAX_ITERATIONS = 10_000_000

const CIPHER = 'aes-128-ctr'
const IV_LENGTH = 16
const SALT_LENGTH = 32
const DERIVED_LENGTH = 32

type Members = Readonly<Record<string, unknown>>

/** Noble is as fast as node:crypto, which rejects costs that other writers choose (n of 2^(16r) and more). */
function deriveScrypt(passphrase: string, salt: Uint8Array, { n, r, p }: ScryptCost): Uint8Array {
  return scrypt(passphrase, salt, { N: n, r, p, dkLen: DERIVED_LENGTH })
}

function invalid(problem: string): LockstepError {
  return new LockstepError('KEYSTORE_INVALID', `the keystore ${problem}`)
}

/** The MAC uses the second half of the derived key. */
function macOf(derived: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  return keccak_256(concatBytes([derived.subarray(16, 32), ciphertext]))
}

/** Encrypts or decrypts: the same operation in counter mode. */
function crypt(derived: Uint8Array, iv: Uint8Array, data: Uint8Array): Uint8Array {
  return createCipheriv(CIPHER, derived.subarray(0, 16), iv).update(data)
}

/** Returns the JSON of a keystore file. */
export function encryptKey(
  { secret, address }: AccountKey,
  passphrase: string,
  cost: ScryptCost = STANDARD_COST,
): string {
  const salt = randomBytes(SALT_LENGTH)
  const iv = randomBytes(IV_LENGTH)
  const derived = deriveScrypt(passphrase, salt, cost)
  const ciphertext = crypt(derived, iv, secret)
  const document = {
    address: hexDigits(address),
    crypto: {
      cipher: CIPHER,
      ciphertext: hexDigits(ciphertext),
      cipherparams: { iv: hexDigits(iv) },
      kdf: 'scrypt',
      kdfparams: { dklen: DERIVED_LENGTH, n: cost.n, p: cost.p, r: cost.r, salt: hexDigits(salt) },
      mac: hexDigits(macOf(derived, ciphertext)),
    },
    id: randomUUID(),
    version: 3,
  }
  return `${JSON.stringify(document)}\n`
}

function membersOf(value: unknown, path: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    // Older writers capitalise names: "Crypto".
    const entries = Object.entries(value).map(([name, member]) => [name.toLowerCase(), member])
    return Object.fromEntries(entries)
  }
  throw invalid(`has no ${path}`)
}

function hexMember(members: Members, name: string, length?: number): Uint8Array {
  const value = lookup(members, name)
  const [, digits] =
    typeof value === 'string' ? (/^(?:0x)?((?:[0-9a-f]{2})*)$/i.exec(value) ?? []) : []
  if (digits === undefined) throw invalid(`has no hex value ${name}`)
  const bytes = new Uint8Array(Buffer.from(digits, 'hex'))
  if (length !== undefined && bytes.length !== length) {
    throw invalid(`has a ${name} of ${bytes.length} bytes, not ${length}`)
  }
  return bytes
}

function integerMember(members: Members, name: string, least: number, most: number): number {
  const value = lookup(members, name)
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) {
    return value
  }
  throw invalid(`has ${name} = ${JSON.stringify(value)}, not an integer from ${least} to ${most}`)
}

function readCost(params: Members): ScryptCost {
  const r = integerMember(params, 'r', 1, 64)
  const p = integerMember(params, 'p', 1, MAX_PASSES)
  const n = integerMember(params, 'n', 2, MAX_MEMORY / (128 * r))
  if ((n & (n - 1)) !== 0) throw invalid(`has n = ${n}, which is not a power of two`)
  return { n, r, p }
}

function derive(crypto: Members, passphrase: string): Uint8Array {
  const params = membersOf(crypto.kdfparams, 'kdfparams')
  const salt = hexMember(params, 'salt')
  integerMember(params, 'dklen', DERIVED_LENGTH, DERIVED_LENGTH)
  if (crypto.kdf === 'scrypt') return deriveScrypt(passphrase, salt, readCost(params))
  if (crypto.kdf !== 'pbkdf2') throw invalid(`derives its key by ${JSON.stringify(crypto.kdf)}`)
  if (params.prf !== 'hmac-sha256') throw invalid(`has prf = ${JSON.stringify(params.prf)}`)
  const rounds = integerMember(params, 'c', 1, MAX_ITERATIONS)
  return pbkdf2Sync(passphrase, salt, rounds, DERIVED_LENGTH, 'sha256')
}

function parseKeystore(text: string): Members {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    // The parser's message is dropped: it quotes the input, which may be a secret.
    throw invalid('is not JSON')
  }
  const members = membersOf(document, 'members')
  if (members.version !== 3) throw invalid(`has version ${JSON.stringify(members.version)}, not 3`)
  return members
}

/** Returns the address that a keystore states in plain text, without a passphrase. @throws KEYSTORE_INVALID */
export function keystoreAddress(text: string): Uint8Array {
  const members = parseKeystore(text)
  membersOf(members.crypto, 'crypto')
  return hexMember(members, 'address', 20)
}

/**
 * Decrypts the key of a keystore file (scrypt or PBKDF2).
 * @throws KEYSTORE_INVALID with the name of the member
 * @throws PASSPHRASE_WRONG
 */
export function decryptKey(text: string, passphrase: string): AccountKey {
  const members = parseKeystore(text)
  const crypto = membersOf(members.crypto, 'crypto')
  if (crypto.cipher !== CIPHER) throw invalid(`has cipher ${JSON.stringify(crypto.cipher)}`)
  const iv = hexMember(membersOf(crypto.cipherparams, 'cipherparams'), 'iv', IV_LENGTH)
  const ciphertext = hexMember(crypto, 'ciphertext', 32)
  const mac = hexMember(crypto, 'mac', 32)
  const derived = derive(crypto, passphrase)
  if (!equalBytes(macOf(derived, ciphertext), mac)) {
    // Geth's message.
    throw new LockstepError('PASSPHRASE_WRONG', 'could not decrypt key with given password')
  }
  const key = keyFromSecret(crypt(derived, iv, ciphertext))
  // Foundry omits the address.
  if (
    members.address !== undefined &&
    !equalBytes(hexMember(members, 'address', 20), key.address)
  ) {
    throw invalid(
      `states ${members.address}, but its key has the address ${formatData(key.address)}`,
    )
  }
  return key
}
