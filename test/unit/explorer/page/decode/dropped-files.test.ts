import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseData } from '../../../../../host/base/hex.ts'
import { ContractSet } from '../../../../../host/explorer/page/decode/solc/contract-set.ts'
import { readDropped } from '../../../../../host/explorer/page/decode/solc/read-dropped.ts'
import { Preimages } from '../../../../../host/explorer/page/decode/storage/preimages.ts'
import { SlotNames } from '../../../../../host/explorer/page/decode/storage/slot-names.ts'
import { variableChanges } from '../../../../../host/explorer/page/decode/storage/variable-changes.ts'
import { runSeed } from '../../../../support/random.ts'
import { compileAll } from '../solc-output.ts'

const SEED = runSeed()

describe('a dropped file of unknown kind', () => {
  test.each([
    ['x.txt', 'hello', 'file', 'neither JSON nor a .sol, .vy or .yul source'],
    ['x.json', '{', 'file', 'neither JSON nor a .sol, .vy or .yul source'],
    ['x.json', '{}', 'JSON', 'JSON other than an ABI, artifact, build info or output of solc'],
    ['x.json', '7', 'JSON', 'JSON other than an ABI, artifact, build info or output of solc'],
    ['x.json', '[1, {}]', 'ABI', 'a list without a function, event or error of an ABI'],
    [
      'x.json',
      '{"errors": [{"severity": "error", "formattedMessage": "ParserError: Expected ;\\n"}]}',
      'JSON',
      'the compiler failed: ParserError: Expected ;',
    ],
  ])('is named with the reason: %s with %s is called %s', (name, text, kind, problem) => {
    expect(readDropped(name, text)).toMatchObject({
      name,
      kind,
      problem,
      artifacts: [],
      sources: [],
    })
  })
})

test('an ABI without a name is named after its file', () => {
  const abi = [{ type: 'error', name: 'Nope', inputs: [] }]
  const file = readDropped('out/Vault.abi.json', JSON.stringify(abi))
  expect(file).toMatchObject({ kind: 'ABI', problem: undefined })
  expect([...(file.abi ?? [])]).toMatchObject([{ signature: 'Nope()', source: 'Vault' }])
  expect(new ContractSet([file]).books).toHaveLength(1)
})

test('the compiler’s errors are shown if it produced no contracts', () => {
  const output = { contracts: {}, errors: [{ severity: 'error', message: 'Source not found' }] }
  expect(readDropped('out.json', JSON.stringify(output))).toMatchObject({
    kind: 'solc standard JSON output',
    problem: 'the compiler failed: Source not found',
  })
})

const SOURCE = `contract C {
  enum K { A, B }
  struct S { uint64 a; mapping(K => bytes) m; uint8[3] d; }
  S[] list; string text; mapping(address => S) by; K k;
  function f(uint256 x) public returns (uint256) { k = K.B; text = "t"; return x + list.length; }
}`
const { input, output } = compileAll({ 'C.sol': SOURCE }, { optimizer: { enabled: true } })
const object = output.contracts['C.sol']?.C?.evm.deployedBytecode.object ?? ''

/** Returns the paths of all values in a JSON document. */
function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...path, key]))]
}

function replaceAt(value: unknown, path: readonly string[], by: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return by
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string,
    unknown
  >
  copy[key] = replaceAt(copy[key], rest, by)
  return copy
}

/** Makes every query about a file, whatever it contains. */
function askAll(text: string): void {
  const set = new ContractSet([readDropped('a.json', text), readDropped('C.sol', SOURCE)])
  const code = parseData(`0x${object}`)
  for (const isCreation of [false, true]) {
    const match = set.match(code, isCreation)
    if (match === undefined) continue
    const places = set.places(match)
    for (let pc = 0; pc < code.length; pc += 7) places.at(pc)
    places.pcsOfLine('C.sol', 5)
    places.linesOf('C.sol')
  }
  for (const { layout } of set.artifacts) {
    const preimages = new Preimages()
    const names = new SlotNames(layout, preimages)
    names.guessKey(new Uint8Array(32))
    const slots = [0n, 1n, 5n, names.contentOf(0n), names.contentOf(1n) + 3n, 2n ** 256n - 1n]
    const changes = slots.map((slot) => {
      const word = (byte: string) => `0x${byte.repeat(32)}` as const
      return { slot: `0x${slot.toString(16)}` as const, before: word('00'), after: word('41') }
    })
    variableChanges(changes, names)
  }
}

test(`a damaged file is read as far as possible and never throws, with the seed ${SEED}`, () => {
  // Leave out the large and simple parts, so that the damage hits the important ones.
  const { C } = output.contracts['C.sol'] ?? {}
  const kept = {
    contracts: { 'C.sol': { C: { abi: C?.abi, storageLayout: C?.storageLayout, evm: C?.evm } } },
    sources: output.sources,
  }
  const documents = [kept, { _format: 'hh-sol-build-info-1', input, output: kept }, C]
  const odd = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      true,
      -1,
      2 ** 53,
      '',
      'x',
      '0x',
      '__proto__',
      [],
      {},
      [[]],
      '9'.repeat(70),
    ),
    fc.constantFrom(
      '-1:-1:-1',
      ';;;;',
      '0:0:99',
      '1:2:3:4:5:6;x',
      't_mapping(t_address,t_struct(S)1_storage)',
    ),
    fc.jsonValue(),
  )
  fc.assert(
    fc.property(
      fc.constantFrom(...documents),
      fc.array(fc.tuple(fc.nat(), odd), { minLength: 1, maxLength: 4 }),
      (document, changes) => {
        let changed: unknown = document
        for (const [at, by] of changes) {
          const paths = pathsOf(changed).filter((path) => !path.includes('ast') || at % 4 === 0)
          changed = replaceAt(changed, paths[at % paths.length] ?? [], by)
        }
        askAll(JSON.stringify(changed))
      },
    ),
    { seed: SEED, numRuns: 60 },
  )
})

test('a file that refers to itself endlessly is read', () => {
  const type = { encoding: 'inplace', label: 'S', numberOfBytes: '320', base: 't', members: [] }
  const mapping = { encoding: 'mapping', label: 'M', numberOfBytes: '32', key: 'm', value: 'm' }
  const storageLayout = {
    storage: [
      { label: 'a', offset: 0, slot: '0', type: 't' },
      { label: 'b', offset: 0, slot: '20', type: 'm' },
    ],
    types: { t: type, m: mapping },
  }
  let ast: object = { nodeType: 'FunctionDefinition', name: 'f', src: '0:1:0' }
  for (let depth = 0; depth < 2000; depth++) ast = { nodeType: 'Block', nodes: [ast] }
  const contracts = {
    'C.sol': { C: { abi: [], storageLayout, evm: { deployedBytecode: { object } } } },
  }
  askAll(JSON.stringify({ contracts, sources: { 'C.sol': { id: 0, ast } } }))
})
