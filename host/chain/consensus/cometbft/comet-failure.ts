import { type ErrorCode, LockstepError } from '../../../base/error.ts'
import { FAILURES } from '../../../base/failure-table.ts'
import type { CometLogLine } from './comet-log-line.ts'

/** Matches errors that mean this node's state differs from the one the next block builds on. */
const WRONG_STATE =
  /wrong Block\.Header\.(?:AppHash|LastResultsHash|ValidatorsHash|NextValidatorsHash)\b.*/s

/**
 * Returns the failure that a line of CometBFT's log reports, after which CometBFT keeps running but takes no more
 * part in consensus. Undefined for all other lines.
 * @param nextHeight the block that the application executes next
 */
export function loggedFailure(line: CometLogLine, nextHeight: number): LockstepError | undefined {
  const { level, module, message, fields } = line
  if (level !== 'error') return undefined
  const text = String(fields.err ?? '')
  if (message.startsWith('CONSENSUS FAILURE')) return halted(text, nextHeight)
  // CometBFT then stays without a state and starts no other way.
  if (module === 'statesync' && message === 'State sync failed') {
    return new LockstepError('COMETBFT_FAILED', `CometBFT: state sync failed: ${text}`)
  }
  // Block sync validates a block after its commit: two thirds of the validators have signed it.
  const isSigned = module === 'blocksync' && message === 'Error in validation'
  return isSigned && WRONG_STATE.test(text) ? halted(text, nextHeight) : undefined
}

function halted(text: string, height: number): LockstepError {
  const wrong = WRONG_STATE.exec(text)?.[0].replace(/\s+/g, ' ')
  const isHash = wrong?.includes('AppHash') === true
  const code: ErrorCode = isHash ? 'APP_HASH_MISMATCH' : 'CONSENSUS_FAILURE'
  return new LockstepError(
    code,
    `${FAILURES.CONSENSUS_HALTED.text} at ${height}: ${wrong ?? text}`,
    { data: { height } },
  )
}

/** Patterns of CometBFT's last message and the error code of each. */
const ENDS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/resource temporarily unavailable/, 'HOME_LOCKED'],
  [/address already in use/, 'PORT_IN_USE'],
  [/no space left on device/, 'STORE_FULL'],
  [/\bcorrupt(?:ed|ion)\b/i, 'STORE_CORRUPTED'],
  // Reported by `double_sign_check_height`
  [/found signature from the same key/, 'DOUBLE_SIGN'],
  [/AppHash/, 'APP_HASH_MISMATCH'],
  // It waits three seconds for a signer at `priv_validator_laddr`.
  [/private validator socket client/, 'REMOTE_SIGNER'],
]

/** Errors after which a restart would fail again or do harm. */
const FATAL: readonly ErrorCode[] = ['DOUBLE_SIGN', 'APP_HASH_MISMATCH']

export function isFatal({ code }: LockstepError): boolean {
  return FATAL.includes(code)
}

/**
 * Transient errors: a CometBFT that has just ended may still have its databases and port open, and its remote signer
 * may not have connected yet.
 */
const PASSING: readonly ErrorCode[] = ['HOME_LOCKED', 'PORT_IN_USE', 'REMOTE_SIGNER']

export function isTransient({ code }: LockstepError): boolean {
  return PASSING.includes(code)
}

/**
 * Returns the error for a CometBFT that ended before it answered.
 * @param how such as `ended with 1`
 * @param lines the last lines outside its log, and the last errors of its log
 */
export function cometExitError(how: string, lines: readonly string[]): LockstepError {
  const said = lines.find((line) => /^(?:ERROR|panic): /.test(line)) ?? lines.at(-1) ?? ''
  const reason = said.replace(/^(?:ERROR|panic): /, '')
  const code = ENDS.find(([pattern]) => pattern.test(reason))?.[1] ?? 'COMETBFT_FAILED'
  return new LockstepError(code, `CometBFT ${how}: ${reason === '' ? 'it said nothing' : reason}`)
}
