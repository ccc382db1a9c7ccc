import { sha256 } from '@noble/hashes/sha2.js'
import { EMPTY_BYTES } from '../../../base/bytes.ts'
import type { BlockHeader, Withdrawal } from '../../../evm/chain-types/block.ts'
import type { Log } from '../../../evm/chain-types/log.ts'
import { atLeast, type Revision } from '../../../evm/chain-types/revision.ts'
import type { BlockListing } from '../../../evm/execute/access-list-builder.ts'
import type { BlobSchedule } from '../../../evm/execute/blob-gas.ts'
import type { BlockEngine } from '../../../evm/execute/block-engine.ts'
import { EthereumRules } from '../../../evm/execute/ethereum/ethereum-rules.ts'
import {
  type EthereumNetwork,
  type ForkName,
  MAINNET_DEPOSITS,
} from '../../../evm/execute/ethereum/forks.ts'
import { requestContracts } from '../../../evm/execute/ethereum/requests.ts'
import { listWithdrawals, payWithdrawals } from '../../../evm/execute/ethereum/rewards.ts'
import { isContract } from '../../../evm/state/account.ts'
import type { StateFork } from '../../../evm/state/state-fork.ts'

/** Hash of an empty list of requests (EIP-7685). */
const NO_REQUESTS: Uint8Array = sha256(EMPTY_BYTES)

/** Returns a network with the same rules at every height. */
export function constantNetwork(
  chainId: bigint,
  revision: Revision,
  blobs: BlobSchedule | undefined,
): EthereumNetwork {
  const fork: ForkName = revision
  return {
    chainId,
    forks: [{ fork, since: { block: 0n } }],
    blobSchedules: new Map(blobs === undefined ? [] : [[fork, blobs]]),
    depositContract: MAINNET_DEPOSITS,
  }
}

/** Rules of the blocks after a fork: Ethereum's, even if the chain lacks system contracts. */
export class ForkRules extends EthereumRules {
  override close(
    engine: BlockEngine,
    state: StateFork,
    draft: BlockHeader,
    withdrawals: readonly Withdrawal[],
    logs: Iterable<Log>,
    listing?: BlockListing,
  ): Uint8Array | undefined {
    const { revision } = this.rulesOf(draft)
    if (!atLeast(revision, 'Prague') || hasRequests(state, revision)) {
      return super.close(engine, state, draft, withdrawals, logs, listing)
    }
    payWithdrawals(state, withdrawals)
    if (listing !== undefined) listWithdrawals(listing.accesses, state, withdrawals, listing.index)
    return NO_REQUESTS
  }
}

/** Development chains may lack the contracts of EIP-7002, EIP-7251 and EIP-8282. */
function hasRequests(state: StateFork, revision: Revision): boolean {
  return requestContracts(revision).every((address) => {
    const account = state.readAccount(address)
    return account !== undefined && isContract(account)
  })
}
