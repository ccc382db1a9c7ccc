import { bigintToBytes, bytesToBigint } from '../../base/bytes.ts'
import type { ModuleRow } from './row-text.ts'
import { fieldKey, JAIL, lastValue, TOTAL, totalKey, VALIDATOR_FIELD } from './staking-rows.ts'

/** Tokens per unit of voting power, in the native denomination: a million, as on Cosmos chains. */
export const TOKENS_PER_POWER = 1_000_000n

/** Maximum number of voting validators: Cosmos SDK's default of max_validators. */
export const MAX_VOTING_VALIDATORS = 100

/**
 * Maximum power of a validator. A hundred of them stay below CometBFT's highest total, 2^60 - 1
 * (`MaxTotalVotingPower`).
 */
const HIGHEST_POWER = BigInt(Number.MAX_SAFE_INTEGER)

const NO_ROW = new Uint8Array(32)

/** Returns the row at a key; undefined if there is none. */
export type ReadRowSync = (key: Uint8Array) => Uint8Array | undefined

/** A validator's new power, to be sent to consensus. 0 removes it from the set. */
export interface PowerChange {
  /** ed25519, 32 bytes. */
  readonly publicKey: Uint8Array
  readonly power: number
}

/** A validator's current power, and the power last sent to consensus. */
interface ValidatorStanding {
  readonly power: number
  readonly told: number
}

/** Changes of a block. `accept` makes them the base of the next comparison. */
export interface SetChange {
  /** Ordered by validator id. */
  readonly updates: readonly PowerChange[]
  /** Rows with the powers sent to consensus. */
  readonly rows: readonly ModuleRow[]
  readonly standings: ReadonlyMap<number, ValidatorStanding>
}

/** Returns the voting power of tokens; 0 if the validator is jailed. */
export function powerOf({
  tokens,
  jail,
}: {
  readonly tokens: bigint
  readonly jail: number
}): bigint {
  if (jail !== JAIL.free) return 0n
  const power = tokens / TOKENS_PER_POWER
  return power > HIGHEST_POWER ? HIGHEST_POWER : power
}

const lastNumber = (row: Uint8Array | undefined) =>
  row === undefined ? 0 : Number(bytesToBigint(row.subarray(24)))

function readStanding(read: ReadRowSync, id: number): ValidatorStanding {
  const tokens = bytesToBigint((read(fieldKey(id, VALIDATOR_FIELD.pool)) ?? NO_ROW).slice(0, 16))
  const jail = (read(fieldKey(id, VALIDATOR_FIELD.operator)) ?? NO_ROW)[31] as number
  const told = lastNumber(read(fieldKey(id, VALIDATOR_FIELD.sentToConsensus)))
  return { power: Number(powerOf({ tokens, jail })), told }
}

function readKey(read: ReadRowSync, id: number): Uint8Array {
  return (read(fieldKey(id, VALIDATOR_FIELD.consensusKey)) ?? NO_ROW).slice()
}

/** Returns the id of the validator whose tokens or jail state are in the row; undefined for other rows. */
function idOfPower(key: Uint8Array): number | undefined {
  const id = Number(bytesToBigint(key.subarray(1, 5)))
  const field = key[5] as number
  if (field !== VALIDATOR_FIELD.pool && field !== VALIDATOR_FIELD.operator) return undefined
  return key[0] === fieldKey(id, field)[0] ? id : undefined
}

/**
 * Tracks the validators' power and the set last sent to consensus. The set holds those with the most power; of
 * equals, those created first. If none has power the set stays, as consensus cannot have an empty one. All data is
 * derived from the rows and cached, so that a block reads only the rows it changes.
 */
export class ValidatorSet {
  readonly #standings = new Map<number, ValidatorStanding>()
  #isTold = false

  /** Reads all validators. */
  constructor(read: ReadRowSync) {
    const count = lastNumber(read(totalKey(TOTAL.validators)))
    for (let id = 1; id <= count; id++) this.#standings.set(id, readStanding(read, id))
  }

  /**
   * Returns the changes of the set.
   * @param written keys of the staking rows that the block has written
   * @param read the rows after the block
   */
  change(written: readonly Uint8Array[], read: ReadRowSync): SetChange {
    const standings = new Map<number, ValidatorStanding>()
    for (const id of new Set(written.map(idOfPower))) {
      if (id === undefined) continue
      const standing = readStanding(read, id)
      if (standing.power !== this.#standings.get(id)?.power) standings.set(id, standing)
    }
    if (this.#isTold && standings.size === 0) return { updates: [], rows: [], standings }
    const ranking = new Ranking()
    for (const [id, standing] of this.#standings) ranking.add(id, standings.get(id) ?? standing)
    for (const [id, standing] of standings) {
      if (!this.#standings.has(id)) ranking.add(id, standing)
    }
    const updates: PowerChange[] = []
    const rows: ModuleRow[] = []
    for (const { id, power, due } of ranking.changes()) {
      updates.push({ publicKey: readKey(read, id), power: due })
      rows.push({ key: fieldKey(id, VALIDATOR_FIELD.sentToConsensus), value: sentPowerRow(due) })
      standings.set(id, { power, told: due })
    }
    return { updates, rows, standings }
  }

  /** Returns the set last sent to consensus, by id. */
  told(read: ReadRowSync): PowerChange[] {
    return [...this.#standings]
      .filter(([, { told }]) => told > 0)
      .map(([id, { told }]) => ({ publicKey: readKey(read, id), power: told }))
  }

  accept({ standings }: SetChange): void {
    for (const [id, standing] of standings) this.#standings.set(id, standing)
    this.#isTold = true
  }
}

/** Returns the row for a power sent to consensus. */
export function sentPowerRow(power: number): Uint8Array {
  return lastValue(bigintToBytes(BigInt(power), 8))
}

interface Ranked extends ValidatorStanding {
  readonly id: number
}

/** Computes in one pass the validators that should vote, and those that vote according to consensus. */
class Ranking {
  /** Best first, at most `MAX_VOTING_VALIDATORS`. */
  readonly #best: Ranked[] = []
  readonly #told: Ranked[] = []

  /** Adds a validator. Of equals, the first one added ranks higher. */
  add(id: number, { power, told }: ValidatorStanding): void {
    if (told > 0) this.#told.push({ id, power, told })
    const isFull = this.#best.length === MAX_VOTING_VALIDATORS
    if (power === 0 || (isFull && power <= (this.#best.at(-1) as Ranked).power)) return
    const behind = this.#best.findLastIndex((other) => other.power >= power)
    this.#best.splice(behind + 1, 0, { id, power, told })
    if (isFull) this.#best.pop()
  }

  /** Returns the validators whose power must change in consensus, by id. */
  changes(): (Ranked & { readonly due: number })[] {
    if (this.#best.length === 0) return []
    const all = new Map(this.#told.map((ranked) => [ranked.id, { ...ranked, due: 0 }]))
    for (const ranked of this.#best) all.set(ranked.id, { ...ranked, due: ranked.power })
    return [...all.values()].filter(({ told, due }) => told !== due).sort((a, b) => a.id - b.id)
  }
}
