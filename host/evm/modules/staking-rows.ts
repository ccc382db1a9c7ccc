import { bigintToBytes, bytesToBigint } from '../../base/bytes.ts'
import { type ModuleRow, type ReadRow, readRowText, textRows } from './row-text.ts'

/**
 * Rows of the `staking` module in the format of assembly/module/staking-rows.ts. Keys and values have 32 bytes: they
 * are slots of the precompile's account and rows of the module store. Amounts are in the native denomination.
 */

/** Address of the precompile, 20 bytes. It holds the bonded tokens. */
export const STAKING_ADDRESS: Uint8Array = bigintToBytes(0x1005n, 20)

const TOTALS = 1
const BY_OPERATOR = 2
const BY_KEY = 3
const VALIDATOR = 4
const DELEGATION = 5
const UNBONDING = 6
const UNBONDING_AMOUNT = 7
const EVIDENCE = 9
const MISSED_BLOCKS = 12

/** Totals by their number in the key. */
export const TOTAL = {
  validators: 0,
  bonded: 1,
  unbonding: 2,
  queue: 3,
  unbondingTime: 4,
  evidence: 5,
  downtime: 7,
} as const

/** Fields of a validator by their number in the key. */
export const VALIDATOR_FIELD = {
  operator: 1,
  consensusKey: 2,
  pool: 3,
  commission: 4,
  leastStake: 5,
  moniker: 6,
  sentToConsensus: 7,
  slashed: 8,
  signing: 10,
} as const

/**
 * Jail states: free, jailed for lack of the operator's stake, for good after double signing, or for downtime. The
 * first and the last reason add up.
 */
export const JAIL = { free: 0, forStake: 1, forGood: 2, forDowntime: 4 } as const

/** Divisor of the stake that is slashed: Cosmos SDK's slash_fraction_double_sign of 0.05. */
const SLASH_DIVISOR = 20n

export interface StakingValidator {
  readonly id: number
  /** EVM address, 20 bytes. */
  readonly operator: Uint8Array
  /** ed25519, 32 bytes. */
  readonly consensusKey: Uint8Array
  /** A sum of `JAIL`. */
  readonly jail: number
  /** Power last sent to consensus; 0 if outside its validator set. */
  readonly votingPower: number
  readonly moniker: string
  readonly tokens: bigint
  readonly shares: bigint
  /** In units of 10^-18. */
  readonly commission: {
    readonly rate: bigint
    readonly maxRate: bigint
    readonly maxChangeRate: bigint
    /** Unix time in seconds. */
    readonly updated: bigint
  }
  readonly minSelfDelegation: bigint
}

export interface Unbonding {
  /** 20 bytes. */
  readonly delegator: Uint8Array
  readonly validatorId: number
  /** Amount to be paid out. */
  readonly amount: bigint
  /** Unix time in seconds at which it matures. */
  readonly time: bigint
  /** Height of the block in which it started. */
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
/** @param chunk number of 256 positions of the window of missed blocks */
export const missedBlocksKey = (id: number, chunk: number) =>
  key(MISSED_BLOCKS, number4(id), number4(chunk))

/** Returns a row with the parts right-aligned, one after another. */
export function lastValue(...parts: readonly Uint8Array[]): Uint8Array {
  const size = parts.reduce((sum, { length }) => sum + length, 0)
  return key(new Uint8Array(32 - size), ...parts)
}

/** Returns the rows of a validator, including its lookup rows. */
export function validatorRows(
  validator: StakingValidator,
  consensusAddress: Uint8Array,
): ModuleRow[] {
  const { id, operator, consensusKey, tokens, shares, commission, jail } = validator
  const { rate, maxRate, maxChangeRate, updated } = commission
  return [
    { key: operatorKey(operator), value: lastValue(number4(id)) },
    { key: consensusAddressKey(consensusAddress), value: lastValue(number4(id)) },
    {
      key: fieldKey(id, VALIDATOR_FIELD.operator),
      value: key(operator, new Uint8Array(11), jail),
    },
    { key: fieldKey(id, VALIDATOR_FIELD.consensusKey), value: consensusKey },
    { key: fieldKey(id, VALIDATOR_FIELD.pool), value: key(amount16(tokens), amount16(shares)) },
    {
      key: fieldKey(id, VALIDATOR_FIELD.commission),
      value: key(number8(rate), number8(maxRate), number8(maxChangeRate), number8(updated)),
    },
    {
      key: fieldKey(id, VALIDATOR_FIELD.leastStake),
      value: lastValue(amount16(validator.minSelfDelegation)),
    },
    {
      key: fieldKey(id, VALIDATOR_FIELD.sentToConsensus),
      value: lastValue(number8(BigInt(validator.votingPower))),
    },
    ...textRows(fieldKey(id, VALIDATOR_FIELD.moniker), validator.moniker),
  ]
}

const lastNumber = (row: Uint8Array, size: number) => bytesToBigint(row.subarray(32 - size))

/** Resolves with the validator id in one of its two lookup rows; 0 if there is none. */
export async function readId(read: ReadRow, at: Uint8Array): Promise<number> {
  return Number(lastNumber(await read(at), 4))
}

export async function readValidator(read: ReadRow, id: number): Promise<StakingValidator> {
  const operator = await read(fieldKey(id, VALIDATOR_FIELD.operator))
  const pool = await read(fieldKey(id, VALIDATOR_FIELD.pool))
  const commission = await read(fieldKey(id, VALIDATOR_FIELD.commission))
  return {
    id,
    operator: operator.slice(0, 20),
    consensusKey: await read(fieldKey(id, VALIDATOR_FIELD.consensusKey)),
    jail: operator[31] as number,
    votingPower: Number(lastNumber(await read(fieldKey(id, VALIDATOR_FIELD.sentToConsensus)), 8)),
    moniker: await readRowText(read, fieldKey(id, VALIDATOR_FIELD.moniker)),
    tokens: bytesToBigint(pool.subarray(0, 16)),
    shares: bytesToBigint(pool.subarray(16)),
    commission: {
      rate: bytesToBigint(commission.subarray(0, 8)),
      maxRate: bytesToBigint(commission.subarray(8, 16)),
      maxChangeRate: bytesToBigint(commission.subarray(16, 24)),
      updated: bytesToBigint(commission.subarray(24)),
    },
    minSelfDelegation: lastNumber(await read(fieldKey(id, VALIDATOR_FIELD.leastStake)), 16),
  }
}

/** Resolves with the shares of a delegation. */
export async function readShares(
  read: ReadRow,
  delegator: Uint8Array,
  id: number,
): Promise<bigint> {
  return lastNumber(await read(delegationKey(delegator, id)), 16)
}

/** Returns the value of shares of a pool in whole tokens. */
export function worthOf(shares: bigint, pool: Pick<StakingValidator, 'tokens' | 'shares'>): bigint {
  return pool.shares === 0n ? 0n : (shares * pool.tokens) / pool.shares
}

export async function readTotal(read: ReadRow, which: number): Promise<bigint> {
  return lastNumber(await read(totalKey(which)), 16)
}

/** Resolves with the queue positions of the first pending unbonding and of the next new one. */
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
  const slashed = await read(fieldKey(validatorId, VALIDATOR_FIELD.slashed))
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
