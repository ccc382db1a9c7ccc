// The component as a JavaScript module made by jco, for tests in a page. `runJob` drives it as test/runtimes/python
// does.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToBigint, concatBytes } from '../../../host/base/bytes.ts'
import { formatData, hexDigits, parseData } from '../../../host/base/hex.ts'
import { encodeAccount } from '../../../host/evm/state/account.ts'
import { type EngineInterface, toWord } from '../../support/engine/component-engine.ts'
import type { RuntimeJob, RuntimeResult } from '../../support/engine/runtime-job.ts'

const NOTHING = new Uint8Array(0)
const word = (text: string) => toWord(bytesToBigint(parseData(text)))
const digest = (parts: readonly Uint8Array[]) => hexDigits(sha256(concatBytes(parts)))

async function openComponent(): Promise<EngineInterface> {
  // A separate file beside the page, not bundled into it.
  const path = './component/engine.js'
  const { instantiate } = await import(/* @vite-ignore */ path)
  const compile = (name: string) => WebAssembly.compileStreaming(fetch(`component/${name}`))
  return (await instantiate(compile, {})).engine
}

function answer({ accounts }: RuntimeJob, need: ReturnType<EngineInterface['run']>): Uint8Array {
  switch (need.tag) {
    case 'need-account': {
      const found = accounts[formatData(need.val)]
      if (found === undefined) return NOTHING
      const { nonce, balance, codeHash } = found
      return encodeAccount({
        nonce: BigInt(nonce),
        balance: BigInt(balance),
        codeHash: parseData(codeHash),
      })
    }
    case 'need-storage': {
      const { address, slot } = need.val
      const value = accounts[formatData(address)]?.storage[formatData(slot)]
      return value === undefined ? NOTHING : parseData(value)
    }
    case 'need-code': {
      const hash = formatData(need.val)
      const found = Object.values(accounts).find(({ codeHash }) => codeHash === hash)
      return parseData(found?.code ?? '0x')
    }
    default:
      throw new Error(`this job needs ${need.tag}`)
  }
}

/** Runs a job in a new instance. */
async function runJob(job: RuntimeJob): Promise<RuntimeResult> {
  const engine = await openComponent()
  const { block, transaction: sent } = job
  const isBegun = engine.beginBlock({
    revision: block.revision,
    keepsBaseFee: block['keeps-base-fee'],
    number: BigInt(block.number),
    timestamp: BigInt(block.timestamp),
    gasLimit: BigInt(block['gas-limit']),
    hashSeed: 1n,
    chainId: word(block['chain-id']),
    baseFee: word(block['base-fee']),
    blobBaseFee: word(block['blob-base-fee']),
    prevRandao: parseData(block['prev-randao']),
    coinbase: parseData(block.coinbase),
    hostAddresses: [1, 0],
  })
  const isTaken = engine.beginTransaction({
    kind: sent.kind,
    options: {},
    nonce: BigInt(sent.nonce),
    gas: BigInt(sent.gas),
    maxFeePerGas: word(sent['max-fee-per-gas']),
    maxPriorityFeePerGas: word(sent['max-priority-fee-per-gas']),
    value: word(sent.value),
    maxFeePerBlobGas: word(sent['max-fee-per-blob-gas']),
    sender: parseData(sent.sender),
    to: parseData(sent.to),
    data: parseData(sent.data),
    accessList: [],
    blobHashes: NOTHING,
    authorizations: [],
  })
  if (!isBegun || !isTaken) throw new Error('refused')
  for (;;) {
    const status = engine.run(100_000)
    if (status.tag === 'done') break
    if (status.tag !== 'yield' && !engine.answer(answer(job, status))) throw new Error('refused')
  }
  const outcome = engine.outcome()
  const { accounts, cleared, storage, codes } = engine.diff()
  if (outcome === undefined) throw new Error('no outcome')
  return {
    gasUsed: Number(outcome.gasUsed),
    error: outcome.error,
    output: formatData(outcome.output),
    state: digest([accounts, cleared, storage, ...codes.flatMap(({ hash, code }) => [hash, code])]),
    logs: digest(outcome.logs.flatMap(({ address, topics, data }) => [address, topics, data])),
  }
}

const program = { runJob }

export type ComponentProgram = typeof program

Object.assign(globalThis, program)
