import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bigintToBytes, bytesToBigint, concatBytes, EMPTY_BYTES } from '../../host/base/bytes.ts'
import { encodeRlp, rlpInteger } from '../../host/base/rlp.ts'
import { atLeast, OWN_REVISIONS, type Revision } from '../../host/evm/chain-types/revision.ts'
import type {
  AccessListEntry,
  Authorization,
  TransactionType,
} from '../../host/evm/chain-types/transaction.ts'
import type { BlockEnv, TransactionInput } from '../../host/evm/engine/message.ts'
import { type Dice, makeDice } from './dice.ts'
import {
  assembleProgram,
  generateInitCode,
  generateProgram,
  type Instruction,
  type Surroundings,
} from './program.ts'

export interface ScenarioAccount {
  readonly address: Uint8Array
  readonly nonce: bigint
  readonly balance: bigint
  readonly program: readonly Instruction[]
  readonly storage: readonly (readonly [slot: bigint, value: bigint])[]
}

/** A transaction whose data may be a program. */
export interface ScenarioTransaction extends Omit<TransactionInput, 'data'> {
  readonly program: readonly Instruction[]
}

/** A state and the transactions of one block. */
export interface Scenario {
  readonly env: BlockEnv
  readonly accounts: readonly ScenarioAccount[]
  readonly transactions: readonly ScenarioTransaction[]
}

const SENDER = bigintToBytes(0x5e4de4n, 20)
const COINBASE = bigintToBytes(0xc0ffeen, 20)
const CONTRACTS = [0xc0de01n, 0xc0de02n, 0xc0de03n, 0xc0de04n]
/** An existing account without code. */
const PLAIN_ACCOUNT = 0xea01n
const NOBODY = 0xdeadn
const AUTHORITY_KEYS = [1n, 2n].map((key) => bigintToBytes(key, 32))
const AUTHORITIES = AUTHORITY_KEYS.map((key) =>
  keccak_256(secp256k1.getPublicKey(key, false).subarray(1)).subarray(12),
)
const PRECOMPILES: readonly (readonly [Revision, readonly bigint[]])[] = [
  ['Frontier', [1n, 2n, 3n, 4n]],
  ['Byzantium', [5n, 6n, 7n, 8n]],
  ['Istanbul', [9n]],
  ['Cancun', [10n]],
  ['Prague', [11n, 12n, 13n, 14n, 15n, 16n, 17n]],
  ['Osaka', [0x100n]],
]
const CHAIN_ID = 1n
const TYPES: readonly (readonly [Revision, TransactionType])[] = [
  ['Frontier', 0],
  ['Berlin', 1],
  ['London', 2],
  ['Prague', 4],
]

export function toInput(transaction: ScenarioTransaction): TransactionInput {
  const { program, ...fields } = transaction
  return { ...fields, data: assembleProgram(program) }
}

function survey(revision: Revision, blockNumber: number, sender: Uint8Array): Surroundings {
  // Occasionally a precompile of a later revision
  const all = PRECOMPILES.flatMap(([, addresses]) => addresses)
  const own = PRECOMPILES.flatMap(([since, rows]) => (atLeast(revision, since) ? rows : []))
  return {
    addresses: [
      ...CONTRACTS,
      ...CONTRACTS,
      bytesToBigint(sender),
      bytesToBigint(COINBASE),
      PLAIN_ACCOUNT,
      NOBODY,
      ...AUTHORITIES.map((bytes) => bytesToBigint(bytes)),
      0n,
      all[Math.min(all.length - 1, blockNumber % all.length)] as bigint,
    ],
    precompiles: own,
    revision,
    blockNumber,
  }
}

function isDelegable(revision: Revision): boolean {
  return atLeast(revision, 'Prague')
}

function makeAccounts(
  dice: Dice,
  revision: Revision,
  around: Surroundings,
  sender: Uint8Array,
): ScenarioAccount[] {
  const plain = (address: Uint8Array, balance: bigint, nonce = 0n): ScenarioAccount => ({
    address,
    nonce,
    balance,
    program: [],
    storage: [],
  })
  const accounts = [
    plain(sender, 10n ** 20n, BigInt(dice.below(2))),
    plain(bigintToBytes(PLAIN_ACCOUNT, 20), 1n),
    ...CONTRACTS.map((address) => ({
      address: bigintToBytes(address, 20),
      nonce: 1n,
      balance: BigInt(dice.below(10)),
      program: generateProgram(dice, around, 2 + dice.below(14)),
      storage: [0n, 1n, 2n].flatMap((slot) =>
        dice.chance(0.5) ? [[slot, BigInt(1 + dice.below(3))] as const] : [],
      ),
    })),
  ]
  // Before EIP-161, a fee of zero also creates the coinbase account, which only a whole block shows
  if (!atLeast(revision, 'SpuriousDragon') || dice.chance(0.5)) accounts.push(plain(COINBASE, 1n))
  for (const address of AUTHORITIES) {
    if (!isDelegable(revision) || dice.chance(0.4)) continue
    const account = plain(address, BigInt(1 + dice.below(5)), BigInt(dice.below(3)))
    accounts.push(
      dice.chance(0.5) ? { ...account, program: makeDelegation(dice, around) } : account,
    )
  }
  return accounts
}

function makeDelegation(dice: Dice, around: Surroundings): readonly Instruction[] {
  const target = bigintToBytes(dice.pick(around.addresses), 20)
  return [{ bytes: concatBytes([new Uint8Array([0xef, 0x01, 0x00]), target]) }]
}

/** Returns an authorization, sometimes with an invalid field (EIP-7702). */
function makeAuthorization(dice: Dice, around: Surroundings): Authorization {
  const chainId = dice.pick([0n, CHAIN_ID, CHAIN_ID, 2n])
  const address = bigintToBytes(dice.chance(0.1) ? 0n : dice.pick(around.addresses), 20)
  const nonce = dice.chance(0.03) ? (1n << 64n) - 1n : BigInt(dice.below(3))
  const payload = encodeRlp([rlpInteger(chainId), address, rlpInteger(nonce)])
  const digest = keccak_256(concatBytes([new Uint8Array([0x05]), payload]))
  const signature = secp256k1.sign(digest, dice.pick(AUTHORITY_KEYS), {
    prehash: false,
    format: 'recovered',
  })
  const { r, s, recovery } = secp256k1.Signature.fromBytes(signature, 'recovered')
  const isMalleated = dice.chance(0.05)
  return {
    chainId,
    address,
    nonce,
    yParity: dice.chance(0.03) ? 2n : BigInt(recovery ?? 0) ^ (isMalleated ? 1n : 0n),
    r,
    s: isMalleated ? secp256k1.Point.Fn.ORDER - s : s,
  }
}

function makeAccessList(dice: Dice, around: Surroundings): readonly AccessListEntry[] {
  return Array.from({ length: dice.below(4) }, () => ({
    address: bigintToBytes(dice.pick(around.addresses), 20),
    storageKeys: Array.from({ length: dice.below(4) }, () =>
      bigintToBytes(BigInt(dice.below(4)), 32),
    ),
  }))
}

/** Returns a transaction's gas: occasionally below the intrinsic gas, often too little for the code. */
function chooseGas(dice: Dice, revision: Revision): bigint {
  // State costs gas of its own, and what exceeds the limit of execution gas pays for it (EIP-8037)
  if (atLeast(revision, 'Amsterdam') && dice.chance(0.6)) {
    return BigInt(dice.pick([200_000, 2_000_000, 16_777_216]) + dice.below(2_000_000))
  }
  const most = dice.below(100)
  if (most < 3) return BigInt(20_000 + dice.below(40_000))
  if (most < 20) return BigInt(60_000 + dice.below(6_000))
  if (most < 70) return BigInt(60_000 + dice.below(100_000))
  return BigInt(60_000 + dice.below(500_000))
}

function makeTransaction(
  dice: Dice,
  env: BlockEnv,
  around: Surroundings,
  from: Uint8Array,
  nonce: bigint,
): ScenarioTransaction {
  const types = TYPES.flatMap(([since, type]) => (atLeast(env.revision, since) ? [type] : []))
  const type = dice.pick(types)
  const isCreation = type !== 4 && dice.chance(0.15)
  const tip = type < 2 ? 0n : BigInt(dice.below(3))
  const authorizations =
    type === 4
      ? Array.from({ length: 1 + dice.below(3) }, () => makeAuthorization(dice, around))
      : []
  const price = env.baseFee + BigInt(dice.below(4))
  return {
    type,
    from,
    to: isCreation ? undefined : bigintToBytes(dice.pick(around.addresses), 20),
    nonce: dice.chance(0.01) ? nonce + 1n : nonce,
    gas: chooseGas(dice, env.revision) + BigInt(25_000 * authorizations.length),
    maxFeePerGas: type < 2 ? price : env.baseFee + tip,
    maxPriorityFeePerGas: type < 2 ? price : tip,
    value: BigInt(dice.chance(0.7) ? 0 : dice.below(100)),
    program: isCreation
      ? generateInitCode(dice, around)
      : [{ bytes: dice.chance(0.4) ? EMPTY_BYTES : dice.bytes(dice.below(120)) }],
    accessList: type === 0 ? [] : makeAccessList(dice, around),
    authorizations,
    maxFeePerBlobGas: 0n,
    blobHashes: [],
  }
}

/** Returns the scenario of a seed: a few transactions, or `count` with consecutive nonces. */
export function generateScenario(
  seed: number,
  revisions: readonly Revision[] = OWN_REVISIONS,
  count?: number,
  sender: Uint8Array = SENDER,
): Scenario {
  const dice = makeDice(seed)
  // Half of the scenarios use the revisions that chains run now
  const revision = dice.pick(dice.chance(0.5) ? revisions : revisions.slice(-2))
  const blockNumber = 1000 + dice.below(1000)
  const env: BlockEnv = {
    revision,
    chainId: CHAIN_ID,
    number: blockNumber,
    timestamp: 1_700_000_000 + dice.below(1000),
    gasLimit: 60_000_000n,
    baseFee: atLeast(revision, 'London') ? BigInt(1 + dice.below(9)) : 0n,
    coinbase: COINBASE,
    prevRandao: bigintToBytes(dice.number(250), 32),
    blobBaseFee: BigInt(1 + dice.below(5)),
    burnBaseFee: true,
    ...(atLeast(revision, 'Amsterdam') && { slotNumber: BigInt(dice.below(1 << 20)) }),
  }
  const around = survey(revision, blockNumber, sender)
  const accounts = makeAccounts(dice, revision, around, sender)
  const first = accounts[0]?.nonce ?? 0n
  const length = count ?? 1 + dice.below(3)
  const transactions = Array.from({ length }, (_, i) => {
    const nonce = first + BigInt(i)
    const transaction = makeTransaction(dice, env, around, sender, nonce)
    return count === undefined ? transaction : { ...transaction, nonce }
  })
  return { env, accounts, transactions }
}
