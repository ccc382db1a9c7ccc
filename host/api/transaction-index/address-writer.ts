import { sendNote } from '../../base/worker/serve-work.ts'
import { type Engine, loadEngine } from '../../evm/engine/engine.ts'
import { AddressStore } from '../../storage/store/address/address-store.ts'
import { WorkerState } from '../trace-pool/remote-state.ts'
import { StatePort } from '../trace-pool/state-port.ts'
import { FOLLOWING_NICENESS, lowerPriority } from '../trace-pool/thread-priority.ts'
import { addressBlockOf } from './address-block.ts'
import type { ReplayAccess } from './index-messages.ts'
import type { SourceBlock } from './source-block.ts'

/** Replays blocks on the index worker and writes their rows. It lowers the priority of its thread. */
export class AddressWriter {
  readonly #store: AddressStore
  readonly #replay: ReplayAccess
  readonly #port: StatePort
  /** A failed run leaves an engine that must not be used for another block. */
  #engine: Promise<Engine> | undefined

  constructor(dir: string, replay: ReplayAccess) {
    this.#store = new AddressStore(dir, { isShared: true })
    this.#replay = replay
    this.#port = new StatePort(replay.area, sendNote<number>)
    lowerPriority(FOLLOWING_NICENESS)
  }

  async add(sources: readonly SourceBlock[], firstRun: number): Promise<void> {
    const { modules } = this.#replay
    this.#engine ??= loadEngine(modules.engine, modules)
    try {
      const engine = await this.#engine
      const blocks = []
      for (const [i, source] of sources.entries()) {
        blocks.push(await addressBlockOf(source, engine, new WorkerState(this.#port, firstRun + i)))
      }
      this.#store.add(blocks)
    } catch (thrown) {
      this.#engine = undefined
      throw thrown
    }
  }

  cut(height: number): void {
    this.#store.cut(height)
  }

  prune(height: number): void {
    this.#store.prune(height)
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}
