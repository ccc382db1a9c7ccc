import { bigintToBytes, concatBytes, equalBytes } from '../../base/bytes.ts'
import { parseData } from '../../base/hex.ts'
import { encodeRlp, rlpInteger } from '../../base/rlp.ts'
import { logsBloom, uniteBlooms } from '../../chain-types/bloom.ts'
import type { Log } from '../../chain-types/log.ts'
import { atLeast, type Revision } from '../../chain-types/revision.ts'
import type { SignatureRecovery } from '../../chain-types/signature-recovery.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import type { Engine } from '../../engine/engine.ts'
import type { BlockEnv } from '../../engine/message.ts'
import type { Executed } from '../../engine/outcome.ts'
import { EMPTY_CODE_HASH } from '../../state/account.ts'
import { answerFrom } from '../../state/answer.ts'
import { blobBaseFee, GAS_PER_BLOB } from './blob-gas.ts'
import type { EthereumBlock, Withdrawal } from './block-codec.ts'
import { drainDao } from './dao.ts'
import type { EthereumHeader } from './header.ts'
import { invalidBlock } from './header-rules.ts'
import { payRewards } from './ommers.ts'
import { type BlockHasher, credit, type ReplayState } from './replay-state.ts'
import { processRequests } from './requests.ts'
import type { BlockRules } from './rules.ts'
import { decodeForRevision } from './transaction-rules.ts'

const BEACON_ROOTS = parseData('0x000f3df6d732807ef1319fb7b8bb8522d0beac02')
const BLOCK_HASHES = parseData('0x0000f90827f1c53a10cb7a02335b175320002935')
const GWEI = 1_000_000_000n
/** EIP-7934: ten mebibytes less two for the beacon block. */
const MAX_BLOCK_SIZE = 8 * 1024 * 1024

/** Where blocks are executed. */
export interface ProcessorSite {
  readonly engine: Engine
  readonly hasher: BlockHasher
  readonly chainId: bigint
}

/** Row of the receipts' trie; `root` is the state after the transaction, before Byzantium. */
function encodeReceipt(
  { type }: Transaction,
  outcome: Executed,
  cumulativeGas: bigint,
  bloom: Uint8Array,
  root: Uint8Array | undefined,
): Uint8Array {
  const status = root ?? rlpInteger(outcome.success ? 1 : 0)
  const logs = outcome.logs.map(({ address, topics, data }) => [address, topics, data])
  const payload = encodeRlp([status, rlpInteger(cumulativeGas), bloom, logs])
  return type === 0 ? payload : concatBytes([Uint8Array.of(type), payload])
}

/** Root of the trie of a list: keys are the indices in RLP. */
function listRoot(hasher: BlockHasher, values: readonly Uint8Array[]): Uint8Array {
  return hasher.trieRoot(values.map((value, index) => [encodeRlp(rlpInteger(index)), value]))
}

function makeEnv(header: EthereumHeader, rules: BlockRules, chainId: bigint): BlockEnv {
  const { difficulty, excessBlobGas = 0n } = header
  return {
    revision: rules.revision,
    chainId,
    number: Number(header.number),
    timestamp: header.timestamp,
    gasLimit: header.gasLimit,
    baseFee: header.baseFeePerGas ?? 0n,
    coinbase: header.coinbase,
    prevRandao: atLeast(rules.revision, 'Paris') ? header.mixHash : bigintToBytes(difficulty, 32),
    blobBaseFee: rules.blobs === undefined ? 1n : blobBaseFee(excessBlobGas, rules.blobs),
    burnBaseFee: true,
  }
}

/** The calls a block begins with: EIP-4788, EIP-2935. Where there is no contract nothing happens. */
function callAtStart(
  engine: Engine,
  state: ReplayState,
  header: EthereumHeader,
  revision: Revision,
): void {
  const call = (address: Uint8Array, data: Uint8Array) => {
    const account = state.readAccount(address)
    if (account === undefined || equalBytes(account.codeHash, EMPTY_CODE_HASH)) return
    answerFrom(engine.systemCall(address, data), state)
  }
  if (header.parentBeaconBlockRoot !== undefined) call(BEACON_ROOTS, header.parentBeaconBlockRoot)
  if (atLeast(revision, 'Prague')) call(BLOCK_HASHES, header.parentHash)
}

function payWithdrawals(state: ReplayState, withdrawals: readonly Withdrawal[]): void {
  for (const { address, amount } of withdrawals) {
    // One of nothing does not bring an account into being (EIP-161)
    if (amount > 0n) credit(state, address, amount * GWEI)
  }
}

interface Transacted {
  readonly gasUsed: bigint
  readonly blobGasUsed: bigint
  readonly logs: readonly Log[]
  readonly bloom: Uint8Array
  readonly receipts: readonly Uint8Array[]
}

function runTransactions(
  site: ProcessorSite,
  state: ReplayState,
  block: EthereumBlock,
  env: BlockEnv,
): Transacted {
  const { engine, hasher, chainId } = site
  const { revision, gasLimit } = env
  const keccak256 = (bytes: Uint8Array) => hasher.keccak256(bytes)
  const recovery: SignatureRecovery = {
    keccak256,
    recoverAddress: (...signature) => engine.recoverAddress(...signature),
  }
  const logs: Log[] = []
  const blooms: Uint8Array[] = []
  const receipts: Uint8Array[] = []
  let gasUsed = 0n
  let blobs = 0
  for (const [index, raw] of block.transactions.entries()) {
    const transaction = decodeForRevision(raw, chainId, revision, recovery)
    if (transaction.gas > gasLimit - gasUsed) {
      throw invalidBlock(`transaction ${index} wants ${transaction.gas} gas`)
    }
    const outcome = answerFrom(engine.transact(transaction), state)
    if (outcome.kind === 'rejected') throw invalidBlock(`transaction ${index}: ${outcome.code}`)
    gasUsed += outcome.gasUsed
    blobs += transaction.blobHashes.length
    let root: Uint8Array | undefined
    if (!atLeast(revision, 'Byzantium')) {
      // EIP-658: until then each receipt holds the state it left
      state.apply(engine.diff())
      root = state.root()
      engine.beginBlock(env)
    }
    const bloom = logsBloom(outcome.logs, keccak256)
    receipts.push(encodeReceipt(transaction, outcome, gasUsed, bloom, root))
    blooms.push(bloom)
    logs.push(...outcome.logs)
  }
  const blobGasUsed = BigInt(blobs) * GAS_PER_BLOB
  return { gasUsed, blobGasUsed, logs, bloom: uniteBlooms(blooms), receipts }
}

/**
 * Executes a block whose header fits its parent, on `state`, the parent's; leaves the block's state there.
 * @throws BLOCK_INVALID, INVALID_RLP or TRANSACTION_REJECTED where a rule is broken; the state is then
 * between the two.
 */
export function processBlock(
  site: ProcessorSite,
  state: ReplayState,
  block: EthereumBlock,
  rules: BlockRules,
): void {
  const { engine, hasher } = site
  const { header, ommers, withdrawals } = block
  const { revision } = rules
  if (atLeast(revision, 'Osaka') && block.size > MAX_BLOCK_SIZE) {
    throw invalidBlock(`a block of ${block.size} bytes`)
  }
  checkBody(block, revision, hasher)

  if (rules.sinceDao === 0n) drainDao(state)
  const env = makeEnv(header, rules, site.chainId)
  engine.beginBlock(env)
  callAtStart(engine, state, header, revision)
  const { gasUsed, blobGasUsed, logs, bloom, receipts } = runTransactions(site, state, block, env)
  state.apply(engine.diff())
  payWithdrawals(state, withdrawals ?? [])
  payRewards(state, header, ommers, revision)
  const requestsHash = atLeast(revision, 'Prague')
    ? processRequests(engine, state, env, logs)
    : undefined

  if (gasUsed !== header.gasUsed) throw invalidBlock(`gas used ${gasUsed}, not ${header.gasUsed}`)
  if (header.blobGasUsed !== undefined && blobGasUsed !== header.blobGasUsed) {
    throw invalidBlock(`blob gas used ${blobGasUsed}, not ${header.blobGasUsed}`)
  }
  expectEqual('logs bloom', bloom, header.logsBloom)
  expectEqual('receipts root', listRoot(hasher, receipts), header.receiptsRoot)
  if (requestsHash !== undefined) expectEqual('requests hash', requestsHash, header.requestsHash)
  expectEqual('state root', state.root(), header.stateRoot)
}

/** Holds the lists of a block to the hashes in its header. */
function checkBody(block: EthereumBlock, revision: Revision, hasher: BlockHasher): void {
  const { header, withdrawals } = block
  expectEqual('ommers hash', hasher.keccak256(block.encodedOmmers), header.ommersHash)
  expectEqual('transactions root', listRoot(hasher, block.transactions), header.transactionsRoot)
  if ((withdrawals !== undefined) !== atLeast(revision, 'Shanghai')) {
    throw invalidBlock(`withdrawals are not as ${revision} has them`)
  }
  if (withdrawals === undefined) return
  const rows = withdrawals.map(({ encoded }) => encoded)
  expectEqual('withdrawals root', listRoot(hasher, rows), header.withdrawalsRoot)
}

function expectEqual(what: string, got: Uint8Array, want: Uint8Array | undefined): void {
  if (want === undefined || !equalBytes(got, want)) throw invalidBlock(`wrong ${what}`)
}
