import { formatData, formatQuantity } from '../../../base/hex.ts'
import type { BlockHeader } from '../../../evm/chain-types/block.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { suggestedGasPrice } from '../eth/fee.ts'
import { devChainOf } from './driven.ts'

function head({ context }: MethodCall): BlockHeader {
  return context.chain.header(context.chain.latest) as BlockHeader
}

export function setLoggingEnabled(call: MethodCall, isOn: boolean): void {
  devChainOf(call).isLogging = isOn
}

/** Returns the result of anvil_nodeInfo. */
export function nodeInfo(call: MethodCall): unknown {
  const { rules } = call.context
  const { fork, next, order } = devChainOf(call)
  const header = head(call)
  const { revision } = rules.envOf(header)
  return {
    currentBlockNumber: formatQuantity(header.number),
    currentBlockTimestamp: header.timestamp,
    currentBlockHash: formatData(header.hash),
    hardFork: revision,
    transactionOrder: order,
    environment: {
      baseFee: formatQuantity(next.baseFee ?? rules.nextBaseFee(header)),
      chainId: Number(rules.chainId),
      gasLimit: formatQuantity(next.gasLimit ?? header.gasLimit),
      gasPrice: suggestedGasPrice(call),
    },
    forkConfig: {
      forkUrl: fork?.url ?? null,
      forkBlockNumber: fork?.block ?? null,
      forkRetryBackoff: null,
    },
  }
}

/** Returns the result of hardhat_metadata, a subset of anvil_metadata. */
export function metadata(call: MethodCall): object {
  const { rules, clientVersion } = call.context
  const { fork, instanceId } = devChainOf(call)
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
export function anvilMetadata(call: MethodCall): unknown {
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
