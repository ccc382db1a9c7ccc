import { type ErrorOptions, LockstepError } from '../../base/error.ts'
import { BLOCK_HASHES } from '../../evm/state/view.ts'

/** Names of the stream's sections beside the stores. */
export const SECTIONS = {
  /** Block 0, and the blocks whose hashes the next block can ask for. */
  blocks: 'lockstep_blocks',
  /** The newest block as consensus decided it, with its results. */
  decided: 'lockstep_decided',
  /** Code by its hash, also of accounts that are gone. */
  bytecode: 'lockstep_bytecode',
  appHash: 'lockstep_app_hash',
} as const

/** Labels of FlatKV's rows: the first is written, the others come from older snapshots. */
export const EVM_LABELS: readonly string[] = ['evm', 'evm_flatkv', 'flatkv']

/** The first block, but for block 0, that a snapshot at `height` holds: the next block asks for its hash. */
export function firstBlock(height: number): number {
  return Math.max(1, height - BLOCK_HASHES + 1)
}

/** The error of a snapshot that is not what it says, or breaks a rule of the format. */
export function invalid(message: string, options: ErrorOptions = {}): LockstepError {
  return new LockstepError('SNAPSHOT_INVALID', message, options)
}
