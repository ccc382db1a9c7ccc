import { bytesKey } from '../../../base/bytes.ts'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { type Hex, parseData } from '../../../base/hex.ts'
import { REVISIONS, type Revision } from '../../../evm/chain-types/revision.ts'

/** The changes to a transaction before it runs again. Members left out stay unchanged. */
export interface Changes {
  readonly transaction?: TransactionChanges
  /** Changes to the state before the transaction. */
  readonly accounts?: readonly AccountEdit[]
  readonly block?: BlockChanges
}

export interface TransactionChanges {
  readonly from?: Hex
  /** Null for a contract creation. */
  readonly to?: Hex | null
  readonly nonce?: bigint
  /** Gas limit. */
  readonly gas?: bigint
  /** Wei. */
  readonly value?: bigint
  readonly input?: Hex
  /** Wei; both are the gas price for transactions of type 0 or 1. */
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
}

export interface AccountEdit {
  readonly address: Hex
  /** Wei. */
  readonly balance?: bigint
  readonly nonce?: bigint
  readonly code?: Hex
  /** Values by slot, 32 bytes each; the other slots stay. */
  readonly slots?: Readonly<Record<Hex, Hex>>
}

export interface BlockChanges {
  readonly number?: number
  /** Seconds since 1970. */
  readonly timestamp?: bigint
  readonly gasLimit?: bigint
  /** Wei. */
  readonly baseFee?: bigint
  readonly blobBaseFee?: bigint
  readonly coinbase?: Hex
  /** PREVRANDAO, or DIFFICULTY before Paris; 32 bytes. */
  readonly prevRandao?: Hex
  readonly revision?: Revision
}

/** Changes of an account in bytes. */
export interface EditedAccount {
  readonly address: Uint8Array
  readonly balance: bigint | undefined
  readonly nonce: bigint | undefined
  readonly code: Uint8Array | undefined
  /** By `bytesKey` of the slot. */
  readonly slots: ReadonlyMap<string, Uint8Array>
}

function wants(name: string, rule: string, got: unknown): LockstepError {
  const shown = typeof got === 'bigint' ? String(got) : JSON.stringify(got)
  return new LockstepError('INVALID_ARGUMENT', `${name}: want ${rule}, got ${shown}`)
}

/** @throws INVALID_ARGUMENT naming the member */
export function bytesOf(name: string, value: Hex, length?: number): Uint8Array {
  const size = length === undefined ? '' : ` of ${length} bytes`
  const rule = `0x and hex digits${size}`
  let bytes: Uint8Array
  try {
    bytes = parseData(value)
  } catch (thrown) {
    throw wants(name, `${rule} (${messageOf(thrown)})`, value)
  }
  if (length !== undefined && bytes.length !== length) throw wants(name, rule, value)
  return bytes
}

/** @throws INVALID_ARGUMENT naming the member */
export function uintOf(name: string, value: bigint, bits: number): bigint {
  if (typeof value === 'bigint' && value >= 0n && value >> BigInt(bits) === 0n) return value
  throw wants(name, `a bigint of at most ${bits} bits`, value)
}

/** @throws INVALID_ARGUMENT naming the member */
export function blockNumberOf(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw wants(name, 'a non-negative integer', value)
}

/** @throws INVALID_ARGUMENT naming the member */
export function revisionOf(name: string, value: Revision): Revision {
  if (REVISIONS.includes(value)) return value
  throw wants(name, `one of ${REVISIONS.join(', ')}`, value)
}

/**
 * Returns the accounts by `bytesKey` of their addresses.
 * @throws INVALID_ARGUMENT naming the member, or if an account is given twice
 */
export function editedAccounts(edits: readonly AccountEdit[]): Map<string, EditedAccount> {
  const accounts = new Map<string, EditedAccount>()
  for (const [at, edit] of edits.entries()) {
    const name = `accounts[${at}]`
    const address = bytesOf(`${name}.address`, edit.address, 20)
    const key = bytesKey(address)
    if (accounts.has(key)) throw wants(`${name}.address`, 'each account once', edit.address)
    const { balance, nonce, code, slots = {} } = edit
    accounts.set(key, {
      address,
      balance: balance === undefined ? undefined : uintOf(`${name}.balance`, balance, 256),
      nonce: nonce === undefined ? undefined : uintOf(`${name}.nonce`, nonce, 64),
      code: code === undefined ? undefined : bytesOf(`${name}.code`, code),
      slots: new Map(
        Object.entries(slots).map(([slot, value]) => [
          bytesKey(bytesOf(`${name}.slots`, slot as Hex, 32)),
          bytesOf(`${name}.slots.${slot}`, value, 32),
        ]),
      ),
    })
  }
  return accounts
}
