import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { concatBytes, EMPTY_BYTES } from '../../../../host/base/bytes.ts'
import type { LockstepError } from '../../../../host/base/error.ts'
import type {
  Application,
  ApplicationInfo,
  BlockRequest,
  ConsensusEngine,
  FinalizeBlockResponse,
  ProposalRequest,
} from '../../../../host/chain/consensus/application.ts'
import {
  encodeBlockResults,
  hashResults,
} from '../../../../host/chain/consensus/comet/block-results.ts'
import { keyFromSeed } from '../../../../host/chain/consensus/comet/ed25519.ts'
import { ConsensusBlockStore } from '../../../../host/chain/consensus/embedded/block-store.ts'
import type { Clock } from '../../../../host/chain/consensus/embedded/clock.ts'
import {
  type EmbeddedEngineOptions,
  startEmbeddedEngine,
} from '../../../../host/chain/consensus/embedded/engine.ts'
import { writeValidatorKey } from '../../../../host/chain/consensus/validator/key-file.ts'
import { UNSIGNED, writeSignState } from '../../../../host/chain/consensus/validator/sign-state.ts'
import {
  type BlockSigner,
  loadValidator,
} from '../../../../host/chain/consensus/validator/validator.ts'
import type { Genesis } from '../../../../host/evm/chain-types/genesis.ts'

export const KEY = keyFromSeed(new Uint8Array(32).fill(7))
export const GENESIS_TIME = 1_790_000_000_000_000_000n

export const GENESIS: Genesis = {
  consensusChainId: 'toy-1',
  time: GENESIS_TIME,
  initialHeight: 1,
  maxBlockBytes: 200_000,
  validators: [{ publicKey: KEY.publicKey, power: 10, name: 'only' }],
  params: {
    chainId: 1n,
    revision: 'Prague',
    maxGas: 30_000_000n,
    feeMarket: {
      initialBaseFee: 1n,
      minBaseFee: 1n,
      maxBaseFee: 1n,
      targetGas: 1n,
      maxUpward: 0n,
      maxDownward: 0n,
    },
    feeCollector: new Uint8Array(20),
  },
  accounts: [],
}

/** The durable state of a toy application. */
export interface ToyDisk {
  height: number
  appHash: Uint8Array
}

function sha256(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(createHash('sha256').update(bytes).digest())
}

/** Returns the app hash after a block of these transactions. An empty block does not change it. */
export function toyAppHash(parent: Uint8Array, transactions: readonly Uint8Array[]): Uint8Array {
  return transactions.length === 0 ? parent : sha256(concatBytes([parent, ...transactions]))
}

export const TOY_GENESIS_HASH: Uint8Array = sha256(EMPTY_BYTES)

/** An application whose state is a hash over all transactions so far. */
export class ToyApplication implements Application {
  readonly disk: ToyDisk
  readonly requests: BlockRequest[] = []
  pending: Uint8Array[] = []
  retainHeight = 0
  /** Called when a block is begun, before it is due. */
  onOpen: (height: number) => void = () => undefined
  /** Called when the block is due. */
  onPrepare: (height: number) => void = () => undefined
  onCommit: (height: number) => void = () => undefined
  /** Delays the app hash after a height. */
  hashing: (height: number) => Promise<void> = async () => undefined
  #staged: ToyDisk | undefined

  constructor(disk: ToyDisk = { height: 0, appHash: EMPTY_BYTES }) {
    this.disk = disk
  }

  info(): ApplicationInfo {
    return {
      lastBlockHeight: this.disk.height,
      lastBlockAppHash: Promise.resolve(this.disk.appHash),
      data: 'toy',
      version: '0.0.1',
      appVersion: 3,
    }
  }

  async initChain() {
    this.disk.appHash = TOY_GENESIS_HASH
    return { appHash: this.disk.appHash }
  }

  async prepareProposal(request: Pick<ProposalRequest, 'height' | 'due'>) {
    this.onOpen(request.height)
    await request.due
    this.onPrepare(request.height)
    return this.pending.splice(0)
  }

  async processProposal(_request: BlockRequest): Promise<boolean> {
    return true
  }

  async finalizeBlock(request: BlockRequest): Promise<FinalizeBlockResponse> {
    this.requests.push(request)
    const appHash = toyAppHash(this.disk.appHash, request.transactions)
    this.#staged = { height: request.height, appHash }
    const txResults = request.transactions.map((data, i) => ({
      code: i,
      data,
      gasWanted: 21_000n,
      gasUsed: BigInt(data.length),
    }))
    const hashed = this.hashing(request.height).then(() => appHash)
    hashed.catch(() => undefined)
    return {
      txResults,
      encodedResults: encodeBlockResults(txResults),
      resultsHash: hashResults(txResults),
      receipts: [],
      appHash: hashed,
      validatorUpdates: [],
    }
  }

  async commit() {
    Object.assign(this.disk, this.#staged)
    this.onCommit(this.disk.height)
    return { retainHeight: this.retainHeight }
  }
}

/** A clock that advances only when someone waits. */
export class ManualClock implements Clock {
  now = 0

  wallTime(): bigint {
    return GENESIS_TIME + BigInt(this.now) * 1_000_000n
  }

  monotonic(): number {
    return this.now
  }

  async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    await new Promise(setImmediate)
    if (!signal.aborted) this.now += milliseconds
  }
}

/** The files of one validator in their own directory. */
export class ToyHome {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  static async create(): Promise<ToyHome> {
    const home = new ToyHome(await mkdtemp(join(tmpdir(), 'lockstep-consensus-')))
    await mkdir(join(home.path, 'data'))
    await writeValidatorKey(home.keyPath, KEY)
    await writeSignState(home.statePath, UNSIGNED)
    return home
  }

  get keyPath(): string {
    return join(this.path, 'priv_validator_key.json')
  }

  get statePath(): string {
    return join(this.path, 'data', 'priv_validator_state.json')
  }

  openStore(): ConsensusBlockStore {
    return new ConsensusBlockStore(join(this.path, 'data', 'blockstore.db'))
  }

  loadValidator(): Promise<BlockSigner> {
    return loadValidator(this.keyPath, this.statePath)
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true })
  }
}

/** Block interval by the clock of a test. */
export const BLOCK_TIME_MS = 400

/** Runs the engine until the application has committed `height`, then stops it. */
export async function runUntil(
  height: number,
  application: ToyApplication,
  options: Omit<EmbeddedEngineOptions, 'genesis' | 'onError' | 'application' | 'blockTimeMs'> & {
    readonly blockTimeMs?: number
    readonly application?: Application
    readonly genesis?: Genesis
  },
): Promise<ConsensusEngine> {
  let onError: (error: LockstepError) => void = () => undefined
  const reached = new Promise<void>((resolve, reject) => {
    application.onCommit = (committed) => {
      if (committed >= height) resolve()
    }
    onError = reject
  })
  const engine = await startEmbeddedEngine({
    application,
    genesis: GENESIS,
    clock: new ManualClock(),
    blockTimeMs: BLOCK_TIME_MS,
    ...options,
    onError,
  })
  if (application.disk.height < height) await reached.finally(() => engine.stop())
  await engine.stop()
  return engine
}
