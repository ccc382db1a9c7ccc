import { fromPlainError } from '../../base/plain-error.ts'
import { WorkerClient } from '../../base/worker/worker-client.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { StateView } from '../../evm/state/view.ts'
import { failingView, newStateArea, StateAnswers } from '../trace-pool/state-port.ts'
import type {
  IndexOutcomes,
  IndexTableName,
  IndexWorkerData,
  ToIndexWorker,
} from './index-messages.ts'
import { type SourceBlock, sourceTransfer } from './source-block.ts'

/** What replays read. */
export interface ReplaySource {
  readonly modules: EngineModules
  /** Returns the state before the transactions of a block. */
  viewBefore(height: number): StateView
}

/** Client of the worker that writes the rows of finished blocks. The worker starts on demand. */
export class IndexWorkerClient {
  readonly #worker: WorkerClient<ToIndexWorker, IndexOutcomes, number>
  readonly #replay: ReplaySource | undefined
  /** States before the blocks in progress, by run number. */
  readonly #views = new Map<number, StateView>()
  #nextRun = 0

  /**
   * @param dirs folders of the tables, which the caller has opened and verified
   * @param replay undefined if no table needs a replay
   */
  constructor(
    dirs: IndexWorkerData['dirs'],
    replay?: ReplaySource,
    script = new URL('./index-worker.ts', import.meta.url),
  ) {
    this.#replay = replay
    const area = newStateArea()
    const answers = new StateAnswers(area)
    const access = replay && { modules: replay.modules, area }
    this.#worker = new WorkerClient({
      script,
      name: 'the index worker',
      workerData: { dirs, replay: access } satisfies IndexWorkerData,
      // Once the worker is out of step, nothing that it has read can be trusted.
      onNote: (number) => answers.answer(number, (run) => this.#views.get(run)),
    })
  }

  /**
   * Writes the rows of the blocks, which are transferred. Resolves when they are on disk, with the error of each
   * table that failed.
   */
  async add(
    tables: readonly IndexTableName[],
    blocks: readonly SourceBlock[],
    pruneHeight: number,
  ): Promise<readonly (Error | undefined)[]> {
    const firstRun = this.#nextRun
    for (const { height, run } of blocks) {
      const id = this.#nextRun++
      if (run !== undefined) this.#views.set(id, this.#viewBefore(height))
    }
    const message = { kind: 'add', tables, blocks, firstRun, pruneHeight } as const
    try {
      const outcomes = await this.#worker.run(message, blocks.flatMap(sourceTransfer))
      return outcomes.map((error) => error && fromPlainError(error))
    } finally {
      for (let id = firstRun; id < firstRun + blocks.length; id++) this.#views.delete(id)
    }
  }

  /** An error of the view fails the table that replays, and no other. */
  #viewBefore(height: number): StateView {
    try {
      return (this.#replay as ReplaySource).viewBefore(height)
    } catch (thrown) {
      return failingView(thrown)
    }
  }

  /** Removes the blocks above a height from a table; resolves when they are removed. */
  async cut(table: IndexTableName, height: number, hash: Uint8Array): Promise<void> {
    await this.#worker.run({ kind: 'cut', table, height, hash })
  }

  /** Ends the worker after its pending work: ending it within a transaction would leave the database locked. */
  async close(): Promise<void> {
    await this.#worker.close({ kind: 'close' }).catch(() => undefined)
  }
}
