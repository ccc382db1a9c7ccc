import { LockstepError, messageOf } from '../base/error.ts'
import { ERRORS } from '../base/error-table.ts'
import { type Finding, fault, warning } from './finding.ts'
import type { HomeFacts } from './home-facts.ts'

/** What was thrown, as a finding's text and remedy. */
export function thrownFinding(subject: Finding['subject'], thrown: unknown): Finding {
  const remedy = thrown instanceof LockstepError ? thrown.hint : ERRORS.STORE_DENIED.remedy
  return fault(subject, messageOf(thrown), remedy)
}

/** The configuration and the genesis. */
export function* checkHome({
  home,
  inspected,
  genesisError,
  newest,
  genesis,
}: HomeFacts): Generator<Finding, void> {
  for (const { message, hint } of inspected.problems) yield fault('configuration', message, hint)
  for (const key of inspected.inert) {
    yield warning(
      'configuration',
      `${key} is set, and has no effect in this release`,
      `\`lockstep config explain ${key}\` says what it would be for; remove it`,
    )
  }
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
  if (
    genesis !== undefined &&
    newest !== undefined &&
    newest.chainId !== genesis.consensusChainId
  ) {
    yield fault(
      'genesis',
      `the stored blocks belong to chain ${newest.chainId}, genesis.json to ${genesis.consensusChainId}`,
      "restore the chain's genesis.json",
    )
  }
}
