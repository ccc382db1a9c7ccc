import { createHash } from 'node:crypto'
import { bigintToBytes, concatBytes } from '../../../host/base/bytes.ts'
import { formatData } from '../../../host/base/hex.ts'
import { decodeAccount } from '../../../host/evm/state/account.ts'
import { answerFrom } from '../../../host/evm/state/answer.ts'
import type { StateView } from '../../../host/evm/state/view.ts'
import type { BlockJob } from './bench-cases.ts'
import { engineInBlock, executed } from './engine-fixture.ts'

/** Result of a job as the programs of test/runtimes print it. */
export interface RuntimeResult {
  readonly gasUsed: number
  /** Number of the fault (FAULT), or 0 for success. */
  readonly error: number
  readonly output: string
  /** SHA-256 of the rows of the diff, table after table, and of the logs, the latest first. */
  readonly state: string
  readonly logs: string
}

interface JobAccount {
  readonly nonce: number
  readonly balance: string
  readonly codeHash: string
  code: string
  readonly storage: Record<string, string>
}

const number256 = (value: bigint) => formatData(bigintToBytes(value, 32))
const digest = (parts: readonly Uint8Array[]) =>
  createHash('sha256').update(concatBytes(parts)).digest('hex')

/** Records what a run reads. */
class ReadsOfJob implements StateView {
  readonly accounts: Record<string, JobAccount> = {}
  readonly #view: StateView

  constructor(view: StateView) {
    this.#view = view
  }

  account(address: Uint8Array) {
    const record = this.#view.account(address)
    if (record !== undefined) {
      const { nonce, balance, codeHash } = decodeAccount(record)
      this.accounts[formatData(address)] = {
        nonce: Number(nonce),
        balance: number256(balance),
        codeHash: formatData(codeHash),
        code: '0x',
        storage: {},
      }
    }
    return record
  }

  storage(address: Uint8Array, slot: Uint8Array) {
    const value = this.#view.storage(address, slot)
    const account = this.accounts[formatData(address)]
    if (value !== undefined && account !== undefined) {
      account.storage[formatData(slot)] = formatData(value)
    }
    return value
  }

  code(codeHash: Uint8Array) {
    const code = this.#view.code(codeHash)
    for (const account of Object.values(this.accounts)) {
      if (account.codeHash === formatData(codeHash)) account.code = formatData(code)
    }
    return code
  }

  blockHash(number: number) {
    return this.#view.blockHash(number)
  }
}

export type RuntimeJob = Awaited<ReturnType<typeof runtimeJob>>['job']

/** Returns a job of one call in the format of the programs of test/runtimes, and the result of the core module. */
export async function runtimeJob({ env, inputs: [input], openState }: BlockJob) {
  if (input?.to === undefined) throw new Error('the programs call contracts')
  const engine = await engineInBlock(env)
  const reads = new ReadsOfJob(openState())
  const outcome = executed(answerFrom(engine.transact(input), reads))
  const { accounts, cleared, storage, codes } = engine.diff()
  const expected: Omit<RuntimeResult, 'error'> = {
    gasUsed: Number(outcome.gasUsed),
    output: formatData(outcome.output),
    state: digest([
      ...[accounts, cleared, storage],
      ...codes.flatMap(({ codeHash, code }) => [codeHash, code]),
    ]),
    logs: digest(
      outcome.logs.toReversed().flatMap(({ address, topics, data }) => [address, ...topics, data]),
    ),
  }
  const job = {
    block: {
      revision: env.revision.toLowerCase(),
      'keeps-base-fee': !env.burnBaseFee,
      number: Number(env.number),
      timestamp: Number(env.timestamp),
      'gas-limit': Number(env.gasLimit),
      'chain-id': number256(env.chainId),
      'base-fee': number256(env.baseFee),
      'blob-base-fee': number256(env.blobBaseFee),
      'prev-randao': formatData(env.prevRandao),
      coinbase: formatData(env.coinbase),
    },
    transaction: {
      kind: input.type,
      sender: formatData(input.from),
      to: formatData(input.to),
      nonce: Number(input.nonce),
      gas: Number(input.gas),
      'max-fee-per-gas': number256(input.maxFeePerGas),
      'max-priority-fee-per-gas': number256(input.maxPriorityFeePerGas),
      value: number256(input.value),
      'max-fee-per-blob-gas': number256(input.maxFeePerBlobGas),
      data: formatData(input.data),
    },
    accounts: reads.accounts,
  }
  return { job, success: outcome.success, expected }
}
