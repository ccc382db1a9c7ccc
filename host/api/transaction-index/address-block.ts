import { EMPTY_BYTES } from '../../base/bytes.ts'
import { neverAborted } from '../../base/signal.ts'
import type { BlockEngine } from '../../evm/execute/block-engine.ts'
import { beginPlan, runPlanned } from '../../evm/execute/replay/plan-run.ts'
import {
  type PlannedTransaction,
  planTransaction,
  type ReplayPlan,
} from '../../evm/execute/replay/replay-plan.ts'
import {
  type AddressBlock,
  type AddressRow,
  nonceItem,
  ROLE,
  TABLE,
} from '../../storage/store/address/address-rows.ts'
import type { WorkerState } from '../trace-pool/remote-state.ts'
import { CallRoles } from './call-roles.ts'
import { type SourceBlock, type SourceRun, transactionsOf } from './source-block.ts'
import { prefetchSpeculatively } from './speculative-prefetch.ts'

/** Placeholder for a block that is not replayed: its gas is not compared. */
const NOT_COMPARED = 0n

function plannedOf(
  block: SourceBlock,
  gasUsed: BigUint64Array | undefined,
  engine: BlockEngine,
): PlannedTransaction[] {
  const keccak256 = (bytes: Uint8Array) => engine.keccak256(bytes)
  return Array.from(transactionsOf(block), ({ raw, sender }, index) =>
    planTransaction(raw, { from: sender, gasUsed: gasUsed?.[index] ?? NOT_COMPARED }, keccak256),
  )
}

function rowsOf(
  calls: CallRoles,
  { transaction }: PlannedTransaction,
  index: number,
): AddressRow[] {
  const { from, to, nonce } = transaction
  calls.add(from, ROLE.SENDER)
  if (to !== undefined) calls.add(to, ROLE.RECIPIENT)
  const rows: AddressRow[] = [
    { table: TABLE.NONCES, item: nonceItem(from, nonce), index, value: EMPTY_BYTES },
  ]
  for (const { address, roles } of calls.roles) {
    rows.push({ table: TABLE.PLACES, item: address, index, value: Uint8Array.of(roles) })
  }
  // A self-destructing contract may be created twice within a transaction: the later creation counts.
  const creations = new Map(
    calls.creations.map((creation) => [Buffer.from(creation.contract).toString('hex'), creation]),
  )
  for (const { contract, creator } of creations.values()) {
    rows.push({ table: TABLE.CREATIONS, item: contract, index, value: creator })
  }
  return rows
}

async function runRows(
  block: SourceBlock,
  transactions: readonly PlannedTransaction[],
  { env, systemCalls }: SourceRun,
  engine: BlockEngine,
  view: WorkerState,
): Promise<AddressRow[]> {
  const { height, hash } = block
  const plan: ReplayPlan = { height, blockHash: hash, env, systemCalls, transactions }
  const run = { engine, plan, view, signal: neverAborted() }
  view.prefetchAccounts(partiesOf(env.coinbase, transactions))
  await prefetchSpeculatively(run, view)
  await beginPlan(run)
  const rows: AddressRow[] = []
  for (const [index, planned] of transactions.entries()) {
    const calls = new CallRoles()
    await runPlanned(run, index, calls)
    rows.push(...rowsOf(calls, planned, index))
  }
  return rows
}

function* partiesOf(coinbase: Uint8Array, transactions: readonly PlannedTransaction[]) {
  yield coinbase
  for (const { transaction } of transactions) {
    yield transaction.from
    if (transaction.to !== undefined) yield transaction.to
  }
}

/**
 * Returns the index rows of a block. Replays it if its transactions may have executed code.
 * @param view the state before the block
 * @throws TRACE_DIFFERS, and the errors of the view
 */
export async function addressBlockOf(
  block: SourceBlock,
  engine: BlockEngine,
  view: WorkerState,
): Promise<AddressBlock> {
  const { height, hash, run } = block
  const transactions = plannedOf(block, run?.gasUsed, engine)
  const rows =
    run === undefined
      ? transactions.flatMap((planned, index) => rowsOf(new CallRoles(), planned, index))
      : await runRows(block, transactions, run, engine, view)
  return { height, hash, rows }
}
