/** Names of what the stream holds beside the stores. */
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

/** BLOCKHASH of the next block reaches this many blocks. */
const HASHES = 256

/** The first block, but for block 0, that a snapshot at `height` holds. */
export function firstBlock(height: number): number {
  return Math.max(1, height - HASHES + 1)
}
