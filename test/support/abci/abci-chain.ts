import { EMPTY_BYTES } from '../../../host/base/bytes.ts'
import type { LockstepError } from '../../../host/base/error.ts'
import { messageOf } from '../../../host/base/error.ts'
import { type AbciServer, serveAbci } from '../../../host/chain/consensus/abci/abci-server.ts'
import { ChainApplication } from '../../../host/chain/consensus/abci/chain-application.ts'
import type { SnapshotPort } from '../../../host/chain/consensus/abci/snapshot-port.ts'
import type { TransactionGate } from '../../../host/chain/consensus/abci/transaction-gate.ts'
import type { QueryResponse } from '../../../host/chain/consensus/state-machine/state-query.ts'
import type { MemoryChain } from '../chain/memory-chain.ts'

export const NO_SNAPSHOTS: SnapshotPort = {
  list: async () => [],
  load: async () => EMPTY_BYTES,
  offer: async () => 'reject',
  apply: async () => ({ result: 'abort', refetchChunks: [], rejectSenders: [] }),
}

/** Returns a gate that adds gossiped transactions to the pool and knows those that the chain has. */
export function poolGate({ mempool, genesis }: MemoryChain): TransactionGate {
  return {
    async check({ transaction }) {
      try {
        await mempool.add(transaction.slice())
      } catch (error) {
        const log = messageOf(error)
        if (log !== 'already known') return { code: 1, codespace: 'evm', log, gasWanted: 0n }
      }
      return { code: 0, codespace: '', log: '', gasWanted: genesis.params.maxGas / 1000n }
    },
  }
}

const query = {
  query: async (): Promise<QueryResponse> => ({
    code: 6,
    codespace: 'sdk',
    log: 'no proofs here',
    key: EMPTY_BYTES,
    value: EMPTY_BYTES,
    proofOps: [],
    height: 0,
  }),
}

/** @param initialHeight height of the first block that is decided over the socket */
export function applicationOf(
  chain: MemoryChain,
  initialHeight = chain.genesis.initialHeight,
): ChainApplication {
  const { application, storage } = chain
  return new ChainApplication({
    application,
    initialHeight,
    chain: storage.chain,
    query,
    gate: poolGate(chain),
    snapshots: NO_SNAPSHOTS,
  })
}

/** Serves an in-memory chain at a socket. */
export function serveChain(
  chain: MemoryChain,
  path: string,
  onFailure: (error: LockstepError, method: string) => void,
): Promise<AbciServer> {
  return serveAbci({ path, application: applicationOf(chain), onFailure })
}
