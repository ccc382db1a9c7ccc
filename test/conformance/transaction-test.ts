import { LockstepError } from '../../host/base/error.ts'
import { formatData } from '../../host/base/hex.ts'
import {
  MAX_NONCE,
  MAX_TRANSACTION_GAS,
  maxInitcode,
} from '../../host/evm/chain-types/generated/limit.ts'
import { atLeast, type Revision } from '../../host/evm/chain-types/revision.ts'
import type { Transaction } from '../../host/evm/chain-types/transaction.ts'
import type { Engine } from '../../host/evm/engine/engine.ts'
import { decodeForRevision } from '../../host/evm/execute/ethereum/transaction-rules.ts'
import { floorDataGas, intrinsicGas } from '../../host/evm/execute/intrinsic-gas.ts'
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
import { parseBytes, parseNumber, revisionOf } from './fixture.ts'

interface TransactionResult {
  readonly exception?: string
  readonly hash?: string
  readonly sender?: string
  readonly intrinsicGas?: string
}

/** A transaction test: an encoding, and whether each fork accepts it. */
interface TransactionTest {
  readonly txbytes: string
  readonly result: Readonly<Record<string, TransactionResult>>
}

/** Why the fields alone make the transaction invalid. The engine checks the same rules against the state. */
function reasonToReject(transaction: Transaction, revision: Revision): string | undefined {
  const { gas, nonce, to, data, maxFeePerGas, maxPriorityFeePerGas } = transaction
  const floor = atLeast(revision, 'Prague') ? floorDataGas(transaction, revision) : 0n
  const intrinsic = intrinsicGas(transaction, revision)
  const least = intrinsic > floor ? intrinsic : floor
  if (gas < least) return `intrinsic gas too low: have ${gas}, want ${least}`
  if (nonce === MAX_NONCE) return 'nonce has max value'
  // With the value, the cost may exceed 256 bits: then no sender can pay it, which its state decides.
  if (gas * maxFeePerGas >= 2n ** 256n) return 'the cost exceeds 256 bits'
  if (maxPriorityFeePerGas > maxFeePerGas) return 'the tip exceeds the fee cap'
  if (to === undefined && data.length > maxInitcode(revision) && atLeast(revision, 'Shanghai')) {
    return `init code has ${data.length} bytes, more than ${maxInitcode(revision)}`
  }
  if (gas > MAX_TRANSACTION_GAS && atLeast(revision, 'Osaka')) {
    return `gas limit ${gas} exceeds ${MAX_TRANSACTION_GAS}`
  }
  return undefined
}

function describe(engine: Engine, raw: Uint8Array, revision: Revision): TransactionResult {
  try {
    const transaction = decodeForRevision(raw, { chainId: 1n }, revision, engine)
    const exception = reasonToReject(transaction, revision)
    if (exception !== undefined) return { exception }
    return {
      hash: formatData(transaction.hash),
      sender: formatData(transaction.from),
      intrinsicGas: String(intrinsicGas(transaction, revision)),
    }
  } catch (thrown) {
    if (thrown instanceof LockstepError && thrown.code === 'TRANSACTION_REJECTED') {
      return { exception: thrown.message }
    }
    throw thrown
  }
}

function compare(
  got: TransactionResult,
  want: TransactionResult,
  notes: Set<string>,
): string | undefined {
  if (want.exception !== undefined || got.exception !== undefined) {
    return compareRefusal(got.exception, want.exception, notes)
  }
  if (got.hash !== want.hash) return `hash ${got.hash}, want ${want.hash}`
  if (got.sender !== want.sender) return `sender ${got.sender}, want ${want.sender}`
  const gas = String(parseNumber(want.intrinsicGas ?? ''))
  return got.intrinsicGas === gas ? undefined : `intrinsic gas ${got.intrinsicGas}, want ${gas}`
}

function* runFile({ engine, notes }: Machines, file: VectorFile, filter: CaseFilter) {
  for (const [name, content] of namedTests(file)) {
    const test = content as unknown as TransactionTest
    for (const [fork, want] of Object.entries(test.result)) {
      const caseName = `${name} [${fork}]`
      if (!filter(caseName, fork)) continue
      yield attempt(caseName, () => {
        const revision = revisionOf(fork)
        if (revision === undefined) return `unknown fork ${fork}`
        return compare(describe(engine, parseBytes(test.txbytes), revision), want, notes)
      })
    }
  }
}

export const transactionTests: Suite = {
  recognises: (file) => testsHave(file, 'txbytes', 'result'),
  run: runFile,
}
