import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Revision } from '../../host/evm/chain-types/revision.ts'
import { answerFrom } from '../../host/evm/state/answer.ts'
import { PLAIN_FIELDS } from '../support/engine/unsigned-sender.ts'
import { attempt, type CaseFilter, type Machines, type Suite, type VectorFile } from './case.ts'
import { type FixtureState, parseBytes, parseNumber, parseWord, readState } from './fixture.ts'
import { senderOf } from './secret-key.ts'
import { compareLines, type Line, parseLines, recordInto } from './trace-line.ts'

/** The fork of each folder in geth's test of the t8n tool. */
const FORKS: Readonly<Record<string, Revision>> = { '31': 'Cancun', '32': 'Paris' }

type Fields = Readonly<Record<string, string>>

function readJson(folder: string, name: string): unknown {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'))
}

/** Returns the trace of the transaction with the index in the file name, after running the ones before it. */
function trace(machines: Machines, folder: string, index: number): Line[] {
  const { engine, hasher } = machines
  const env = readJson(folder, 'env.json') as Fields
  const state = readState(readJson(folder, 'alloc.json') as FixtureState, hasher, () => undefined)
  engine.beginBlock({
    revision: FORKS[folder.slice(folder.lastIndexOf('/') + 1)] ?? 'Osaka',
    chainId: 1n,
    number: Number(env.currentNumber),
    timestamp: Number(env.currentTimestamp),
    gasLimit: BigInt(env.currentGasLimit as string),
    baseFee: parseNumber(env.currentBaseFee ?? '0x7'),
    coinbase: parseBytes(env.currentCoinbase as string),
    prevRandao: parseWord(env.currentRandom ?? '0x0'),
    blobBaseFee: 1n,
    burnBaseFee: true,
  })
  let lines: Line[] = []
  for (const row of (readJson(folder, 'txs.json') as Fields[]).slice(0, index + 1)) {
    lines = []
    const price = parseNumber(row.gasPrice as string)
    const input = {
      ...PLAIN_FIELDS,
      type: 0,
      from: senderOf(row.secretKey as string, (bytes) => hasher.keccak256(bytes)),
      to: parseBytes(row.to as string),
      nonce: parseNumber(row.nonce as string),
      gas: parseNumber(row.gas as string),
      maxFeePerGas: price,
      maxPriorityFeePerGas: price,
      value: parseNumber(row.value as string),
      data: parseBytes(row.input as string),
    } as const
    const outcome = answerFrom(engine.transact(input, { trace: recordInto(lines) }), state)
    if (outcome.kind === 'rejected') throw new Error(`rejected: ${outcome.code}`)
  }
  return lines
}

function* runFile(machines: Machines, file: VectorFile, filter: CaseFilter) {
  const name = file.path.slice(file.path.lastIndexOf('/') + 1)
  if (!filter(name)) return
  yield attempt(name, () => {
    const index = Number(/^trace-(\d+)-/.exec(name)?.[1])
    const got = trace(machines, dirname(file.path), index)
    return compareLines(got, parseLines(file.content as string))
  })
}

/** EIP-3155 traces beside the inputs of geth's t8n tool. */
export const stepTraceTests: Suite = {
  recognises: ({ path }) => path.endsWith('.jsonl'),
  run: runFile,
}
