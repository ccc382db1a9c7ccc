import type { Consensus, ConsensusOptions } from './consensus.ts'
import { startEmbedded } from './start-embedded.ts'

/** Starts to make the blocks of a chain, or to follow others. */
export async function startConsensus(options: ConsensusOptions): Promise<Consensus> {
  switch (options.config.consensus.engine) {
    case 'embedded':
      return startEmbedded(options)
    case 'cometbft': {
      const { startCometBft } = await import('./start-cometbft.ts')
      return startCometBft(options)
    }
  }
}
