import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { LockstepError } from '../../base/error.ts'
import {
  describeChanges,
  type GenesisRecord,
  recordGenesis,
} from '../../evm/chain-types/genesis-record.ts'

/** Keeps what a chain began with beside its blocks. */
export interface GenesisKeeper {
  readonly dir: string
  genesis(): GenesisRecord | undefined
  saveGenesis(record: GenesisRecord): void | Promise<void>
}

/** Changes that a message names. */
const SHOWN = 5

/**
 * Compares genesis.json with the one that the chain began with, which is kept with its blocks from the first
 * start on: a node of other limits or another fork would execute blocks to other results than they state.
 * @throws GENESIS_INVALID with both hashes and what differs
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
        "put the chain's genesis.json back, or begin another chain in another --home; `lockstep consensus " +
        'unsafe-reset-all` forgets the chain of this one',
    },
  )
}
