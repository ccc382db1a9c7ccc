import { AnswerCache } from '../../api/rpc/call/answer-cache.ts'
import type { ReadContext, WorkerContext } from '../../api/rpc/call/context.ts'
import { ForwardToMain } from '../../api/rpc/call/main-forward.ts'
import type { ChainParams } from '../../evm/chain-types/genesis.ts'
import { loadEngine } from '../../evm/engine/engine.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { BlockEngine } from '../../evm/execute/block-engine.ts'
import { EnginePool } from '../../evm/execute/engine-pool.ts'
import { lockstepRules } from '../../evm/execute/lockstep/lockstep-rules.ts'
import { Simulator } from '../../evm/execute/simulate/simulator.ts'
import { OverlayState } from '../../evm/state/overlay-state.ts'
import { historyOf } from '../open/served-chain.ts'
import type { FollowedStorage } from './followed-storage.ts'

export interface ReadContextOptions {
  readonly modules: EngineModules
  readonly params: ChainParams
  /** Maximum calls waiting for an engine. */
  readonly waitingCalls: number
  /** Cache for answers, bytes. */
  readonly answerBytes: number
}

/** Engines for calls; each retains the memory of its largest run. */
const ENGINES = 2

/** Parts of the context that do not depend on the storage. */
type ThreadOwn = Exclude<keyof WorkerContext, 'chain' | 'rules' | 'dev'>

/** Only the main thread has unfinished state. */
function elsewhere(): never {
  throw new ForwardToMain()
}

/** Opens the context of reading methods, for a thread with the storage of this node's own chain. */
export async function openReadContext(
  storage: FollowedStorage,
  { limits }: Pick<WorkerContext, 'limits'>,
  { modules, params, waitingCalls, answerBytes }: ReadContextOptions,
): Promise<Omit<ReadContext, ThreadOwn>> {
  const { engine: module, pairing, chainModules, compiledCode } = modules
  const hashing = await loadEngine(module)
  const keccak256 = (bytes: Uint8Array) => hashing.keccak256(bytes)
  const rules = lockstepRules(params, storage)
  const view = (height: number) => storage.view(height)
  const history = historyOf(storage, {
    view,
    before: (height) => view(height - 1),
    fork: (height) => new OverlayState(view(height)),
    stateVersion: () => storage.edition,
  })
  const engines = new EnginePool<BlockEngine>(
    () => loadEngine(module, { pairing, chainModules, compiledCode }),
    ENGINES,
    waitingCalls,
    (engine) => engine.isUsable,
  )
  return {
    chain: storage.chain,
    state: storage,
    rules,
    keccak256,
    simulator: new Simulator({ history, rules, keccak256, engines, gasCap: limits.simulationGas }),
    answers: new AnswerCache(answerBytes),
    dev: undefined,
    forked: undefined,
    pool: { get: elsewhere, nextNonce: elsewhere },
    pendingBlocks: { latest: elsewhere },
  }
}
