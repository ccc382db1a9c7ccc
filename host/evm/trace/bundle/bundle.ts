import { LockstepError } from '../../../base/error.ts'
import { formatData, hexDigits } from '../../../base/hex.ts'
import { unwritable } from '../../../base/writable.ts'
import { REVISIONS } from '../../chain-types/revision.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import { decodeSigned } from '../../chain-types/transaction-codec.ts'
import type { BlockEnv } from '../../engine/message.ts'
import type { SystemCall } from '../../execute/block-engine.ts'
import {
  BLOCK_START,
  type PlannedTransaction,
  type PlanStart,
  type ReplayPlan,
} from '../../execute/replay/replay-plan.ts'
import type { RecordedReads } from '../../state/recorded-state.ts'
import { countOf, dataOf, quantityOf } from './bundle-hex.ts'
import { JsonMember } from './bundle-json.ts'
import { decodeReads, encodeReads } from './bundle-reads.ts'
import { receiptParts } from './bundle-receipt.ts'
import { decodeDigests, encodeDigests } from './step-digest.ts'

const FORMAT = 'lockstep-bundle'
const VERSION = 1
const ENGINE_HASH = /^[0-9a-f]{64}$/
const SCOPES: readonly AccessScope[] = ['transaction', 'block']

/** What a bundle contains: one transaction, or those of a whole block. */
export type AccessScope = 'transaction' | 'block'

/** The recorded receipt and steps of one transaction. */
export interface RecordedOutcome {
  /** Consensus encoding of the receipt. */
  readonly receipt: Uint8Array
  /** One digest per step; undefined if no steps were recorded. */
  readonly digests: Uint32Array | undefined
}

/** Transactions of one block, everything needed to replay them, and their outcomes. */
export interface Bundle {
  /** SHA-256 of the recording engine.wasm, 64 hex digits. */
  readonly engineHash: string
  /** One transaction or a whole block. */
  readonly scope: AccessScope
  readonly plan: ReplayPlan
  readonly reads: RecordedReads
  /** In the order of the plan's transactions. */
  readonly outcomes: readonly RecordedOutcome[]
}

/** The other two parts of debug_traceStateAccess, unused by replays. */
export interface ChainTraces {
  /** Requests to the consensus RPC, with their answers. */
  readonly tendermint: readonly unknown[]
  /** Receipts of the block as JSON-RPC objects. */
  readonly receipt: readonly unknown[]
}

/**
 * Returns a bundle as JSON: the result of debug_traceStateAccess. @throws INVALID_ARGUMENT if `decodeBundle` would
 * reject it
 */
export function encodeBundle(bundle: Bundle, { tendermint, receipt }: ChainTraces): object {
  const { engineHash, scope, plan, reads, outcomes } = bundle
  if (!ENGINE_HASH.test(engineHash)) {
    throw unwritable('the hash of an engine', 'want 64 lower-case hex digits')
  }
  return {
    app: { modules: encodeReads(reads) },
    tendermint: { traces: tendermint },
    receipt: { traces: receipt },
    bundle: {
      format: FORMAT,
      version: VERSION,
      engine: engineHash,
      scope,
      block: encodeBlock(plan),
      systemCalls: plan.systemCalls.map(({ to, data }) => ({
        to: dataOf(to, 20, 'the address of a system call'),
        data: formatData(data),
      })),
      blockHashes: Array.from(reads.blockHashes, ([number, hash]) => ({
        number: countOf(number, 'the number of a block'),
        hash: hash === undefined ? null : dataOf(hash, 32, 'the hash of a block'),
      })),
      first: encodeStart(plan.first ?? BLOCK_START),
      transactions: plan.transactions.map(({ transaction, gasUsed }, index) => ({
        raw: formatData(transaction.raw),
        from: dataOf(transaction.from, 20, 'the sender of a transaction'),
        gasUsed: quantityOf(gasUsed, 64, 'the gas of a transaction'),
        ...encodeOutcome(outcomes[index] as RecordedOutcome),
      })),
    },
  }
}

function encodeBlock({ blockHash, env }: ReplayPlan): object {
  return {
    hash: dataOf(blockHash, 32, 'the hash of a block'),
    revision: env.revision,
    chainId: quantityOf(env.chainId, 256, 'a chain id'),
    number: countOf(env.number, 'the number of a block'),
    timestamp: encodeTimestamp(env.timestamp),
    gasLimit: quantityOf(env.gasLimit, 64, 'a gas limit'),
    baseFee: quantityOf(env.baseFee, 256, 'a base fee'),
    coinbase: dataOf(env.coinbase, 20, 'a coinbase'),
    prevRandao: dataOf(env.prevRandao, 32, 'a PREVRANDAO'),
    blobBaseFee: quantityOf(env.blobBaseFee, 256, 'a blob base fee'),
    burnBaseFee: env.burnBaseFee,
    ...(env.slotNumber !== undefined && {
      slotNumber: quantityOf(env.slotNumber, 64, 'a slot number'),
    }),
    ...(env.chainPrecompiles === true && { chainPrecompiles: true }),
  }
}

function encodeTimestamp(timestamp: number | bigint): string {
  return typeof timestamp === 'number'
    ? countOf(timestamp, 'a timestamp')
    : quantityOf(timestamp, 64, 'a timestamp')
}

function encodeStart({ index, logIndex, cumulativeGasUsed }: PlanStart): object {
  return {
    index: countOf(index, 'the index of a transaction'),
    logIndex: countOf(logIndex, 'the index of a log'),
    cumulativeGasUsed: quantityOf(cumulativeGasUsed, 64, 'the gas of a block'),
  }
}

function encodeOutcome({ receipt, digests }: RecordedOutcome): object {
  return {
    receipt: formatData(receipt),
    ...(digests !== undefined && { steps: encodeDigests(digests) }),
  }
}

/**
 * Decodes a bundle from parsed JSON: a debug_traceStateAccess result or a file. Ignores the informational parts
 * (`tendermint`, `receipt`).
 * @throws BUNDLE_INVALID naming the member and the rule that it breaks.
 */
export function decodeBundle(json: unknown, keccak256: Keccak256): Bundle {
  const document = new JsonMember(json, '')
  const bundle = document.at('bundle')
  bundle.at('format').oneOf([FORMAT])
  bundle.at('version').oneOf([VERSION])
  const env = decodeBlock(bundle.at('block'))
  const scope = bundle.at('scope').oneOf(SCOPES)
  const transactions = bundle.at('transactions').items()
  if (scope === 'transaction' && transactions.length !== 1) {
    throw bundle.at('transactions').wants('one transaction, as stated by scope')
  }
  return {
    engineHash: hexDigits(bundle.at('engine').digits([32])),
    scope,
    plan: {
      height: env.number,
      blockHash: bundle.at('block').at('hash').data(32),
      env,
      systemCalls: bundle.at('systemCalls').items().map(decodeSystemCall),
      transactions: transactions.map((member) => decodeTransaction(member, keccak256)),
      first: decodeStart(bundle.at('first')),
    },
    reads: {
      ...decodeReads(document.at('app').at('modules')),
      blockHashes: new Map(bundle.at('blockHashes').items().map(decodeBlockHash)),
    },
    outcomes: transactions.map(decodeOutcome),
  }
}

function decodeBlock(block: JsonMember): BlockEnv {
  const timestamp = block.at('timestamp').quantity(64)
  return {
    revision: block.at('revision').oneOf(REVISIONS),
    chainId: block.at('chainId').quantity(256),
    number: block.at('number').integer(),
    timestamp: timestamp >> 53n === 0n ? Number(timestamp) : timestamp,
    gasLimit: block.at('gasLimit').quantity(64),
    baseFee: block.at('baseFee').quantity(256),
    coinbase: block.at('coinbase').data(20),
    prevRandao: block.at('prevRandao').data(32),
    blobBaseFee: block.at('blobBaseFee').quantity(256),
    burnBaseFee: block.at('burnBaseFee').flag(),
    ...(!block.at('slotNumber').isAbsent && { slotNumber: block.at('slotNumber').quantity(64) }),
    ...(isTrue(block.at('chainPrecompiles')) && { chainPrecompiles: true }),
  }
}

/** Reads a flag that older bundles lack. */
function isTrue(member: JsonMember): boolean {
  return !member.isAbsent && member.flag()
}

function decodeSystemCall(call: JsonMember): SystemCall {
  return { to: call.at('to').data(20), data: call.at('data').data() }
}

function decodeBlockHash(entry: JsonMember): [number, Uint8Array | undefined] {
  const hash = entry.at('hash')
  return [entry.at('number').integer(), hash.value === null ? undefined : hash.data(32)]
}

function decodeStart(first: JsonMember): PlanStart {
  return {
    index: first.at('index').integer(),
    logIndex: first.at('logIndex').integer(),
    cumulativeGasUsed: first.at('cumulativeGasUsed').quantity(64),
  }
}

function decodeTransaction(member: JsonMember, keccak256: Keccak256): PlannedTransaction {
  const raw = member.at('raw')
  const from = member.at('from').data(20)
  const gasUsed = member.at('gasUsed').quantity(64)
  try {
    return { transaction: { ...decodeSigned(raw.data(), keccak256), from }, gasUsed }
  } catch (thrown) {
    if (!(thrown instanceof LockstepError) || thrown.code !== 'TRANSACTION_REJECTED') throw thrown
    throw raw.wants(`a transaction (${thrown.message})`, thrown)
  }
}

function decodeOutcome(member: JsonMember): RecordedOutcome {
  const steps = member.at('steps')
  const receipt = member.at('receipt')
  const encoded = receipt.data()
  try {
    receiptParts(encoded)
  } catch (thrown) {
    if (!(thrown instanceof LockstepError) || thrown.code !== 'INVALID_RLP') throw thrown
    throw receipt.wants(`the consensus encoding of a receipt (${thrown.message})`, thrown)
  }
  return { receipt: encoded, digests: steps.isAbsent ? undefined : decodeDigests(steps) }
}
