import { bigintToBytes } from '../../host/base/bytes.ts'
import { formatData, formatQuantity } from '../../host/base/hex.ts'
import { encodeBlockAccessList } from '../../host/evm/chain-types/block-access-list.ts'
import { listRoot } from '../../host/evm/chain-types/ethereum-block.ts'
import type { EthereumHeader } from '../../host/evm/chain-types/ethereum-header.ts'
import type { Log } from '../../host/evm/chain-types/log.ts'
import { encodeReceipt, type Receipt } from '../../host/evm/chain-types/receipt.ts'
import type { Engine } from '../../host/evm/engine/engine.ts'
import { AccessListBuilder } from '../../host/evm/execute/access-list-builder.ts'
import { runSystemCalls } from '../../host/evm/execute/block-engine.ts'
import { BlockGas } from '../../host/evm/execute/block-gas.ts'
import { callsAtStart } from '../../host/evm/execute/ethereum/block-env.ts'
import { closeBlock } from '../../host/evm/execute/ethereum/block-processor.ts'
import type { EthereumNetwork } from '../../host/evm/execute/ethereum/forks.ts'
import { decodeForRevision } from '../../host/evm/execute/ethereum/transaction-rules.ts'
import { makeReceipt } from '../../host/evm/execute/receipt.ts'
import { transactNew } from '../../host/evm/execute/transact.ts'
import { answerFrom } from '../../host/evm/state/answer.ts'
import type { CommitHasher } from '../../host/storage/commit/hash/commit-hasher.ts'
import { type FixtureState, readState } from '../conformance/fixture.ts'
import { BEACON_ROOT, type BlockResult, SYSTEM_CODES } from './geth-block.ts'
import { blockHash } from './lockstep.ts'
import { assembleProgram } from './program.ts'
import type { Scenario } from './scenario.ts'

const word = (value: bigint) => formatData(bigintToBytes(value, 32))

function stateOf({ accounts }: Scenario): FixtureState {
  const system = Object.entries(SYSTEM_CODES).map(([address, code]) => [
    address,
    { nonce: '0x1', balance: '0x0', code, storage: {} },
  ])
  const own = accounts.map(({ address, nonce, balance, program, storage }) => [
    formatData(address),
    {
      nonce: formatQuantity(nonce),
      balance: formatQuantity(balance),
      code: formatData(assembleProgram(program)),
      storage: Object.fromEntries(storage.map(([slot, value]) => [word(slot), word(value)])),
    },
  ])
  return Object.fromEntries([...system, ...own])
}

/** Runs transactions as one block of Amsterdam, by the parts of the import. Leaves out those that it cannot contain. */
export function runLockstepBlock(
  engine: Engine,
  hasher: CommitHasher,
  scenario: Scenario,
  transactions: readonly Uint8Array[],
): BlockResult {
  const { env } = scenario
  const { chainId, gasLimit, revision } = env
  const network = { chainId, depositContract: new Uint8Array(20) } as EthereumNetwork
  const keccak256 = (bytes: Uint8Array) => hasher.keccak256(bytes)
  const state = readState(stateOf(scenario), hasher, blockHash)
  const header = {
    number: BigInt(env.number),
    parentHash: blockHash(env.number - 1),
    parentBeaconBlockRoot: BEACON_ROOT,
  } as EthereumHeader
  const recovery = {
    keccak256,
    recoverAddress: (...signature: Parameters<Engine['recoverAddress']>) =>
      engine.recoverAddress(...signature),
  }
  engine.beginBlock(env)
  runSystemCalls(engine, state, callsAtStart(header, revision), true)
  const blockGas = new BlockGas(gasLimit, revision)
  const receipts: Receipt[] = []
  const logs: Log[] = []
  const rejected: number[] = []
  let gasUsed = 0n
  for (const [index, raw] of transactions.entries()) {
    const transaction = decodeForRevision(raw, network, revision, recovery)
    const outcome = blockGas.fits(transaction.gas)
      ? answerFrom(transactNew(engine, transaction), state)
      : undefined
    if (outcome?.kind !== 'executed') {
      rejected.push(index)
      continue
    }
    gasUsed += outcome.gasUsed
    blockGas.add(outcome)
    receipts.push(makeReceipt(transaction, outcome, gasUsed, env, keccak256))
    logs.push(...outcome.logs)
  }
  const accesses = new AccessListBuilder()
  accesses.add(engine.accessList())
  state.apply(engine.diff())
  const requestsHash = closeBlock(engine, state, {
    header,
    body: { ommers: [], withdrawals: [] },
    revision,
    env,
    logs,
    network,
    listing: { accesses, index: receipts.length + 1 },
  })
  return {
    stateRoot: formatData(state.root()),
    receiptsRoot: formatData(listRoot(hasher, receipts.map(encodeReceipt))),
    gasUsed: formatQuantity(blockGas.used),
    blockAccessListHash: formatData(keccak256(encodeBlockAccessList(accesses.build()))),
    requestsHash: formatData(requestsHash as Uint8Array),
    rejected,
  }
}
