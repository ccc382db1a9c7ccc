import { LockstepError } from '../../../base/error.ts'
import { formatData, formatQuantity } from '../../../base/hex.ts'
import { activePrecompiles } from '../../../evm/chain-types/precompile.ts'
import { atLeast, type Revision } from '../../../evm/chain-types/revision.ts'
import { BEACON_ROOTS, BLOCK_HASH_CONTRACT } from '../../../evm/execute/ethereum/block-env.ts'
import { sealOf } from '../../../evm/execute/ethereum/ethereum-rules.ts'
import { forkId } from '../../../evm/execute/ethereum/fork-id.ts'
import { rulesAt } from '../../../evm/execute/ethereum/forks.ts'
import {
  BUILDER_DEPOSITS,
  BUILDER_EXITS,
  CONSOLIDATIONS,
  WITHDRAWALS,
} from '../../../evm/execute/ethereum/requests.ts'
import { knownHeader } from '../../../evm/execute/history.ts'
import type { ImportedChain } from '../call/context.ts'
import type { MethodCall } from '../call/rpc-call.ts'

/** Contracts that the protocol calls or reads, by their names in EIP-7910 and geth. */
function systemContracts(revision: Revision, depositContract: Uint8Array): object {
  const contracts: readonly (readonly [name: string, since: Revision, address: Uint8Array])[] = [
    ['BEACON_ROOTS_ADDRESS', 'Cancun', BEACON_ROOTS],
    ['BUILDER_DEPOSIT_CONTRACT_ADDRESS', 'Amsterdam', BUILDER_DEPOSITS],
    ['BUILDER_EXIT_CONTRACT_ADDRESS', 'Amsterdam', BUILDER_EXITS],
    ['CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS', 'Prague', CONSOLIDATIONS],
    ['DEPOSIT_CONTRACT_ADDRESS', 'Prague', depositContract],
    ['HISTORY_STORAGE_ADDRESS', 'Prague', BLOCK_HASH_CONTRACT],
    ['WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS', 'Prague', WITHDRAWALS],
  ]
  return Object.fromEntries(
    contracts
      .filter(([, since]) => atLeast(revision, since))
      .map(([name, , address]) => [name, formatData(address)]),
  )
}

/** Returns the fork that starts at `time`. */
function forkRecord({ genesis }: ImportedChain, genesisHash: Uint8Array, time: bigint): unknown {
  const { network, checkpoints } = genesis
  const never = 2n ** 256n
  const { revision, blobs } = rulesAt(network, {
    number: never,
    timestamp: time,
    parentTotalDifficulty: never,
  })
  return {
    activationTime: Number(time),
    blobSchedule:
      blobs === undefined
        ? null
        : {
            target: Number(blobs.target),
            max: Number(blobs.max),
            baseFeeUpdateFraction: Number(blobs.updateFraction),
          },
    chainId: formatQuantity(network.chainId),
    forkId: formatData(forkId(genesisHash, checkpoints, never, time)),
    precompiles: Object.fromEntries(
      activePrecompiles(revision).map(({ name, address }) => [name, formatData(address)]),
    ),
    systemContracts: systemContracts(revision, network.depositContract),
  }
}

/** Returns the current fork at the latest block, the next and the last known one (EIP-7910). */
export function config({ context }: MethodCall): unknown {
  const { imported, chain } = context
  if (imported === undefined) {
    throw new LockstepError('UNSUPPORTED', 'no fork configuration: this chain has one revision')
  }
  const genesisHash = knownHeader(chain, 0).hash
  const { timestamp } = sealOf(knownHeader(chain, chain.latest)).header
  const times = imported.genesis.network.forks.flatMap(({ since }) =>
    'time' in since ? [since.time] : [],
  )
  const current = times.filter((time) => time <= timestamp).at(-1)
  const next = times.find((time) => time > timestamp)
  const last = next === undefined ? undefined : times.at(-1)
  const show = (time: bigint | undefined) =>
    time === undefined ? null : forkRecord(imported, genesisHash, time)
  return { current: show(current), next: show(next), last: show(last) }
}
