import { LockstepError } from '../../../base/error.ts'
import { timeoutSignal } from '../../../base/timer.ts'
import type { CometRpc } from './comet-rpc.ts'

/** CometBFT answers at once or never: the node is halting. */
const ANSWER_MS = 2_000

interface RoundState {
  readonly height: string
  readonly proposal: { readonly block_id: { readonly hash: string } } | null
  readonly proposal_block: { readonly header: { readonly last_commit_hash: string } } | null
}

/**
 * Adds the block to the error of a wrong app hash: its id and commit hash, which operators report, if CometBFT knows
 * them. Returns every other error unchanged.
 */
export async function nameBlock(
  error: LockstepError,
  rpc: Pick<CometRpc, 'call'>,
): Promise<LockstepError> {
  const { code, message, hint, data } = error
  const { height } = (data ?? {}) as { readonly height?: number }
  if (code !== 'APP_HASH_MISMATCH' || height === undefined) return error
  const { blockId, commitHash } = await roundAt(height, rpc)
  const block = `block_id ${blockId ?? 'unknown'}, commit hash ${commitHash ?? 'unknown'}`
  return new LockstepError(code, `${message} (height ${height}, ${block})`, {
    hint,
    data: { height, blockId, commitHash },
    cause: error,
  })
}

/** Returns the block of the current round; empty if CometBFT is at another height, as during block sync. */
async function roundAt(
  height: number,
  rpc: Pick<CometRpc, 'call'>,
): Promise<{ readonly blockId?: string | undefined; readonly commitHash?: string | undefined }> {
  try {
    const answer = await rpc.call('dump_consensus_state', {}, timeoutSignal(ANSWER_MS))
    const { round_state: round } = answer as { readonly round_state: RoundState }
    if (Number(round.height) !== height) return {}
    return {
      blockId: round.proposal?.block_id.hash,
      commitHash: round.proposal_block?.header.last_commit_hash,
    }
  } catch {
    return {}
  }
}
