import { formatData, parseData } from '../../host/base/hex.ts'
import { encodeRlp } from '../../host/base/rlp.ts'
import type { Log } from '../../host/evm/chain-types/log.ts'
import { atLeast, type Revision } from '../../host/evm/chain-types/revision.ts'
import type { Keccak256 } from '../../host/evm/chain-types/signature-recovery.ts'
import type { TransactionType } from '../../host/evm/chain-types/transaction.ts'
import type { BlockEnv, TransactionInput } from '../../host/evm/engine/message.ts'
import type { TraceSink } from '../../host/evm/engine/trace-event.ts'
import { blobBaseFeeOf, blobSchedule } from '../../host/evm/execute/blob-gas.ts'
import { NO_ACCOUNT } from '../../host/evm/state/account.ts'
import { answerFrom } from '../../host/evm/state/answer.ts'
import type { MerkleState } from '../support/chain/merkle-state.ts'
import {
  attempt,
  type CaseFilter,
  type Machines,
  namedTests,
  type Suite,
  testsHave,
  type VectorFile,
} from './case.ts'
import { compareRefusal } from './exceptions.ts'
import {
  describeState,
  type FixtureState,
  findDifference,
  parseBytes,
  parseNumber,
  parseWord,
  readState,
  revisionOf,
} from './fixture.ts'
import { senderOf } from './secret-key.ts'

interface TestTransaction {
  readonly nonce: string
  readonly gasPrice?: string
  readonly maxFeePerGas?: string
  readonly maxPriorityFeePerGas?: string
  readonly maxFeePerBlobGas?: string
  readonly blobVersionedHashes?: readonly string[]
  readonly gasLimit: readonly string[]
  readonly to: string
  readonly value: readonly string[]
  readonly data: readonly string[]
  readonly accessLists?: readonly (readonly { address: string; storageKeys: string[] }[] | null)[]
  readonly authorizationList?: readonly Readonly<Record<string, string>>[]
  readonly sender?: string
  readonly secretKey: string
}

export interface TestPost {
  readonly hash: string
  readonly logs: string
  readonly indexes: { readonly data: number; readonly gas: number; readonly value: number }
  readonly expectException?: string
  /** The signed transaction, if the suite gives it. */
  readonly txbytes?: string
  /** The state whose root is `hash`, if the suite gives it. */
  readonly state?: FixtureState
}

/** A state test of the Ethereum test suites: one transaction on a state, on several forks. */
export interface StateTest {
  readonly _info?: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string>>
  readonly pre: FixtureState
  readonly transaction: TestTransaction
  readonly post: Readonly<Record<string, readonly TestPost[]>>
  readonly config?: {
    readonly chainid?: string
    readonly blobSchedule?: Readonly<Record<string, { readonly baseFeeUpdateFraction: string }>>
  }
}

function readBlobBaseFee(test: StateTest, revision: Revision): bigint {
  const excess = test.env.currentExcessBlobGas
  const schedule = blobSchedule(revision)
  if (excess === undefined || schedule === undefined) return 1n
  const scheduled = test.config?.blobSchedule?.[revision]?.baseFeeUpdateFraction
  const updateFraction = scheduled === undefined ? schedule.updateFraction : BigInt(scheduled)
  return blobBaseFeeOf(parseNumber(excess), { ...schedule, updateFraction })
}

/** Returns the block of a case. */
export function readEnv(test: StateTest, revision: Revision): BlockEnv {
  const { env } = test
  const random = env.currentRandom ?? env.currentDifficulty ?? '0x0'
  const difficulty = env.currentDifficulty ?? '0x0'
  return {
    revision,
    chainId: parseNumber(test.config?.chainid ?? '0x1'),
    number: Number(parseNumber(env.currentNumber as string)),
    timestamp: parseNumber(env.currentTimestamp as string),
    gasLimit: parseNumber(env.currentGasLimit as string),
    baseFee: atLeast(revision, 'London') ? parseNumber(env.currentBaseFee ?? '0x0a') : 0n,
    coinbase: parseBytes(env.currentCoinbase as string),
    prevRandao: parseWord(atLeast(revision, 'Paris') ? random : difficulty),
    blobBaseFee: readBlobBaseFee(test, revision),
    burnBaseFee: true,
  }
}

function typeOf(transaction: TestTransaction, hasAccessList: boolean): TransactionType {
  if (transaction.authorizationList !== undefined) return 4
  if (transaction.maxFeePerBlobGas !== undefined) return 3
  if (transaction.blobVersionedHashes !== undefined) return 3
  if (transaction.maxFeePerGas !== undefined) return 2
  return hasAccessList ? 1 : 0
}

/** Returns the transaction of a case, or undefined if a field does not fit its encoded type. */
function readTransaction(
  test: StateTest,
  post: TestPost,
  hash: Keccak256,
): TransactionInput | undefined {
  const { transaction } = test
  const accessList = transaction.accessLists?.[post.indexes.data] ?? undefined
  const price = parseNumber(transaction.gasPrice ?? transaction.maxFeePerGas ?? '0x0')
  const gas = parseNumber(transaction.gasLimit[post.indexes.gas] as string)
  const value = parseNumber(transaction.value[post.indexes.value] as string)
  const nonce = parseNumber(transaction.nonce)
  if (gas >= 1n << 64n || nonce >= 1n << 64n || value >= 1n << 256n || price >= 1n << 256n) {
    return undefined
  }
  const authorizations = (transaction.authorizationList ?? []).map((row) => ({
    chainId: parseNumber(row.chainId as string),
    address: parseData(row.address as string),
    nonce: parseNumber(row.nonce as string),
    yParity: parseNumber(row.yParity ?? (row.v as string)),
    r: parseNumber(row.r as string),
    s: parseNumber(row.s as string),
  }))
  return {
    type: typeOf(transaction, accessList !== undefined),
    from:
      transaction.sender === undefined
        ? senderOf(transaction.secretKey, hash)
        : parseData(transaction.sender),
    to: transaction.to === '' ? undefined : parseData(transaction.to),
    nonce,
    gas,
    maxFeePerGas: price,
    maxPriorityFeePerGas: parseNumber(
      transaction.maxPriorityFeePerGas ?? transaction.gasPrice ?? '0x0',
    ),
    value,
    data: parseBytes(transaction.data[post.indexes.data] as string),
    accessList: (accessList ?? []).map((entry) => ({
      address: parseData(entry.address),
      storageKeys: entry.storageKeys.map(parseWord),
    })),
    authorizations,
    maxFeePerBlobGas: parseNumber(transaction.maxFeePerBlobGas ?? '0x0'),
    blobHashes: (transaction.blobVersionedHashes ?? []).map(parseData),
  }
}

function hashLogs(logs: readonly Log[], hash: Keccak256): string {
  return formatData(hash(encodeRlp(logs.map((log) => [log.address, log.topics, log.data]))))
}

const encoder = new TextEncoder()

/** The result of a case's transaction. */
export interface Execution {
  readonly state: MerkleState
  /** Why the transaction is invalid, or undefined if it was executed. */
  readonly refusal: string | undefined
  readonly logs: readonly Log[]
}

/** Runs the transaction of a case on its state. */
export function executeCase(
  { engine, hasher }: Machines,
  test: StateTest,
  revision: Revision,
  post: TestPost,
  trace?: TraceSink,
): Execution {
  const hash = (bytes: Uint8Array) => hasher.keccak256(bytes)
  // Block hashes as in geth's state tests: the hash of the decimal number
  const state = readState(test.pre, hasher, (number) => hash(encoder.encode(String(number))))
  const env = readEnv(test, revision)
  const input = readTransaction(test, post, hash)
  let logs: readonly Log[] = []
  let refusal: string | undefined
  if (input !== undefined) {
    engine.beginBlock(env)
    const options = trace === undefined ? {} : { trace }
    const outcome = answerFrom(engine.transact(input, options), state)
    if (outcome.kind === 'executed') logs = outcome.logs
    else refusal = outcome.code
    state.apply(engine.diff())
  } else {
    refusal = 'a field overflows'
  }
  // Before EIP-161, a block reward of zero still creates the coinbase account. execution-specs pays none to a block
  // whose only transaction is invalid.
  const isPaid = refusal === undefined || test._info?.['fixture-format'] === undefined
  const isEarly = !atLeast(revision, 'SpuriousDragon')
  if (isPaid && isEarly && state.readAccount(env.coinbase) === undefined) {
    state.writeAccount(env.coinbase, NO_ACCOUNT)
  }
  return { state, refusal, logs }
}

function runCase(machines: Machines, test: StateTest, revision: Revision, post: TestPost) {
  const { hasher } = machines
  const { state, refusal, logs } = executeCase(machines, test, revision, post)
  const failure = compareRefusal(refusal, post.expectException, machines.notes)
  if (failure !== undefined) return failure
  const root = formatData(state.root())
  if (root !== post.hash) {
    const difference = post.state && findDifference(state, post.state, hasher)
    return `state root ${root}, want ${post.hash}\n${difference ?? describeState(state)}`
  }
  const logsHash = hashLogs(logs, (bytes) => hasher.keccak256(bytes))
  return logsHash === post.logs ? undefined : `logs hash ${logsHash}, want ${post.logs}`
}

function* runFile(machines: Machines, file: VectorFile, filter: CaseFilter) {
  for (const [name, content] of namedTests(file)) {
    const test = content as unknown as StateTest
    for (const [fork, posts] of Object.entries(test.post)) {
      for (const post of posts) {
        const { data, gas, value } = post.indexes
        const caseName = `${name} [${fork} d${data} g${gas} v${value}]`
        if (!filter(caseName, fork)) continue
        yield attempt(caseName, () => {
          const revision = revisionOf(fork)
          return revision === undefined
            ? `unknown fork ${fork}`
            : runCase(machines, test, revision, post)
        })
      }
    }
  }
}

export const stateTests: Suite = {
  recognises: (file) => testsHave(file, 'env', 'pre', 'transaction', 'post'),
  run: runFile,
}
