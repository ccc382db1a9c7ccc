import { formatData, formatQuantity } from '../../../base/hex.ts'
import type { BlockHeader } from '../../../evm/chain-types/block.ts'
import type { RpcCall } from '../call/rpc-call.ts'
import { gasPrice } from '../eth/fee.ts'
import { driven } from './driven.ts'

function head({ context }: RpcCall): BlockHeader {
  return context.chain.header(context.chain.latest) as BlockHeader
}

export function setLoggingEnabled(call: RpcCall, isOn: boolean): void {
  driven(call).isLogging = isOn
}

/** Returns the result of anvil_nodeInfo. */
export function nodeInfo(call: RpcCall): unknown {
  const { rules } = call.context
  const { fork, next } = driven(call)
  const header = head(call)
  const { revision } = rules.envOf(header)
  return {
    currentBlockNumber: formatQuantity(header.number),
    currentBlockTimestamp: header.timestamp,
    currentBlockHash: formatData(header.hash),
    hardFork: revision,
    transactionOrder: 'fees',
    environment: {
      baseFee: formatQuantity(next.baseFee ?? rules.nextBaseFee(header)),
      chainId: Number(rules.chainId),
      gasLimit: formatQuantity(next.gasLimit ?? header.gasLimit),
      gasPrice: gasPrice(call),
    },
    forkConfig: {
      forkUrl: fork?.url ?? null,
      forkBlockNumber: fork?.block ?? null,
      forkRetryBackoff: null,
    },
  }
}

/** Returns the result of hardhat_metadata, a subset of anvil_metadata. */
export function metadata(call: RpcCall): object {
  const { rules, clientVersion } = call.context
  const { fork, instanceId } = driven(call)
  const header = head(call)
  return {
    clientVersion,
    chainId: Number(rules.chainId),
    instanceId: formatData(instanceId),
    latestBlockNumber: header.number,
    latestBlockHash: formatData(header.hash),
    ...(fork && {
      forkedNetwork: {
        chainId: Number(rules.chainId),
        forkBlockNumber: fork.block,
        forkBlockHash: formatData(fork.hash),
      },
    }),
  }
}

/** Returns the same with anvil's additional members; the SHA-256 of the engine replaces the build commit. */
export function anvilMetadata(call: RpcCall): unknown {
  const { clientVersion, engineHash } = call.context
  const version = /\/v?([^/]+)/.exec(clientVersion)?.[1] ?? ''
  return {
    forkedNetwork: null,
    ...metadata(call),
    clientSemver: version,
    clientCommitSha: engineHash,
    snapshots: {},
  }
}
