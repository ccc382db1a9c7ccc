import { LockstepError } from '../../base/error.ts'
import { formatData, type Hex } from '../../base/hex.ts'
import type { Receipt } from '../../chain-types/receipt.ts'
import type { Revision } from '../../chain-types/revision.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import { type Engine, loadEngine } from '../../engine/engine.ts'
import type { EngineModules } from '../../engine/engine-modules.ts'
import type { BlockEnv } from '../../engine/message.ts'
import {
  BEACON_ROOTS,
  BLOCK_HASHES,
  callsAtStart,
  ethereumEnv,
} from '../../execute/ethereum/block-env.ts'
import { BLOCK_START } from '../../execute/replay/replay-plan.ts'
import { type Bundle, decodeBundle, encodeBundle } from '../../trace/bundle/bundle.ts'
import { replayBundle } from '../../trace/bundle/bundle-replay.ts'
import type { FirstDifference } from '../../trace/bundle/difference.ts'
import { type FileUrls, fetchEngine } from '../engine-files.ts'
import { type FoundRules, rulesOf } from './block-rules.ts'
import {
  type DecodeContext,
  type MinedTransaction,
  minedTransaction,
  receiptsOf,
  signedTransactions,
  transactionHash,
} from './mined-transaction.ts'
import { NodeClient, type NodeCost, type NodeOptions } from './node-client.ts'
import { nodeKind } from './node-kind.ts'
import { Prestate } from './prestate.ts'
import { type RunPlace, recordRun } from './recorded-run.ts'
import { RemoteState } from './remote-state.ts'

/**
 * How a node gives what a bundle is made of: it records one itself (Lockstep's debug_traceStateAccess); it tells
 * the state that the transaction found (geth's prestateTracer); it answers plain reads of the state after the
 * parent block, on which the transactions before it are run.
 */
export type Way = 'lockstep' | 'prestateTracer' | 'reads'

export interface NodeBundleOptions extends NodeOptions {
  /** Ways that may be gone, all by default; they are tried in the order of `Way`. */
  readonly ways?: readonly Way[]
  /** The revision of the block, where the node does not tell it and its chain is not known. */
  readonly revision?: Revision
  /** Accounts, slots and hashes of blocks that may be read one by one. */
  readonly maxReads?: number
  /** Where files of the library are that do not lie beside it. */
  readonly files?: FileUrls
  /** The compiled modules, where they have been fetched already. */
  readonly modules?: EngineModules
}

/** A bundle made of what a node said. */
export interface NodeBundle {
  /** As `openBundle` takes it, and as a file holds it. */
  readonly document: object
  readonly way: Way
  /** Where the run differs from the node's receipt; undefined where it does not. */
  readonly difference: FirstDifference | undefined
  /** What is odd and no fault, a sentence each. */
  readonly notes: readonly string[]
  readonly cost: NodeCost
}

/**
 * The bundle of a mined transaction, from any Ethereum node: all that the transaction reads is recorded while it
 * runs here, and its receipt is the node's.
 * @throws LockstepError INVALID_ARGUMENT, NODE_UNREACHABLE, REQUEST_TIMEOUT, PEER_INVALID, NOT_FOUND; UNSUPPORTED for
 * a chain that is no Ethereum; STATE_PRUNED where the node gives no state in any way; LIMIT_EXCEEDED; TRACE_DIFFERS
 * where a transaction before it in its block runs otherwise than the node says
 */
export async function bundleFromNode(
  url: string,
  hash: string,
  options: NodeBundleOptions = {},
): Promise<NodeBundle> {
  const { modules, files, ...rest } = options
  const client = new NodeClient(url, rest)
  const asked = transactionHash(hash)
  const { engine: source, engineHash, ...others } = modules ?? (await fetchEngine(files))
  const engine = await loadEngine(source, others)
  const signal = options.signal ?? new AbortController().signal
  return new Recorder(client, asked, { engine, engineHash, signal }, options).record()
}

class Recorder {
  readonly #client: NodeClient
  readonly #hash: Hex
  readonly #place: RunPlace & { readonly engine: Engine }
  readonly #options: NodeBundleOptions
  readonly #notes: string[] = []
  readonly #keccak256: Keccak256

  constructor(
    client: NodeClient,
    hash: Hex,
    place: RunPlace & { readonly engine: Engine },
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
    const env = this.#withBlobPrice(ethereumEnv(header, rules, chainId), receipt.blobGasPrice)
    return this.#byWays(new Attempt(context, mined, rules, env, this.#place, this.#options))
  }

  /** The first way that gives a bundle without a difference; else the first that gives one. */
  async #byWays(attempt: Attempt): Promise<NodeBundle> {
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
        if (!(thrown instanceof LockstepError) || !isOfWay(thrown)) throw thrown
        failures.push(thrown)
      }
    }
    if (differing !== undefined) return differing
    throw this.#noWay(failures, attempt.rules)
  }

  #noWay(failures: readonly LockstepError[], rules: FoundRules): LockstepError {
    const last = failures.at(-1)
    if (last === undefined) {
      return new LockstepError('INVALID_ARGUMENT', 'none of the ways may be gone', {
        hint: 'name one of lockstep, prestateTracer, reads in `ways`',
      })
    }
    const text = failures.map(({ message }) => message).join('; ')
    const hint =
      last.code === 'TRACE_DIFFERS'
        ? `the block was run as ${rules.revision}, by ${rules.from}: if the chain has other rules, say by the option \`revision\` which`
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
      throw this.#client.invalid(method, 'the bundle of another transaction came')
    }
    const made = await this.#checked(bundle, 'lockstep')
    return { ...made, document: document as object }
  }

  /** Replays a bundle, which tells where it differs from what the node says. */
  async #checked(bundle: Bundle, way: Way): Promise<NodeBundle> {
    const { engine, signal } = this.#place
    const { difference } = await replayBundle(bundle, { engine, signal })
    return {
      document: encodeBundle(bundle, { tendermint: [], receipt: [] }),
      way,
      difference,
      notes: [...this.#notes],
      cost: this.#client.cost,
    }
  }

  /** A chain may have a blob schedule of its own, which the price in the receipt tells. */
  #withBlobPrice(env: BlockEnv, price: bigint | undefined): BlockEnv {
    if (price === undefined || price === env.blobBaseFee) return env
    this.#notes.push(
      `a unit of blob gas costs ${price} wei by the receipt, and ${env.blobBaseFee} by the rules of the block: taken is the receipt's`,
    )
    return { ...env, blobBaseFee: price }
  }
}

/** Whether another way may lead there. */
function isOfWay({ code }: LockstepError): boolean {
  return ['STATE_PRUNED', 'NOT_FOUND', 'METHOD_NOT_FOUND', 'TRACE_DIFFERS'].includes(code)
}

/** One mined transaction, by one way after another. */
class Attempt {
  readonly rules: FoundRules
  readonly #context: DecodeContext
  readonly #mined: MinedTransaction
  readonly #env: BlockEnv
  readonly #place: RunPlace
  readonly #parent: RemoteState

  constructor(
    context: DecodeContext,
    mined: MinedTransaction,
    rules: FoundRules,
    env: BlockEnv,
    place: RunPlace,
    { maxReads }: NodeBundleOptions,
  ) {
    this.rules = rules
    this.#context = context
    this.#mined = mined
    this.#env = env
    this.#place = place
    const { client, recovery } = context
    this.#parent = new RemoteState({
      client,
      height: env.number - 1,
      keccak256: (bytes) => recovery.keccak256(bytes),
      ...(maxReads !== undefined && { maxReads }),
    })
    this.#parent.reads.blockHashes.set(env.number - 1, mined.block.header.parentHash)
  }

  async byPrestate(): Promise<Bundle> {
    const { client, recovery, note } = this.#context
    const { index, receipt, block } = this.#mined
    const transactions = await this.#transactions(index)
    const { accessList, authorizations } = transactions[0] as Transaction
    const state = await Prestate.ask({
      client,
      hash: formatData(receipt.receipt.transactionHash),
      keccak256: (bytes) => recovery.keccak256(bytes),
      parent: this.#parent,
      isFirst: index === 0,
      accessList,
      delegates: authorizations.map(({ address }) => address),
      systemContracts: [BEACON_ROOTS, BLOCK_HASHES],
      note,
    })
    if (state === undefined) {
      throw new LockstepError(
        'METHOD_NOT_FOUND',
        `${client.name} serves no debug_traceTransaction with prestateTracer for it`,
      )
    }
    const { cumulativeGasUsed, gasUsed } = receipt.receipt
    return recordRun(this.#place, {
      env: this.#env,
      blockHash: block.hash,
      systemCalls: [],
      isDao: false,
      transactions,
      receipts: [receipt.receipt],
      first: {
        index,
        logIndex: receipt.logIndex ?? (await this.#logsBefore()),
        cumulativeGasUsed: cumulativeGasUsed - gasUsed,
      },
      state,
    })
  }

  async byReads(): Promise<Bundle> {
    const { block, index } = this.#mined
    const receipts = await this.#receipts()
    return recordRun(this.#place, {
      env: this.#env,
      blockHash: block.hash,
      systemCalls: callsAtStart(block.header, this.rules.revision),
      isDao: this.rules.sinceDao === 0n,
      transactions: await this.#transactions(0),
      receipts: receipts.slice(0, index + 1),
      first: BLOCK_START,
      state: this.#parent,
    })
  }

  #transactions(from: number) {
    const { index } = this.#mined
    return signedTransactions(this.#context, this.#mined, this.rules.revision, from, index + 1)
  }

  async #receipts(): Promise<readonly Receipt[]> {
    const { index } = this.#mined
    const described = await receiptsOf(this.#context, this.#mined, index + 1)
    return described.map(({ receipt }) => receipt)
  }

  async #logsBefore(): Promise<number> {
    if (this.#mined.index === 0) return 0
    const receipts = await this.#receipts()
    return receipts.slice(0, -1).reduce((count, { logs }) => count + logs.length, 0)
  }
}
