import { bigintToBytes, EMPTY_BYTES } from '../../host/base/bytes.ts'
import { formatData, parseData } from '../../host/base/hex.ts'
import { REVISIONS, type Revision } from '../../host/evm/chain-types/revision.ts'
import type { CommitHasher } from '../../host/storage/commit/hash/commit-hasher.ts'
import { type BlockHashReader, MerkleState } from '../support/chain/merkle-state.ts'

/** Parsers for the numbers, bytes, forks and states of the suites. */

export function parseNumber(text: string | number): bigint {
  if (typeof text === 'number') return BigInt(text)
  return text === '' || text === '0x' ? 0n : BigInt(text.replace('0x:bigint ', ''))
}

/** Parses hex with or without its prefix. */
export function parseBytes(text: string): Uint8Array {
  if (text === '') return EMPTY_BYTES
  return parseData(text.startsWith('0x') ? text : `0x${text}`)
}

/** Parses a number into 32 bytes. */
export function parseWord(text: string): Uint8Array {
  return bigintToBytes(parseNumber(text), 32)
}

const FORK_NAMES: Readonly<Record<string, Revision>> = {
  EIP150: 'TangerineWhistle',
  EIP158: 'SpuriousDragon',
  ConstantinopleFix: 'Petersburg',
  Merge: 'Paris',
}

/** Returns the revision of a fork's name in the suites, or undefined if the engine does not support it. */
export function revisionOf(fork: string): Revision | undefined {
  const name = FORK_NAMES[fork] ?? fork
  return REVISIONS.find((revision) => revision === name)
}

/** An account in the form that all suites share. */
export interface FixtureAccount {
  readonly nonce?: string
  readonly balance?: string
  readonly code?: string
  readonly storage?: Readonly<Record<string, string>>
}

export type FixtureState = Readonly<Record<string, FixtureAccount>>

/** Returns the state that an allocation describes. */
export function readState(
  allocation: FixtureState,
  hasher: CommitHasher,
  blockHash: BlockHashReader,
): MerkleState {
  const state = new MerkleState(hasher, blockHash)
  for (const [text, account] of Object.entries(allocation)) {
    const address = parseBytes(text)
    const code = parseBytes(account.code ?? '')
    const codeHash = hasher.keccak256(code)
    state.addCode(codeHash, code)
    const nonce = parseNumber(account.nonce ?? '')
    state.writeAccount(address, { nonce, balance: parseNumber(account.balance ?? ''), codeHash })
    const slots = Object.entries(account.storage ?? {})
    if (slots.length === 0) continue
    state.writeStorage(
      address,
      slots.map(([slot, value]) => [parseWord(slot), parseWord(value)]),
    )
  }
  return state
}

/** Returns the first difference of a state from the expected one, account by account and slot by slot. */
export function findDifference(
  state: MerkleState,
  expected: FixtureState,
  hasher: CommitHasher,
): string | undefined {
  const wanted = new Map(Object.entries(expected).map(([key, row]) => [key.toLowerCase(), row]))
  for (const { address, account, slots } of state.entries()) {
    const name = formatData(address)
    const row = wanted.get(name)
    if (row === undefined) return `account ${name}: expected none, got ${describe(account)}`
    wanted.delete(name)
    const codeHash = hasher.keccak256(parseBytes(row.code ?? ''))
    const want = { nonce: parseNumber(row.nonce ?? ''), balance: parseNumber(row.balance ?? '') }
    const got = describe(account)
    const wish = describe({ ...want, codeHash })
    if (got !== wish) return `account ${name}: expected ${wish}, got ${got}`
    const rest = new Map(
      Object.entries(row.storage ?? {}).map(([slot, value]) => [
        parseNumber(slot),
        parseNumber(value),
      ]),
    )
    for (const { slot, value } of slots) {
      const key = BigInt(formatData(slot))
      const number = BigInt(formatData(value))
      const wish = rest.get(key) ?? 0n
      rest.delete(key)
      if (number === wish) continue
      return `account ${name} slot 0x${key.toString(16)}: expected ${wish}, got ${number}`
    }
    for (const [slot, value] of rest) {
      if (value === 0n) continue
      return `account ${name} slot 0x${slot.toString(16)}: expected ${value}, got 0`
    }
  }
  for (const [name] of wanted) return `account ${name}: expected, got none`
  return undefined
}

function describe(account: {
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeHash: Uint8Array
}): string {
  const { nonce, balance, codeHash } = account
  return `nonce ${nonce} balance ${balance} code hash ${formatData(codeHash)}`
}

/** Returns one line for each account and slot, to report a state of which only the root is expected. */
export function describeState(state: MerkleState): string {
  const lines: string[] = []
  for (const { address, account, slots } of state.entries()) {
    lines.push(`${formatData(address)} ${describe(account)}`)
    for (const { slot, value } of slots) lines.push(`  ${formatData(slot)} = ${formatData(value)}`)
  }
  return lines.join('\n')
}
