import type { RpcLimits } from '../../api/rpc/call/limits.ts'
import { isLoopbackHost } from '../../api/server/loopback.ts'
import type { Config } from '../../base/config/schema.ts'
import { DEFAULT_SCRIPT_LIMITS } from '../../evm/trace/script/limits.ts'

/** Not configurable: bounds for memory, far above what clients use. */
const MAX_FILTERS = 10_000
const MAX_CONNECTION_SUBSCRIPTIONS = 1000

/** Returns the RPC limits of section [evm] of app.toml. */
export function rpcLimits({ evm }: Pick<Config, 'evm'>): RpcLimits {
  return {
    requestValues: evm.maxRequestValues,
    batchRequests: evm.batchRequestLimit,
    responseBytes: evm.batchResponseMaxSize,
    methodTimeoutMs: evm.writeTimeout,
    simulationTimeoutMs: evm.simulationEvmTimeout,
    simulationGas: BigInt(evm.simulationGasLimit),
    traceTimeoutMs: evm.traceTimeout,
    traceLookbackBlocks: evm.maxTraceLookbackBlocks,
    traceFilterBlocks: evm.maxTraceFilterBlocks,
    trace: {
      structLogBytes: structLogBytes(evm),
      keptBytes: evm.maxTraceKeptBytes,
      scriptBytes: scriptBytes(evm),
    },
    traceScripts: evm.traceAllowJsTracers,
    overrideAccounts: evm.maxStateOverrideAccounts,
    overrideSlots: evm.maxStateOverrideSlots,
    logs: evm.maxLogNoBlock,
    logBlocks: evm.maxBlocksForLog,
    filterIdleMs: evm.filterTimeout,
    headSubscriptions: evm.maxSubscriptionsNewHead,
    logSubscriptions: evm.maxSubscriptionsLogs,
    filters: MAX_FILTERS,
    connectionSubscriptions: MAX_CONNECTION_SUBSCRIPTIONS,
  }
}

/** Maximum bytes of struct logs for remote callers: they stream in constant memory, but take time. */
const REMOTE_STRUCT_LOG_BYTES = 1024 ** 3

function structLogBytes({ maxTraceStructLogBytes, httpAddress }: Config['evm']): number {
  if (maxTraceStructLogBytes > 0) return maxTraceStructLogBytes
  return isLoopbackHost(httpAddress) ? Number.POSITIVE_INFINITY : REMOTE_STRUCT_LOG_BYTES
}

/** Minimum useful memory of a script: the sandbox itself takes 6 MiB. */
const LEAST_SCRIPT_BYTES = 32 * 1024 * 1024

/**
 * Returns the number of script threads, each running one script at a time; reduced if each would have too little
 * memory.
 */
export function scriptThreads({ maxTraceScriptBytes, traceWorkers }: Config['evm']): number {
  return Math.min(traceWorkers, Math.floor(maxTraceScriptBytes / LEAST_SCRIPT_BYTES))
}

/** Returns the maximum memory of one script, bytes. */
export function scriptBytes(evm: Config['evm']): number {
  const share = Math.floor(evm.maxTraceScriptBytes / scriptThreads(evm))
  return Math.min(DEFAULT_SCRIPT_LIMITS.memoryBytes, share)
}
