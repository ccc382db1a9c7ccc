import { sha256 } from '@noble/hashes/sha2.js'
import { bigintToBytes, concatBytes, EMPTY_BYTES } from '../../../host/base/bytes.ts'
import type { Authorization } from '../../../host/evm/chain-types/transaction.ts'
import type { UnsignedTransaction } from '../../../host/evm/chain-types/transaction-codec.ts'
import type { Dice } from '../../fuzz/dice.ts'
import { makeSigner, type Signer, signAuthorization } from '../../support/peer/signer.ts'
import {
  BATTERIES,
  FACTORY_AT,
  FORWARDERS,
  GENERATED_AT,
  generatedInitCode,
  INIT_CODES,
  PLAIN_AT,
  RECURSION_AT,
  SPECIAL,
} from './contracts.ts'
import { BAD_INPUTS, GOOD_INPUTS } from './precompile-samples.ts'

export const CHAIN_ID = 7_117n
const SENDER_COUNT = 12

/** Senders. Each has one transaction in a block, so that no nonce depends on an earlier result in the block. */
export const SENDERS: readonly Signer[] = Array.from({ length: SENDER_COUNT }, (_, i) =>
  makeSigner(0x5e4d0000n + BigInt(i)),
)
/** Accounts that delegate. The first also sends some of the delegations. */
export const AUTHORITIES: readonly Signer[] = Array.from({ length: 8 }, (_, i) =>
  makeSigner(0xa07400n + BigInt(i)),
)

/** Addresses that generated code may refer to. */
export const REFERENCES: readonly bigint[] = [
  ...SENDERS.slice(0, 2).map(({ address }) => address),
  ...AUTHORITIES.map(({ address }) => address),
  FACTORY_AT,
  ...Object.values(FORWARDERS),
  ...SPECIAL.filter((_, i) => i % 4 === 0).map(({ address }) => address),
]

/** The fields of a transaction except those that all transactions of the chain share. */
export type Asked = Partial<Omit<UnsignedTransaction, 'nonce' | 'chainId'>>

const bytes20 = (address: bigint): Uint8Array => bigintToBytes(address, 20)
const word = (value: bigint): Uint8Array => bigintToBytes(value, 32)
const KINDS = Object.keys(FORWARDERS) as (keyof typeof FORWARDERS)[]

/** Returns a call of `target` through the forwarder of this kind. */
function forwarded(
  kind: keyof typeof FORWARDERS,
  target: bigint,
  data: Uint8Array,
  gas: bigint,
  value = 0n,
): Asked {
  return {
    to: bytes20(FORWARDERS[kind]),
    data: concatBytes([word(target), word(gas), word(value), data]),
  }
}

/** Returns the cases that a chain must contain for every seed. */
export function namedTransactions(): Asked[] {
  const precompiles = [...GOOD_INPUTS, ...BAD_INPUTS].flatMap(([address, data], i) => [
    { to: bytes20(BigInt(address)), data, gas: 600_000n },
    forwarded(KINDS[i % 4] as 'CALL', BigInt(address), data, 300_000n),
    // Too little gas for the precompile
    forwarded(KINDS[(i + 1) % 4] as 'CALL', BigInt(address), data, BigInt(10 + i)),
  ])
  const creations = INIT_CODES.flatMap((data, i) => {
    const gas = i === 5 || i === 6 ? 6_000_000n : 400_000n
    const factory = { to: bytes20(FACTORY_AT), gas }
    return [
      { to: undefined, data, gas },
      // Too little gas for the code
      { to: undefined, data, gas: 62_000n + BigInt(16 * data.length) },
      { ...factory, data: concatBytes([word(0n), data]), value: i % 3 === 0 ? 1n : 0n },
      { ...factory, data: concatBytes([word(BigInt(i + 1)), data]) },
      // The address is already taken if the previous creation succeeded
      { ...factory, data: concatBytes([word(BigInt(i + 1)), data]) },
      forwarded('STATICCALL', FACTORY_AT, concatBytes([word(BigInt(i % 2)), data]), 200_000n),
      forwarded('DELEGATECALL', FACTORY_AT, concatBytes([word(0n), data]), 200_000n),
    ]
  })
  const tooLarge = concatBytes([word(1n), new Uint8Array(49_153)])
  return [
    ...precompiles,
    ...creations,
    { to: bytes20(FACTORY_AT), data: tooLarge, gas: 2_000_000n },
    { to: bytes20(FACTORY_AT), data: word(0n), value: 10n ** 17n },
    { to: bytes20(RECURSION_AT), gas: 1_500_000n },
    { to: bytes20(RECURSION_AT), gas: 16_000_000n },
    ...SPECIAL.flatMap(({ address }, i) => [
      { to: bytes20(address), gas: 120_000n, data: new Uint8Array(i % 7).fill(i) },
      forwarded(KINDS[i % 4] as 'CALL', address, new Uint8Array(i % 9).fill(7), 60_000n),
    ]),
    ...BATTERIES.flatMap(({ address }, i) => [
      { to: bytes20(address), gas: 1_000_000n },
      ...(i % 5 === 0 ? [forwarded('STATICCALL', address, EMPTY_BYTES, 900_000n)] : []),
    ]),
    { to: bytes20(PLAIN_AT), value: 5n, gas: 21_000n },
    { to: bytes20(0xdead_0001n), value: 5n },
    { to: bytes20(0xdead_0002n) },
    { to: bytes20(PLAIN_AT), data: new Uint8Array(100).fill(3), type: 0 },
    { to: bytes20(PLAIN_AT), data: new Uint8Array(3), gas: 21_200n },
  ]
}

/** Any blob hash is valid, since no peer checks the blobs. */
function blobHashes(dice: Dice): Uint8Array[] {
  return Array.from({ length: 1 + dice.below(2) }, () => {
    const hash = sha256(dice.bytes(4))
    hash[0] = 1
    return hash
  })
}

/** Returns authorizations, valid and invalid. `nonces` are those of the authorities. */
function authorizations(dice: Dice, nonces: readonly bigint[]): Authorization[] {
  const made: Authorization[] = []
  const used = [...nonces]
  for (let left = 1 + dice.below(3); left > 0; left--) {
    const index = dice.below(AUTHORITIES.length)
    const signer = AUTHORITIES[index] as Signer
    const target = dice.pick([
      0n,
      GENERATED_AT + BigInt(dice.below(40)),
      GENERATED_AT + BigInt(dice.below(40)),
      (AUTHORITIES[dice.below(AUTHORITIES.length)] as Signer).address,
      4n,
      PLAIN_AT,
      ...SPECIAL.slice(dice.below(40))
        .slice(0, 1)
        .map(({ address }) => address),
    ])
    const nonce = used[index] as bigint
    const add = (fields: { target?: bigint; chainId?: bigint; nonce?: bigint } = {}): void => {
      const isValid = fields.chainId === undefined && fields.nonce === undefined
      if (isValid) used[index] = (used[index] as bigint) + 1n
      made.push(
        signAuthorization(signer, {
          chainId: fields.chainId ?? dice.pick([0n, CHAIN_ID]),
          address: bytes20(fields.target ?? target),
          nonce: fields.nonce ?? nonce,
        }),
      )
    }
    switch (dice.below(8)) {
      case 0:
        add({ chainId: 1n })
        break
      case 1:
        add({ nonce: nonce + 5n })
        break
      case 2: {
        // Set and cleared in one transaction
        add()
        const second = used[index] as bigint
        made.push(signAuthorization(signer, { chainId: 0n, address: bytes20(0n), nonce: second }))
        used[index] = second + 1n
        break
      }
      case 3: {
        add()
        const last = made.at(-1) as Authorization
        made[made.length - 1] = { ...last, yParity: dice.pick([2n, 1n - last.yParity]) }
        used[index] = nonce
        break
      }
      default:
        add()
    }
  }
  return made
}

/** Returns a random transaction. */
export function anyTransaction(dice: Dice, authorityNonces: readonly bigint[]): Asked {
  const generated = () => GENERATED_AT + BigInt(dice.below(40))
  const anyone = () =>
    dice.pick([generated(), generated(), ...REFERENCES.slice(0, 11), FACTORY_AT, PLAIN_AT])
  const data = () => dice.bytes(dice.pick([0, 0, 3, 4, 36, 68, 100]))
  const accessList = dice.chance(0.4)
    ? Array.from({ length: 1 + dice.below(3) }, () => ({
        address: bytes20(anyone()),
        storageKeys: Array.from({ length: dice.below(3) }, () => word(BigInt(dice.below(4)))),
      }))
    : []
  const gas = BigInt(dice.pick([70_000, 90_000, 150_000, 300_000, 600_000]) + dice.below(9_999))
  const value = BigInt(dice.chance(0.7) ? 0 : dice.below(100))
  const common = { accessList, gas, value, data: data() }
  switch (dice.below(12)) {
    case 0:
    case 1:
      return {
        ...common,
        to: undefined,
        data: generatedInitCode(dice, REFERENCES),
        gas: gas + 100_000n,
      }
    case 2:
    case 3: {
      const list = authorizations(dice, authorityNonces)
      const to = dice.pick([
        ...AUTHORITIES.map(({ address }) => address),
        ...[0, 1, 2, 3].map(generated),
      ])
      return {
        ...common,
        type: 4,
        to: bytes20(to),
        authorizations: list,
        gas: gas + 30_000n * BigInt(list.length),
      }
    }
    case 4:
      return { ...common, type: 3, to: bytes20(anyone()), blobHashes: blobHashes(dice) }
    case 5:
      return { ...forwarded(dice.pick(KINDS), anyone(), data(), gas / 2n, value), gas, value }
    case 6:
      return {
        ...common,
        to: bytes20(FACTORY_AT),
        gas: gas + 100_000n,
        data: concatBytes([word(BigInt(dice.below(3))), generatedInitCode(dice, REFERENCES)]),
      }
    case 7:
      return { ...common, to: bytes20((dice.pick(AUTHORITIES) as Signer).address) }
    default:
      return { ...common, to: bytes20(generated()) }
  }
}
