import { formatQuantity, type Hex } from '../../base/hex.ts'
import { higherFee, lowerFee, raisedFee } from '../../client/transaction-sender/raised-fee.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { FilledTransaction } from '../signer/signer-link.ts'
import type { CallFields, ChainFees, EvmNode } from './evm-node.ts'
import type { PipelineTransactionBody, ReplacementFees, TransactionFields } from './pipeline.ts'

/** An estimate holds for the latest state only. A fifth more allows for changes until inclusion. */
const MARGIN_DIVISOR = 5n

/** A transfer to an account without code: needs no margin. */
const TRANSFER_GAS = 21_000n

const MAX_NONCE = 2n ** 52n

export type FilledFees = Pick<
  FilledTransaction,
  'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas'
>

const CAIP2 = /^eip155:([1-9][0-9]*)$/

function integerOf(value: Hex | number | undefined): bigint | undefined {
  return value === undefined ? undefined : BigInt(value)
}

/** Returns the chain of a transaction in CAIP-2. @throws WalletError invalid_data if none is given, or two differ */
export function requestedChain({ caip2, params }: PipelineTransactionBody): string {
  const { chain_id: named } = params.transaction
  if (caip2 === undefined && named === undefined) {
    throw new WalletError('invalid_data', 'no chain given: pass caip2 or transaction.chain_id')
  }
  const chain = caip2 ?? `eip155:${BigInt(named ?? 0)}`
  if (!CAIP2.test(chain))
    throw new WalletError('unsupported_chain', `${chain} is not an eip155 chain`)
  if (named !== undefined && chain !== `eip155:${BigInt(named)}`) {
    throw new WalletError(
      'invalid_data',
      `caip2 is ${chain}, but transaction.chain_id is ${BigInt(named)}: pass one of them`,
    )
  }
  return chain
}

export function requestedNonce({ nonce }: TransactionFields): number | undefined {
  if (nonce === undefined) return undefined
  const value = BigInt(nonce)
  if (value > MAX_NONCE)
    throw new WalletError('invalid_data', `nonce ${value} is too high: no account reaches it`)
  return Number(value)
}

export function estimateCallOf(from: Hex, fields: TransactionFields): CallFields {
  return {
    from,
    to: fields.to,
    value: integerOf(fields.value) ?? 0n,
    data: fields.data ?? '0x',
    accessList: fields.access_list?.map(({ address, storage_keys }) => ({
      address,
      storageKeys: storage_keys,
    })),
    authorizationList: fields.authorization_list?.map((entry) => ({
      chainId: formatQuantity(BigInt(entry.chain_id)),
      address: entry.contract,
      nonce: formatQuantity(BigInt(entry.nonce)),
      r: formatQuantity(BigInt(entry.r)),
      s: formatQuantity(BigInt(entry.s)),
      yParity: formatQuantity(entry.y_parity),
    })),
  }
}

function isLegacy(fields: TransactionFields): boolean {
  if (fields.type !== undefined) return fields.type < 2
  return fields.gas_price !== undefined
}

export function feesFor(fields: TransactionFields, asked: ChainFees): FilledFees {
  const base = asked.baseFee ?? 0n
  if (isLegacy(fields)) return { gasPrice: integerOf(fields.gas_price) ?? base + asked.tip }
  const cap = integerOf(fields.max_fee_per_gas)
  const tip = integerOf(fields.max_priority_fee_per_gas)
  // Twice the base fee, which can rise by an eighth per block.
  const maxFeePerGas = cap ?? 2n * base + (tip ?? asked.tip)
  return { maxFeePerGas, maxPriorityFeePerGas: tip ?? lowerFee(asked.tip, maxFeePerGas) }
}

/**
 * Returns gas and fees of a transaction. Omitted fields are filled from the chain.
 * @throws WalletError chain_unreachable, and the errors of an estimate
 */
export async function fillGas(
  node: EvmNode,
  from: Hex,
  fields: TransactionFields,
): Promise<{ readonly gas: bigint } & FilledFees> {
  const [asked, gas] = await Promise.all([
    node.fees(),
    integerOf(fields.gas_limit) ?? node.estimate(estimateCallOf(from, fields)).then(withMargin),
  ])
  return { gas, ...feesFor(fields, asked) }
}

function withMargin(estimate: bigint): bigint {
  return estimate <= TRANSFER_GAS ? estimate : estimate + estimate / MARGIN_DIVISOR
}

/**
 * Returns the fees of a replacement. An omitted fee is an eighth more than before and at least what the chain asks
 * for.
 * @throws WalletError invalid_data if a given fee is below what pools accept
 */
export function raisedFees(
  before: FilledFees,
  wanted: ReplacementFees,
  asked: ChainFees,
): FilledFees {
  const raise = (name: string, was: bigint, now: Hex | number | undefined, atLeast: bigint) => {
    if (now === undefined) return higherFee(raisedFee(was), atLeast)
    if (BigInt(now) * 10n < was * 11n) {
      throw new WalletError(
        'invalid_data',
        `${name}: ${BigInt(now)} is not at least a tenth more than the previous ${was}`,
      )
    }
    return BigInt(now)
  }
  const base = asked.baseFee ?? 0n
  if (before.gasPrice !== undefined) {
    return { gasPrice: raise('gas_price', before.gasPrice, wanted.gas_price, base + asked.tip) }
  }
  const tip = raise(
    'max_priority_fee_per_gas',
    before.maxPriorityFeePerGas ?? 0n,
    wanted.max_priority_fee_per_gas,
    asked.tip,
  )
  const cap = raise(
    'max_fee_per_gas',
    before.maxFeePerGas ?? 0n,
    wanted.max_fee_per_gas,
    2n * base + tip,
  )
  if (tip <= cap) return { maxFeePerGas: cap, maxPriorityFeePerGas: tip }
  if (wanted.max_fee_per_gas === undefined) return { maxFeePerGas: tip, maxPriorityFeePerGas: tip }
  throw new WalletError(
    'invalid_data',
    `max_priority_fee_per_gas ${tip} is more than max_fee_per_gas ${cap}`,
  )
}
