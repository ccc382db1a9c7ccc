import { LockstepError } from '../../base/error.ts'
import { rewindableVersions } from '../../storage/commit/commit-rewind.ts'
import type { StorageRollback } from '../../storage/store/storage-rollback.ts'
import type { RollbackBlocks } from './rollback-blocks.ts'

/** Finds the heights that a home can be rolled back to. */
export class RollbackReach {
  readonly #storage: StorageRollback
  readonly #blocks: RollbackBlocks
  /** Versions of the state commit that its flushes can restore, latest first. */
  readonly #versions: readonly number[]

  static async open(
    stateCommit: string,
    storage: StorageRollback,
    blocks: RollbackBlocks,
  ): Promise<RollbackReach> {
    return new RollbackReach(await rewindableVersions(stateCommit), storage, blocks)
  }

  private constructor(
    versions: readonly number[],
    storage: StorageRollback,
    blocks: RollbackBlocks,
  ) {
    this.#versions = versions
    this.#storage = storage
    this.#blocks = blocks
  }

  /** @throws STATE_PRUNED if `target` is no longer available */
  check(target: number, newest: number): void {
    if (this.#reaches(target)) return
    const earliest = this.#earliest(newest)
    const text = `cannot rollback to height ${target}: data needed for it has been pruned; `
    if (earliest === undefined) {
      throw new LockstepError('STATE_PRUNED', `${text}no earlier height works`, { hint: SNAPSHOT })
    }
    throw new LockstepError(
      'STATE_PRUNED',
      `${text}the earliest height that works is ${earliest}`,
      {
        hint: `run \`lockstep rollback -n ${newest - earliest}\`, or ${SNAPSHOT}`,
        data: { requested: target, earliest, latest: newest },
      },
    )
  }

  #reaches(target: number): boolean {
    const storage = this.#storage
    if (target < storage.earliest || !this.#blocks.reaches(target)) return false
    const base = this.#versions.find((version) => version <= target)
    return base !== undefined && storage.holds(base + 1, target)
  }

  #earliest(newest: number): number | undefined {
    const lowest = Math.max(this.#storage.earliest, this.#versions.at(-1) ?? newest)
    for (let height = lowest; height < newest; height++) if (this.#reaches(height)) return height
    return undefined
  }
}

const SNAPSHOT = 'import a snapshot of an earlier height into a new home'
