import { formatData, type Hex } from '../../../base/hex.ts'
import { LINE_MARKS, type LineMarks } from '../../browser/step/line-marks.ts'
import type { CallNode } from '../../browser/step/stepper.ts'
import { TimeSlicer } from '../../browser/step/time-slicer.ts'
import { type AbiItem, constructorItem } from '../decode/abi/abi-item.ts'
import type { AbiRegistry } from '../decode/abi/abi-registry.ts'
import { middleCut } from '../decode/format/middle-cut.ts'
import { safeText } from '../decode/format/safe-text.ts'
import type { Artifact } from '../decode/solc/artifact.ts'
import type { CodePlaces } from '../decode/solc/code-places.ts'
import type { ContractMatch, ContractSet } from '../decode/solc/contract-set.ts'
import { instructionPlaces } from '../decode/solc/source-map.ts'
import type { RanCode } from './ran-code.ts'

/** A line of a source; lines count from 1. */
export interface SourcePosition {
  readonly path: string
  readonly line: number
  readonly endLine: number
  readonly functionName: string | undefined
  /** Found by the kind of the failure, because the compiler gives no position. */
  readonly isInferred?: boolean
}

export interface SourceFile {
  readonly path: string
  readonly text: string
}

const LONGEST_NAME = 60

/** Executed code with its contract. */
export interface KnownCode {
  readonly code: RanCode
  readonly match: ContractMatch
  readonly places: CodePlaces
}

/** An instruction of executed code. */
interface CodePosition {
  readonly codeHash: Hex
  readonly pc: number
}

/** The instructions of a code with a source. */
interface CodeLines {
  readonly positions: ReadonlyMap<number, SourcePosition>
  readonly marks: LineMarks
}

/** Source-level information about a run's code from compiler output: contracts and source lines. */
export class RunSources {
  readonly files: readonly SourceFile[]
  /** ABIs of contracts by their addresses, lower case. */
  readonly abis: ReadonlyMap<Hex, AbiRegistry>
  /** Constructors of created contracts by their addresses, lower case. */
  readonly constructors: ReadonlyMap<Hex, AbiItem>
  /** Names of contracts by their addresses, lower case. */
  readonly labels: ReadonlyMap<Hex, string>
  readonly #known: ReadonlyMap<Hex, KnownCode>
  readonly #lines = new Map<Hex, CodeLines>()
  readonly #hashes: ReadonlyMap<string, Hex>

  constructor(known: readonly KnownCode[]) {
    this.#known = new Map(known.map((one) => [one.code.codeHash, one]))
    this.#hashes = new Map(
      known.flatMap(({ code }) =>
        code.codeAddresses.map((one) => [`${one} ${code.isCreation}`, code.codeHash] as const),
      ),
    )
    const byAddress = known.flatMap(({ code, match }) =>
      code.codeAddresses.map((address) => [address, match.artifact] as const),
    )
    this.abis = new Map(byAddress.map(([address, { abi }]) => [address, abi]))
    this.labels = new Map(byAddress.map(([address, { name }]) => [address, shownName(name)]))
    this.constructors = new Map(known.flatMap(constructorsOf))
    const files = known.flatMap(({ places }) => places.files)
    const texts = files.flatMap(({ path, content }) =>
      content === undefined ? [] : [[path, content] as const],
    )
    this.files = Array.from(new Map(texts), ([path, text]) => ({ path, text }))
  }

  /** Returns the contracts whose code used the storage of an account. */
  contractsOf(address: Hex): readonly Artifact[] {
    const wanted = address.toLowerCase() as Hex
    return [...this.#known.values()]
      .filter(({ code }) => code.storageAddresses.includes(wanted))
      .map(({ match }) => match.artifact)
  }

  /** Returns the source position of an instruction; that of generated code covers a whole contract or is undefined. */
  positionOf({ codeHash, pc }: CodePosition): SourcePosition | undefined {
    return this.#linesOf(codeHash)?.positions.get(pc)
  }

  /** Returns the hash of the code of a frame; undefined if its contract is unknown. */
  codeHashOf({ codeAddress, type }: Pick<CallNode, 'codeAddress' | 'type'>): Hex | undefined {
    const isCreation = type === 'CREATE' || type === 'CREATE2'
    return this.#hashes.get(`${codeAddress.toLowerCase()} ${isCreation}`)
  }

  /** Returns the contract of executed code, with its sources. */
  codeOf(codeHash: Hex): KnownCode | undefined {
    return this.#known.get(codeHash)
  }

  /** Returns true if the compiler generated an instruction, so that its line is that of its caller. */
  isGenerated({ codeHash, pc }: CodePosition): boolean {
    const marks = this.marksOf(codeHash)
    return marks !== undefined && ((marks[pc] ?? 0) & LINE_MARKS.line) === 0
  }

  /** Returns what the source map says of a code. */
  marksOf(codeHash: Hex): LineMarks | undefined {
    return this.#linesOf(codeHash)?.marks
  }

  /** Returns what the source maps say of the codes that ran, by code hash. */
  marks(): ReadonlyMap<Hex, LineMarks> {
    const found = new Map<Hex, LineMarks>()
    for (const codeHash of this.#known.keys()) {
      const marks = this.marksOf(codeHash)
      if (marks !== undefined) found.set(codeHash, marks)
    }
    return found
  }

  /** Returns the instructions of a line, by the accounts that have the code. */
  placesOf = (path: string, line: number) =>
    [...this.#known.values()].flatMap(({ code, places }) => {
      const pcs = places.pcsOfLine(path, line)
      return pcs.length === 0 ? [] : code.codeAddresses.map((codeAddress) => ({ codeAddress, pcs }))
    })

  /** Returns instructions of a code on other lines than that of `from`; undefined if its source is unknown. */
  otherLines(
    { codeAddress, codeHash }: { readonly codeAddress: Hex; readonly codeHash: Hex },
    from: SourcePosition,
  ): { readonly codeAddress: Hex; readonly pcs: readonly number[] } | undefined {
    const lines = this.#linesOf(codeHash)
    if (lines === undefined) return undefined
    const pcs: number[] = []
    for (const [pc, { path, line }] of lines.positions) {
      if (this.isGenerated({ codeHash, pc })) continue
      if (path !== from.path || line !== from.line) pcs.push(pc)
    }
    return { codeAddress, pcs }
  }

  /** Returns the text of a line and its surroundings. */
  excerpt(
    { path, line }: SourcePosition,
    around: number,
  ): readonly { readonly line: number; readonly text: string }[] {
    const text = this.files.find((file) => file.path === path)?.text
    if (text === undefined) return []
    const first = Math.max(1, line - around)
    const lines = text.split(/\r\n|\r|\n/).slice(first - 1, line + around)
    return lines.map((one, i) => ({ line: first + i, text: one }))
  }

  #linesOf(codeHash: Hex): CodeLines | undefined {
    const known = this.#known.get(codeHash)
    if (known === undefined) return undefined
    let lines = this.#lines.get(codeHash)
    if (lines === undefined) {
      lines = linesOf(known)
      this.#lines.set(codeHash, lines)
    }
    return lines
  }
}

/** Returns the constructor of creation code, for the accounts that it created. */
function constructorsOf({ code, match }: KnownCode): (readonly [Hex, AbiItem])[] {
  const inputs = match.artifact.abi.constructorInputs
  if (!match.isCreation || inputs === undefined || inputs.length === 0) return []
  const before = formatData(code.bytes.subarray(0, match.code.bytes.length))
  const item = constructorItem(inputs, shownName(match.artifact.name), before)
  return code.codeAddresses.map((address) => [address, item] as const)
}

/** A file may contain any contract name. */
function shownName(name: string): string {
  return middleCut(safeText(name), LONGEST_NAME)
}

/** Returns the code of a run whose contracts are known. A source of some thousand lines takes milliseconds. */
export async function knownCode(
  contracts: ContractSet,
  codes: readonly RanCode[],
): Promise<readonly KnownCode[]> {
  const known: KnownCode[] = []
  const turns = new TimeSlicer()
  for (const code of codes) {
    await turns.next()
    const match = contracts.match(code.bytes, code.isCreation)
    if (match === undefined) continue
    await turns.next()
    known.push({ code, match, places: contracts.places(match) })
  }
  return known
}

function linesOf({ code, places }: KnownCode): CodeLines {
  const positions = new Map<number, SourcePosition>()
  for (const pc of instructionPlaces(code.bytes)) {
    const place = places.at(pc)
    if (place?.from === undefined) continue
    const { path, from, to, functionName } = place
    positions.set(pc, { path, line: from.line, endLine: to?.line ?? from.line, functionName })
  }
  return { positions, marks: places.marks() }
}
