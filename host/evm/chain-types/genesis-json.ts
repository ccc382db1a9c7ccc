import { compareBytes } from '../../base/bytes.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import { formatData, parseData, parseFixedData } from '../../base/hex.ts'
import type { GenesisAccount } from './genesis.ts'

/** Readers for the members of a genesis file, this node's own or geth's. */

export type GenesisObject = Readonly<Record<string, unknown>>

export const MAX_U64: bigint = 2n ** 64n - 1n
export const MAX_U256: bigint = 2n ** 256n - 1n

/** Returns the error for a member of genesis.json. */
export function invalidGenesis(path: string, problem: string): LockstepError {
  return new LockstepError('GENESIS_INVALID', `genesis.json: ${path} ${problem}`, {
    data: { path },
  })
}

/** Returns the result of `read`. If it throws, the error names the path. */
export function atGenesisPath<Result>(path: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (error instanceof LockstepError && error.code === 'GENESIS_INVALID') throw error
    throw invalidGenesis(path, `is invalid: ${messageOf(error)}`)
  }
}

export function readGenesisObject(value: unknown, path: string): GenesisObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidGenesis(path, 'must be an object')
  }
  return value as GenesisObject
}

/**
 * Returns an object of these members. @throws GENESIS_INVALID if two have the same name: one would overwrite the
 * other
 */
export function objectOf(
  path: string,
  members: readonly (readonly [name: string, value: unknown])[],
): GenesisObject {
  const object = Object.fromEntries(members)
  if (Object.keys(object).length !== members.length)
    throw invalidGenesis(path, 'contains the same key twice')
  return object
}

export function readGenesisArray(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw invalidGenesis(path, 'must be an array')
  return value
}

export function readGenesisString(value: unknown, path: string): string {
  if (typeof value !== 'string') throw invalidGenesis(path, 'must be a string')
  return value
}

/** Rejects members outside `known`: a misspelt one would silently take its default. */
export function requireKnownMembers(
  object: GenesisObject,
  path: string,
  known: readonly string[],
): void {
  for (const name of Object.keys(object)) {
    if (!known.includes(name)) throw invalidGenesis(`${path}.${name}`, 'is not a known member')
  }
}

/** Reads an integer: decimal or 0x hex in a string, or a JSON number if it is a safe integer. */
export function readGenesisInteger(value: unknown, path: string, max: bigint): bigint {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || !/^(0[xX][0-9a-fA-F]+|[0-9]+)$/.test(text)) {
    throw invalidGenesis(path, 'must be an integer: decimal or 0x hex digits in a string')
  }
  const integer = BigInt(text)
  if (integer > max) throw invalidGenesis(path, `is ${integer}, more than ${max}`)
  return integer
}

const SHARE_DIGITS = 18

/** Reads a decimal fraction such as 0.0075, in units of 10^-18. */
export function readGenesisShare(value: unknown, path: string): bigint {
  const match = /^(0|1)(?:\.([0-9]{1,18}))?$/.exec(readGenesisString(value, path))
  if (match === null)
    throw invalidGenesis(path, 'must be a decimal fraction from 0 to 1 in a string')
  const share = BigInt(`${match[1]}${(match[2] ?? '').padEnd(SHARE_DIGITS, '0')}`)
  if (share > 10n ** BigInt(SHARE_DIGITS)) throw invalidGenesis(path, 'is more than 1')
  return share
}

/** Formats a share in units of 10^-18 without trailing zeros. */
export function formatGenesisShare(share: bigint): string {
  const digits = share.toString().padStart(SHARE_DIGITS + 1, '0')
  const fraction = digits.slice(-SHARE_DIGITS).replace(/0+$/, '')
  const whole = digits.slice(0, -SHARE_DIGITS)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** Reads a duration in Cosmos notation, such as 1814400s, in seconds. */
export function readGenesisSeconds(value: unknown, path: string): number {
  const [, digits] = /^(\d{1,10})s$/.exec(readGenesisString(value, path)) ?? []
  if (digits === undefined) throw invalidGenesis(path, 'must be seconds such as "1814400s"')
  return Number(digits)
}

/** Parses a slot or its value. */
type WordReader = (text: string) => Uint8Array

const readWholeWord: WordReader = (text) => parseFixedData(text, 32)

/** Reads at most 32 bytes, padded on the left to 32, as geth does. */
export const readShortWord: WordReader = (text) => {
  const digits = text.startsWith('0x') ? text.slice(2) : text
  return parseFixedData(`0x${digits.padStart(64, '0')}`, 32)
}

function readAccount(
  key: string,
  value: unknown,
  path: string,
  readWord: WordReader,
): GenesisAccount {
  const object = readGenesisObject(value, path)
  requireKnownMembers(object, path, ['balance', 'nonce', 'code', 'storage'])
  const storage = Object.entries(readGenesisObject(object.storage ?? {}, `${path}.storage`))
  return {
    // geth writes alloc addresses without 0x, most tools with it.
    address: atGenesisPath(path, () => parseFixedData(key.startsWith('0x') ? key : `0x${key}`, 20)),
    balance: readGenesisInteger(object.balance ?? '0', `${path}.balance`, MAX_U256),
    nonce: readGenesisInteger(object.nonce ?? '0', `${path}.nonce`, MAX_U64),
    code: atGenesisPath(`${path}.code`, () =>
      parseData(readGenesisString(object.code ?? '0x', `${path}.code`)),
    ),
    storage: storage
      .map(([slot, word]) => {
        const slotPath = `${path}.storage["${slot}"]`
        return atGenesisPath(slotPath, () => ({
          slot: readWord(slot),
          value: readWord(readGenesisString(word, slotPath)),
        }))
      })
      .sort((a, b) => compareBytes(a.slot, b.slot)),
  }
}

/** Reads accounts sorted by address, with their slots sorted. */
export function readAlloc(
  value: unknown,
  path: string,
  readWord = readWholeWord,
): GenesisAccount[] {
  const accounts = Object.entries(readGenesisObject(value, path))
    .map(([key, account]) => readAccount(key, account, `${path}["${key}"]`, readWord))
    .sort((a, b) => compareBytes(a.address, b.address))
  for (let i = 1; i < accounts.length; i++) {
    const { address } = accounts[i] as GenesisAccount
    if (compareBytes(address, (accounts[i - 1] as GenesisAccount).address) === 0) {
      throw invalidGenesis(path, `names ${formatData(address)} twice`)
    }
  }
  return accounts
}

/**
 * Parses a genesis file. Integers too long for a JSON number, such as geth's total difficulties, become decimal
 * strings.
 */
export function parseGenesis(text: string): GenesisObject {
  const exact = text.replaceAll(/"(?:[^"\\]|\\.)*"|\b[0-9]{16,}\b/g, (token) =>
    token.startsWith('"') ? token : `"${token}"`,
  )
  try {
    return readGenesisObject(JSON.parse(exact), 'the document')
  } catch (error) {
    if (error instanceof LockstepError) throw error
    throw invalidGenesis('the document', `is not JSON: ${messageOf(error)}`)
  }
}
