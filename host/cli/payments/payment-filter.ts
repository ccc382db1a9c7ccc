import { type Command, InvalidArgumentError } from 'commander'
import { parseDuration } from '../../base/duration.ts'
import { LockstepError } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'
import { parseTime } from '../../base/time.ts'
import type { LedgerFilter } from '../../payments/claim/ledger.ts'

/** Flags that filter payments. */
export interface FilterFlags {
  readonly resource?: string
  readonly payer?: string
  readonly since?: string
  readonly before?: string
}

export function addFilterFlags(command: Command): Command {
  return command
    .option('--resource <PATH>', 'payments for one resource, by its configured path')
    .option('--payer <ADDRESS>', 'payments of one payer')
    .option(
      '--since <TIME>',
      'claimed at or after: 2026-01-31, 2026-01-31T12:00:00Z, or 24h for the last 24 hours',
    )
    .option('--before <TIME>', 'claimed before then')
}

/** @throws INVALID_ARGUMENT */
export function ledgerFilterOf({ resource, payer, since, before }: FilterFlags): LedgerFilter {
  return {
    ...(resource !== undefined && { resource }),
    ...(payer !== undefined && { payer: parsePayer(payer) }),
    ...(since !== undefined && { since: parseMoment(since, '--since') }),
    ...(before !== undefined && { before: parseMoment(before, '--before') }),
  }
}

function parsePayer(text: string): Hex {
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return text.toLowerCase() as Hex
  throw new LockstepError('INVALID_ARGUMENT', `--payer: "${text}" is not an address`, {
    hint: 'write it as 0x and 40 hex digits',
  })
}

/** Returns the milliseconds since 1970 of a date, a time, or a duration before now. */
function parseMoment(text: string, flag: string): number {
  const duration = parseDuration(text)
  if (duration !== undefined) return Math.max(0, Math.floor(Date.now() - duration))
  try {
    const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text)
    const nanoseconds = parseTime(isDate ? `${text}T00:00:00Z` : text)
    // Rounded up: a time is included if it is at or after the bound.
    return Math.max(0, Number((nanoseconds + 999_999n) / 1_000_000n))
  } catch {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `${flag}: "${text}" is neither a time nor a duration`,
      {
        hint: 'write a UTC date as 2026-01-31, a time as 2026-01-31T12:00:00Z, or 24h for that long ago',
      },
    )
  }
}

/** Parses a count. */
export function parseCount(text: string): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : -1
  if (count < 0) throw new InvalidArgumentError('It is not a whole number below 1000000000.')
  return count
}

/** Parses the hash of a transaction or the id of an authorization, to lower case. @throws INVALID_ARGUMENT */
export function parseHash(text: string, name: string): Hex {
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return text.toLowerCase() as Hex
  throw new LockstepError('INVALID_ARGUMENT', `${name}: "${text}" is not a hash`, {
    hint: 'write it as 0x and 64 hex digits, as `lockstep payments list` prints it',
  })
}
