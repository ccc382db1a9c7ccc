import { LockstepError } from '../../../base/error.ts'
import { timeoutSignal } from '../../../base/timer.ts'
import type { CometRpc } from './comet-rpc.ts'

/** CometBFT answers at once or not at all: the node halts meanwhile. */
const ANSWER_MS = 2_000

interface RoundState {
  readonly height: string
  readonly proposal: { readonly block_id: { readonly hash: string } } | null
  readonly proposal_block: { readonly header: { readonly last_commit_hash: string } } | null
}

/**
 * The error of a wrong app hash with the block that states it, as far as CometBFT knows it: its id and the hash of its
 * commit, which operators report. Every other error as it is.
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

/** What the round of a height has of its block; nothing where CometBFT is at another one, as in block sync. */
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
