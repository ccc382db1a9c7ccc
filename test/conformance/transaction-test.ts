import { LockstepError } from '../../host/base/error.ts'
import { formatData } from '../../host/base/hex.ts'
import type { Revision } from '../../host/evm/chain-types/revision.ts'
import type { Engine } from '../../host/evm/engine/engine.ts'
import {
  checkTransaction,
  decodeForRevision,
} from '../../host/evm/execute/ethereum/transaction-rules.ts'
import { intrinsicGas } from '../../host/evm/execute/intrinsic-gas.ts'
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

function describe(engine: Engine, raw: Uint8Array, revision: Revision): TransactionResult {
  try {
    const transaction = decodeForRevision(raw, { chainId: 1n }, revision, engine)
    checkTransaction(transaction, revision)
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
