import type { DecidedBlock } from '../../../chain/consensus/embedded/block-store.ts'
import { blockIdJson, blockJson } from './json.ts'

/** Returns the result of /block. */
export function blockResult(decided: DecidedBlock | undefined): object {
  if (decided === undefined) {
    return { block_id: { hash: '', parts: { total: 0, hash: '' } }, block: null }
  }
  return { block_id: blockIdJson(decided.blockId), block: blockJson(decided.block) }
}
