import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseData } from '../../../../../host/base/hex.ts'
import type {
  CodePlaces,
  InstructionSource,
} from '../../../../../host/explorer/page/decode/solc/code-places.ts'
import {
  type ContractMatch,
  ContractSet,
} from '../../../../../host/explorer/page/decode/solc/contract-set.ts'
import { readDropped } from '../../../../../host/explorer/page/decode/solc/read-dropped.ts'
import type { TextPlace } from '../../../../../host/explorer/page/decode/solc/source-text.ts'
import { compileAll, type SolcContract } from '../solc-output.ts'

const PATH = 'src/Bank.sol'
const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

// Grüße: zwei Bytes je Umlaut, die Spalten zählen Zeichen
library Sums {
    function add(uint256 a, uint256 b) public pure returns (uint256) {
        return a + b;
    }
}

contract Bank {
    uint256 immutable fee;
    mapping(address => uint256) balances;

    constructor(uint256 fee_) {
        fee = fee_;
    }

    modifier paid() {
        require(msg.value >= fee, "fee");
        _;
    }

    function pay(uint256[] calldata amounts) external payable paid {
        string memory s = unicode"ü"; uint256 sum = bytes(s).length;
        for (uint256 i = 0; i < amounts.length; i++) {
            sum = Sums.add(sum, amounts[i]);
        }
        balances[msg.sender] = sum;
    }
}
`

const LIBRARY = 'c0ffee00000000000000000000000000000c0de5'
const FEE = '00000000000000000000000000000000000000000000000000000000000003e8'

/** Returns deployed code, with the library linked and the immutable set. */
function deployed(contract: SolcContract): Uint8Array {
  const { object, immutableReferences } = contract.evm.deployedBytecode
  let code = object.replace(/__\$.{34}\$__/g, LIBRARY)
  for (const ranges of Object.values(immutableReferences) as { start: number }[][]) {
    for (const { start } of ranges) {
      code = code.slice(0, 2 * start) + FEE + code.slice(2 * start + 64)
    }
  }
  return parseData(`0x${code}`)
}

const SETTINGS = [
  ['not optimized', { optimizer: { enabled: false } }],
  ['optimized', { optimizer: { enabled: true, runs: 200 } }],
  ['through Yul', { viaIR: true, optimizer: { enabled: true } }],
] as const

/** Returns the number of the line in SOURCE with this text, from 1. */
const lineWith = (text: string) => SOURCE.slice(0, SOURCE.indexOf(text)).split('\n').length

describe.each(SETTINGS)('the code of solc 0.8.37, %s,', (_, settings) => {
  const { input, output } = compileAll({ [PATH]: SOURCE }, settings)
  const bank = output.contracts[PATH]?.Bank as SolcContract
  const onChain = deployed(bank)

  const setOf = (...files: [name: string, json: unknown][]) =>
    new ContractSet(files.map(([name, json]) => readDropped(name, JSON.stringify(json))))
  const set = setOf(['output.json', output], ['input.json', input])
  const match = set.match(onChain) as ContractMatch
  const places = set.places(match)

  test('is found by its deployed code, whatever its links and immutables are', () => {
    expect(match.artifact).toMatchObject({ name: 'Bank', path: PATH })
    expect(match).toMatchObject({ isCreation: false, isExact: true })
    const changed = onChain.slice()
    changed[onChain.length - 20] = (changed[onChain.length - 20] as number) ^ 1
    expect(set.match(changed)).toMatchObject({ isExact: false })
    const other = onChain.slice()
    other[10] = (other[10] as number) ^ 1
    expect(set.match(other)).toBeUndefined()
    expect(set.match(onChain.subarray(1))).toBeUndefined()
    expect(set.match(new Uint8Array(0))).toBeUndefined()
  })

  test('is found by its creation code followed by arguments', () => {
    const code = bank.evm.bytecode.object.replace(/__\$.{34}\$__/g, LIBRARY)
    const found = set.match(parseData(`0x${code}${FEE}`), true)
    expect(found).toMatchObject({ isCreation: true, isExact: true, artifact: { name: 'Bank' } })
    expect(set.match(parseData(`0x${code}${FEE}`))).toBeUndefined()
  })

  test('is found for a library at any address', () => {
    const sums = output.contracts[PATH]?.Sums as SolcContract
    // Compiled without Yul, it begins with its own address, which no reference states.
    const object = sums.evm.deployedBytecode.object.replace(/^730{40}/, `73${LIBRARY}`)
    const code = { ...sums.evm.deployedBytecode, object }
    expect(
      set.match(deployed({ ...sums, evm: { ...sums.evm, deployedBytecode: code } })),
    ).toMatchObject({ isExact: true, artifact: { name: 'Sums' } })
  })

  test('maps its code to lines and lines to code', () => {
    for (const text of ['require(msg.value', 'sum = Sums.add', 'balances[msg.sender] = sum']) {
      const line = lineWith(text)
      const pcs = places.pcsOfLine(PATH, line)
      expect(pcs.length).toBeGreaterThan(0)
      for (const pc of pcs) {
        expect(places.at(pc)).toMatchObject({ path: PATH, isWide: false, from: { line } })
      }
    }
    expect(places.pcsOfLine(PATH, lineWith('pragma'))).toEqual([])
    expect(places.linesOf(PATH).has(lineWith('pragma'))).toBe(false)
    expect(places.linesOf(PATH).has(lineWith('sum = Sums.add'))).toBe(true)
  })

  test('returns a piece of source by characters, although solc counts bytes', () => {
    const starts = SOURCE.split('\n').map(
      (_, i, lines) => lines.slice(0, i).join('\n').length + (i && 1),
    )
    const indexOf = (place: TextPlace | undefined) =>
      place === undefined ? Number.NaN : (starts[place.line - 1] as number) + place.column - 1
    const pcs = [...places.linesOf(PATH)].flatMap((line) => places.pcsOfLine(PATH, line))
    expect(pcs.length).toBeGreaterThan(100)
    for (const pc of pcs) {
      const { from, to, start, length } = places.at(pc) as InstructionSource
      const compiled = Buffer.from(SOURCE)
        .subarray(start, start + length)
        .toString()
      expect(SOURCE.slice(indexOf(from), indexOf(to))).toBe(compiled)
    }
  })

  test('names the function around a position', () => {
    const names = (text: string) =>
      new Set(places.pcsOfLine(PATH, lineWith(text)).map((pc) => places.at(pc)?.functionName))
    expect(names('require(msg.value')).toEqual(new Set(['Bank.paid']))
    expect(names('balances[msg.sender] = sum')).toEqual(new Set(['Bank.pay']))
  })

  test('has no lines if the file is not the one that was compiled', () => {
    const wrong = setOf(['output.json', output])
    const other = new ContractSet([...wrong.files, readDropped('Bank.sol', `${SOURCE}\n`)])
    const pc = places.pcsOfLine(PATH, lineWith('sum = Sums.add'))[0] as number
    expect(other.places(other.match(onChain) as ContractMatch).at(pc)).toMatchObject({
      path: PATH,
      from: undefined,
    })
    // The right source is found by its hash, whatever its name.
    const right = new ContractSet([...wrong.files, readDropped('x/Other.sol', SOURCE)])
    expect(right.places(right.match(onChain) as ContractMatch).at(pc)).toMatchObject({
      from: { line: lineWith('sum = Sums.add') },
    })
  })

  const onLine = (places: CodePlaces, text: string) =>
    places.pcsOfLine(PATH, lineWith(text)).length > 0

  test('is read from a build info of Hardhat', () => {
    const info = { _format: 'hh-sol-build-info-1', solcVersion: '0.8.37', input, output }
    const set = setOf(['build-info.json', info])
    expect(set.files[0]).toMatchObject({ kind: 'Hardhat build info', problem: undefined })
    const match = set.match(onChain) as ContractMatch
    expect(match.artifact).toMatchObject({ name: 'Bank', compiler: '0.8.37' })
    expect(onLine(set.places(match), 'sum = Sums.add')).toBe(true)
  })

  test('is read from an artifact of Hardhat', () => {
    const { bytecode, deployedBytecode } = bank.evm
    const artifact = {
      _format: 'hh3-artifact-1',
      contractName: 'Bank',
      sourceName: PATH,
      abi: bank.abi,
      bytecode: `0x${bytecode.object}`,
      deployedBytecode: `0x${deployedBytecode.object}`,
      linkReferences: bytecode.linkReferences,
      deployedLinkReferences: deployedBytecode.linkReferences,
      immutableReferences: deployedBytecode.immutableReferences,
    }
    const set = setOf(['Bank.json', artifact])
    expect(set.files[0]).toMatchObject({ kind: 'Hardhat artifact', problem: undefined })
    expect(set.match(onChain)).toMatchObject({ isExact: true, artifact: { name: 'Bank' } })
  })

  test('is read from an artifact of Foundry and the source', () => {
    const { bytecode, deployedBytecode } = bank.evm
    const artifact = {
      abi: bank.abi,
      bytecode: { ...bytecode, object: `0x${bytecode.object}` },
      deployedBytecode: { ...deployedBytecode, object: `0x${deployedBytecode.object}` },
      rawMetadata: bank.metadata,
      metadata: JSON.parse(bank.metadata),
      storageLayout: bank.storageLayout,
      id: 0,
    }
    const files = [
      readDropped('out/Bank.sol/Bank.json', JSON.stringify(artifact)),
      readDropped('Bank.sol', SOURCE),
    ]
    const set = new ContractSet(files)
    expect(set.files[0]).toMatchObject({ kind: 'Foundry artifact', problem: undefined })
    const match = set.match(onChain) as ContractMatch
    expect(match.artifact).toMatchObject({ name: 'Bank', path: PATH })
    expect(match.artifact.layout?.variables.map(({ label }) => label)).toEqual(['balances'])
    expect(onLine(set.places(match), 'sum = Sums.add')).toBe(true)
  })

  test('is read from --combined-json', () => {
    const { bytecode, deployedBytecode } = bank.evm
    const combined = {
      contracts: {
        [`${PATH}:Bank`]: {
          abi: bank.abi,
          bin: bytecode.object,
          'bin-runtime': deployedBytecode.object.replace(/0{64}/g, '0'.repeat(64)),
          'srcmap-runtime': deployedBytecode.sourceMap,
          'storage-layout': bank.storageLayout,
        },
      },
      sourceList: [PATH],
      sources: { [PATH]: { AST: output.sources[PATH]?.ast } },
      version: '0.8.37+commit.f401782d',
    }
    const set = new ContractSet([
      readDropped('combined.json', JSON.stringify(combined)),
      readDropped('Bank.sol', SOURCE),
    ])
    expect(set.files[0]).toMatchObject({ kind: 'solc combined JSON', problem: undefined })
    // Without immutable references, only code with zeros at their positions matches.
    const zeros = parseData(
      `0x${bank.evm.deployedBytecode.object.replace(/__\$.{34}\$__/g, LIBRARY)}`,
    )
    const match = set.match(zeros) as ContractMatch
    expect(match.artifact).toMatchObject({ name: 'Bank', compiler: '0.8.37+commit.f401782d' })
    expect(onLine(set.places(match), 'sum = Sums.add')).toBe(true)
  })
})

test('the code of solc 0.4.11 has its lines and functions despite its older links, metadata and syntax trees', () => {
  const { source, output } = JSON.parse(
    readFileSync(new URL('./solc-0.4.11.json', import.meta.url), 'utf8'),
  )
  const set = new ContractSet([
    readDropped('output.json', JSON.stringify(output)),
    readDropped('Old.sol', source),
  ])
  const { object } = output.contracts['Old.sol'].Old.evm.deployedBytecode
  expect(object).toContain('__Old.sol:L____')
  const onChain = parseData(`0x${object.replace(/__.{38}/g, LIBRARY)}`)
  const match = set.match(onChain) as ContractMatch
  expect(match).toMatchObject({ isExact: true, artifact: { name: 'Old', layout: undefined } })
  const other = onChain.slice()
  other[onChain.length - 12] = (other[onChain.length - 12] as number) ^ 1
  expect(set.match(other)).toMatchObject({ isExact: false })
  const places = set.places(match)
  const line = source.slice(0, source.indexOf('x = L.twice')).split('\n').length
  const pcs = places.pcsOfLine('Old.sol', line)
  expect(pcs.length).toBeGreaterThan(10)
  for (const pc of pcs) {
    expect(places.at(pc)).toMatchObject({ functionName: 'Old.set', from: { line } })
  }
})
