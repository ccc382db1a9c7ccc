import { checkCometVersion } from '../../chain/consensus/cometbft/comet-version.ts'
import { thrownFinding } from './check-home.ts'
import type { Finding } from './finding.ts'
import type { HomeFacts } from './home-facts.ts'

/** Checks that the configured CometBFT exists and is a supported release. */
export async function checkComet({
  isUnderComet,
  inspected,
}: HomeFacts): Promise<readonly Finding[]> {
  if (!isUnderComet) return []
  try {
    await checkCometVersion(inspected.config.consensus.cometbft)
    return []
  } catch (thrown) {
    return [thrownFinding('configuration', thrown)]
  }
}
