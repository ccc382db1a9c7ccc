import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'
import type { ConsensusBlockStore } from '../embedded/block-store.ts'
import type { RpcServer } from './rpc-server.ts'

export interface DoubleSignCheck {
  /** Nodes that follow this validator's chain. */
  readonly servers: readonly RpcServer[]
  readonly chainId: string
  /** Address of the validator. */
  readonly address: Uint8Array
  readonly blockStore: ConsensusBlockStore
}

function refused(what: string, height: number): LockstepError {
  return new LockstepError('DOUBLE_SIGN', `Duplicate signature refused: ${what}`, {
    hint:
      `this home is older than the signatures of its key: import a snapshot of height ${height} or later from ` +
      'the node that has those blocks',
  })
}

/** Compares the latest block of a server with those of this home. */
async function compare(server: RpcServer, options: DoubleSignCheck): Promise<void> {
  const { chainId, address, blockStore } = options
  const { chainId: network, latestHeight } = await server.status()
  if (network !== chainId) {
    throw new LockstepError(
      'CONFIG_INVALID',
      `${server.name} serves chain ${network}, not ${chainId}`,
      {
        hint: 'correct double-sign-check-servers of [consensus]',
      },
    )
  }
  if (latestHeight === 0) return
  const { commit } = await server.signedHeader(latestHeight)
  const isOwn = commit.signatures.some(({ validatorAddress }) =>
    equalBytes(validatorAddress, address),
  )
  if (!isOwn) return
  const { height } = blockStore
  if (latestHeight > height) {
    throw refused(
      `${server.name} has block ${latestHeight} with the signature of this key, but the blocks in ` +
        `${blockStore.dir} end at height ${height}`,
      latestHeight,
    )
  }
  const known = blockStore.commit(latestHeight)?.blockId.hash
  if (known === undefined || equalBytes(known, commit.blockId.hash)) return
  const [theirs, ours] = [commit.blockId.hash, known].map((hash) => hexDigits(hash).toUpperCase())
  throw refused(
    `${server.name} has block ${theirs} of height ${latestHeight} with the signature of this key, and ` +
      `${blockStore.dir} has ${ours}`,
    latestHeight,
  )
}

/**
 * Asks followers whether they have a block that the validator has signed and this home lacks. That happens if the
 * whole home, including its signing state, was restored from a backup. CometBFT looks into its own blocks for this
 * (`double-sign-check-height`), but those are restored too.
 * @throws DOUBLE_SIGN, NODE_UNREACHABLE if none answers, CONFIG_INVALID if one serves another chain
 */
export async function checkDoubleSign(options: DoubleSignCheck): Promise<void> {
  const answers = await Promise.allSettled(
    options.servers.map((server) => compare(server, options)),
  )
  const failures = answers.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  for (const failure of failures) {
    const isSilence = failure instanceof LockstepError && failure.code === 'NODE_UNREACHABLE'
    if (!isSilence) throw failure
  }
  const [first] = failures
  if (failures.length < answers.length || !(first instanceof LockstepError)) return
  throw new LockstepError('NODE_UNREACHABLE', first.message, {
    hint: 'start one of double-sign-check-servers of [consensus] first: they know what this key has signed',
    cause: first,
  })
}
