import { bytesKey } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatData, type Hex } from '../../../base/hex.ts'
import type { NodeClient } from '../../../client/remote-node/node-client.ts'
import {
  type BlockName,
  NodeStateView,
  type RemoteRead,
  remoteReadName,
} from '../../../client/remote-node/remote-state.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import { MissingState } from '../../../evm/state/missing-state.ts'
import { slotKey } from '../../../evm/state/recorded-state.ts'
import type { StateView } from '../../../evm/state/view.ts'
import type { ForkCache } from './fork-cache.ts'

export interface UpstreamStateOptions {
  readonly client: NodeClient
  /** Number of the block whose post-state is read. */
  readonly height: number
  /** The same block as requests to the node identify it. */
  readonly block: Hex | BlockName
  readonly cache: ForkCache
  readonly keccak256: Keccak256
}

/** A request in flight with all values that were read in one microtask. */
interface Fetch {
  readonly reads: Map<string, RemoteRead>
  readonly done: Promise<void>
}

/**
 * The state of another node after one block. Throws an `MissingState` for a value that is not cached. Its arrival
 * throws NODE_UNREACHABLE, REQUEST_TIMEOUT, PEER_INVALID, or STATE_PRUNED if the node has pruned the state.
 */
export class UpstreamState implements StateView {
  readonly #options: UpstreamStateOptions
  /** The fetch that still accepts reads. */
  #next: Fetch | undefined
  /** Fetches in flight by the keys of their values. */
  readonly #running = new Map<string, Promise<void>>()

  constructor(options: UpstreamStateOptions) {
    this.#options = options
  }

  account(address: Uint8Array): Uint8Array | undefined {
    const known = this.#options.cache.account(address)
    if (known !== undefined) return known.value
    throw this.#absent(bytesKey(address), { kind: 'account', address: address.slice() })
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    const known = this.#options.cache.storage(address, slot)
    if (known !== undefined) return known.value
    throw this.#absent(slotKey(address, slot), {
      kind: 'storage',
      address: address.slice(),
      slot: slot.slice(),
    })
  }

  code(codeHash: Uint8Array): Uint8Array {
    const code = this.#options.cache.code(codeHash)
    if (code !== undefined) return code
    // Code is fetched with its account, which is read first.
    throw new RangeError(`no account that was read has code of hash ${formatData(codeHash)}`)
  }

  blockHash(number: number): Uint8Array | undefined {
    const known = this.#options.cache.blockHash(number)
    if (known !== undefined) return known.value
    throw this.#absent(`#${number}`, { kind: 'blockHash', number })
  }

  #absent(key: string, read: RemoteRead): MissingState {
    return new MissingState(remoteReadName(read), () => this.#fetch(key, read))
  }

  #fetch(key: string, read: RemoteRead): Promise<void> {
    const running = this.#running.get(key)
    if (running !== undefined) return running
    this.#next ??= this.#begin()
    const { reads, done } = this.#next
    reads.set(key, read)
    this.#running.set(key, done)
    return done
  }

  #begin(): Fetch {
    const reads = new Map<string, RemoteRead>()
    const done = Promise.resolve().then(async () => {
      this.#next = undefined
      try {
        await this.#bring([...reads.values()])
      } finally {
        for (const key of reads.keys()) this.#running.delete(key)
      }
    })
    done.catch(() => {})
    return { reads, done }
  }

  async #bring(reads: readonly RemoteRead[]): Promise<void> {
    const { client, height, block, keccak256, cache } = this.#options
    const remote = new NodeStateView({ client, height, block, keccak256 })
    try {
      await remote.fetch(reads)
    } catch (thrown) {
      throw thrown instanceof LockstepError ? placed(thrown, height) : thrown
    }
    cache.add(remote.reads)
  }
}

/** Adds the requested block to an error. */
function placed({ code, message, hint, data }: LockstepError, height: number): LockstepError {
  const text = `${message}: the fork reads the state after block ${height} there`
  return new LockstepError(code, text, { hint, data })
}
