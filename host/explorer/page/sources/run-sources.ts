import type { Hex } from '../../../base/hex.ts'
import { TimeSlicer } from '../../browser/step/time-slicer.ts'
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
  /** The file is compiler-generated and not part of the project. */
  readonly isGenerated?: boolean
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

/** Source path and line of each instruction, by pc. */
type Lines = ReadonlyMap<number, SourcePosition>

/** Source-level information about a run's code from compiler output: contracts and source lines. */
export class RunSources {
  readonly files: readonly SourceFile[]
  /** ABIs of contracts by their addresses, lower case. */
  readonly abis: ReadonlyMap<Hex, AbiRegistry>
  /** Names of contracts by their addresses, lower case. */
  readonly labels: ReadonlyMap<Hex, string>
  readonly #known: ReadonlyMap<Hex, KnownCode>
  readonly #lines = new Map<Hex, Lines>()

  constructor(known: readonly KnownCode[]) {
    this.#known = new Map(known.map((one) => [one.code.codeHash, one]))
    const byAddress = known.flatMap(({ code, match }) =>
      code.codeAddresses.map((address) => [address, match.artifact] as const),
    )
    this.abis = new Map(byAddress.map(([address, { abi }]) => [address, abi]))
    this.labels = new Map(byAddress.map(([address, { name }]) => [address, shownName(name)]))
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

  /** Returns the source position of an instruction. */
  positionOf(place: { readonly codeHash: Hex; readonly pc: number }): SourcePosition | undefined {
    return this.#linesOf(place.codeHash)?.get(place.pc)
  }

  /** Returns the instructions of a line, by the accounts that have the code. */
  placesOf = (path: string, line: number) =>
    [...this.#known.values()].flatMap(({ code, places }) => {
      const pcs = places.pcsOfLine(path, line)
      return pcs.length === 0 ? [] : code.codeAddresses.map((codeAddress) => ({ codeAddress, pcs }))
    })

  /** Returns instructions of the same code on other lines than `place`; undefined if unknown. */
  otherLines(place: {
    readonly codeAddress: Hex
    readonly codeHash: Hex
    readonly pc: number
  }): { readonly codeAddress: Hex; readonly pcs: readonly number[] } | undefined {
    const lines = this.#linesOf(place.codeHash)
    const here = lines?.get(place.pc)
    if (lines === undefined || here === undefined) return undefined
    const pcs: number[] = []
    for (const [pc, { path, line, isGenerated }] of lines) {
      // Compiler-generated code has no lines to step to.
      if (isGenerated !== true && (path !== here.path || line !== here.line)) pcs.push(pc)
    }
    return { codeAddress: place.codeAddress, pcs }
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

  #linesOf(codeHash: Hex): Lines | undefined {
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

function linesOf({ code, places }: KnownCode): Lines {
  const lines = new Map<number, SourcePosition>()
  for (const pc of instructionPlaces(code.bytes)) {
    const place = places.at(pc)
    if (place?.from === undefined) continue
    const { path, from, to, functionName, isGenerated } = place
    const endLine = to?.line ?? from.line
    lines.set(pc, {
      path,
      line: from.line,
      endLine,
      functionName,
      ...(isGenerated && { isGenerated }),
    })
  }
  return lines
}
