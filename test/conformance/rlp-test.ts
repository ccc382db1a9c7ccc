import { LockstepError } from '../../host/base/error.ts'
import { formatData } from '../../host/base/hex.ts'
import { decodeRlp, encodeRlp, type RlpItem, rlpInteger } from '../../host/base/rlp.ts'
import {
  attempt,
  type CaseFilter,
  type Machines,
  namedTests,
  type Suite,
  testsHave,
  type VectorFile,
} from './case.ts'
import { parseBytes } from './fixture.ts'

type RlpInput = string | number | readonly RlpInput[]

/** An RLP test: an item and its encoding, or an encoding that is valid or invalid. */
interface RlpTest {
  readonly in: RlpInput
  readonly out: string
}

/** Reads an item: a string is text, unless it starts with `#`, which begins a decimal number of any size. */
function readItem(input: RlpInput): RlpItem {
  if (typeof input === 'number') return rlpInteger(input)
  if (typeof input !== 'string') return input.map(readItem)
  return input.startsWith('#')
    ? rlpInteger(BigInt(input.slice(1)))
    : new TextEncoder().encode(input)
}

function isValid(encoded: Uint8Array): boolean {
  try {
    // An encoding that decodes must also be canonical.
    return formatData(encodeRlp(decodeRlp(encoded))) === formatData(encoded)
  } catch (thrown) {
    if (thrown instanceof LockstepError && thrown.code === 'INVALID_RLP') return false
    throw thrown
  }
}

function runCase(test: RlpTest): string | undefined {
  const encoded = parseBytes(test.out)
  if (test.in === 'INVALID') return isValid(encoded) ? 'decoded, want a refusal' : undefined
  if (!isValid(encoded)) return 'does not decode'
  if (test.in === 'VALID') return undefined
  const got = formatData(encodeRlp(readItem(test.in)))
  return got === formatData(encoded) ? undefined : `encoded as ${got}, want ${test.out}`
}

function* runFile(_machines: Machines, file: VectorFile, filter: CaseFilter) {
  for (const [name, test] of namedTests(file)) {
    if (filter(name)) yield attempt(name, () => runCase(test as unknown as RlpTest))
  }
}

export const rlpTests: Suite = {
  recognises: (file) => testsHave(file, 'in', 'out'),
  run: runFile,
}
