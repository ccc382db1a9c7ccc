import { keccak_256 } from '@noble/hashes/sha3.js'
import { bigintToBytes, bytesToBigint, concatBytes } from '../../../../../host/base/bytes.ts'
import { formatData, formatQuantity, type Hex, parseData } from '../../../../../host/base/hex.ts'
import {
  type EthereumHeader,
  encodeRlpHeader,
} from '../../../../../host/evm/chain-types/ethereum-header.ts'
import type { Receipt } from '../../../../../host/evm/chain-types/receipt.ts'
import { atLeast, type Revision } from '../../../../../host/evm/chain-types/revision.ts'
import type { Transaction } from '../../../../../host/evm/chain-types/transaction.ts'
import {
  decodeSigned,
  type UnsignedTransaction,
} from '../../../../../host/evm/chain-types/transaction-codec.ts'
import { loadEngine } from '../../../../../host/evm/engine/engine.ts'
import type { EngineModules } from '../../../../../host/evm/engine/engine-modules.ts'
import type { BlockEnv } from '../../../../../host/evm/engine/message.ts'
import type { Executed } from '../../../../../host/evm/engine/outcome.ts'
import { callsAtStart, ethereumEnv } from '../../../../../host/evm/execute/ethereum/block-env.ts'
import type { BlockRules } from '../../../../../host/evm/execute/ethereum/forks.ts'
import { makeReceipt } from '../../../../../host/evm/execute/receipt.ts'
import type { ReplayPlan } from '../../../../../host/evm/execute/replay/replay-plan.ts'
import { decodeAccount } from '../../../../../host/evm/state/account.ts'
import { answerFrom } from '../../../../../host/evm/state/answer.ts'
import { recordPlan } from '../../../../../host/evm/trace/bundle/record-plan.ts'
import { TestState } from '../../../../support/chain/test-state.ts'
import { engineLoans } from '../../../../support/engine/engine-loans.ts'
import { PLAIN_FIELDS } from '../../../../support/engine/unsigned-sender.ts'
import {
  makeSigner,
  type Signer,
  signDigest,
  signTransaction,
} from '../../../../support/peer/signer.ts'
import { type FakeCall, FakeRefusal } from '../../../../support/rpc/fake-node.ts'

export const SIGNERS: readonly Signer[] = [1n, 2n, 3n].map((key) => makeSigner(0xabc0n + key))

export interface EthereumNodeOptions {
  readonly modules: EngineModules
  readonly chainId: bigint
  readonly rules: BlockRules
  readonly number: bigint
  readonly timestamp: bigint
  /** Code by address, with the value of the first slot. */
  readonly contracts: readonly (readonly [address: bigint, code: Uint8Array, slot0?: bigint])[]
  /** Sealer of the block on a clique chain (EIP-225). */
  readonly sealer?: Signer
  /** Sent by the funded signers in rotation. */
  readonly transactions: readonly Partial<UnsignedTransaction>[]
}

/** Answers of a node with one block. */
export interface EthereumNode {
  readonly hashes: readonly Hex[]
  readonly answer: (call: FakeCall) => unknown
}

/** Returns a header with the fields of a revision. */
function headerOf({ number, timestamp, rules }: EthereumNodeOptions): EthereumHeader {
  const since = <Value>(revision: Revision, value: Value) =>
    atLeast(rules.revision, revision) ? value : undefined
  const root = (n: number) => bigintToBytes(BigInt(n), 32)
  return {
    parentHash: root(1),
    ommersHash: root(2),
    coinbase: bigintToBytes(0xc0ffeen, 20),
    stateRoot: root(3),
    transactionsRoot: root(4),
    receiptsRoot: root(5),
    logsBloom: new Uint8Array(256),
    difficulty: atLeast(rules.revision, 'Paris') ? 0n : 131_072n,
    number,
    gasLimit: 30_000_000n,
    gasUsed: 0n,
    timestamp,
    extraData: new Uint8Array([1, 2]),
    mixHash: root(6),
    nonce: new Uint8Array(8),
    baseFeePerGas: since('London', 7n),
    withdrawalsRoot: since('Shanghai', root(7)),
    blobGasUsed: since('Cancun', 0n),
    excessBlobGas: since('Cancun', 60_000_000n),
    parentBeaconBlockRoot: since('Cancun', root(8)),
    requestsHash: since('Prague', root(9)),
  }
}

/** Returns the sealed header, and the recipient of its block's fees. */
function sealed(
  header: EthereumHeader,
  sealer: Signer | undefined,
): { readonly header: EthereumHeader; readonly coinbase: Uint8Array } {
  if (sealer === undefined) return { header, coinbase: header.coinbase }
  const unsealed = {
    ...header,
    coinbase: new Uint8Array(20),
    difficulty: 2n,
    mixHash: new Uint8Array(32),
    extraData: new Uint8Array(32),
  }
  const seal = signDigest(keccak_256(encodeRlpHeader(unsealed)), sealer)
  return {
    header: { ...unsealed, extraData: concatBytes([unsealed.extraData, seal]) },
    coinbase: bigintToBytes(sealer.address, 20),
  }
}

/** Creates a node of one block, whose receipts come from a run of its transactions. */
export async function makeEthereumNode(options: EthereumNodeOptions): Promise<EthereumNode> {
  const { modules, chainId, rules, contracts } = options
  const { engine: source, engineHash: _, ...others } = modules
  const engine = await engineLoans.lend(() => loadEngine(source, others))
  const { header, coinbase } = sealed(headerOf(options), options.sealer)
  const blockHash = keccak_256(encodeRlpHeader(header))
  const env = { ...ethereumEnv(header, rules, chainId), coinbase }
  const hashOf = (number: number) =>
    number === env.number - 1 ? header.parentHash : keccak_256(Uint8Array.of(number & 255))
  const state = new TestState(keccak_256, hashOf)
  for (const { address } of SIGNERS) {
    state.setAccount(bigintToBytes(address, 20), 0n, 10n ** 20n, new Uint8Array(0))
  }
  for (const [address, code, slot0 = 0n] of contracts) {
    state.setAccount(bigintToBytes(address, 20), 1n, 0n, code)
    state.setStorage(bigintToBytes(address, 20), new Uint8Array(32), bigintToBytes(slot0, 32))
  }
  const transactions = options.transactions.map((fields, i) => sign(fields, i, chainId))
  const receipts = run(engine, env, header, state, transactions)
  const logsBefore = receipts.map((_receipt, i) =>
    receipts.slice(0, i).reduce((sum, { logs }) => sum + logs.length, 0),
  )
  const prestates: object[] = []
  for (const i of transactions.keys()) {
    const plan: ReplayPlan = {
      height: env.number,
      blockHash,
      env,
      systemCalls: callsAtStart(header, rules.revision),
      transactions: transactions.slice(0, i + 1).map((transaction, at) => ({
        transaction,
        gasUsed: (receipts[at] as Receipt).gasUsed,
      })),
    }
    const recorded = await recordPlan(
      { engine, plan, view: state, signal: new AbortController().signal, onReplayed: () => {} },
      'transaction',
    )
    prestates.push(prestateJson(recorded.reads))
  }
  const block = {
    ...headerJson(header),
    hash: formatData(blockHash),
    transactions: transactions.map((one, i) => transactionJson(one, env, blockHash, i)),
  }
  const receiptsJson = receipts.map((receipt, i) =>
    receiptJson(receipt, i, logsBefore[i] as number),
  )
  const hashes = transactions.map(({ hash }) => formatData(hash))
  const place = (hash: unknown) => hashes.indexOf(hash as Hex)
  const parentTag = formatQuantity(env.number - 1)
  const atParent = (tag: unknown, read: () => unknown) =>
    tag === parentTag ? read() : new FakeRefusal(-32000, 'missing trie node')
  return {
    hashes,
    answer: ({ method, params }) => {
      const [first, second, third] = params
      const account = () => decodeAccount(state.account(parseData(String(first))))
      switch (method) {
        case 'eth_chainId':
          return formatQuantity(chainId)
        case 'web3_clientVersion':
          return 'Geth/v1.17.10'
        case 'eth_getTransactionByHash':
          return block.transactions[place(first)] ?? null
        case 'eth_getTransactionReceipt':
          return receiptsJson[place(first)] ?? null
        case 'eth_getBlockReceipts':
          return receiptsJson
        case 'eth_getBlockByHash':
          return first === block.hash ? block : null
        case 'eth_getBlockByNumber':
          return { hash: formatData(hashOf(Number(first))) }
        case 'eth_getBalance':
          return atParent(second, () => formatQuantity(account().balance))
        case 'eth_getTransactionCount':
          return atParent(second, () => formatQuantity(account().nonce))
        case 'eth_getCode':
          return atParent(second, () => formatData(state.code(account().codeHash)))
        case 'eth_getStorageAt':
          return atParent(third, () => {
            const value = state.storage(parseData(String(first)), parseData(String(second)))
            return formatData(value ?? new Uint8Array(32))
          })
        case 'debug_traceTransaction':
          return prestates[place(first)]
        default:
          return new FakeRefusal(-32601, `the method ${method} does not exist/is not available`)
      }
    },
  }
}

function sign(fields: Partial<UnsignedTransaction>, i: number, chainId: bigint): Transaction {
  const signer = SIGNERS[i % SIGNERS.length] as Signer
  const raw = signTransaction(
    {
      ...PLAIN_FIELDS,
      type: 0,
      chainId,
      nonce: BigInt(Math.floor(i / SIGNERS.length)),
      maxFeePerGas: 1_000n,
      maxPriorityFeePerGas: fields.type === undefined || fields.type < 2 ? 1_000n : 1n,
      gas: 200_000n,
      to: undefined,
      ...fields,
    },
    signer,
  )
  return { ...decodeSigned(raw, keccak_256), from: bigintToBytes(signer.address, 20) }
}

function run(
  engine: Awaited<ReturnType<typeof loadEngine>>,
  env: BlockEnv,
  header: EthereumHeader,
  state: TestState,
  transactions: readonly Transaction[],
): Receipt[] {
  engine.beginBlock(env)
  for (const { to, data } of callsAtStart(header, env.revision)) {
    answerFrom(engine.systemCall(to, data), state)
  }
  let cumulative = 0n
  return transactions.map((transaction) => {
    const outcome = answerFrom(engine.transact(transaction), state)
    if (outcome.kind === 'rejected') throw new Error(`rejected: ${outcome.code}`)
    cumulative += outcome.gasUsed
    const receipt = makeReceipt(transaction, outcome as Executed, cumulative, env, keccak_256)
    if (atLeast(env.revision, 'Byzantium')) return receipt
    return { ...receipt, stateRoot: bigintToBytes(cumulative, 32) }
  })
}

function prestateJson({
  accounts,
  slots,
  codes,
}: Awaited<ReturnType<typeof recordPlan>>['reads']): object {
  const json: Record<string, { storage: Record<string, string> }> = {}
  for (const { address, record } of accounts.values()) {
    const { nonce, balance, codeHash } = decodeAccount(record)
    const code = [...codes.values()].find(
      (one) => bytesToBigint(one.codeHash) === bytesToBigint(codeHash),
    )
    json[formatData(address)] = {
      ...{ balance: formatQuantity(balance), nonce: Number(nonce) },
      ...(code !== undefined && { code: formatData(code.code) }),
      storage: {},
    }
  }
  for (const { address, slot, value } of slots.values()) {
    const account = json[formatData(address)] as (typeof json)[string]
    account.storage[formatData(slot)] = formatData(value ?? new Uint8Array(32))
  }
  return json
}

function headerJson(header: EthereumHeader): Record<string, unknown> {
  const names: Readonly<Record<string, string>> = { ommersHash: 'sha3Uncles', coinbase: 'miner' }
  return Object.fromEntries(
    Object.entries(header).flatMap(([name, value]) => {
      if (value === undefined) return []
      const text = value instanceof Uint8Array ? formatData(value) : formatQuantity(value as bigint)
      return [[names[name] ?? name, text]]
    }),
  )
}

function transactionJson(
  transaction: Transaction,
  { number }: BlockEnv,
  blockHash: Uint8Array,
  index: number,
): Record<string, unknown> {
  const { type, chainId, to, v, r, s } = transaction
  const isDynamic = type >= 2
  return {
    hash: formatData(transaction.hash),
    type: formatQuantity(type),
    ...(chainId !== undefined && { chainId: formatQuantity(chainId) }),
    nonce: formatQuantity(transaction.nonce),
    from: formatData(transaction.from),
    to: to === undefined ? null : formatData(to),
    value: formatQuantity(transaction.value),
    gas: formatQuantity(transaction.gas),
    gasPrice: formatQuantity(transaction.maxFeePerGas),
    ...(isDynamic && {
      maxFeePerGas: formatQuantity(transaction.maxFeePerGas),
      maxPriorityFeePerGas: formatQuantity(transaction.maxPriorityFeePerGas),
    }),
    input: formatData(transaction.data),
    ...(type > 0 && {
      accessList: transaction.accessList.map(({ address, storageKeys }) => ({
        address: formatData(address),
        storageKeys: storageKeys.map(formatData),
      })),
    }),
    ...(type === 4 && {
      authorizationList: transaction.authorizations.map((one) => ({
        chainId: formatQuantity(one.chainId),
        address: formatData(one.address),
        nonce: formatQuantity(one.nonce),
        yParity: formatQuantity(one.yParity),
        r: formatQuantity(one.r),
        s: formatQuantity(one.s),
      })),
    }),
    v: formatQuantity(v),
    r: formatQuantity(r),
    s: formatQuantity(s),
    blockNumber: formatQuantity(number),
    blockHash: formatData(blockHash),
    transactionIndex: formatQuantity(index),
  }
}

function receiptJson(receipt: Receipt, index: number, logIndex: number): Record<string, unknown> {
  const { stateRoot, contractAddress } = receipt
  return {
    transactionHash: formatData(receipt.transactionHash),
    transactionIndex: formatQuantity(index),
    type: formatQuantity(receipt.type),
    from: formatData(receipt.from),
    to: receipt.to === undefined ? null : formatData(receipt.to),
    contractAddress: contractAddress === undefined ? null : formatData(contractAddress),
    ...(stateRoot === undefined
      ? { status: formatQuantity(receipt.status) }
      : { root: formatData(stateRoot) }),
    gasUsed: formatQuantity(receipt.gasUsed),
    cumulativeGasUsed: formatQuantity(receipt.cumulativeGasUsed),
    effectiveGasPrice: formatQuantity(receipt.effectiveGasPrice),
    logsBloom: formatData(receipt.logsBloom),
    logs: receipt.logs.map(({ address, topics, data }, i) => ({
      address: formatData(address),
      topics: topics.map(formatData),
      data: formatData(data),
      logIndex: formatQuantity(logIndex + i),
    })),
  }
}
