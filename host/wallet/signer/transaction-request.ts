import { bytesToBigint, EMPTY_BYTES, equalBytes } from '../../base/bytes.ts'
import { lookup } from '../../base/lookup.ts'
import type { AccessListEntry, Authorization } from '../../evm/chain-types/transaction.ts'
import type { UnsignedTransaction } from '../../evm/chain-types/transaction-codec.ts'
import type { OpenPart } from '../policy/decision.ts'
import {
  type Body,
  invalidBody,
  readAddress,
  readArrayMember,
  readBytesMember,
  readCaip2,
  readIntegerMember,
  readObjectMember,
  readOptionalInteger,
  requireKnownBodyMembers,
} from './body.ts'
import type { FilledTransaction } from './signer-link.ts'

const MEMBERS = [
  'to',
  'from',
  'value',
  'data',
  'nonce',
  'chain_id',
  'type',
  'gas_limit',
  'gas_price',
  'max_fee_per_gas',
  'max_priority_fee_per_gas',
  'access_list',
  'authorization_list',
]

/** Within what the engine's memory and the pool of any node can hold. */
const MAX_LIST = 1_000

type SignedType = 0 | 1 | 2 | 4

interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/**
 * Returns the requested transaction. Omitted fields come from `filled`.
 * @param wallet 20 bytes
 * @throws WalletError invalid_data if the request contradicts itself or `filled`
 */
export function readTransaction(
  body: Body,
  wallet: Uint8Array,
  filled: Partial<FilledTransaction> | undefined,
): UnsignedTransaction {
  const params = readObjectMember(body.params, 'params')
  requireKnownBodyMembers(params, ['transaction'], 'params')
  const asked = readObjectMember(params.transaction, 'params.transaction')
  requireKnownBodyMembers(asked, MEMBERS, 'params.transaction')
  const from = asked.from ?? undefined
  if (from !== undefined && !equalBytes(readAddress(from, 'from'), wallet)) {
    throw invalidBody('from is not the address of the wallet: leave it out')
  }
  const chainId = chainOf(body, asked, filled)
  const authorizations = readAuthorizations(asked.authorization_list)
  const accessList = readAccessList(asked.access_list)
  const type = typeOf(asked, filled)
  const to = asked.to ?? undefined
  if (type === 0 && accessList.length > 0)
    throw invalidBody('access_list: a legacy transaction has none')
  if (type !== 4 && asked.authorization_list !== undefined) {
    throw invalidBody('authorization_list: only a transaction of type 4 has one')
  }
  if (type === 4 && (to === undefined || authorizations.length === 0)) {
    throw invalidBody('a transaction of type 4 needs a recipient and at least one authorization')
  }
  return {
    type,
    chainId,
    nonce: agreed('nonce', readOptionalInteger(asked.nonce, 'nonce', 64), filled?.nonce),
    gas: agreed('gas_limit', readOptionalInteger(asked.gas_limit, 'gas_limit', 64), filled?.gas),
    ...feesOf(type, asked, filled),
    to: to === undefined ? undefined : readAddress(to, 'to'),
    value: readOptionalInteger(asked.value, 'value') ?? 0n,
    data:
      asked.data === undefined || asked.data === null
        ? EMPTY_BYTES
        : readBytesMember(asked.data, 'data'),
    accessList,
    authorizations,
    maxFeePerBlobGas: 0n,
    blobHashes: [],
  }
}

type Filling = { -readonly [Name in keyof FilledTransaction]?: FilledTransaction[Name] }

/** Values for omitted fields, and which of them are placeholders for unknown ones. */
export interface OpenFilling {
  readonly filled: Partial<FilledTransaction>
  readonly open: readonly OpenPart[]
}

/** Fills omitted fields of a transaction with known values or placeholders. @throws WalletError invalid_data */
export function fillOpen(asked: Body, known: Partial<FilledTransaction>): OpenFilling {
  const open: OpenPart[] = ['simulation']
  const filled: Filling = {}
  const fill = (name: keyof Fillable, member: string, standing: bigint, part?: OpenPart) => {
    if ((lookup(asked, member) ?? undefined) !== undefined) return
    filled[name] = known[name] ?? standing
    if (known[name] === undefined && part !== undefined) open.push(part)
  }
  fill('nonce', 'nonce', 0n, 'nonce')
  fill('gas', 'gas_limit', 0n, 'gas')
  if (typeOf(asked, known) < 2) {
    fill('gasPrice', 'gas_price', 0n, 'fees')
  } else {
    const tip = readOptionalInteger(asked.max_priority_fee_per_gas, 'max_priority_fee_per_gas')
    fill('maxFeePerGas', 'max_fee_per_gas', tip ?? 0n, 'fees')
    fill('maxPriorityFeePerGas', 'max_priority_fee_per_gas', 0n)
  }
  return { filled, open }
}

type Fillable = Omit<FilledTransaction, 'chainId' | 'simulation'>

/** Fills omitted fees of a replacement with at least those before. @throws WalletError invalid_data */
export function fillReplacement(
  { type, maxFeePerGas, maxPriorityFeePerGas }: UnsignedTransaction,
  asked: Body,
): OpenFilling {
  const names = (member: string) => (lookup(asked, member) ?? undefined) !== undefined
  if (type < 2) {
    return names('gas_price')
      ? { filled: {}, open: [] }
      : { filled: { gasPrice: maxFeePerGas }, open: ['fees'] }
  }
  const tip = readOptionalInteger(asked.max_priority_fee_per_gas, 'max_priority_fee_per_gas') ?? 0n
  const least = tip > maxFeePerGas ? tip : maxFeePerGas
  return {
    filled: {
      ...(!names('max_fee_per_gas') && { maxFeePerGas: least }),
      ...(!names('max_priority_fee_per_gas') && { maxPriorityFeePerGas }),
    },
    open: names('max_fee_per_gas') ? [] : ['fees'],
  }
}

/** Returns a signed transaction with new fees, which must not be lower. @throws WalletError invalid_data */
export function readReplacement(
  before: UnsignedTransaction,
  body: Body,
  filled: Partial<FilledTransaction> | undefined,
): UnsignedTransaction {
  agreed('chain_id', before.chainId, filled?.chainId)
  agreed('nonce', before.nonce, filled?.nonce)
  agreed('gas_limit', before.gas, filled?.gas)
  const { maxFeePerGas, maxPriorityFeePerGas } = feesOf(before.type as SignedType, body, filled)
  if (maxFeePerGas < before.maxFeePerGas || maxPriorityFeePerGas < before.maxPriorityFeePerGas) {
    throw invalidBody('a replacement must not offer less than what it replaces')
  }
  const { type, chainId, nonce, gas, to, value, data, accessList, authorizations } = before
  return {
    type,
    chainId,
    nonce,
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas,
    to,
    value,
    data,
    accessList,
    authorizations,
    maxFeePerBlobGas: 0n,
    blobHashes: [],
  }
}

/** The request must name the chain: a chain chosen by another party would let one signature serve on any chain. */
function chainOf(body: Body, asked: Body, filled: Partial<FilledTransaction> | undefined): bigint {
  const caip2 = readCaip2(body.caip2)
  const chainId = readOptionalInteger(asked.chain_id, 'chain_id')
  if (caip2 !== undefined && chainId !== undefined && caip2 !== chainId) {
    throw invalidBody(`chain_id is ${chainId}, but caip2 is eip155:${caip2}: give the same chain`)
  }
  const named = caip2 ?? chainId
  if (named === undefined) throw invalidBody('the request has no chain: give caip2 or chain_id')
  if (named === 0n) throw invalidBody('chain_id is 0: give the id of a chain')
  return agreed('chain_id', named, filled?.chainId)
}

function agreed(name: string, asked: bigint | undefined, filled: bigint | undefined): bigint {
  if (asked !== undefined && filled !== undefined && asked !== filled) {
    throw invalidBody(`${name} is ${asked} in the request, but was filled with ${filled}`)
  }
  const value = asked ?? filled
  if (value === undefined) throw invalidBody(`${name} is open and was not filled`)
  return value
}

function typeOf(asked: Body, filled: Partial<FilledTransaction> | undefined): SignedType {
  const type = asked.type ?? undefined
  if (type !== undefined) {
    const named = readIntegerMember(type, 'type', 8)
    if (![0n, 1n, 2n, 4n].includes(named)) throw invalidBody(`type is ${named}: give 0, 1, 2 or 4`)
    return Number(named) as SignedType
  }
  if (asked.authorization_list !== undefined) return 4
  const priced = asked.gas_price !== undefined || filled?.gasPrice !== undefined
  const capped = asked.max_fee_per_gas !== undefined || asked.max_priority_fee_per_gas !== undefined
  if (!priced || capped) return 2
  return asked.access_list === undefined ? 0 : 1
}

function feesOf(
  type: SignedType,
  asked: Body,
  filled: Partial<FilledTransaction> | undefined,
): Fees {
  const price = readOptionalInteger(asked.gas_price, 'gas_price')
  const cap = readOptionalInteger(asked.max_fee_per_gas, 'max_fee_per_gas')
  const tip = readOptionalInteger(asked.max_priority_fee_per_gas, 'max_priority_fee_per_gas')
  if (type === 0 || type === 1) {
    if (cap !== undefined || tip !== undefined) {
      throw invalidBody(`a transaction of type ${type} has gas_price instead of fees per gas`)
    }
    const gasPrice = agreed('gas_price', price, filled?.gasPrice)
    return { maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice }
  }
  if (price !== undefined) {
    throw invalidBody(`gas_price: a transaction of type ${type} has max_fee_per_gas instead`)
  }
  const fees = {
    maxFeePerGas: agreed('max_fee_per_gas', cap, filled?.maxFeePerGas),
    maxPriorityFeePerGas: agreed('max_priority_fee_per_gas', tip, filled?.maxPriorityFeePerGas),
  }
  if (fees.maxPriorityFeePerGas > fees.maxFeePerGas) {
    throw invalidBody('max_priority_fee_per_gas is more than max_fee_per_gas')
  }
  return fees
}

function readAccessList(value: unknown): AccessListEntry[] {
  if (value === undefined || value === null) return []
  return readArrayMember(value, 'access_list', MAX_LIST).map((entry, at) => {
    const name = `access_list[${at}]`
    const { address, storage_keys: keys, ...rest } = readObjectMember(entry, name)
    requireKnownBodyMembers(rest, [], name)
    return {
      address: readAddress(address, `${name}.address`),
      storageKeys: readArrayMember(keys, `${name}.storage_keys`, MAX_LIST).map((key) =>
        readBytesMember(key, `${name}.storage_keys`, 32),
      ),
    }
  })
}

function readAuthorizations(value: unknown): Authorization[] {
  if (value === undefined || value === null) return []
  return readArrayMember(value, 'authorization_list', MAX_LIST).map((entry, at) => {
    const name = `authorization_list[${at}]`
    const { chain_id, contract, nonce, y_parity, r, s, ...rest } = readObjectMember(entry, name)
    requireKnownBodyMembers(rest, [], name)
    return {
      chainId: readIntegerMember(chain_id, `${name}.chain_id`),
      address: readAddress(contract, `${name}.contract`),
      nonce: readIntegerMember(nonce, `${name}.nonce`, 64),
      yParity: readIntegerMember(y_parity, `${name}.y_parity`, 8),
      r: readWord(r, `${name}.r`),
      s: readWord(s, `${name}.s`),
    }
  })
}

/** Parses 32 bytes, or a quantity as wallets write it. */
function readWord(value: unknown, name: string): bigint {
  if (typeof value === 'string' && value.length === 66)
    return bytesToBigint(readBytesMember(value, name, 32))
  return readIntegerMember(value, name)
}
