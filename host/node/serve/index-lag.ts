import type { Lag } from '../../chain/consensus/lull.ts'

/**
 * What indexes may stay behind a development chain, whose blocks come one upon another while somebody waits for each:
 * they take their turn when nobody does. Half of what the index of addresses makes whoever asks wait for.
 */
export const DEV_LAG: Lag = { quietMs: 250, blocks: 32 }
