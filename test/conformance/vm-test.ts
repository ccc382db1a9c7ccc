import { formatData } from '../../host/base/hex.ts'
import { encodeRlp } from '../../host/base/rlp.ts'
import { answerFrom } from '../../host/evm/state/answer.ts'
import { PLAIN_FIELDS } from '../support/engine/unsigned-sender.ts'
import {
  attempt,
  type CaseFilter,
  type Machines,
  namedTests,
  type Suite,
  testsHave,
  type VectorFile,
} from './case.ts'
import { type FixtureState, parseBytes, parseNumber, parseWord, readState } from './fixture.ts'

/** A VM test: bare code under Frontier's rules. Without `gas` it must halt exceptionally. */
interface VmTest {
  readonly env: Readonly<Record<string, string>>
  readonly exec: Readonly<Record<string, string>>
  readonly pre: FixtureState
  readonly gas?: string
  readonly out?: string
  readonly logs?: string
  readonly post?: FixtureState
}

/** Returns the intrinsic gas of a transaction (yellow paper, 6.2, before EIP-2028). */
function transactionGas(data: Uint8Array): bigint {
  const zeros = data.filter((byte) => byte === 0).length
  return 21_000n + BigInt(zeros * 4 + (data.length - zeros) * 68)
}

function runCase({ engine, hasher }: Machines, test: VmTest): string | undefined {
  const { env, exec } = test
  const field = (name: string) => exec[name] as string
  const address = parseBytes(field('address'))
  const from = parseBytes(field('origin'))
  const data = parseBytes(field('data'))
  const value = parseNumber(field('value'))
  // A VM test has the value in place before the code runs. Here a transaction must transfer it.
  const state = readState(test.pre, hasher, (number) =>
    hasher.keccak256(new TextEncoder().encode(String(number))),
  )
  const sender = state.readAccount(from)
  const code = parseBytes(field('code'))
  const codeHash = hasher.keccak256(code)
  state.addCode(codeHash, code)
  const callee = state.readAccount(address)
  const balance = (callee?.balance ?? value) - value
  state.writeAccount(address, { nonce: callee?.nonce ?? 0n, balance, codeHash })
  state.writeAccount(from, {
    nonce: sender?.nonce ?? 0n,
    balance: (sender?.balance ?? 0n) + value,
    codeHash: sender?.codeHash ?? hasher.keccak256(new Uint8Array(0)),
  })
  const overhead = transactionGas(data)
  const gas = parseNumber(field('gas'))
  engine.beginBlock({
    revision: 'Frontier',
    chainId: 1n,
    number: Number(parseNumber(env.currentNumber as string)),
    timestamp: Number(parseNumber(env.currentTimestamp as string)),
    gasLimit: parseNumber(env.currentGasLimit as string),
    baseFee: 0n,
    coinbase: parseBytes(env.currentCoinbase as string),
    prevRandao: parseWord(env.currentDifficulty as string),
    blobBaseFee: 1n,
    burnBaseFee: true,
  })
  const price = parseNumber(field('gasPrice'))
  const run = engine.transact(
    {
      ...PLAIN_FIELDS,
      type: 0,
      from,
      to: address,
      nonce: sender?.nonce ?? 0n,
      gas: gas + overhead,
      maxFeePerGas: price,
      maxPriorityFeePerGas: price,
      value,
      data,
    },
    { leniency: { skipFees: true, skipSenderChecks: true } },
  )
  const outcome = answerFrom(run, state)
  if (outcome.kind === 'rejected') return `rejected: ${outcome.code}`
  if (test.gas === undefined) return outcome.success ? 'succeeded, want a halt' : undefined
  if (!outcome.success) return `failed: ${outcome.error}`
  const left = gas + overhead - outcome.gasUsed - outcome.gasRefunded
  if (left !== parseNumber(test.gas)) return `gas left ${left}, want ${parseNumber(test.gas)}`
  if (formatData(outcome.output) !== (test.out ?? '0x')) return `output, want ${test.out}`
  const logs = outcome.logs.map((log) => [log.address, log.topics, log.data])
  const logsHash = formatData(hasher.keccak256(encodeRlp(logs)))
  if (logsHash !== test.logs) return `logs hash ${logsHash}, want ${test.logs}`
  state.apply(engine.diff())
  for (const [key, { storage = {} }] of Object.entries(test.post ?? {})) {
    const owner = parseBytes(key)
    for (const [slot, want] of Object.entries(storage)) {
      const got = formatData(state.storage(owner, parseWord(slot)) ?? new Uint8Array(1))
      if (BigInt(got) !== parseNumber(want)) return `${key} slot ${slot}: ${got}, want ${want}`
    }
  }
  return undefined
}

function* runFile(machines: Machines, file: VectorFile, filter: CaseFilter) {
  for (const [name, test] of namedTests(file)) {
    if (!filter(name, 'Frontier')) continue
    yield attempt(name, () => runCase(machines, test as unknown as VmTest))
  }
}

export const vmTests: Suite = {
  recognises: (file) => testsHave(file, 'env', 'exec', 'pre'),
  run: runFile,
}
