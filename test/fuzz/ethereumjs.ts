import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM, type EVM, EVMError } from '@ethereumjs/evm'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { createTx, getCalldataFloorGas, type TypedTxData } from '@ethereumjs/tx'
import { Account, Address, createAddressFromString } from '@ethereumjs/util'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bigintToBytes, concatBytes, EMPTY_BYTES } from '../../host/base/bytes.ts'
import { formatData, hexDigits } from '../../host/base/hex.ts'
import { encodeRlp, rlpInteger } from '../../host/base/rlp.ts'
import { atLeast, type Revision } from '../../host/evm/chain-types/revision.ts'
import type { Authorization } from '../../host/evm/chain-types/transaction.ts'
import type { BlockEnv, TransactionInput } from '../../host/evm/engine/message.ts'
import { blockHash } from './lockstep.ts'
import { assembleProgram } from './program.ts'
import {
  type ScenarioResult,
  type StepRecord,
  sortState,
  type TransactionResult,
} from './result.ts'
import { type Scenario, toInput } from './scenario.ts'

/** @ethereumjs/evm runs messages. The rest of a transaction is implemented here from the EIPs. */

const HARDFORKS: Readonly<Record<Revision, Hardfork>> = {
  Frontier: Hardfork.Chainstart,
  Homestead: Hardfork.Homestead,
  TangerineWhistle: Hardfork.TangerineWhistle,
  SpuriousDragon: Hardfork.SpuriousDragon,
  Byzantium: Hardfork.Byzantium,
  Constantinople: Hardfork.Constantinople,
  Petersburg: Hardfork.Petersburg,
  Istanbul: Hardfork.Istanbul,
  Berlin: Hardfork.Berlin,
  London: Hardfork.London,
  Paris: Hardfork.Paris,
  Shanghai: Hardfork.Shanghai,
  Cancun: Hardfork.Cancun,
  Prague: Hardfork.Prague,
  Osaka: Hardfork.Osaka,
  Amsterdam: Hardfork.Amsterdam,
}
const DELEGATION = 'ef0100'
const MAX_NONCE = (1n << 64n) - 1n
/** EIP-7702: PER_EMPTY_ACCOUNT_COST - PER_AUTH_BASE_COST. */
const AUTHORIZATION_REFUND = 12_500n
const MAX_INIT_CODE = 49_152

/** Deletes code and storage together with an account, which SimpleStateManager does not. */
class State extends SimpleStateManager {
  override async deleteAccount(address: Address): Promise<void> {
    await super.deleteAccount(address)
    this.topCodeStack().delete(address.toString())
    await this.clearStorage(address)
  }

  describe(): string {
    const lines: string[] = []
    for (const [address, account] of this.topAccountStack()) {
      if (account === undefined) continue
      const { nonce, balance, codeHash } = account
      const digits = address.slice(2)
      lines.push(`${digits} nonce ${nonce} balance ${balance} code ${hexDigits(codeHash)}`)
      for (const [key, value] of this.topStorageStack()) {
        if (!key.startsWith(address) || value.every((byte) => byte === 0)) continue
        const word = hexDigits(value).padStart(64, '0')
        lines.push(`  ${key.slice(address.length + 3)} = ${word}`)
      }
    }
    return lines.join('\n')
  }
}

function makeCommon(revision: Revision): Common {
  const verifyProof = () => false
  return new Common({
    chain: Mainnet,
    hardfork: HARDFORKS[revision],
    customCrypto: { kzg: { verifyProof } as never },
  })
}

async function openState(common: Common, scenario: Scenario): Promise<State> {
  const state = new State({ common })
  for (const { address, nonce, balance, program, storage } of scenario.accounts) {
    const at = new Address(address)
    const code = assembleProgram(program)
    await state.putAccount(at, new Account(nonce, balance))
    if (code.length > 0) await state.putCode(at, code)
    for (const [slot, value] of storage) {
      await state.putStorage(at, bigintToBytes(slot, 32), bigintToBytes(value, 32))
    }
  }
  return state
}

function describeBlock(env: BlockEnv) {
  const { revision } = env
  return {
    header: {
      number: BigInt(env.number),
      coinbase: new Address(env.coinbase),
      timestamp: BigInt(env.timestamp),
      difficulty: atLeast(revision, 'Paris') ? 0n : BigInt(formatData(env.prevRandao)),
      prevRandao: env.prevRandao,
      gasLimit: env.gasLimit,
      ...(atLeast(revision, 'London') ? { baseFeePerGas: env.baseFee } : {}),
      slotNumber: 0n,
      getBlobGasPrice: () => env.blobBaseFee,
    },
  }
}

/** Returns the intrinsic gas and the calldata floor (EIP-7623). */
function measure(common: Common, input: TransactionInput) {
  const { gas, type, nonce, value, data } = input
  const fields = {
    type,
    nonce,
    value,
    data,
    gasLimit: gas,
    to: input.to === undefined ? undefined : new Address(input.to),
    ...(type < 2 ? { gasPrice: input.maxFeePerGas } : {}),
    ...(type === 0 ? {} : { chainId: 1n }),
    ...(type < 2
      ? {}
      : {
          maxFeePerGas: input.maxFeePerGas,
          maxPriorityFeePerGas: input.maxPriorityFeePerGas,
        }),
    accessList: input.accessList.map(({ address, storageKeys }) => ({
      address: formatData(address),
      storageKeys: storageKeys.map(formatData),
    })),
    authorizationList: input.authorizations.map((item) => [
      rlpInteger(item.chainId),
      item.address,
      rlpInteger(item.nonce),
      rlpInteger(item.yParity),
      rlpInteger(item.r),
      rlpInteger(item.s),
    ]),
  }
  const transaction = createTx(fields as unknown as TypedTxData, { common })
  const hasFloor = common.isActivatedEIP(7623)
  return {
    intrinsic: transaction.getIntrinsicGas(),
    floor: hasFloor ? getCalldataFloorGas(transaction) : 0n,
  }
}

/** Returns the signer of an authorization, or undefined if its signature is invalid. */
function recoverAuthority(item: Authorization): Address | undefined {
  const { chainId, address, nonce, yParity, r, s } = item
  if (yParity > 1n || s > secp256k1.Point.Fn.ORDER / 2n) return undefined
  const payload = encodeRlp([rlpInteger(chainId), address, rlpInteger(nonce)])
  const digest = keccak_256(concatBytes([new Uint8Array([0x05]), payload]))
  try {
    const signature = new secp256k1.Signature(r, s, Number(yParity))
    const key = signature.recoverPublicKey(digest).toBytes(false)
    return new Address(keccak_256(key.subarray(1)).subarray(12))
  } catch {
    return undefined
  }
}

/** Applies the valid authorizations (EIP-7702) and returns the refund. */
async function applyAuthorizations(evm: EVM, state: State, items: readonly Authorization[]) {
  let refund = 0n
  for (const item of items) {
    if ((item.chainId !== 0n && item.chainId !== 1n) || item.nonce === MAX_NONCE) continue
    const authority = recoverAuthority(item)
    if (authority === undefined) continue
    evm.journal.addAlwaysWarmAddress(authority.toString())
    const code = hexDigits(await state.getCode(authority))
    if (code !== '' && !code.startsWith(DELEGATION)) continue
    const account = await state.getAccount(authority)
    if ((account?.nonce ?? 0n) !== item.nonce) continue
    if (account !== undefined) refund += AUTHORIZATION_REFUND
    const isCleared = item.address.every((byte) => byte === 0)
    const marker = new Uint8Array([0xef, 0x01, 0x00])
    await state.putCode(authority, isCleared ? EMPTY_BYTES : concatBytes([marker, item.address]))
    const changed = (await state.getAccount(authority)) as Account
    changed.nonce += 1n
    await evm.journal.putAccount(authority, changed)
  }
  return refund
}

/** Warms the initially warm addresses and slots (EIP-2929, EIP-2930, EIP-3651). */
function warm(evm: EVM, env: BlockEnv, input: TransactionInput): void {
  if (!atLeast(env.revision, 'Berlin')) return
  const { journal } = evm
  for (const address of evm.precompiles.keys()) journal.addAlwaysWarmAddress(address)
  journal.addAlwaysWarmAddress(hexDigits(input.from))
  if (input.to !== undefined) journal.addAlwaysWarmAddress(hexDigits(input.to))
  if (atLeast(env.revision, 'Shanghai')) journal.addAlwaysWarmAddress(hexDigits(env.coinbase))
  for (const { address, storageKeys } of input.accessList) {
    journal.addAlwaysWarmAddress(hexDigits(address))
    for (const key of storageKeys) {
      journal.addAlwaysWarmSlot(hexDigits(address), hexDigits(key))
    }
  }
}

const REJECTED: TransactionResult = {
  isIncluded: false,
  success: false,
  gasUsed: 0n,
  output: '',
  createdAddress: '',
  logs: [],
  steps: [],
}

async function runTransaction(
  evm: EVM,
  state: State,
  env: BlockEnv,
  input: TransactionInput,
  recorder: StepRecorder,
): Promise<TransactionResult> {
  const { revision, baseFee } = env
  const from = new Address(input.from)
  const sender = (await state.getAccount(from)) ?? new Account()
  const isTooLarge =
    atLeast(revision, 'Shanghai') && input.to === undefined && input.data.length > MAX_INIT_CODE
  if (isTooLarge || sender.nonce !== input.nonce) return REJECTED
  if (sender.balance < input.gas * input.maxFeePerGas + input.value) return REJECTED
  const { intrinsic, floor } = measure(evm.common, input)
  if (input.gas < intrinsic || input.gas < floor) return REJECTED

  let price = baseFee + input.maxPriorityFeePerGas
  if (price > input.maxFeePerGas) price = input.maxFeePerGas
  sender.nonce += 1n
  sender.balance -= input.gas * price
  await evm.journal.putAccount(from, sender)
  warm(evm, env, input)
  state.originalStorageCache.clear()
  let refund = await applyAuthorizations(evm, state, input.authorizations)
  recorder.begin(refund)
  const { execResult, createdAddress } = await evm.runCall({
    block: describeBlock(env),
    caller: from,
    gasPrice: price,
    gasLimit: input.gas - intrinsic,
    value: input.value,
    data: input.data,
    skipNonceIncrement: true,
    ...(input.to === undefined ? {} : { to: new Address(input.to) }),
  })

  refund += execResult.gasRefund ?? 0n
  let gasUsed = intrinsic + execResult.executionGasUsed
  const cap = gasUsed / (atLeast(revision, 'London') ? 5n : 2n)
  gasUsed -= refund < cap ? refund : cap
  if (gasUsed < floor) gasUsed = floor
  const payer = (await state.getAccount(from)) ?? new Account()
  payer.balance += (input.gas - gasUsed) * price
  await evm.journal.putAccount(from, payer)
  const coinbase = new Address(env.coinbase)
  const receiver = (await state.getAccount(coinbase)) ?? new Account()
  receiver.balance += gasUsed * (price - baseFee)
  await evm.journal.putAccount(coinbase, receiver)
  for (const address of execResult.selfdestruct?.keys() ?? []) {
    // EIP-6780
    if (atLeast(revision, 'Cancun') && !execResult.createdAddresses?.has(address)) continue
    await evm.journal.deleteAccount(createAddressFromString(address))
  }
  await evm.journal.cleanup()

  const error = execResult.exceptionError?.error
  const success = error === undefined || error === EVMError.errorMessages.CODESTORE_OUT_OF_GAS
  return {
    isIncluded: true,
    success,
    gasUsed,
    output: hexDigits(execResult.returnValue),
    createdAddress:
      success && createdAddress !== undefined ? createdAddress.toString().slice(2) : '',
    logs: (execResult.logs ?? []).map(([address, topics, data]) =>
      [address, ...topics, data].map(hexDigits).join(' '),
    ),
    steps: recorder.end(),
  }
}

interface StepRecorder {
  /** Starts a list. `refund` is the refund counter before the code runs. */
  begin(refund: bigint): void
  end(): readonly StepRecord[]
}

function recordSteps(evm: EVM): StepRecorder {
  let steps: StepRecord[] = []
  let earlierRefund = 0n
  let memory = Buffer.alloc(0)
  let memoryText = ''
  /** Returns the memory as text, re-encoded only if it differs from that of the previous step. */
  function readMemory(bytes: Uint8Array, size: number): string {
    // The buffer grows only at the first write beyond it. The missing part is zeros.
    const shown = Buffer.alloc(size)
    shown.set(bytes.subarray(0, size))
    if (memory.equals(shown)) return memoryText
    memory = shown
    memoryText = memory.toString('latin1')
    return memoryText
  }
  evm.events.on('step', (step) => {
    const memorySize = 32 * Number(step.memoryWordCount)
    steps.push({
      depth: step.depth + 1,
      pc: step.pc,
      opcode: step.opcode.code,
      gas: step.gasLeft,
      cost: step.opcode.dynamicFee,
      refund: earlierRefund + step.gasRefund,
      memorySize,
      stackHeight: step.stack.length,
      stack: step.stack.map((word) => word.toString(16)).join(' '),
      memory: readMemory(step.memory, memorySize),
    })
  })
  return {
    begin(refund) {
      steps = []
      earlierRefund = refund
    },
    end: () => steps,
  }
}

/** Runs the scenario's transactions in order on @ethereumjs/evm. */
export async function runEthereumjs(scenario: Scenario): Promise<ScenarioResult> {
  const common = makeCommon(scenario.env.revision)
  const state = await openState(common, scenario)
  const evm = await createEVM({
    common,
    stateManager: state,
    blockchain: {
      getBlock: async (number: number) => ({ hash: () => blockHash(number) }),
      putBlock: async () => {},
      shallowCopy() {
        return this
      },
    } as never,
  })
  const recorder = recordSteps(evm)
  const transactions: TransactionResult[] = []
  for (const transaction of scenario.transactions) {
    const input = toInput(transaction)
    transactions.push(await runTransaction(evm, state, scenario.env, input, recorder))
  }
  return { transactions, state: sortState(state.describe()) }
}
