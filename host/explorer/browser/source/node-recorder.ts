import { LockstepError } from '../../../base/error.ts'
import { formatData, type Hex } from '../../../base/hex.ts'
import { neverAborted } from '../../../base/signal.ts'
import { type FoundRules, rulesOf } from '../../../client/remote-node/block-rules.ts'
import {
  type DecodeContext,
  minedTransaction,
} from '../../../client/remote-node/mined-transaction.ts'
import type { NodeClient } from '../../../client/remote-node/node-client.ts'
import { nodeKind } from '../../../client/remote-node/node-kind.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import { type Engine, loadEngine } from '../../../evm/engine/engine.ts'
import type { BlockEnv } from '../../../evm/engine/message.ts'
import { ethereumEnv } from '../../../evm/execute/ethereum/block-env.ts'
import { type Bundle, decodeBundle, encodeBundle } from '../../../evm/trace/bundle/bundle.ts'
import { replayBundle } from '../../../evm/trace/bundle/bundle-replay.ts'
import { fetchEngine } from '../engine-files.ts'
import { cliqueSigner } from './clique-signer.ts'
import type { NodeBundle, NodeBundleOptions, Way } from './node-bundle.ts'
import type { RunEngine } from './recorded-run.ts'
import { RecordingAttempt } from './recording-attempt.ts'

/** Records a mined transaction in its own engine. @throws as `bundleFromNode` */
export async function recordFromNode(
  client: NodeClient,
  hash: Hex,
  options: NodeBundleOptions,
): Promise<NodeBundle> {
  const { modules, files, signal = neverAborted() } = options
  const found = modules ?? (await fetchEngine(files))
  const { engine: source, engineHash, pairing, chainModules } = found
  const engine = await loadEngine(source, { pairing, chainModules })
  return new Recorder(client, hash, { engine, engineHash, signal }, options).record()
}

class Recorder {
  readonly #client: NodeClient
  readonly #hash: Hex
  readonly #place: RunEngine & { readonly engine: Engine }
  readonly #options: NodeBundleOptions
  readonly #notes: string[] = []
  readonly #keccak256: Keccak256

  constructor(
    client: NodeClient,
    hash: Hex,
    place: RunEngine & { readonly engine: Engine },
    options: NodeBundleOptions,
  ) {
    this.#client = client
    this.#hash = hash
    this.#place = place
    this.#options = options
    this.#keccak256 = (bytes) => place.engine.keccak256(bytes)
  }

  async record(): Promise<NodeBundle> {
    const kind = await nodeKind(this.#client)
    const { ways, revision } = this.#options
    if (kind === 'lockstep' && (ways?.includes('lockstep') ?? true)) return this.#ofLockstep()
    const context: DecodeContext = {
      client: this.#client,
      kind,
      recovery: this.#place.engine,
      note: (text) => this.#notes.push(text),
    }
    const mined = await minedTransaction(context, this.#hash)
    const { chainId, block, receipt } = mined
    const { header } = block
    const rules = await rulesOf({ client: this.#client, kind, chainId, header, revision })
    const coinbase = cliqueSigner(header, this.#place.engine) ?? header.coinbase
    const plain = { ...ethereumEnv(header, rules, chainId), coinbase }
    const env = this.#withBlobPrice(plain, receipt.blobGasPrice)
    return this.#byWays(
      new RecordingAttempt(context, mined, rules, env, this.#place, this.#options),
    )
  }

  /** Returns the first bundle without a difference; if there is none, the first bundle. */
  async #byWays(attempt: RecordingAttempt): Promise<NodeBundle> {
    const { ways = ['prestateTracer', 'reads'] } = this.#options
    const failures: LockstepError[] = []
    let differing: NodeBundle | undefined
    for (const way of ['prestateTracer', 'reads'] as const) {
      if (!ways.includes(way)) continue
      try {
        const bundle = await (way === 'reads' ? attempt.byReads() : attempt.byPrestate())
        const made = await this.#checked(bundle, way)
        if (made.difference === undefined) return made
        differing ??= made
      } catch (thrown) {
        if (!(thrown instanceof LockstepError) || !this.#isOfWay(thrown, way)) throw thrown
        failures.push(thrown)
      }
    }
    if (differing !== undefined) return differing
    throw this.#noWay(failures, attempt.rules)
  }

  /** Returns true if another way may succeed after an error: plain reads need no tracer. */
  #isOfWay({ code }: LockstepError, way: Way): boolean {
    if (this.#place.signal.aborted) return false
    const codes = ['STATE_PRUNED', 'NOT_FOUND', 'METHOD_NOT_FOUND', 'TRACE_DIFFERS']
    return way === 'prestateTracer' ? code !== 'ENGINE_FAULT' : codes.includes(code)
  }

  #noWay(failures: readonly LockstepError[], rules: FoundRules): LockstepError {
    const last = failures.at(-1)
    if (last === undefined) {
      return new LockstepError('INVALID_ARGUMENT', 'no way is allowed', {
        hint: 'name one of lockstep, prestateTracer, reads in `ways`',
      })
    }
    const text = failures.map(({ message }) => message).join('; ')
    const hint =
      last.code === 'TRACE_DIFFERS'
        ? `the block was run as ${rules.revision}, by ${rules.from}: if the chain has other rules, name them in the option \`revision\``
        : last.hint
    return new LockstepError(last.code, text, { hint, cause: last })
  }

  async #ofLockstep(): Promise<NodeBundle> {
    const method = 'debug_traceStateAccess'
    const document = await this.#client.ask(method, [this.#hash])
    let bundle: Bundle
    try {
      bundle = decodeBundle(document, this.#keccak256)
    } catch (thrown) {
      if (!(thrown instanceof LockstepError)) throw thrown
      throw this.#client.invalid(method, thrown.message)
    }
    const [planned] = bundle.plan.transactions
    if (planned === undefined || formatData(planned.transaction.hash) !== this.#hash) {
      throw this.#client.invalid(method, 'the node sent the bundle of another transaction')
    }
    const made = await this.#checked(bundle, 'lockstep')
    return { ...made, document: document as object }
  }

  /** Replays a bundle to find its difference from the node's receipt. */
  async #checked(bundle: Bundle, way: Way): Promise<NodeBundle> {
    const { engine, signal } = this.#place
    const { difference } = await replayBundle(bundle, { engine, signal, ignoresSteps: true })
    return {
      document: encodeBundle(bundle, { tendermint: [], receipt: [] }),
      way,
      difference,
      notes: [...this.#notes],
      cost: this.#client.cost,
    }
  }

  /** A chain may have its own blob schedule, which the price in the receipt reveals. */
  #withBlobPrice(env: BlockEnv, price: bigint | undefined): BlockEnv {
    if (price === undefined || price === env.blobBaseFee) return env
    this.#notes.push(
      `a unit of blob gas costs ${price} wei by the receipt, and ${env.blobBaseFee} by the rules of the block: using the receipt's price`,
    )
    return { ...env, blobBaseFee: price }
  }
}
