import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { type Hex, parseData } from '../../../base/hex.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { BlockEnv } from '../../../evm/engine/message.ts'
import { decodeAccount } from '../../../evm/state/account.ts'
import { noReads } from '../../../evm/state/recorded-state.ts'
import type { AsyncStateView } from '../../../evm/state/view.ts'
import type { Bundle } from '../../../evm/trace/bundle/bundle.ts'
import type { Changes, TransactionChanges } from './changes.ts'
import { type EditContext, type EditedBundle, editBundle } from './edited-bundle.ts'

/** The block that a call runs in, and its hash. */
export interface CallBlock {
  readonly env: BlockEnv
  readonly hash: Uint8Array
}

/** A call that was never sent. It pays no fees, and runs with the nonce that its sender has. */
export interface UnsentCall {
  readonly block: CallBlock
  readonly transaction: TransactionChanges & { readonly from: Hex }
  readonly changes: Pick<Changes, 'block'>
}

/** Bounds a call without a gas limit: an endless loop then ends in seconds. */
const MOST_GAS = 30_000_000n

const NO_HASH = new Uint8Array(32)
const NO_ADDRESS = new Uint8Array(20)

/** An empty call, which the call of a user changes. */
const EMPTY: Transaction = {
  type: 2,
  chainId: undefined,
  nonce: 0n,
  maxPriorityFeePerGas: 0n,
  maxFeePerGas: 0n,
  gas: 0n,
  to: undefined,
  value: 0n,
  data: EMPTY_BYTES,
  accessList: [],
  authorizations: [],
  maxFeePerBlobGas: 0n,
  blobHashes: [],
  v: 0n,
  yParity: 0,
  r: 0n,
  s: 0n,
  hash: NO_HASH,
  raw: EMPTY_BYTES,
  from: NO_ADDRESS,
}

/**
 * Runs a call on the state of `source` and records it. Like eth_call it pays nothing: fees are 0, also for code that
 * reads them, unless the block's are changed.
 * @throws as `editBundle`
 */
export async function recordCall(
  { block, transaction, changes }: UnsentCall,
  context: EditContext & { readonly source: AsyncStateView },
): Promise<EditedBundle> {
  const { env, hash } = block
  const { engineHash, source } = context
  const empty: Bundle = {
    engineHash,
    scope: 'transaction',
    plan: {
      height: env.number,
      blockHash: hash,
      env: { ...env, baseFee: 0n, blobBaseFee: 0n },
      systemCalls: [],
      transactions: [
        {
          transaction: EMPTY,
          gasUsed: 0n,
          leniency: { skipSenderChecks: true, skipFees: true },
        },
      ],
    },
    reads: noReads(),
    outcomes: [{ receipt: EMPTY_BYTES, digests: undefined }],
  }
  const { nonce } = decodeAccount(await source.account(parseData(transaction.from)))
  const most = changes.block?.gasLimit ?? env.gasLimit
  const gas = transaction.gas ?? (most < MOST_GAS ? most : MOST_GAS)
  const filled = { nonce, ...transaction, gas }
  return editBundle(empty, 0, { ...changes, transaction: filled }, context)
}
