import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import type { Application } from '../application.ts'
import { hashResults } from '../comet/block-results.ts'
import type { ConsensusBlockStore } from './block-store.ts'
import type { ConsensusChain } from './chain.ts'
import { applyBlock } from './decide.ts'
import { genesisTip, heightAfter, type Tip, tipAfter, verifyAppHash } from './tip.ts'

/** Remedy for a home with inconsistent stores. */
const RESTORE = 'restore the data directory as a whole, or import a snapshot into a new home'

/** Returns the app hash of the genesis state. Initialises the application if it has no state. */
async function initialise(application: Application, chain: ConsensusChain): Promise<Uint8Array> {
  const lastBlockAppHash = await application.info().lastBlockAppHash
  if (lastBlockAppHash.length > 0) return lastBlockAppHash
  const response = await application.initChain({
    chainId: chain.id,
    time: chain.genesisTime,
    initialHeight: chain.initialHeight,
    validators: chain.validators,
  })
  return response.appHash
}

function verifyChain(chain: ConsensusChain, store: ConsensusBlockStore): void {
  const newest = store.decided(store.height)
  if (newest === undefined) return
  const { chainId, validatorsHash } = newest.block.header
  if (chainId !== chain.id) {
    throw new LockstepError(
      'GENESIS_INVALID',
      `the stored blocks belong to chain ${chainId}, genesis.json to ${chain.id}`,
    )
  }
  if (!equalBytes(validatorsHash, chain.validatorsHash)) {
    throw new LockstepError(
      'GENESIS_INVALID',
      'the validators of the stored blocks are not those of genesis.json',
    )
  }
}

export async function storedTip(
  application: Application,
  store: ConsensusBlockStore,
  height: number,
): Promise<Tip> {
  const decided = store.decided(height)
  const results = store.results(height)
  if (decided === undefined || results === undefined) {
    throw new LockstepError(
      'CONSENSUS_FAILURE',
      `the application is at height ${height}, of which ${store.dir} has no results`,
      { hint: RESTORE },
    )
  }
  const { lastBlockAppHash } = application.info()
  const kept = store.appHash(height)
  if (kept !== undefined) {
    verifyAppHash(await lastBlockAppHash, kept, height, decided.blockId.hash)
  }
  return tipAfter(decided, hashResults(results), lastBlockAppHash)
}

/**
 * Replays the decided blocks that the application lacks and returns the tip of the chain.
 * @param last last height to replay; later ones need another release
 * @throws APP_HASH_MISMATCH; CONSENSUS_FAILURE if the application is ahead of the blocks or needs a pruned one;
 * GENESIS_INVALID if the blocks belong to another chain
 */
export async function handshake(
  application: Application,
  chain: ConsensusChain,
  store: ConsensusBlockStore,
  last: number = Number.POSITIVE_INFINITY,
): Promise<Tip> {
  verifyChain(chain, store)
  const { lastBlockHeight } = application.info()
  if (lastBlockHeight > store.height) {
    throw new LockstepError(
      'CONSENSUS_FAILURE',
      `the application is at height ${lastBlockHeight}, ahead of the blocks at ${store.height} of ${store.dir}`,
      { hint: RESTORE },
    )
  }
  let tip =
    lastBlockHeight === 0
      ? genesisTip(chain, await initialise(application, chain))
      : await storedTip(application, store, lastBlockHeight)
  for (let height = heightAfter(chain, tip); height <= Math.min(store.height, last); height++) {
    const decided = store.decided(height)
    if (decided === undefined) {
      throw new LockstepError(
        'CONSENSUS_FAILURE',
        `the application needs block ${height}; ${store.dir} starts at ${store.base}`,
        { hint: RESTORE },
      )
    }
    verifyAppHash(await tip.appHash, decided.block.header.appHash, height, decided.blockId.hash)
    tip = await applyBlock(application, store, decided)
  }
  return tip
}
