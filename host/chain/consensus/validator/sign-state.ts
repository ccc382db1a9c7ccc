import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'
import { requireCount, unwritable } from '../../../base/writable.ts'
import { writeFileAtomic } from './atomic-file.ts'

/** Steps of a round in which a validator signs. */
export const STEP = { NONE: 0, PROPOSE: 1, PREVOTE: 2, PRECOMMIT: 3 } as const

/** A validator's last signature: `priv_validator_state.json`. */
export interface SignState {
  readonly height: number
  readonly round: number
  readonly step: number
  /** Empty if nothing was signed. */
  readonly signature: Uint8Array
  readonly signBytes: Uint8Array
}

export const UNSIGNED: SignState = {
  height: 0,
  round: 0,
  step: STEP.NONE,
  signature: EMPTY_BYTES,
  signBytes: EMPTY_BYTES,
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function parseSignState(text: string): SignState {
  const { height, round, step, signature = '', signbytes = '' } = JSON.parse(text)
  if (typeof height !== 'string' || !/^\d{1,16}$/.test(height) || !isCount(Number(height)))
    throw new TypeError('bad height')
  if (!isCount(round) || !isCount(step)) throw new TypeError('bad round or step')
  if (typeof signature !== 'string' || typeof signbytes !== 'string') {
    throw new TypeError('bad signature or signbytes')
  }
  return {
    height: Number(height),
    round,
    step,
    signature: Uint8Array.from(Buffer.from(signature, 'base64')),
    signBytes: Uint8Array.from(Buffer.from(signbytes, 'hex')),
  }
}

/** Compares height, round and step. Returns a negative number if `a` is before `b`, 0 for the same position. */
export function comparePosition(a: SignState, b: SignState): number {
  return a.height - b.height || a.round - b.round || a.step - b.step
}

/**
 * Reads a signing state.
 * @param copy a file with the same content, if there is one
 * @throws VALIDATOR_KEY if the file is missing or damaged: starting without it would forget what was signed
 */
export async function readSignState(path: string, copy?: string): Promise<SignState> {
  try {
    return parseSignState(await readFile(path, 'utf8'))
  } catch (cause) {
    const remedy = copy === undefined ? `restore ${path}` : `run \`${copyCommand(copy, path)}\``
    throw new LockstepError(
      'VALIDATOR_KEY',
      `cannot read the validator's signing state ${path}: ${messageOf(cause)}`,
      { hint: `${remedy}; without it the validator could sign a height twice`, cause },
    )
  }
}

export function copyCommand(from: string, to: string): string {
  const [source, target] = [from, to].map((path) => `'${path.replaceAll("'", `'\\''`)}'`)
  return `cp ${source} ${target}`
}

export async function writeSignState(path: string, state: SignState): Promise<void> {
  requireCount(state.height, 'a height')
  requireCount(state.round, 'a round')
  requireCount(state.step, 'a step')
  if (state.signature.length === 0 && state.signBytes.length > 0) {
    throw unwritable('what was signed', 'there is no signature')
  }
  const document = {
    height: String(state.height),
    round: state.round,
    step: state.step,
    ...(state.signature.length > 0 && {
      signature: Buffer.from(state.signature).toString('base64'),
      signbytes: hexDigits(state.signBytes).toUpperCase(),
    }),
  }
  await writeFileAtomic(path, `${JSON.stringify(document, null, 2)}\n`)
}

/**
 * Bars a validator from signing up to `height`, which others have decided: it may have signed there on another
 * machine. Creates the state if there is none. A later state is left unchanged.
 * @throws VALIDATOR_KEY if the file is damaged
 */
export async function closeHeights(path: string, height: number): Promise<void> {
  const state = existsSync(path) ? await readSignState(path) : UNSIGNED
  if (state.height >= height) return
  await writeSignState(path, { ...UNSIGNED, height, step: STEP.PRECOMMIT })
}
