import { bytesKey, concatBytes, EMPTY_BYTES } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatData, hexDigits } from '../../../base/hex.ts'
import { requireLength, unwritable } from '../../../base/writable.ts'
import { ACCOUNT_RECORD } from '../../state/account.ts'
import { noReads, type RecordedReads, slotKey } from '../../state/recorded-state.ts'
import { digitsOf } from './bundle-hex.ts'
import { JsonMember } from './bundle-json.ts'

// Key prefixes of Sei's modules `evm` and `bank`, under which debug_traceStateAccess lists its reads.

const SLOT = 0x03
const CODE = 0x07
const CODE_HASH = 0x08
const NONCE = 0x0a
/** Key prefix of a balance: 0x02 and the address length. The address follows. */
const BALANCE = [0x02, 0x14] as const

const ADDRESS_BYTES = 20
const ACCOUNT_KEY = 1 + ADDRESS_BYTES
const SLOT_KEY = ACCOUNT_KEY + 32
const BALANCE_KEY = 2 + ADDRESS_BYTES

/** Reads of one module: values by key, and keys whose existence was checked. */
export interface ModuleReads {
  readonly reads: Readonly<Record<string, string>>
  readonly has: readonly string[]
}

/** `app.modules` of debug_traceStateAccess: hex without 0x, with an empty string for an absent value. */
export interface ModulesDocument {
  readonly evm: ModuleReads
  readonly bank: ModuleReads
}

function keyOf(prefix: number, ...parts: readonly Uint8Array[]): string {
  return hexDigits(concatBytes([Uint8Array.of(prefix), ...parts]))
}

/** Returns recorded reads under the modules' keys. `has` lists the accounts known to have storage. */
export function encodeReads({ accounts, slots, codes }: RecordedReads): ModulesDocument {
  const evm: Record<string, string> = {}
  const has: string[] = []
  const bank: Record<string, string> = {}
  const owners = new Map<string, Uint8Array>()
  for (const { address, record = EMPTY_BYTES } of accounts.values()) {
    requireAccount(address, record)
    const codeHash = record.subarray(40, ACCOUNT_RECORD)
    evm[keyOf(NONCE, address)] = hexDigits(record.subarray(0, 8))
    evm[keyOf(CODE_HASH, address)] = hexDigits(codeHash)
    bank[hexDigits(concatBytes([Uint8Array.from(BALANCE), address]))] = hexDigits(
      record.subarray(8, 40),
    )
    if (record.length > ACCOUNT_RECORD) has.push(keyOf(SLOT, address))
    if (!owners.has(bytesKey(codeHash))) owners.set(bytesKey(codeHash), address)
  }
  for (const { codeHash, code } of codes.values()) {
    const owner = owners.get(bytesKey(codeHash))
    if (owner === undefined) {
      const text = `code of hash ${formatData(codeHash)} was read, but no account that has it`
      throw new LockstepError('ENGINE_FAULT', text)
    }
    evm[keyOf(CODE, owner)] = hexDigits(code)
  }
  for (const { address, slot, value = EMPTY_BYTES } of slots.values()) {
    requireLength(address, ADDRESS_BYTES, 'an address')
    requireLength(slot, 32, 'a slot')
    evm[keyOf(SLOT, address, slot)] = value.length === 0 ? '' : digitsOf(value, 32, 'a value')
  }
  return { evm: { reads: evm, has }, bank: { reads: bank, has: [] } }
}

/**
 * @throws INVALID_ARGUMENT unless the record is empty or an account record, with a final byte 1 if the account has
 * storage
 */
function requireAccount(address: Uint8Array, record: Uint8Array): void {
  requireLength(address, ADDRESS_BYTES, 'an address')
  const more = record.length - ACCOUNT_RECORD
  if (record.length === 0 || more === 0 || (more === 1 && record[ACCOUNT_RECORD] === 1)) return
  throw unwritable('the record of an account', `${record.length} bytes, want ${ACCOUNT_RECORD}`)
}

/** The parts of an account that were read, with its address. */
interface AccountParts {
  readonly address: Uint8Array
  readonly nonce: JsonMember
  readonly codeHash: JsonMember
  readonly balance: JsonMember
  readonly code: JsonMember
  hasStorage: boolean
}

function keyBytes(key: JsonMember): Uint8Array {
  const text = key.text()
  const bytes = key.digits()
  // Each key has one valid spelling: two spellings could hold different values.
  if (text !== text.toLowerCase()) throw key.wants('lower-case hex digits')
  return bytes
}

/** Indexes the account parts by address from their keys. */
class AccountIndex {
  readonly #evm: JsonMember
  readonly #bank: JsonMember
  readonly #parts = new Map<string, AccountParts>()

  constructor(evm: JsonMember, bank: JsonMember) {
    this.#evm = evm
    this.#bank = bank
  }

  of(address: Uint8Array): AccountParts {
    const known = this.#parts.get(bytesKey(address))
    if (known !== undefined) return known
    const parts: AccountParts = {
      address,
      nonce: this.#evm.at(keyOf(NONCE, address)),
      codeHash: this.#evm.at(keyOf(CODE_HASH, address)),
      balance: this.#bank.at(hexDigits(concatBytes([Uint8Array.from(BALANCE), address]))),
      code: this.#evm.at(keyOf(CODE, address)),
      hasStorage: false,
    }
    this.#parts.set(bytesKey(address), parts)
    return parts
  }

  all(): Iterable<AccountParts> {
    return this.#parts.values()
  }
}

/** Returns the record of an account; undefined if all parts are empty. */
function recordOf({ nonce, codeHash, balance, hasStorage }: AccountParts): Uint8Array | undefined {
  const parts = [nonce.digits([8, 0]), balance.digits([32, 0]), codeHash.digits([32, 0])]
  if (parts.every(({ length }) => length === 0)) return undefined
  if (parts.some(({ length }) => length === 0)) {
    throw nonce.wants('nonce, code hash and balance of an account all given or all empty')
  }
  // A final byte 1 means that the account has storage (EIP-7610).
  return concatBytes(hasStorage ? [...parts, Uint8Array.of(1)] : parts)
}

/**
 * Decodes the reads in `app.modules`. Block hashes are stored elsewhere.
 * @throws BUNDLE_INVALID
 */
export function decodeReads(modules: JsonMember): RecordedReads {
  const reads = noReads()
  const evm = modules.at('evm').at('reads')
  const bank = modules.at('bank').at('reads')
  const index = new AccountIndex(evm, bank)
  for (const [name, value] of evm.entries()) {
    const key = keyBytes(new JsonMember(name, 'app.modules.evm.reads'))
    const address = key.subarray(1, ACCOUNT_KEY)
    if (key[0] === SLOT && key.length === SLOT_KEY) {
      const slot = key.subarray(ACCOUNT_KEY)
      const bytes = value.digits([32, 0])
      reads.slots.set(slotKey(address, slot), {
        address,
        slot,
        ...(bytes.length > 0 && { value: bytes }),
      })
    } else if (isAccountKey(key)) {
      index.of(address)
    } else {
      throw new JsonMember(name, 'app.modules.evm.reads').wants(
        'a key of 0a, 08 or 07 and an address, or of 03, an address and a slot',
      )
    }
  }
  for (const [name] of bank.entries()) {
    const member = new JsonMember(name, 'app.modules.bank.reads')
    const key = keyBytes(member)
    if (key[0] !== BALANCE[0] || key[1] !== BALANCE[1] || key.length !== BALANCE_KEY) {
      throw member.wants('a key of 0214 and an address')
    }
    index.of(key.subarray(2))
  }
  for (const item of modules.at('evm').at('has').items()) {
    const key = keyBytes(item)
    if (key[0] !== SLOT || key.length !== ACCOUNT_KEY) throw item.wants('03 and an address')
    index.of(key.subarray(1)).hasStorage = true
  }
  for (const parts of index.all()) {
    const { address } = parts
    const record = recordOf(parts)
    reads.accounts.set(bytesKey(address), { address, ...(record !== undefined && { record }) })
    if (parts.code.isAbsent) continue
    if (record === undefined) throw parts.code.wants('no code if the account does not exist')
    const codeHash = record.slice(40, ACCOUNT_RECORD)
    reads.codes.set(bytesKey(codeHash), { codeHash, code: parts.code.digits() })
  }
  return reads
}

function isAccountKey(key: Uint8Array): boolean {
  const [prefix] = key
  return key.length === ACCOUNT_KEY && (prefix === NONCE || prefix === CODE_HASH || prefix === CODE)
}
