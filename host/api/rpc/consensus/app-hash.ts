import type { ConsensusRpcContext } from './context.ts'

/** Returns the app hash after a block: from the next header, or from the application for the latest block. */
export async function appHashAfter(
  { application, blockStore }: ConsensusRpcContext,
  height: number,
): Promise<Uint8Array | undefined> {
  const { lastBlockHeight, lastBlockAppHash } = application.info()
  if (height === lastBlockHeight) return lastBlockAppHash
  return blockStore.block(height + 1)?.block.header.appHash
}
