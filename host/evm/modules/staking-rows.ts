import { bigintToBytes, bytesToBigint } from '../../base/bytes.ts'
import { type ReadRow, type Row, readText, textRows } from './row-text.ts'

/**
 * Rows of the module `staking`, as assembly/module/staking-rows.ts writes them: keys and values of 32 bytes, which are
 * the slots of the precompile's account and the rows of the module store. Amounts are in the denomination of the chain.
 */

/** Address of the precompile, 20 bytes, which holds what is bonded. */
export const STAKING_ADDRESS: Uint8Array = bigintToBytes(0x1005n, 20)

const TOTALS = 1
const BY_OPERATOR = 2
const BY_KEY = 3
const VALIDATOR = 4
const DELEGATION = 5
const UNBONDING = 6
const UNBONDING_AMOUNT = 7
const EVIDENCE = 9

/** Which total: its place in the key. */
export const TOTAL = {
  validators: 0,
  bonded: 1,
  unbonding: 2,
  queue: 3,
  unbondingTime: 4,
  evidence: 5,
} as const

/** Field of a validator: its place in the key. */
export const FIELD = {
  operator: 1,
  consensusKey: 2,
  pool: 3,
  commission: 4,
  leastStake: 5,
  moniker: 6,
  told: 7,
  slashed: 8,
} as const

/** How a validator is jailed: for want of its operator's stake, or for good, as it has signed two blocks of a height. */
export const JAIL = { free: 0, forStake: 1, forGood: 2 } as const
type Jail = (typeof JAIL)[keyof typeof JAIL]

/** One part of this many of what is at stake is slashed: Cosmos SDK's slash_fraction_double_sign of 0.05. */
const SLASH_DIVISOR = 20n

export interface Validator {
  readonly id: number
  /** EVM address, 20 bytes. */
  readonly operator: Uint8Array
  /** ed25519, 32 bytes. */
  readonly consensusKey: Uint8Array
  readonly jail: Jail
  /** Power that consensus was told; 0 for one that is not in its set. */
  readonly votingPower: number
  readonly moniker: string
  readonly tokens: bigint
  readonly shares: bigint
  /** In parts of 10^18. */
  readonly commission: {
    readonly rate: bigint
    readonly maxRate: bigint
    readonly maxChangeRate: bigint
    /** Seconds since 1970. */
    readonly updated: bigint
  }
  readonly minSelfDelegation: bigint
}

export interface Unbonding {
  /** 20 bytes. */
  readonly delegator: Uint8Array
  readonly validatorId: number
  /** What is going to be paid out. */
  readonly amount: bigint
  /** When it ends: seconds since 1970. */
  readonly time: bigint
  /** Block that it began in. */
  readonly height: bigint
}

function key(...parts: readonly (number | Uint8Array)[]): Uint8Array {
  const bytes = new Uint8Array(32)
  let at = 0
  for (const part of parts) {
    if (typeof part === 'number') bytes[at++] = part
    else {
      bytes.set(part, at)
      at += part.length
    }
  }
  return bytes
}

const number4 = (value: number) => bigintToBytes(BigInt(value), 4)
const number8 = (value: bigint) => bigintToBytes(value, 8)
const amount16 = (value: bigint) => bigintToBytes(value, 16)

export const totalKey = (which: number) => key(TOTALS, which)
export const operatorKey = (operator: Uint8Array) => key(BY_OPERATOR, operator)
/** @param address first 20 bytes of the SHA-256 hash of the consensus key */
export const consensusAddressKey = (address: Uint8Array) => key(BY_KEY, address)
export const fieldKey = (id: number, field: number) => key(VALIDATOR, number4(id), field)
export const delegationKey = (delegator: Uint8Array, id: number) =>
  key(DELEGATION, delegator, number4(id))
export const unbondingKey = (place: bigint) => key(UNBONDING, number8(place))
export const unbondingAmountKey = (place: bigint) => key(UNBONDING_AMOUNT, number8(place))
export const evidenceKey = (place: bigint) => key(EVIDENCE, number8(place))

/** A value whose parts stand one after another at the end of the row. */
export function lastValue(...parts: readonly Uint8Array[]): Uint8Array {
  const size = parts.reduce((sum, { length }) => sum + length, 0)
  return key(new Uint8Array(32 - size), ...parts)
}

/** The rows of a validator, and those by which it is found. */
export function validatorRows(validator: Validator, consensusAddress: Uint8Array): Row[] {
  const { id, operator, consensusKey, tokens, shares, commission, jail } = validator
  const { rate, maxRate, maxChangeRate, updated } = commission
  return [
    { key: operatorKey(operator), value: lastValue(number4(id)) },
    { key: consensusAddressKey(consensusAddress), value: lastValue(number4(id)) },
    {
      key: fieldKey(id, FIELD.operator),
      value: key(operator, new Uint8Array(11), jail),
    },
    { key: fieldKey(id, FIELD.consensusKey), value: consensusKey },
    { key: fieldKey(id, FIELD.pool), value: key(amount16(tokens), amount16(shares)) },
    {
      key: fieldKey(id, FIELD.commission),
      value: key(number8(rate), number8(maxRate), number8(maxChangeRate), number8(updated)),
    },
    {
      key: fieldKey(id, FIELD.leastStake),
      value: lastValue(amount16(validator.minSelfDelegation)),
    },
    {
      key: fieldKey(id, FIELD.told),
      value: lastValue(number8(BigInt(validator.votingPower))),
    },
    ...textRows(fieldKey(id, FIELD.moniker), validator.moniker),
  ]
}

const lastNumber = (row: Uint8Array, size: number) => bytesToBigint(row.subarray(32 - size))

/** Id of a validator that one of its two keys leads to; 0 for none. */
export async function readId(read: ReadRow, at: Uint8Array): Promise<number> {
  return Number(lastNumber(await read(at), 4))
}

export async function readValidator(read: ReadRow, id: number): Promise<Validator> {
  const operator = await read(fieldKey(id, FIELD.operator))
  const pool = await read(fieldKey(id, FIELD.pool))
  const commission = await read(fieldKey(id, FIELD.commission))
  return {
    id,
    operator: operator.slice(0, 20),
    consensusKey: await read(fieldKey(id, FIELD.consensusKey)),
    jail: operator[31] as Jail,
    votingPower: Number(lastNumber(await read(fieldKey(id, FIELD.told)), 8)),
    moniker: await readText(read, fieldKey(id, FIELD.moniker)),
    tokens: bytesToBigint(pool.subarray(0, 16)),
    shares: bytesToBigint(pool.subarray(16)),
    commission: {
      rate: bytesToBigint(commission.subarray(0, 8)),
      maxRate: bytesToBigint(commission.subarray(8, 16)),
      maxChangeRate: bytesToBigint(commission.subarray(16, 24)),
      updated: bytesToBigint(commission.subarray(24)),
    },
    minSelfDelegation: lastNumber(await read(fieldKey(id, FIELD.leastStake)), 16),
  }
}

/** Shares of a delegation. */
export async function readShares(
  read: ReadRow,
  delegator: Uint8Array,
  id: number,
): Promise<bigint> {
  return lastNumber(await read(delegationKey(delegator, id)), 16)
}

/** What shares of a pool are worth: whole tokens. */
export function worthOf(shares: bigint, pool: Pick<Validator, 'tokens' | 'shares'>): bigint {
  return pool.shares === 0n ? 0n : (shares * pool.tokens) / pool.shares
}

export async function readTotal(read: ReadRow, which: number): Promise<bigint> {
  return lastNumber(await read(totalKey(which)), 16)
}

/** Places of the first unbonding that waits and of the next one to come. */
export async function readQueue(read: ReadRow): Promise<{ first: bigint; next: bigint }> {
  const row = await read(totalKey(TOTAL.queue))
  return { first: bytesToBigint(row.subarray(16, 24)), next: bytesToBigint(row.subarray(24)) }
}

export async function readUnbonding(read: ReadRow, place: bigint): Promise<Unbonding> {
  const entry = await read(unbondingKey(place))
  const held = await read(unbondingAmountKey(place))
  const validatorId = Number(bytesToBigint(entry.subarray(20, 24)))
  const height = bytesToBigint(held.subarray(0, 8))
  const amount = bytesToBigint(held.subarray(16))
  const slashed = await read(fieldKey(validatorId, FIELD.slashed))
  const isSlashed =
    height >= bytesToBigint(slashed.subarray(0, 8)) &&
    height < bytesToBigint(slashed.subarray(8, 16))
  return {
    delegator: entry.slice(0, 20),
    validatorId,
    time: bytesToBigint(entry.subarray(24)),
    amount: isSlashed ? amount - amount / SLASH_DIVISOR : amount,
    height,
  }
}
