import { type ErrorOptions, LockstepError } from '../../base/error.ts'
import { BLOCK_HASH_COUNT } from '../../evm/state/view.ts'

/** Names of the stream's sections other than stores. */
export const SECTIONS = {
  /** Block 0, and the blocks whose hashes the next block can read. */
  blocks: 'lockstep_blocks',
  /** The latest block with its commit and results. */
  decided: 'lockstep_decided',
  /** Code by hash, including that of deleted accounts. */
  bytecode: 'lockstep_bytecode',
  appHash: 'lockstep_app_hash',
} as const

/** Store names of FlatKV's rows: the first is written, the others occur in older snapshots. */
export const EVM_LABELS: readonly string[] = ['evm', 'evm_flatkv', 'flatkv']

/** Returns the first block after block 0 in a snapshot at `height`: the earliest whose hash the next block can read. */
export function firstBlock(height: number): number {
  return Math.max(1, height - BLOCK_HASH_COUNT + 1)
}

/** Returns the error of a snapshot that contradicts its metadata or breaks a rule of the format. */
export function invalidSnapshot(message: string, options: ErrorOptions = {}): LockstepError {
  return new LockstepError('SNAPSHOT_INVALID', message, options)
}
