import type { ConsensusRpcContext } from './context.ts'

/** The next header states it; after the newest block the application knows it. */
export async function appHashAfter(
  { application, blockStore }: ConsensusRpcContext,
  height: number,
): Promise<Uint8Array | undefined> {
  const { lastBlockHeight, lastBlockAppHash } = application.info()
  if (height === lastBlockHeight) return lastBlockAppHash
  return blockStore.block(height + 1)?.block.header.appHash
}
