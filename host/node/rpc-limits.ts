import type { Config } from '../config/schema.ts'
import { DEFAULT_LIMITS, type RpcLimits } from '../rpc/limits.ts'

/** What section [evm] of app.toml allows a caller. */
export function rpcLimits({ evm }: Config): RpcLimits {
  return {
    ...DEFAULT_LIMITS,
    requestValues: evm.maxRequestValues,
    batchRequests: evm.batchRequestLimit,
    responseBytes: evm.batchResponseMaxSize,
    methodTimeoutMs: evm.writeTimeout,
    simulationTimeoutMs: evm.simulationEvmTimeout,
    simulationGas: BigInt(evm.simulationGasLimit),
    traceTimeoutMs: evm.traceTimeout,
    traceLookbackBlocks: evm.maxTraceLookbackBlocks,
    trace: { structLogBytes: evm.maxTraceStructLogBytes, keptBytes: evm.maxTraceKeptBytes },
    traceScripts: evm.traceAllowJsTracers,
    overrideAccounts: evm.maxStateOverrideAccounts,
    overrideSlots: evm.maxStateOverrideSlots,
    logs: evm.maxLogNoBlock,
    logBlocks: evm.maxBlocksForLog,
    filterIdleMs: evm.filterTimeout,
    headSubscriptions: evm.maxSubscriptionsNewHead,
    logSubscriptions: evm.maxSubscriptionsLogs,
  }
}
