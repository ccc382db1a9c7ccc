import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { LockstepError } from '../../base/error.ts'
import {
  describeChanges,
  type GenesisRecord,
  recordGenesis,
} from '../../evm/chain-types/genesis-record.ts'

/** Stores the genesis record of a chain with its blocks. */
export interface GenesisKeeper {
  readonly dir: string
  genesis(): GenesisRecord | undefined
  saveGenesis(record: GenesisRecord): void | Promise<void>
}

/** Maximum changes listed in a message. */
const SHOWN = 5

/**
 * Compares genesis.json with the genesis recorded at the first start. A node with other limits or another fork
 * schedule would compute results that differ from the blocks.
 * @throws GENESIS_INVALID with both hashes and the differences
 */
export async function verifyGenesis(path: string, store: GenesisKeeper): Promise<void> {
  const record = recordGenesis(readFileSync(path, 'utf8'), (text) => hash('sha256', text))
  const kept = store.genesis()
  if (kept === undefined) {
    await store.saveGenesis(record)
    return
  }
  if (kept.hash === record.hash) return
  const changes = describeChanges(kept, record)
  const more = changes.length > SHOWN ? [`and ${changes.length - SHOWN} more`] : []
  throw new LockstepError(
    'GENESIS_INVALID',
    `${path} is not the genesis of the chain in ${store.dir}: its hash is ${record.hash}, not ${kept.hash}` +
      `; ${[...changes.slice(0, SHOWN), ...more].join(', ')}`,
    {
      hint:
        "restore the chain's genesis.json, or start another chain in another --home; `lockstep consensus " +
        'unsafe-reset-all` forgets the chain of this one',
    },
  )
}
