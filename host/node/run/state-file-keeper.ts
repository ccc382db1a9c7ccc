import { existsSync, readFileSync } from 'node:fs'
import { LockstepError, messageOf } from '../../base/error.ts'
import type { Logger } from '../../base/log/logger.ts'
import { startInterval, stopTimer } from '../../base/timer.ts'
import { writeFileAtomic } from '../../chain/consensus/validator/atomic-file.ts'
import type { DrivenChain } from '../../chain/dev/driven-chain.ts'
import { readStateOnWorker } from '../../chain/dev/state-thread.ts'
import type { Storage } from '../../storage/store/storage.ts'
import type { StateFiles } from './dev-settings.ts'

export interface StateFileContext extends StateFiles {
  readonly dev: DrivenChain
  readonly storage: Pick<Storage, 'chain' | 'state'>
  /** True before the first block: a chain with blocks keeps its state. */
  readonly isNew: boolean
  readonly logger: Logger
}

function readStateFile({
  path,
  mustExist,
}: NonNullable<StateFiles['load']>): Uint8Array | undefined {
  const flag = mustExist ? 'dev.load-state' : 'dev.state'
  try {
    return mustExist || existsSync(path) ? readFileSync(path) : undefined
  } catch (cause) {
    throw new LockstepError('INVALID_ARGUMENT', `--${flag} ${path}: ${messageOf(cause)}`, {
      hint: mustExist
        ? 'pass a readable file'
        : 'pass a readable file, or one that does not exist yet',
      cause,
    })
  }
}

/**
 * Starts a new chain with the accounts of a state file, if the file exists.
 * @throws INVALID_ARGUMENT if it is not a state file, or does not exist but has to
 */
export async function loadStateFile(context: StateFileContext): Promise<void> {
  const { load, dev, isNew, logger } = context
  const file = load && readStateFile(load)
  if (load === undefined || file === undefined) return
  const { path } = load
  if (!isNew) {
    logger.info('the state file is not loaded: the chain of this home already has blocks', { path })
    return
  }
  const { MOST_FILE_BYTES } = await import('../../chain/dev/state-file.ts')
  const { accounts, diff } = await readStateOnWorker({ file, most: MOST_FILE_BYTES })
  await dev.amend(() => diff)
  logger.info('loaded the state file', { path, accounts })
}

/** Writes the latest state in anvil's format. */
export async function saveStateFile(context: StateFileContext): Promise<void> {
  const { dump: path, dev, storage, logger } = context
  if (path === undefined) return
  const { formatState } = await import('../../chain/dev/state-file.ts')
  const view = storage.state.view(storage.chain.latest)
  await writeFileAtomic(path, await formatState(view, dev.written, () => undefined))
  logger.info('wrote the state file', { path })
}

/**
 * Writes the state file each time `intervalMs` have passed, and a last time after the returned function is called.
 * An interval of 0 writes it only then.
 */
export function keepStateFile(context: StateFileContext, intervalMs: number): () => Promise<void> {
  const { dump: path, logger } = context
  let writing: Promise<void> | undefined
  const write = () => {
    writing ??= saveStateFile(context)
      .catch((error) => logger.error('the state file could not be written', { path, error }))
      .finally(() => {
        writing = undefined
      })
  }
  const timer = intervalMs > 0 && path !== undefined ? startInterval(write, intervalMs) : undefined
  return async () => {
    if (timer !== undefined) stopTimer(timer)
    await writing
    await saveStateFile(context)
  }
}
