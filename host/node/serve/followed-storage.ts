import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { ForwardToMain } from '../../api/rpc/call/main-forward.ts'
import { LockstepError } from '../../base/error.ts'
import type { StateView } from '../../evm/state/view.ts'
import type { BlockCaches } from '../../storage/store/chain/block-caches.ts'
import type { ChainStore } from '../../storage/store/chain/chain-store.ts'
import type { ChainDirs } from '../../storage/store/chain/lmdb-chain-store.ts'
import type { StorageDelta } from '../../storage/store/reader/storage-delta.ts'
import { StorageReader } from '../../storage/store/reader/storage-reader.ts'
import type { StateReads } from '../../storage/store/state/state-store.ts'

export interface FollowedStorageOptions {
  readonly dirs: ChainDirs
  readonly caches: BlockCaches
  /** Source of deltas; each was sent before `height` reaches its block. */
  readonly editions: MessagePort
  /** Shared word with the latest height that any thread may show. */
  readonly height: BigInt64Array
}

/**
 * Blocks and states on an RPC worker. It never shows a block that other threads may not show yet, and after `catchUp`
 * it has every block that one of them may have shown: no client sees the chain go back.
 */
export class FollowedStorage implements StateReads {
  readonly #reader: StorageReader
  readonly #editions: MessagePort
  readonly #height: BigInt64Array
  /** Deltas received but not applied. */
  readonly #waiting: StorageDelta[] = []
  /** The halves of the height and their last values; most requests see by them that nothing has changed. */
  readonly #halves: Int32Array
  #seen: readonly [number, number] | undefined
  #taken = 0
  /** The last requested view, valid for the last applied delta. */
  #view: StateView | undefined
  #viewHeight = -1

  /** @throws STORE_CORRUPTED, STORE_FULL */
  constructor({ dirs, caches, editions, height }: FollowedStorageOptions) {
    this.#reader = new StorageReader(dirs, caches)
    this.#editions = editions
    this.#height = height
    this.#halves = new Int32Array(height.buffer, height.byteOffset, 2)
    // Apply deltas without requests too, so that replaced data can be freed.
    editions.on('message', (deltaCount: StorageDelta) => {
      this.#waiting.push(deltaCount)
      this.catchUp()
    })
  }

  get chain(): ChainStore {
    return this.#reader.chain
  }

  get earliest(): number {
    return this.#reader.state.earliest
  }

  get latest(): number {
    return this.#reader.state.latest
  }

  get firstWithEvm(): number {
    return this.#reader.state.firstWithEvm
  }

  get evmWholeFrom(): number {
    return this.#reader.state.evmWholeFrom
  }

  /** Number of applied deltas. */
  get edition(): number {
    return this.#taken
  }

  /** Applies deltas up to the latest height. Called before each request. @throws ENGINE_FAULT if one is missing */
  catchUp(): void {
    // Read first: a height that arrives meanwhile is seen by the next request.
    const first = Atomics.load(this.#halves, 0)
    const second = Atomics.load(this.#halves, 1)
    if (this.#seen !== undefined && first === this.#seen[0] && second === this.#seen[1]) return
    const height = Number(Atomics.load(this.#height, 0))
    while (this.latest < height) {
      const edition = this.#waiting.shift() ?? receiveMessageOnPort(this.#editions)?.message
      if (edition === undefined) {
        const text = `block ${height} was announced to an RPC worker that has ${this.latest}`
        throw new LockstepError('ENGINE_FAULT', text)
      }
      this.#reader.take(edition)
      this.#taken++
      this.#view = undefined
    }
    this.#seen = [first, second]
  }

  /** @throws ForwardToMain if this thread cannot read the state */
  view(height: number): StateView {
    if (this.#view !== undefined && this.#viewHeight === height) return this.#view
    const view = this.#reader.state.view(height, (number) => this.chain.header(number)?.hash)
    if (view === undefined) throw new ForwardToMain()
    this.#view = view
    this.#viewHeight = height
    return view
  }

  /** @throws ForwardToMain if this thread cannot read the state */
  legacy(key: Uint8Array, height: number): Uint8Array | undefined {
    const found = this.#reader.state.legacy(key, height)
    if (found === undefined) throw new ForwardToMain()
    return found.value
  }

  close(): void {
    this.#editions.close()
    void this.#reader.close()
  }
}
