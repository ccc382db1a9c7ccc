import { LockstepError } from '../../base/error.ts'
import { formatData, formatQuantity, parseData, parseQuantity } from '../../base/hex.ts'
import type { UnsignedTransaction } from '../../evm/chain-types/transaction-codec.ts'
import { gethRevertReason } from '../../evm/trace/tracers/revert-reason.ts'
import { type CliRpcResponse, callNode } from '../client/node-client.ts'
import type { TxFlags } from './tx-flags.ts'

/** The transaction that a command intends to send. */
export interface Intent {
  /** 20 bytes; undefined for a contract creation. */
  readonly to: Uint8Array | undefined
  /** In wei. */
  readonly value: bigint
  readonly data: Uint8Array
}

type Fees = Pick<UnsignedTransaction, 'type' | 'maxFeePerGas' | 'maxPriorityFeePerGas'>

function refused(
  method: string,
  { message, code }: NonNullable<CliRpcResponse['error']>,
): LockstepError {
  return new LockstepError('TRANSACTION_REJECTED', `${method} was refused: ${message} (${code})`, {
    hint: 'correct what the node reports; nothing was sent',
  })
}

/** Returns a result that must be a string. @throws TRANSACTION_REJECTED with the node's message */
export async function askText(
  url: string,
  method: string,
  params: readonly unknown[],
): Promise<string> {
  const { result, error } = await callNode(url, method, params)
  if (error !== undefined) throw refused(method, error)
  if (typeof result === 'string') return result
  throw new LockstepError('NODE_UNREACHABLE', `the result of ${method} from ${url} is not a string`)
}

async function askInteger(
  url: string,
  method: string,
  params: readonly unknown[],
): Promise<bigint> {
  return parseQuantity(await askText(url, method, params))
}

async function baseFee(url: string): Promise<bigint> {
  const { result, error } = await callNode(url, 'eth_getBlockByNumber', ['latest', false])
  if (error !== undefined) throw refused('eth_getBlockByNumber', error)
  const { baseFeePerGas = '0x0' } = (result ?? {}) as { readonly baseFeePerGas?: string }
  return parseQuantity(baseFeePerGas)
}

function refuseTwoPrices({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: TxFlags): void {
  if (gasPrice === undefined) return
  if (maxFeePerGas === undefined && maxPriorityFeePerGas === undefined) return
  throw new LockstepError('INVALID_ARGUMENT', '--gas-price excludes the two fees of EIP-1559', {
    hint: 'pass --gas-price, or --max-fee-per-gas and --max-priority-fee-per-gas',
  })
}

async function feesOf(url: string, flags: TxFlags): Promise<Fees> {
  refuseTwoPrices(flags)
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = flags
  if (gasPrice !== undefined) {
    return { type: 0, maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice }
  }
  const suggested = maxPriorityFeePerGas ?? (await askInteger(url, 'eth_maxPriorityFeePerGas', []))
  const cap = maxFeePerGas ?? 2n * (await baseFee(url)) + suggested
  // A given fee cap limits a suggested tip.
  const tip = maxPriorityFeePerGas === undefined && suggested > cap ? cap : suggested
  return { type: 2, maxFeePerGas: cap, maxPriorityFeePerGas: tip }
}

/** Returns the reason of a revert, or else the node's message. */
function revertText({ message, data }: NonNullable<CliRpcResponse['error']>): string {
  const reason = typeof data === 'string' ? gethRevertReason(parseData(data)) : undefined
  return reason === undefined ? `${message}` : `execution reverted: ${reason}`
}

/** Returns the gas estimate of the node. @throws TRANSACTION_FAILED if it would revert */
async function estimate(url: string, call: object): Promise<bigint> {
  const { result, error } = await callNode(url, 'eth_estimateGas', [call])
  if (error === undefined) return parseQuantity(String(result))
  if (error.code !== 3) throw refused('eth_estimateGas', error)
  throw new LockstepError(
    'TRANSACTION_FAILED',
    `the transaction would fail: ${revertText(error)}`,
    {
      hint: 'nothing was sent; pass --gas to send it anyway',
    },
  )
}

/** Returns the transaction for the intent and the flags, filled in by the node. */
export async function draft(
  url: string,
  from: Uint8Array,
  { to, value, data }: Intent,
  flags: TxFlags,
): Promise<UnsignedTransaction> {
  const account = formatData(from)
  const chainId = await askInteger(url, 'eth_chainId', [])
  const fees = await feesOf(url, flags)
  const nonce =
    flags.nonce ?? (await askInteger(url, 'eth_getTransactionCount', [account, 'pending']))
  const call = {
    from: account,
    ...(to === undefined ? {} : { to: formatData(to) }),
    value: formatQuantity(value),
    data: formatData(data),
  }
  return {
    ...fees,
    chainId,
    nonce,
    gas: flags.gas ?? (await estimate(url, call)),
    to,
    value,
    data,
    accessList: [],
    authorizations: [],
    maxFeePerBlobGas: 0n,
    blobHashes: [],
  }
}
