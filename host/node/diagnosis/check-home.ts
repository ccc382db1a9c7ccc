import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { LockstepError, messageOf } from '../../base/error.ts'
import { ERRORS } from '../../base/error-table.ts'
import { describeChanges, recordGenesis } from '../../evm/chain-types/genesis-record.ts'
import { type Finding, fault } from './finding.ts'
import type { HomeFacts } from './home-facts.ts'

/** Maximum changes listed in a finding. */
const SHOWN = 5

/** Converts an error to a finding with its message and remedy. */
export function thrownFinding(subject: Finding['subject'], thrown: unknown): Finding {
  const remedy = thrown instanceof LockstepError ? thrown.hint : ERRORS.STORE_DENIED.remedy
  return fault(subject, messageOf(thrown), remedy)
}

/** Checks the configuration and the genesis. */
export function* checkHome(facts: HomeFacts): Generator<Finding, void> {
  const { home, inspected, genesisError } = facts
  for (const { message, hint } of inspected.problems) yield fault('configuration', message, hint)
  if (genesisError !== undefined) {
    const isMissing = (genesisError as NodeJS.ErrnoException).code === 'ENOENT'
    yield isMissing
      ? fault(
          'genesis',
          `${home.config.genesis} is missing`,
          "restore the chain's genesis.json, or run `lockstep init --chain-id <id>` for a new chain",
        )
      : thrownFinding('genesis', genesisError)
  }
  yield* checkKeptGenesis(facts)
}

/** Compares genesis.json with the genesis that the chain recorded at its start. */
function* checkKeptGenesis({ home, genesis, newest, kept }: HomeFacts): Generator<Finding, void> {
  if (genesis === undefined) return
  const restore = "restore the chain's genesis.json, or start another chain in another --home"
  if (newest !== undefined && newest.chainId !== genesis.consensusChainId) {
    const { chainId } = newest
    const what = `the stored blocks belong to chain ${chainId}, genesis.json to ${genesis.consensusChainId}`
    yield fault('genesis', what, restore)
    return
  }
  if (kept === undefined) return
  const record = recordGenesis(readFileSync(home.config.genesis, 'utf8'), (text) =>
    hash('sha256', text),
  )
  if (record.hash === kept.hash) return
  const changes = describeChanges(kept, record).slice(0, SHOWN).join(', ')
  const what = `${home.config.genesis} is not the genesis of the chain: ${changes}`
  yield fault('genesis', what, restore)
}
