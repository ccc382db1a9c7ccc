import { keccak_256 } from '@noble/hashes/sha3.js'
import { bigintToBytes, concatBytes } from '../../../../../host/base/bytes.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import { presetGenesis } from '../../../../../host/evm/chain-types/genesis-presets.ts'
import type { Revision } from '../../../../../host/evm/chain-types/revision.ts'
import type { Transaction } from '../../../../../host/evm/chain-types/transaction.ts'
import { decodeTransaction } from '../../../../../host/evm/chain-types/transaction-codec.ts'
import type { BlockEnv } from '../../../../../host/evm/engine/message.ts'
import { withPrecompileAccounts } from '../../../../../host/evm/execute/lockstep/precompile-accounts.ts'
import { bankWrites } from '../../../../../host/evm/modules/bank-rows.ts'
import { stakingAccount } from '../../../../../host/evm/modules/staking-genesis.ts'
import { allocationDiff } from '../../../../../host/evm/state/allocation.ts'
import { type Dice, makeDice } from '../../../../fuzz/dice.ts'
import { TestState } from '../../../../support/chain/test-state.ts'
import { assemble } from '../../../../support/engine/bytecode.ts'
import { encodeFrom, senderInR } from '../../../../support/engine/unsigned-sender.ts'
import { toBech32 } from '../../../../support/module/bech32-model.ts'
import { account, callData, precompile } from '../../../../support/module/module-bench.ts'

const GWEI = 10n ** 9n
const BASE_FEE = 7n

const addressOf = (value: bigint) => bigintToBytes(value, 20)
const wordOf = (value: bigint) => bigintToBytes(value, 32)

const SENDERS = Array.from({ length: 6 }, (_, i) => addressOf(0x5e000n + BigInt(i)))
/** Unused accounts. */
const FRESH = Array.from({ length: 4 }, (_, i) => addressOf(0xf0000n + BigInt(i)))
const COLLECTOR = addressOf(0xc011ec7n)

/** Number of storage slots that every sender writes. */
const HOT_SLOTS = 3n

const ARGUMENT = [0, 'CALLDATALOAD'] as const
/** Stores the top of the stack in slot 9. */
const KEEP = [9, 'SSTORE'] as const

/** Init code of a contract without code. */
const EMPTY_INITCODE = assemble(0, 0, 'RETURN')
/** Init code of a contract of one STOP. */
const STOP_INITCODE = assemble(1, 0, 'RETURN')
/** Init code that destroys the contract during its creation, in favour of the sender. */
const GONE_INITCODE = assemble('ORIGIN', 'SELFDESTRUCT')

/** Creates a contract with the call's value at an address that the argument determines. */
const createFixed = (initcode: Uint8Array) =>
  assemble(
    ...[BigInt(formatData(initcode)), 0, 'MSTORE'],
    ...[...ARGUMENT, initcode.length, 32 - initcode.length, 'CALLVALUE', 'CREATE2', ...KEEP],
  )

/** Forwards its value, and its data after the first word, to the address in the first word. */
const FORWARDER = assemble(
  ...[32, 'CALLDATASIZE', 'SUB', 32, 0, 'CALLDATACOPY'],
  ...[0, 0, 32, 'CALLDATASIZE', 'SUB', 0, 'CALLVALUE', 0, 'CALLDATALOAD', 'GAS', 'CALL'],
  ...KEEP,
)

const CONTRACTS: readonly Uint8Array[] = [
  // Increment a shared counter
  assemble(0, 'SLOAD', 1, 'ADD', 0, 'SSTORE'),
  // Read one of the hot slots and write another
  assemble(
    ...[HOT_SLOTS, 0, 'CALLDATALOAD', 'MOD', 'SLOAD', 3, 'ADD'],
    ...[HOT_SLOTS, 'CALLER', 'MOD', 'SSTORE'],
  ),
  // Increment a slot of the sender
  assemble('CALLER', 'SLOAD', 1, 'ADD', 'CALLER', 'SSTORE'),
  // Write and fail
  assemble(1, 1, 'SSTORE', 0, 0, 'REVERT'),
  assemble(1, 2, 'SSTORE', 'INVALID'),
  // Store a balance: that of the argument's address, of the fee recipient, or its own
  assemble(...ARGUMENT, 'BALANCE', ...KEEP),
  assemble('COINBASE', 'BALANCE', ...KEEP),
  assemble('SELFBALANCE', ...KEEP),
  assemble(...ARGUMENT, 'EXTCODEHASH', ...KEEP),
  // Forward the call's value to the argument's address or the fee recipient
  assemble(...[0, 0, 0, 0, 'CALLVALUE', 0, 'CALLDATALOAD', 'GAS', 'CALL'], ...KEEP),
  assemble(...[0, 0, 0, 0, 'CALLVALUE', 'COINBASE', 'GAS', 'CALL'], ...KEEP),
  // Self-destruct in favour of the argument's address or the fee recipient
  assemble(...ARGUMENT, 'SELFDESTRUCT'),
  assemble('COINBASE', 'SELFDESTRUCT'),
  createFixed(EMPTY_INITCODE),
  createFixed(STOP_INITCODE),
  createFixed(GONE_INITCODE),
  // Log the hot counter and the gas price
  assemble(...[0, 'SLOAD', 0, 'MSTORE', 'CALLER', 'GASPRICE', 40, 0, 'LOG2']),
  assemble(...[1, 'NUMBER', 'SUB', 'BLOCKHASH'], ...KEEP),
  assemble('CALLER', 1, 'TSTORE', 1, 'TLOAD', ...KEEP),
  FORWARDER,
]

const contractAt = (index: number) => addressOf(0xc0de00n + BigInt(index))
const FORWARD = contractAt(CONTRACTS.length - 1)

/** Returns the state before the first block. */
export function conflictingState(): TestState {
  const genesis = presetGenesis('1329', { time: 0n, validators: [] })
  const state = new TestState(keccak_256, (number) => wordOf(BigInt(number)))
  const accounts = withPrecompileAccounts([
    ...SENDERS.map((sender) => account(sender, 10n ** 24n)),
    ...CONTRACTS.map((code, i) => account(contractAt(i), BigInt(i % 2), code)),
  ])
  state.apply(allocationDiff(accounts, keccak_256))
  const denomination = {
    denomination: 'uatom',
    name: 'Atom',
    symbol: 'ATOM',
    decimals: 6,
    pointer: FORWARD,
    balances: [{ address: SENDERS[0] as Uint8Array, amount: 10n ** 9n }],
  }
  const { writes } = bankWrites({ accounts, denominations: [denomination] } as never)
  for (const { key, value } of writes) {
    state.setStorage(precompile('bank'), key, value ?? wordOf(0n))
  }
  const staking = stakingAccount({ ...genesis, unbondingSeconds: 10 })
  for (const { slot, value } of staking.storage) {
    state.setStorage(precompile('staking'), slot, value)
  }
  return state
}

/** A block and its transactions, some of which are invalid in it. */
export interface ConflictingBlock {
  readonly env: BlockEnv
  readonly transactions: readonly Transaction[]
}

const CHAIN_ID = 1329n
const REVISIONS = ['Shanghai', 'Cancun', 'Prague', 'Osaka'] as const

/**
 * Random blocks whose transactions conflict. They have few senders and shared slots. The fee recipient is read, paid
 * and sends. Contracts are created at one address and destroyed. Calls fail, use the chain's precompiles, and exceed
 * the gas of the block. Nonces are guessed, so a skipped transaction invalidates the later ones of its sender.
 */
export class ConflictingBlocks {
  readonly #dice: Dice
  readonly #revision: Revision
  #number = 1000

  constructor(seed: number) {
    this.#dice = makeDice(seed)
    this.#revision = this.#dice.pick(REVISIONS)
  }

  next(state: TestState): ConflictingBlock {
    const dice = this.#dice
    this.#number++
    const env: BlockEnv = {
      revision: this.#revision,
      chainId: CHAIN_ID,
      number: this.#number,
      timestamp: 1_700_000_000 + this.#number,
      gasLimit: dice.chance(0.2) ? 1_500_000n : 60_000_000n,
      baseFee: BASE_FEE,
      coinbase: this.#coinbase(),
      prevRandao: wordOf(dice.number(256)),
      blobBaseFee: 1n,
      burnBaseFee: false,
      chainPrecompiles: true,
    }
    const nonces = new Map(SENDERS.map((sender) => [sender, nonceOf(state, sender)]))
    const senders = SENDERS.slice(0, 1 + dice.below(SENDERS.length))
    const count = 1 + dice.below(24)
    const transactions: Transaction[] = []
    for (let i = 0; i < count; i++) {
      const from = dice.pick(senders)
      const nonce = nonces.get(from) as bigint
      nonces.set(from, nonce + 1n)
      transactions.push(this.#transaction(from, dice.chance(0.03) ? nonce + 1n : nonce))
    }
    return { env, transactions }
  }

  #coinbase(): Uint8Array {
    const dice = this.#dice
    if (dice.chance(0.7)) return COLLECTOR
    return dice.pick([...SENDERS, ...FRESH, contractAt(0), contractAt(7), addressOf(3n)])
  }

  #transaction(from: Uint8Array, nonce: bigint): Transaction {
    const dice = this.#dice
    const price = dice.chance(0.05) ? 0n : BASE_FEE + BigInt(dice.below(3)) * GWEI
    const raw = encodeFrom(from, {
      type: 2,
      chainId: CHAIN_ID,
      nonce,
      maxPriorityFeePerGas: price > BASE_FEE ? BigInt(dice.below(3)) : 0n,
      maxFeePerGas: price,
      gas: dice.chance(0.05) ? 21_000n + dice.number(15) : 300_000n,
      ...this.#message(),
    })
    return decodeTransaction(raw, senderInR)
  }

  #message(): Pick<Transaction, 'to'> & Partial<Transaction> {
    const dice = this.#dice
    const value = dice.chance(0.4) ? dice.number(40) : dice.chance(0.02) ? 10n ** 30n : 0n
    const someone = () => dice.pick([...SENDERS, ...FRESH, COLLECTOR, contractAt(dice.below(9))])
    switch (dice.below(12)) {
      case 0:
        return { to: someone(), value }
      case 1:
        return {
          to: undefined,
          value,
          data: dice.pick([EMPTY_INITCODE, STOP_INITCODE, GONE_INITCODE]),
        }
      case 2: {
        const { name, data } = this.#moduleCall()
        return { to: precompile(name), value: dice.chance(0.5) ? 10n ** 12n : 0n, data }
      }
      case 3: {
        const { name, data } = this.#moduleCall()
        const target = wordOf(BigInt(formatData(precompile(name))))
        return {
          to: FORWARD,
          value: dice.chance(0.5) ? 10n ** 12n : 0n,
          data: concatBytes([target, data]),
        }
      }
      case 4:
        return {
          to: contractAt(dice.below(CONTRACTS.length)),
          data: wordOf(BigInt(dice.below(4))),
          accessList: [{ address: someone(), storageKeys: [wordOf(BigInt(dice.below(4)))] }],
          value,
        }
      default: {
        const argument = dice.chance(0.5) ? BigInt(formatData(someone())) : BigInt(dice.below(4))
        return { to: contractAt(dice.below(CONTRACTS.length)), data: wordOf(argument), value }
      }
    }
  }

  #moduleCall(): { readonly name: string; readonly data: Uint8Array } {
    const dice = this.#dice
    const [one, other] = [formatData(dice.pick(SENDERS)), formatData(dice.pick(SENDERS))]
    switch (dice.below(5)) {
      case 0: {
        const amount = BigInt(dice.below(9))
        return { name: 'bank', data: callData('bank', 'send', [one, other, 'uatom', amount]) }
      }
      case 1: {
        const to = toBech32('sei', dice.pick(SENDERS))
        return { name: 'bank', data: callData('bank', 'sendNative', [to]) }
      }
      case 2: {
        const denomination = dice.pick(['uatom', 'usei'])
        return { name: 'bank', data: callData('bank', 'balance', [one, denomination]) }
      }
      case 3:
        return { name: 'bank', data: callData('bank', 'all_balances', [one]) }
      default: {
        const key = formatData(dice.bytes(32)).slice(2)
        const terms = [key, 'name', '0.1', '0.2', '0.01', 1n]
        return { name: 'staking', data: callData('staking', 'createValidator', terms) }
      }
    }
  }
}

function nonceOf(state: TestState, address: Uint8Array): bigint {
  const record = state.account(address)
  return record === undefined ? 0n : new DataView(record.buffer, record.byteOffset).getBigUint64(0)
}
