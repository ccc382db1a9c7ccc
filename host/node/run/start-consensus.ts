import type { Consensus, ConsensusOptions } from './consensus.ts'
import { startCometBft } from './start-cometbft.ts'
import { startEmbedded } from './start-embedded.ts'

/** Begins to make the blocks of a chain, or to take them from others. */
export function startConsensus(options: ConsensusOptions): Promise<Consensus> {
  switch (options.config.consensus.engine) {
    case 'embedded':
      return startEmbedded(options)
    case 'cometbft':
      return startCometBft(options)
  }
}
