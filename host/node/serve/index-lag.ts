import type { PermittedLag } from '../../chain/consensus/idle-timer.ts'

/**
 * Allowed lag of indexes on a development chain, where a client may wait for each of many blocks in a row: they run
 * when the chain is idle. Half of the lag at which a query of the address index has to wait.
 */
export const DEV_LAG: PermittedLag = { quietMs: 250, blocks: 32 }
